"""Batch normalisation with an activation and a sum at its end, in two passes forward and two backward.

Sums run over blocks of rows in float32 and over blocks in float64. The activation is chosen inside the loops:
it does not change, so the compiler makes a loop for each, which one expression a number lets it vectorise.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from graphgauge.compiling import Floats, Ints, loose_loop
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
def forward(
    x: Floats,
    residual: Floats,
    own: Ints,
    count: Floats,
    weight: Floats,
    bias: Floats,
    eps: float,
    activation: int,
    found: bool,
    stats: Floats,
    out: Floats,
) -> float:
    """`apply` with the moments of x (found) or those given in stats; returns Σ count, 0 if given.

    stats (4, d): mean, variance, 1 / sqrt(variance + ε), and weight times that.
    """
    mean, variance, scale, slope = stats[0], stats[1], stats[2], stats[3]
    total = moments(x, count, mean, variance) if found else 0.0
    for f in range(mean.size):
        scale[f] = 1.0 / np.sqrt(variance[f] + eps)
        slope[f] = weight[f] * scale[f]
    apply(x, residual, own, mean, slope, bias, activation, out)
    return total


@loose_loop
def gradients(
    dout: Floats,
    x: Floats,
    count: Floats,
    bias: Floats,
    stats: Floats,
    activation: int,
    total: float,
    grads: Floats,
    dx: Floats,
) -> None:
    """Gradients of `forward`: of weight and bias in the rows of grads, and dx; total is what it returned."""
    mean, scale, slope, dweight, dbias = stats[0], stats[2], stats[3], grads[0], grads[1]
    share, cut = np.zeros(mean.size, np.float32), np.zeros(mean.size, np.float32)
    sums(dout, x, mean, slope, bias, activation, dbias, dweight)
    for f in range(mean.size):
        if total > 0:
            share[f] = dbias[f] / total
            cut[f] = dweight[f] * scale[f] * scale[f] / total
        dweight[f] *= scale[f]
    backward(dout, x, count, mean, slope, bias, activation, share, cut, dx)


@loose_loop
def follow(
    running_mean: Floats, running_var: Floats, mean: Floats, variance: Floats, total: float, momentum: float
) -> None:
    """Move running averages towards the moments of a batch of `total` rows, the variance the unbiased one."""
    unbiased = total / (total - 1)
    for f in range(mean.size):
        running_mean[f] += momentum * (mean[f] - running_mean[f])
        running_var[f] += momentum * (unbiased * variance[f] - running_var[f])


@njit(inline="always")
def activated(y: np.float32, activation: int) -> np.float32:
    if activation == RELU:
        return max(y, F(0.0))
    if activation == ELU:
        low: np.float32 = exponential(min(y, F(0.0))) - F(1.0)
        return y if y > F(0.0) else low
    return y


@njit(inline="always")
def passed(up: np.float32, y: np.float32, activation: int) -> np.float32:
    """up · activation′(y)."""
    if activation == RELU:
        return up if y > F(0.0) else F(0.0)
    if activation == ELU:
        slope: np.float32 = exponential(min(y, F(0.0)))
        return up * slope
    return up


@loose_loop
def apply(
    x: Floats,
    residual: Floats,
    own: Ints,
    mean: Floats,
    slope: Floats,
    bias: Floats,
    activation: int,
    out: Floats,
) -> None:
    """out = residual + activation(slope (x - mean) + bias); an empty residual counts as 0.

    Row i adds row own_i of the residual, row i where own is empty.
    """
    n, width = x.shape
    if residual.shape[0] == 0:
        for i in range(n):
            for f in range(width):
                out[i, f] = activated((x[i, f] - mean[f]) * slope[f] + bias[f], activation)
    else:
        for i in range(n):
            j = own[i] if own.size else i
            for f in range(width):
                y = activated((x[i, f] - mean[f]) * slope[f] + bias[f], activation)
                out[i, f] = residual[j, f] + y


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
    part, cross = np.empty(width, np.float32), np.empty(width, np.float32)
    first, second = np.zeros(width), np.zeros(width)
    for start in range(0, n, BLOCK):
        part[:] = 0
        cross[:] = 0
        for i in range(start, min(start + BLOCK, n)):
            for f in range(width):
                up, centred = dout[i, f], x[i, f] - mean[f]
                dy = passed(up, centred * slope[f] + bias[f], activation)
                part[f] += dy
                cross[f] += dy * centred
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
    for i in range(n):
        c = count[i] if count.size else F(1.0)
        for f in range(width):
            up, centred = dout[i, f], x[i, f] - mean[f]
            dy = passed(up, centred * slope[f] + bias[f], activation)
            dx[i, f] = slope[f] * (dy - c * (share[f] + cut[f] * centred))
