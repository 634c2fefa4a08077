"""GraphNorm, graph by graph, with an optional sum at the end."""

from __future__ import annotations

import numpy as np

from graphgauge.compiling import Floats, Ints, loose_loop


@loose_loop
def forward(
    x: Floats,
    residual: Floats,
    ptr: Ints,
    weight: Floats,
    bias: Floats,
    mean_scale: Floats,
    eps: np.float32,
    out: Floats,
    mean: Floats,
    scale: Floats,
) -> None:
    """out = residual + GraphNorm(x); keeps the mean and 1/sqrt(σ² + ε) of every graph: (G, w).

    An empty residual, shape (0, 0), counts as 0.
    """
    width = x.shape[1]
    shift, slope = np.empty(width, x.dtype), np.empty(width, x.dtype)
    for g in range(ptr.size - 1):
        low, high = ptr[g], ptr[g + 1]
        share = np.float32(1) / np.float32(max(high - low, 1))
        m, s = mean[g], scale[g]
        m[:] = 0
        s[:] = 0
        for i in range(low, high):
            for f in range(width):
                m[f] += x[i, f]
        for f in range(width):
            m[f] *= share
            shift[f] = m[f] * mean_scale[f]
        for i in range(low, high):
            for f in range(width):
                y = x[i, f] - shift[f]
                s[f] += y * y
        for f in range(width):
            s[f] = np.float32(1) / np.sqrt(s[f] * share + eps)
            slope[f] = s[f] * weight[f]
        if residual.shape[0] == 0:
            for i in range(low, high):
                for f in range(width):
                    out[i, f] = (x[i, f] - shift[f]) * slope[f] + bias[f]
        else:
            for i in range(low, high):
                for f in range(width):
                    out[i, f] = residual[i, f] + ((x[i, f] - shift[f]) * slope[f] + bias[f])


@loose_loop
def backward(
    dout: Floats,
    x: Floats,
    ptr: Ints,
    weight: Floats,
    mean_scale: Floats,
    mean: Floats,
    scale: Floats,
    dx: Floats,
    dweight: Floats,
    dbias: Floats,
    dmean_scale: Floats,
) -> None:
    """Gradients of `forward`.

    With y = x - α μ, s = 1/sqrt(σ² + ε) and n nodes:
    dy = γ s (dout - y s² Σ(dout y)/n) and dx = dy - α Σ dy / n, Σ over the nodes of the graph.
    """
    width = x.shape[1]
    shift, slope, cut, low_by = (
        np.empty(width, x.dtype),
        np.empty(width, x.dtype),
        np.empty(width, x.dtype),
        np.empty(width, x.dtype),
    )
    total, product = np.empty(width, x.dtype), np.empty(width, x.dtype)
    dweight[:] = 0
    dbias[:] = 0
    dmean_scale[:] = 0
    for g in range(ptr.size - 1):
        low, high = ptr[g], ptr[g + 1]
        n = np.float32(max(high - low, 1))
        m, s = mean[g], scale[g]
        for f in range(width):
            shift[f] = m[f] * mean_scale[f]
        total[:] = 0
        product[:] = 0
        for i in range(low, high):
            for f in range(width):
                total[f] += dout[i, f]
                product[f] += dout[i, f] * (x[i, f] - shift[f])
        for f in range(width):
            dbias[f] += total[f]
            dweight[f] += product[f] * s[f]
            slope[f] = weight[f] * s[f]
            cut[f] = s[f] * s[f] * product[f] / n
            dy = slope[f] * (total[f] - (m[f] - shift[f]) * n * cut[f])
            dmean_scale[f] -= m[f] * dy
            low_by[f] = mean_scale[f] * dy / n
        for i in range(low, high):
            for f in range(width):
                dx[i, f] = slope[f] * (dout[i, f] - (x[i, f] - shift[f]) * cut[f]) - low_by[f]
