"""Edge softmax and weighted sum in one pass over the rows, for attention scores of two kinds.

Heads and their size are constants at compile time: a pair of loops is compiled for each combination.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from graphgauge.compiling import Floats, Ints, loose_loop
from graphgauge.models.kernels.simd import F, add_scaled, dot, exponential, leaky_dot, leaky_dot_backward

Loops = tuple[Callable[..., Any], Callable[..., Any]]


@loose_loop
def softmax_row(alpha: Floats, low: int, high: int, top: Floats, total: Floats) -> None:
    """alpha[low:high] (edges, heads) from scores, with maxima `top`, to weights; `total` is work space."""
    heads = alpha.shape[1]
    flat = alpha.reshape(-1)
    for e in range(low, high):
        for h in range(heads):
            alpha[e, h] -= top[h]
    for k in range(low * heads, high * heads):
        flat[k] = exponential(flat[k])
    total[:] = 0
    for e in range(low, high):
        for h in range(heads):
            total[h] += alpha[e, h]
    for h in range(heads):
        total[h] = F(1.0) / total[h]
    for e in range(low, high):
        for h in range(heads):
            alpha[e, h] *= total[h]


@lru_cache
def additive(heads: int, size: int, slope: float) -> Loops:
    """Forward and backward of GAT: the score is LeakyReLU(s_j + t_i), i the row `own[i]` of z.

    Rows of z hold heads · size values, then s and t of every head.
    """
    width, slant = heads * size, np.float32(slope)

    @loose_loop
    def forward(
        z: Floats, bias: Floats, ptr: Ints, source: Ints, own: Ints, alpha: Floats, out: Floats
    ) -> None:
        step = width + 2 * heads
        top, total = np.empty(heads, np.float32), np.empty(heads, np.float32)
        for i in range(out.shape[0]):
            low, high = ptr[i], ptr[i + 1]
            top[:] = -np.inf
            for e in range(low, high):
                sender, receiver = z[source[e], width:], z[own[i], width + heads :]
                for h in range(heads):
                    score = sender[h] + receiver[h]
                    score = max(score, slant * score)
                    alpha[e, h] = score
                    top[h] = max(top[h], score)
            softmax_row(alpha, low, high, top, total)
            out[i] = bias
            for e in range(low, high):
                start = source[e] * step
                for h in range(heads):
                    add_scaled(out, i * width + h * size, alpha[e, h], z, start + h * size, size)

    @loose_loop
    def backward(
        dout: Floats,
        z: Floats,
        bias: Floats,
        ptr: Ints,
        source: Ints,
        own: Ints,
        alpha: Floats,
        out: Floats,
        dz: Floats,
    ) -> None:
        step = width + 2 * heads
        mean, inner = np.empty(heads, np.float32), np.empty(heads, np.float32)
        dz[:] = 0
        for i in range(out.shape[0]):
            for h in range(heads):
                at = i * width + h * size
                mean[h] = dot(dout, at, out, at, size) - dot(dout, at, bias, h * size, size)
            for e in range(ptr[i], ptr[i + 1]):
                j = source[e]
                for h in range(heads):
                    at, start = i * width + h * size, j * step + h * size
                    inner[h] = dot(dout, at, z, start, size)
                    add_scaled(dz, start, alpha[e, h], dout, at, size)
                sender, receiver = z[j, width:], z[own[i], width + heads :]
                dsender, dreceiver = dz[j, width:], dz[own[i], width + heads :]
                for h in range(heads):
                    d = alpha[e, h] * (inner[h] - mean[h])
                    if sender[h] + receiver[h] <= 0:
                        d *= slant
                    dsender[h] += d
                    dreceiver[h] += d

    return forward, backward


@lru_cache
def dynamic(heads: int, size: int, slope: float) -> Loops:
    """Forward and backward of GATv2: the score is Σ_c a_c LeakyReLU(l_jc + r_ic), i the row `own[i]` of r."""
    width, slant = heads * size, np.float32(slope)

    @loose_loop
    def forward(
        left: Floats,
        right: Floats,
        attention: Floats,
        bias: Floats,
        ptr: Ints,
        source: Ints,
        own: Ints,
        alpha: Floats,
        out: Floats,
    ) -> None:
        top, total = np.empty(heads, np.float32), np.empty(heads, np.float32)
        for i in range(out.shape[0]):
            low, high = ptr[i], ptr[i + 1]
            top[:] = -np.inf
            for e in range(low, high):
                for h in range(heads):
                    k = h * size
                    score = leaky_dot(
                        left, source[e] * width + k, right, own[i] * width + k, attention, k, slant, size
                    )
                    alpha[e, h] = score
                    top[h] = max(top[h], score)
            softmax_row(alpha, low, high, top, total)
            out[i] = bias
            for e in range(low, high):
                for h in range(heads):
                    k = h * size
                    add_scaled(out, i * width + k, alpha[e, h], left, source[e] * width + k, size)

    @loose_loop
    def backward(
        dout: Floats,
        left: Floats,
        right: Floats,
        attention: Floats,
        bias: Floats,
        ptr: Ints,
        source: Ints,
        own: Ints,
        alpha: Floats,
        out: Floats,
        dleft: Floats,
        dright: Floats,
        dattention: Floats,
    ) -> None:
        dleft[:] = 0
        dright[:] = 0
        dattention[:] = 0
        for i in range(out.shape[0]):
            for h in range(heads):
                k = h * size
                at, mine = i * width + k, own[i] * width + k
                mean = dot(dout, at, out, at, size) - dot(dout, at, bias, k, size)
                for e in range(ptr[i], ptr[i + 1]):
                    start = source[e] * width + k
                    d = alpha[e, h] * (dot(dout, at, left, start, size) - mean)
                    add_scaled(dleft, start, alpha[e, h], dout, at, size)
                    leaky_dot_backward(
                        d, left, dleft, start, right, dright, mine, attention, dattention, k, slant, size
                    )

    return forward, backward
