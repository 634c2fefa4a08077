"""Kernel distance: squared MMD with a cubic kernel (paper C, section 3; Bińkowski et al., 2018)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from graphgauge.distances.kernels import polynomial
from graphgauge.distances.mmd import mmd
from graphgauge.distances.result import Distance
from graphgauge.distances.samples import Array, two_samples
from graphgauge.distances.scaling import in_order_of_content, standardise_by


def kernel_distance(
    x: ArrayLike,
    y: ArrayLike,
    *,
    degree: int = 3,
    unbiased: bool = True,
    standardise: bool = False,
    subsets: int = 0,
    subset_size: int = 1000,
    seed: int = 0,
) -> Distance:
    """Squared maximum mean discrepancy with the kernel k(a, b) = (a·b / d + 1)^degree.

    mean k(x, x′) + mean k(y, y′) − 2 mean k(x, y). The unbiased estimate leaves each row's kernel with itself
    out of the first two means: its expectation does not depend on the sizes, and it is *below 0 about half
    of the time* where both samples come from one distribution. That is no error. The biased estimate keeps
    them, is never negative, and too high by about mean k(x, x) (1/n + 1/m).

    All rows are used at once, in blocks, so that any sizes from 2 up work and the order of rows plays no
    part; an average over consecutive blocks, as in TF-GAN and the code published with paper C, depends on it.
    With `subsets`, as in other published tools, the value is the mean over that many random subsets of both.

    Parameters
    ----------
    x : (n, d) generated
    y : (m, d) reference
    degree : of the kernel, at least 1
    unbiased : which estimate; the unbiased one needs 2 rows a side
    standardise : divide by the reference's standard deviations first; without it, large columns decide
    subsets : 0 for the whole samples, else how many subsets; their standard deviation is in `extra["spread"]`
    subset_size : rows of each side in a subset, drawn without replacement; at most min(n, m) are taken
    seed : of the subsets; the order of rows does not matter

    Returns
    -------
    Distance "kd" : unscaled (some tools print 1000 times it); unbiased in (−∞, ∞), biased in [0, ∞); lower is
        better; symmetric, unless standardised or from subsets

    Raises
    ------
    ValueError : too few rows, degree or subsets out of range, or what no distance takes

    >>> x, y = [[0.0], [1.0]], [[1.0], [2.0], [3.0]]
    >>> round(float(kernel_distance(x, y, degree=1)), 12), float(kernel_distance(x, x, unbiased=False))
    (1.666666666667, 0.0)
    """
    left, right = two_samples(x, y)
    n, m = len(left), len(right)
    size = min(subset_size, n, m) if subsets else min(n, m)
    _check(subsets, size, unbiased)
    if standardise:
        left, right = standardise_by(right, left, right)
    estimator = "unbiased" if unbiased else "biased"

    def once(a: Array, b: Array) -> float:
        return mmd(a, b, polynomial(degree), estimator).value

    extra = {}
    if subsets:
        left, right = left[in_order_of_content(left)], right[in_order_of_content(right)]
        rng = np.random.default_rng(seed)
        draws = [once(_draw(left, size, rng), _draw(right, size, rng)) for _ in range(subsets)]
        value, extra["spread"] = float(np.mean(draws)), float(np.std(draws))
    else:
        value = once(left, right)
    return Distance(
        value,
        "kd",
        {
            "squared": True,
            "estimator": estimator,
            "kernel": f"(a·b / d + 1)^{degree}",
            "scaler": "reference" if standardise else None,
            "rows": f"mean of {subsets} subsets of {size}, seed {seed}" if subsets else "all",
            "n": n,
            "m": m,
            "d": left.shape[1],
        },
        range=(-np.inf if unbiased else 0.0, np.inf),
        extra=extra,
    )


def _check(subsets: int, size: int, unbiased: bool) -> None:
    if subsets < 0:
        raise ValueError(f"subsets must be 0 (all rows) or more, got {subsets}")
    if size < 1 + unbiased:
        least = "2 rows of each sample" if unbiased else "1 row of each sample"
        raise ValueError(f"this estimate needs at least {least}, got {size}")


def _draw(values: Array, size: int, rng: np.random.Generator) -> Array:
    chosen: Array = values[rng.choice(len(values), size, replace=False)]
    return chosen
