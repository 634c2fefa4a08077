"""What is done to both samples before they are compared: nothing by default, always said in the result."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphgauge.distances.samples import Array

# Deviations below this share of the largest number are of arithmetic and not of the data.
ROUNDING = 1e-12


def standardise_by(reference: Array, *others: Array) -> tuple[Array, ...]:
    """(v − mean) / standard deviation of the reference's columns, for all other samples.

    The standard deviation divides by n. A column on which the reference is constant is centred only, so
    that a difference there keeps its size. Constant is also what varies by rounding alone, less than 10⁻¹²
    times the reference's largest number: a sum that should be 0 and is 10⁻¹⁷ in some rows must not become
    the unit in which everything else is measured.

    >>> standard, = standardise_by(np.array([[0.0], [2.0]]), np.array([[1.0], [3.0]]))
    >>> standard.ravel().tolist()
    [0.0, 2.0]
    """
    deviation = reference.std(axis=0)
    # A mean is rounded, so that a constant column may show a deviation of rounding's size.
    constant = reference.max(axis=0) == reference.min(axis=0)
    rounding = deviation <= ROUNDING * np.abs(reference).max()
    deviation = np.where(constant | rounding, 1.0, deviation)
    mean = np.where(constant, reference[0], reference.mean(axis=0))
    return tuple((values - mean) / deviation for values in others)


def in_order_of_content(values: Array) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Permutation (n,) that brings the rows into an order that depends on their content alone.

    Before a seeded random choice of rows it makes the choice independent of the order in which the rows
    came.

    >>> rows = np.array([[2.0], [1.0], [3.0]])
    >>> bool(np.all(rows[in_order_of_content(rows)] == rows[::-1][in_order_of_content(rows[::-1])]))
    True
    """
    rows = np.ascontiguousarray(values + 0.0)  # −0 becomes 0
    keys = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()  # any fixed order will do
    order: np.ndarray[Any, np.dtype[np.int64]] = np.argsort(keys, kind="stable")
    return order
