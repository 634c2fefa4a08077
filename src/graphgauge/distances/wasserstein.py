"""Wasserstein distance of two samples of numbers: how far one has to be moved to become the other."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from graphgauge.distances.result import Distance
from graphgauge.distances.samples import two_samples


def wasserstein(x: ArrayLike, y: ArrayLike) -> Distance:
    """W₁ = ∫ |F(t) − G(t)| dt, the area between the two empirical distribution functions.

    The earth mover's distance of point masses 1/n at the numbers of x and 1/m at those of y. Exact at any
    sizes, in O((n + m) log (n + m)): between two neighbouring numbers both functions are constant, and their
    difference is a whole number over n m, 0 where it should be.

    Parameters
    ----------
    x : (n,) or (n, 1) generated
    y : (m,) or (m, 1) reference

    Returns
    -------
    Distance "w1" : in the unit of the numbers, [0, ∞), lower is better, symmetric. It moves with the numbers:
        x + t against x is |t| apart

    Raises
    ------
    ValueError : more than one column, numbers too far apart for float64, an empty sample, NaN or infinity

    >>> wasserstein([0.0, 1.0], [0.0, 3.0]).value, wasserstein([1, 2], [2, 1, 1, 2]).value
    (1.0, 0.0)

    Source: Vallender, 1974 (the distance on the line as an area between distribution functions).
    """
    left, right = two_samples(x, y)
    if left.shape[1] != 1:
        raise ValueError(f"want numbers, one to a row; x and y have {left.shape[1]} columns")
    x_sorted, y_sorted = np.sort(left[:, 0]), np.sort(right[:, 0])
    n, m = len(x_sorted), len(y_sorted)
    both = np.sort(np.concatenate([x_sorted, y_sorted]), kind="stable")
    with np.errstate(over="ignore"):
        steps = np.diff(both)
    below_x, below_y = (np.searchsorted(side, both[:-1], side="right") for side in (x_sorted, y_sorted))
    value = float(np.abs(below_x * m - below_y * n) @ steps) / (n * m)
    if not np.isfinite(value):
        raise ValueError("the numbers are too far apart for float64")
    return Distance(
        value,
        "w1",
        {"squared": False, "order": 1, "unit": "of the numbers", "n": n, "m": m, "d": 1},
        range=(0.0, np.inf),
    )
