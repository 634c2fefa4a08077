"""Sums and maxima over the rows of a CSR, and sums of the ends of edges."""

from __future__ import annotations

import numpy as np

from graphgauge.compiling import Floats, Ints, loose_loop
from graphgauge.models.kernels.simd import F


@loose_loop
def gather(
    x: Floats, ptr: Ints, source: Ints, weight: Floats, factor: Floats, own: Ints, bias: Floats, out: Floats
) -> None:
    """out_i = Σ_e w_e x_source(e) over row i + a x_own(i) + b.

    What is empty is not there: weights are then 1, the row before is i, and a and b are 0.
    """
    n, width = out.shape
    if bias.size:
        for i in range(n):
            out[i] = bias
    else:
        out[:] = 0
    if factor.size:
        for i in range(n):
            j = own[i] if own.size else i
            for f in range(width):
                out[i, f] += factor[0] * x[j, f]
    if weight.size:
        add_weighted(x, ptr, source, weight, out)
    else:
        add_all(x, ptr, source, out)


@loose_loop
def add_weighted(x: Floats, ptr: Ints, source: Ints, weight: Floats, out: Floats) -> None:
    """out_i += Σ_e w_e x_source(e), four edges at a time to write out_i less often."""
    n, width = out.shape
    for i in range(n):
        row = out[i]
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
def add_all(x: Floats, ptr: Ints, source: Ints, out: Floats) -> None:
    """`add_weighted` with weights of 1."""
    n, width = out.shape
    for i in range(n):
        row = out[i]
        e, end = ptr[i], ptr[i + 1]
        while e + 4 <= end:
            a, b, c, d = x[source[e]], x[source[e + 1]], x[source[e + 2]], x[source[e + 3]]
            for f in range(width):
                row[f] += (a[f] + b[f]) + (c[f] + d[f])
            e += 4
        while e < end:
            a = x[source[e]]
            for f in range(width):
                row[f] += a[f]
            e += 1


@loose_loop
def scatter(
    dout: Floats, ptr: Ints, source: Ints, weight: Floats, factor: Floats, own: Ints, dx: Floats
) -> None:
    """The transpose of `gather`: dx_source(e) += w_e dout_i over all edges e of rows i, and so for own."""
    n, width = dout.shape
    dx[:] = 0
    for i in range(n):
        if factor.size:
            j, share = own[i] if own.size else i, factor[0]
            for f in range(width):
                dx[j, f] += share * dout[i, f]
        for e in range(ptr[i], ptr[i + 1]):
            j, w = source[e], weight[e] if weight.size else F(1.0)
            for f in range(width):
                dx[j, f] += w * dout[i, f]


@loose_loop
def dots(dout: Floats, x: Floats, own: Ints) -> Floats:
    """Σ_i dout_i · x_own(i) as an array of one number."""
    n, width = dout.shape
    total = 0.0
    for i in range(n):
        j = own[i] if own.size else i
        for f in range(width):
            total += dout[i, f] * x[j, f]
    return np.full(1, total, np.float32)


@loose_loop
def largest(x: Floats, ptr: Ints, source: Ints, out: Floats, winner: Ints) -> None:
    """out_i = max(0, max_e x_source(e)) over row i; winner holds the row of x, or -1 where 0 won."""
    n, width = out.shape
    for i in range(n):
        row, best = out[i], winner[i]
        row[:] = 0
        best[:] = -1
        for e in range(ptr[i], ptr[i + 1]):
            j = source[e]
            sent, number = x[j], np.int32(j)
            for f in range(width):
                best[f] = number if sent[f] > row[f] else best[f]
            for f in range(width):
                row[f] = max(row[f], sent[f])


@loose_loop
def largest_backward(dout: Floats, winner: Ints, dx: Floats) -> None:
    """Gradient of `largest`: all of it goes to the first of those that were largest."""
    n, width = dout.shape
    dx[:] = 0
    for i in range(n):
        for f in range(width):
            if winner[i, f] >= 0:
                dx[winner[i, f], f] += dout[i, f]


@loose_loop
def ends(own: Floats, edge_own: Ints, source: Floats, target: Floats, pairs: Ints, out: Floats) -> None:
    """out_r = own_r + source_a + target_b for the pair (a, b) of edge r; own_r is its row, 0 if empty."""
    n, width = out.shape
    first, second = pairs[0], pairs[1]
    for r in range(n):
        row, a, b = out[r], source[first[r]], target[second[r]]
        if own.shape[0] == 0:
            for f in range(width):
                row[f] = a[f] + b[f]
        else:
            c = own[edge_own[r] if edge_own.size else r]
            for f in range(width):
                row[f] = c[f] + a[f] + b[f]


@loose_loop
def ends_backward(dout: Floats, pairs: Ints, dsource: Floats, dtarget: Floats) -> None:
    """Gradients of `ends` by source and target."""
    n, width = dout.shape
    first, second = pairs[0], pairs[1]
    dsource[:] = 0
    dtarget[:] = 0
    for r in range(n):
        row, a, b = dout[r], dsource[first[r]], dtarget[second[r]]
        for f in range(width):
            a[f] += row[f]
        for f in range(width):
            b[f] += row[f]


@loose_loop
def add_rows(dout: Floats, index: Ints, dx: Floats) -> None:
    """dx_index(r) += dout_r, from zero."""
    dx[:] = 0
    add_to_rows(dout, index, dx)


@loose_loop
def add_to_rows(dout: Floats, index: Ints, dx: Floats) -> None:
    """dx_index(r) += dout_r, to what is there; an empty index stands for r itself."""
    n, width = dout.shape
    for r in range(n):
        row = dx[index[r] if index.size else r]
        for f in range(width):
            row[f] += dout[r, f]
