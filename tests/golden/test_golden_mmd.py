"""Pinned MMDs: a change here is a changed number."""

from __future__ import annotations

import numpy as np
import pytest

from graphgauge.distances.kernels import KERNELS
from graphgauge.distances.mmd import mmd

PINNED = {
    "linear": (476.1979315384452, 449.12364312263634),
    "polynomial": (5545792.085742074, 5026099.84939702),
    "rbf": (0.6326438268547601, 0.60028848132211),
    "gaussian_emd": (0.010313719158492494, -0.011633544733093927),
    "gaussian_tv": (0.0038985725373529424, -0.0007267590521698973),
    "laplacian_tv": (0.02367018429543233, 0.0055281258889821605),
}


def halves():
    """Histograms of 40 and 30 rows by plain arithmetic, so that no generator can change them."""
    i, j = np.ogrid[:70, :8]
    rows = ((i * 7 + j * j * 3 + i * j) % 11).astype(float)
    return rows[:40], rows[40:] ** 1.5


@pytest.mark.parametrize("name", list(KERNELS))
def test_pinned(name):
    x, y = halves()
    values = [mmd(x, y, name, estimator).value for estimator in ("biased", "unbiased")]
    np.testing.assert_allclose(values, PINNED[name], rtol=1e-9)
