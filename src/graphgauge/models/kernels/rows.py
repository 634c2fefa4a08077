"""Sums over the rows of a CSR."""

from __future__ import annotations

from graphgauge.compiling import Floats, Ints, loose_loop


@loose_loop
def gather(x: Floats, ptr: Ints, source: Ints, weight: Floats, out: Floats) -> None:
    """out_i = Σ_e w_e x_source(e) over row i, four edges at a time to write out_i less often."""
    n, width = out.shape
    for i in range(n):
        row = out[i]
        row[:] = 0
        e, end = ptr[i], ptr[i + 1]
        while e + 4 <= end:
            a, b, c, d = x[source[e]], x[source[e + 1]], x[source[e + 2]], x[source[e + 3]]
            wa, wb, wc, wd = weight[e], weight[e + 1], weight[e + 2], weight[e + 3]
            for f in range(width):
                row[f] += (wa * a[f] + wb * b[f]) + (wc * c[f] + wd * d[f])
            e += 4
        while e < end:
            a, wa = x[source[e]], weight[e]
            for f in range(width):
                row[f] += wa * a[f]
            e += 1


@loose_loop
def scatter(dout: Floats, ptr: Ints, source: Ints, weight: Floats, dx: Floats) -> None:
    """The transpose of `gather`: dx_source(e) += w_e dout_i over all edges e of every row i."""
    n, width = dout.shape
    dx[:] = 0
    for i in range(n):
        for e in range(ptr[i], ptr[i + 1]):
            j, w = source[e], weight[e]
            for f in range(width):
                dx[j, f] += w * dout[i, f]
