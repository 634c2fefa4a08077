"""What every distance asks of its two samples: float64 rows, not empty, equally wide, no NaN."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

Array = np.ndarray[Any, np.dtype[np.float64]]


def rows_of(values: Any) -> int:
    """Number of rows of an array, a tensor, a sparse matrix or a list."""
    return int(values.shape[0]) if hasattr(values, "shape") else len(values)


def sample(values: ArrayLike, name: str = "x") -> Array:
    """(n, d) contiguous float64; a vector (n,) is n rows of one number.

    Raises
    ------
    ValueError
        Without rows or columns, with more than two axes, or at a NaN or infinity; it names row and column.

    >>> sample([1, 2, 3]).shape
    (3, 1)
    >>> sample([[0.0, float("nan")]], "generated")
    Traceback (most recent call last):
    ...
    ValueError: generated: row 0, column 1 is nan
    """
    array = np.ascontiguousarray(values, dtype=np.float64)
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2:
        raise ValueError(f"{name}: want an array (n, d), got shape {array.shape}")
    if 0 in array.shape:
        raise ValueError(f"{name}: an empty sample has no distance to anything, got shape {array.shape}")
    # A sum is finite only if every term is; the slow look-up is for the error (or a sum that overflows).
    if not np.isfinite(array.sum()):
        bad = np.argwhere(~np.isfinite(array))
        if len(bad):
            row, column = bad[0]
            raise ValueError(f"{name}: row {row}, column {column} is {array[row, column]}")
    return array


def two_samples(x: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
    """Both samples by `sample`, of equal width.

    >>> two_samples([[1.0, 2.0]], [[1.0]])
    Traceback (most recent call last):
    ...
    ValueError: x has 2 columns and y has 1
    """
    left, right = sample(x, "x"), sample(y, "y")
    if left.shape[1] != right.shape[1]:
        raise ValueError(f"x has {left.shape[1]} columns and y has {right.shape[1]}")
    return left, right
