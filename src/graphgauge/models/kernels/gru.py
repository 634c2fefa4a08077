"""The gates of a GRU cell, from its two matrix products."""

from __future__ import annotations

from graphgauge.models.kernels.compile import Floats, loop
from graphgauge.models.kernels.simd import F, exponential


@loop
def forward(a: Floats, b: Floats, x: Floats, gates: Floats, out: Floats) -> None:
    """out = n + z (x - n) with r, z, n from a (of the input) and b (of the state); keeps them in `gates`."""
    n_rows, width = x.shape
    for i in range(n_rows):
        ar, az, an = a[i, :width], a[i, width : 2 * width], a[i, 2 * width :]
        br, bz, bn = b[i, :width], b[i, width : 2 * width], b[i, 2 * width :]
        r, z, n = gates[i, :width], gates[i, width : 2 * width], gates[i, 2 * width :]
        for f in range(width):
            r[f] = F(1.0) / (F(1.0) + exponential(-(ar[f] + br[f])))
        for f in range(width):
            z[f] = F(1.0) / (F(1.0) + exponential(-(az[f] + bz[f])))
        for f in range(width):
            n[f] = F(2.0) / (F(1.0) + exponential(F(-2.0) * (an[f] + r[f] * bn[f]))) - F(1.0)
        for f in range(width):
            out[i, f] = n[f] + z[f] * (x[i, f] - n[f])


@loop
def backward(dout: Floats, b: Floats, x: Floats, gates: Floats, da: Floats, db: Floats, dx: Floats) -> None:
    """Gradients of `forward`."""
    n_rows, width = x.shape
    for i in range(n_rows):
        bn = b[i, 2 * width :]
        r, z, n = gates[i, :width], gates[i, width : 2 * width], gates[i, 2 * width :]
        dar, daz, dan = da[i, :width], da[i, width : 2 * width], da[i, 2 * width :]
        dbr, dbz, dbn = db[i, :width], db[i, width : 2 * width], db[i, 2 * width :]
        for f in range(width):
            d = dout[i, f]
            dn = d * (F(1.0) - z[f]) * (F(1.0) - n[f] * n[f])
            dz = d * (x[i, f] - n[f]) * z[f] * (F(1.0) - z[f])
            dr = dn * bn[f] * r[f] * (F(1.0) - r[f])
            dan[f] = dn
            dbn[f] = dn * r[f]
            daz[f] = dz
            dbz[f] = dz
            dar[f] = dr
            dbr[f] = dr
            dx[i, f] = d * z[f]
