"""The gates of a GRU cell, from its two matrix products."""

from __future__ import annotations

from graphgauge.compiling import Floats, loose_loop
from graphgauge.models.kernels.simd import F, exponential


@loose_loop
def forward(a: Floats, b: Floats, bias: Floats, x: Floats, out: Floats) -> None:
    """out = n + z (x - n), from a = (r, z, n) of the input and b = (n, r, z) of the state, both (N, 3w).

    The bias (4w) holds those of r, z, of n's input part and of n's state part. Afterwards a holds the gates
    and the n of b its bias as well: what `backward` needs.
    """
    n_rows, width = x.shape
    bias_n, bias_state = bias[2 * width : 3 * width], bias[3 * width :]
    for i in range(n_rows):
        both, other = a[i, : 2 * width], b[i, width:]
        for f in range(2 * width):
            both[f] = F(1.0) / (F(1.0) + exponential(-(both[f] + other[f] + bias[f])))
        r, z, n, bn = a[i, :width], a[i, width : 2 * width], a[i, 2 * width :], b[i, :width]
        for f in range(width):
            bn[f] += bias_state[f]
        for f in range(width):
            n[f] += bias_n[f] + r[f] * bn[f]
        for f in range(width):
            n[f] = F(2.0) / (F(1.0) + exponential(F(-2.0) * n[f])) - F(1.0)
        row, state = out[i], x[i]
        for f in range(width):
            row[f] = n[f] + z[f] * (state[f] - n[f])


@loose_loop
def backward(dout: Floats, gates: Floats, b: Floats, x: Floats, grad: Floats, dx: Floats) -> None:
    """Gradients of `forward`: grad (N, 4w) holds those of b's n, of r and z in both, and of a's n.

    So its last three quarters are the gradient of a, and its first three that of b. Short loops, since LLVM
    vectorises none with many arrays.
    """
    n_rows, width = x.shape
    for i in range(n_rows):
        r, z, n = gates[i, :width], gates[i, width : 2 * width], gates[i, 2 * width :]
        d, state, bn = dout[i], x[i], b[i, :width]
        dbn, dr, dz, dn = (
            grad[i, :width],
            grad[i, width : 2 * width],
            grad[i, 2 * width : 3 * width],
            grad[i, 3 * width :],
        )
        for f in range(width):
            dn[f] = d[f] * (F(1.0) - z[f]) * (F(1.0) - n[f] * n[f])
        for f in range(width):
            dz[f] = d[f] * z[f] * (F(1.0) - z[f]) * (state[f] - n[f])
        for f in range(width):
            dr[f] = dn[f] * bn[f] * r[f] * (F(1.0) - r[f])
        for f in range(width):
            dbn[f] = dn[f] * r[f]
        row = dx[i]
        for f in range(width):
            row[f] = d[f] * z[f]
