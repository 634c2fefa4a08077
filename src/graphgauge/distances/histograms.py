"""Histograms as the kernels read them: of one length, of mass 1, cumulated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphgauge.distances.samples import Array, sample


def histograms(x: Any, y: Any, *, normalise: bool = True) -> tuple[Array, Array]:
    """Two samples of histograms (n, d), (m, d): float64, equally long, each of mass 1.

    Short histograms are padded on the right with empty bins, inside a sample (a list of vectors) and between
    the samples: a bin that is not there holds nothing.

    Parameters
    ----------
    x, y : (n, d₁), (m, d₂) or lists of vectors; counts or shares, not negative
    normalise : divide every row by its sum; else the masses stay as they are

    Raises
    ------
    ValueError
        At an empty sample, NaN or infinity, a negative bin, or a row without mass where it must be divided by
        it; row and column are named.

    >>> histograms([[1, 1], [0, 0, 4]], [[2]])[0].tolist()
    [[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]
    """
    left, right = _one_sample(x, "x"), _one_sample(y, "y")
    width = max(left.shape[1], right.shape[1])
    left, right = _padded(left, width), _padded(right, width)
    return (_unit_mass(left, "x"), _unit_mass(right, "y")) if normalise else (left, right)


def cumulative(rows: Array, bin_width: float = 1.0) -> Array:
    """Cumulative histograms times the bin width: their L1 distance is the earth mover's distance.

    EMD(p, q) = width · Σ_b |P_b − Q_b| for equal masses on a line of equal bins; P, Q are running sums.

    >>> cumulative(np.array([[1.0, 0, 0], [0, 0, 1]]), 0.1).tolist()
    [[0.1, 0.1, 0.1], [0.0, 0.0, 0.1]]
    """
    return np.asarray(np.cumsum(rows, axis=1) * bin_width)


def equal_masses(x: Array, y: Array) -> None:
    """Raise where the rows do not all have one mass: earth has to be moved, not made.

    >>> equal_masses(np.array([[1.0, 1.0]]), np.array([[2.0, 0.0], [3.0, 0.0]]))
    Traceback (most recent call last):
    ...
    ValueError: y: row 1 has mass 3.0 and x's row 0 has 2.0: EMD asks for equal masses (normalise=True)
    """
    mass = x[0].sum()
    for name, rows in (("x", x), ("y", y)):
        other = np.flatnonzero(~np.isclose(rows.sum(axis=1), mass, rtol=1e-12, atol=0.0))
        if len(other):
            raise ValueError(
                f"{name}: row {other[0]} has mass {rows[other[0]].sum()} and x's row 0 has {mass}: "
                "EMD asks for equal masses (normalise=True)"
            )


def _one_sample(values: Any, name: str) -> Array:
    if isinstance(values, Sequence) and len({np.size(row) for row in values}) > 1:
        vectors = [np.asarray(row, dtype=np.float64).ravel() for row in values]
        table = np.zeros((len(vectors), max(len(vector) for vector in vectors)))
        for row, vector in zip(table, vectors, strict=True):
            row[: len(vector)] = vector
        values = table
    rows = sample(values, name)
    if rows.min() < 0:
        row, column = np.argwhere(rows < 0)[0]
        raise ValueError(
            f"{name}: row {row}, column {column} is {rows[row, column]}: a bin cannot be negative"
        )
    return rows


def _padded(rows: Array, width: int) -> Array:
    return rows if rows.shape[1] == width else np.pad(rows, ((0, 0), (0, width - rows.shape[1])))


def _unit_mass(rows: Array, name: str) -> Array:
    mass = rows.sum(axis=1, keepdims=True)
    if not mass.all():
        raise ValueError(f"{name}: row {int(np.argmin(mass))} has no mass: every bin is empty")
    return np.asarray(rows / mass)
