"""Fréchet distance of Gaussians fitted to both samples (paper C, section 3; Heusel et al., 2017)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from graphgauge.distances.result import Distance
from graphgauge.distances.samples import Array, sample, two_samples
from graphgauge.distances.scaling import standardise_by


@dataclass(frozen=True, eq=False)
class Gaussian:
    """A Gaussian fitted to a sample.

    Parameters
    ----------
    mean : (d,)
    factor : R (min(m, d), d), where RᵀR is the sample covariance
    size : m, rows of the sample
    """

    mean: Array
    factor: Array
    size: int


def frechet_reference(y: ArrayLike) -> Gaussian:
    """The reference's part of `frechet`, to be given to it in place of y for one x after another.

    >>> known = frechet_reference([[3.0], [5.0]])
    >>> float(frechet([[0.0], [2.0]], known)), known.size
    (9.0, 2)
    """
    return _fitted(sample(y, "y"), "y")


def frechet(x: ArrayLike, y: ArrayLike | Gaussian, *, standardise: bool = False) -> Distance:
    """Squared Fréchet (2-Wasserstein) distance between the Gaussians with the samples' mean and covariance.

    d² = |μ_x − μ_y|² + tr Σ_x + tr Σ_y − 2 tr (Σ_x Σ_y)^½, with sample covariances (divided by n − 1).

    No matrix square root is taken. With factors Σ = RᵀR, from a QR decomposition of the centred rows, the
    covariance part is min over orthogonal Q of ‖R_x − Q R_y‖², and the best Q comes from the singular
    vectors of R_x R_yᵀ. A sum of squares is real and never negative, nothing is added to a diagonal, and
    fewer samples than dimensions are no special case. O((n + m) d²).

    The value depends on the sample size: halves of one set lie apart by about d² / n in standardised
    columns. Compare only values of equal n, and look at the noise floor.

    Parameters
    ----------
    x : (n, d) generated, n ≥ 2
    y : (m, d) reference, m ≥ 2, or its `frechet_reference`, made once for many x
    standardise : divide by the reference's standard deviations first; without it, large columns decide

    Returns
    -------
    Distance "fd" : in squared units of the columns, [0, ∞), lower is better, symmetric (unless
        standardised). `extra` has its two parts, `mean_part` and `covariance_part`.

    Raises
    ------
    ValueError : where one sample has a single row, standardise with a `frechet_reference` (standardise both
        samples before), or for what no distance takes (empty, NaN, widths)

    >>> print(float(frechet([[0.0], [2.0]], [[3.0], [5.0]])))
    9.0
    """
    left, right = _both(x, y, standardise)
    mean_part = float(np.square(left.mean - right.mean).sum())
    covariance_part = _bures(left.factor, right.factor)
    return Distance(
        mean_part + covariance_part,
        "fd",
        {
            "squared": True,
            "covariance": "sample (n − 1)",
            "scaler": "reference" if standardise else None,
            "n": left.size,
            "m": right.size,
            "d": len(left.mean),
        },
        range=(0.0, np.inf),
        extra={"mean_part": mean_part, "covariance_part": covariance_part},
    )


def _both(x: ArrayLike, y: ArrayLike | Gaussian, standardise: bool) -> tuple[Gaussian, Gaussian]:
    if not isinstance(y, Gaussian):
        left, right = two_samples(x, y)
        if standardise:
            left, right = standardise_by(right, left, right)
        return _fitted(left, "x"), _fitted(right, "y")
    if standardise:
        raise ValueError("standardise both samples before the reference is fitted")
    rows = sample(x, "x")
    if rows.shape[1] != len(y.mean):
        raise ValueError(f"x has {rows.shape[1]} columns and y has {len(y.mean)}")
    return _fitted(rows, "x"), y


def _fitted(rows: Array, name: str) -> Gaussian:
    if len(rows) < 2:
        raise ValueError(f"{name}: a covariance needs at least 2 rows, got 1")
    mean = rows.mean(axis=0)
    centred = (rows - mean) / np.sqrt(len(rows) - 1)
    return Gaussian(mean, np.asarray(np.linalg.qr(centred, mode="r")), len(rows))


def _bures(left: Array, right: Array) -> float:
    """min over orthogonal Q of ‖left − Q right‖², after filling the shorter one up with rows of zeros."""
    rows = max(len(left), len(right))
    left, right = (np.pad(factor, ((0, rows - len(factor)), (0, 0))) for factor in (left, right))
    u, _, vt = np.linalg.svd(left @ right.T)
    return float(np.square(left - (u @ vt) @ right).sum())
