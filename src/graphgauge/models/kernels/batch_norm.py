"""Batch normalisation with an activation and a sum at its end, in two passes forward and two backward.

Sums run over blocks of rows in float32 and over blocks in float64.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from graphgauge.compiling import Floats, loose_loop
from graphgauge.models.kernels.simd import F, exponential

BLOCK = 128
NONE, RELU, ELU = 0, 1, 2  # codes of activations


@loose_loop
def moments(x: Floats, count: Floats, mean: Floats, variance: Floats) -> float:
    """Mean and biased variance of columns, row i counting count_i times (once if empty); returns Σ count.

    Of differences from the first row, so that a large common value costs no digits.
    """
    n, width = x.shape
    shift, part, square = x[0].copy(), np.empty(width, np.float32), np.empty(width, np.float32)
    first, second, total = np.zeros(width), np.zeros(width), np.float64(0.0)
    for start in range(0, n, BLOCK):
        part[:] = 0
        square[:] = 0
        for i in range(start, min(start + BLOCK, n)):
            row, c = x[i], count[i] if count.size else F(1.0)
            total += c
            for f in range(width):
                part[f] += c * (row[f] - shift[f])
            for f in range(width):
                square[f] += c * (row[f] - shift[f]) * (row[f] - shift[f])
        for f in range(width):
            first[f] += part[f]
            second[f] += square[f]
    for f in range(width):
        middle = first[f] / total
        mean[f] = shift[f] + middle
        variance[f] = max(second[f] / total - middle * middle, 0.0)
    return total


@loose_loop
def apply(
    x: Floats,
    residual: Floats,
    mean: Floats,
    slope: Floats,
    bias: Floats,
    activation: int,
    out: Floats,
) -> None:
    """out = residual + activation(slope (x - mean) + bias); an empty residual counts as 0."""
    n, width = x.shape
    y = np.empty(width, np.float32)
    for i in range(n):
        row, to = x[i], out[i]
        for f in range(width):
            y[f] = (row[f] - mean[f]) * slope[f] + bias[f]
        if activation == RELU:
            for f in range(width):
                y[f] = max(y[f], F(0.0))
        elif activation == ELU:
            for f in range(width):
                low = exponential(min(y[f], F(0.0))) - F(1.0)
                y[f] = y[f] if y[f] > F(0.0) else low
        if residual.shape[0] == 0:
            to[:] = y
        else:
            added = residual[i]
            for f in range(width):
                to[f] = added[f] + y[f]


@njit(inline="always")
def inner(
    row: Floats, up: Floats, mean: Floats, slope: Floats, bias: Floats, activation: int, dy: Floats
) -> None:
    """dy = up · activation′(slope (row - mean) + bias) for one row."""
    width = row.size
    for f in range(width):
        dy[f] = (row[f] - mean[f]) * slope[f] + bias[f]
    if activation == NONE:
        for f in range(width):
            dy[f] = up[f]
    elif activation == RELU:
        for f in range(width):
            whole = up[f]  # loaded before the choice, or the loop is not vectorised
            dy[f] = whole if dy[f] > F(0.0) else F(0.0)
    else:
        for f in range(width):
            dy[f] = up[f] * exponential(min(dy[f], F(0.0)))


@loose_loop
def sums(
    dout: Floats,
    x: Floats,
    mean: Floats,
    slope: Floats,
    bias: Floats,
    activation: int,
    dbias: Floats,
    product: Floats,
) -> None:
    """dbias = Σ dy and product = Σ dy (x - mean), over all rows."""
    n, width = x.shape
    dy, part, cross = np.empty(width, np.float32), np.empty(width, np.float32), np.empty(width, np.float32)
    first, second = np.zeros(width), np.zeros(width)
    for start in range(0, n, BLOCK):
        part[:] = 0
        cross[:] = 0
        for i in range(start, min(start + BLOCK, n)):
            row = x[i]
            inner(row, dout[i], mean, slope, bias, activation, dy)
            for f in range(width):
                part[f] += dy[f]
            for f in range(width):
                cross[f] += dy[f] * (row[f] - mean[f])
        for f in range(width):
            first[f] += part[f]
            second[f] += cross[f]
    for f in range(width):
        dbias[f], product[f] = first[f], second[f]


@loose_loop
def backward(
    dout: Floats,
    x: Floats,
    count: Floats,
    mean: Floats,
    slope: Floats,
    bias: Floats,
    activation: int,
    share: Floats,
    cut: Floats,
    dx: Floats,
) -> None:
    """dx = slope (dy - count (share + cut (x - mean))): share = Σ dy / n, cut = Σ dy (x - mean) / (n σ²)."""
    n, width = x.shape
    dy = np.empty(width, np.float32)
    for i in range(n):
        row, to, c = x[i], dx[i], count[i] if count.size else F(1.0)
        inner(row, dout[i], mean, slope, bias, activation, dy)
        for f in range(width):
            dy[f] -= c * (share[f] + cut[f] * (row[f] - mean[f]))
        for f in range(width):
            to[f] = slope[f] * dy[f]
