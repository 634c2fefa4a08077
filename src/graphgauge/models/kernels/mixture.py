"""Several weighted sums over the same rows of a CSR: one for each kernel of a mixture."""

from __future__ import annotations

from graphgauge.compiling import Floats, Ints, loose_loop
from graphgauge.models.kernels.simd import F


@loose_loop
def forward(x: Floats, weight: Floats, ptr: Ints, source: Ints, kind: Ints, out: Floats) -> None:
    """out_ik = Σ_e w_kind(e),k x_source(e) over row i: weight (P, K) of kinds of edges, out (n, K · d)."""
    width, kernels = x.shape[1], weight.shape[1]
    for i in range(out.shape[0]):
        row = out[i]
        row[:] = 0
        for e in range(ptr[i], ptr[i + 1]):
            sent = x[source[e]]
            for k in range(kernels):
                part, w = row[k * width : (k + 1) * width], weight[kind[e], k]
                for f in range(width):
                    part[f] += w * sent[f]


@loose_loop
def backward(
    dout: Floats,
    x: Floats,
    weight: Floats,
    ptr: Ints,
    source: Ints,
    kind: Ints,
    dx: Floats,
    dweight: Floats,
) -> None:
    """Gradients of `forward`."""
    width, kernels = x.shape[1], weight.shape[1]
    dx[:] = 0
    dweight[:] = 0
    for i in range(dout.shape[0]):
        row = dout[i]
        for e in range(ptr[i], ptr[i + 1]):
            sent, dsent = x[source[e]], dx[source[e]]
            for k in range(kernels):
                part, w, total = row[k * width : (k + 1) * width], weight[kind[e], k], F(0.0)
                for f in range(width):
                    total += part[f] * sent[f]
                for f in range(width):
                    dsent[f] += w * part[f]
                dweight[kind[e], k] += total
