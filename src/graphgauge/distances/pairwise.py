"""All distances between two blocks of rows: (n, d), (m, d) → (n, m) float64."""

from __future__ import annotations

import numpy as np

from graphgauge.compiling import loop, loose_loop
from graphgauge.distances.samples import Array

# Below this share of |x|² + |y|² the rule |x|² + |y|² − 2 x·y has lost too many digits.
NEAR = 1e-4


def squared_euclidean(x: Array, y: Array) -> Array:
    """Σ_k (x_k − y_k)² for all pairs: one matrix product, and near pairs again by their differences.

    Without the second step duplicates would be apart by rounding. Rows should be centred before: the error
    is relative to |x|² + |y|².

    >>> squared_euclidean(np.array([[0.0, 1.0]]), np.array([[0.0, 1.0], [3.0, 5.0]])).tolist()
    [[0.0, 25.0]]
    """
    out = x @ y.T
    _from_products(x, y, np.einsum("ij,ij->i", x, x), np.einsum("ij,ij->i", y, y), NEAR, out)
    return out


def manhattan(x: Array, y: Array) -> Array:
    """Σ_k |x_k − y_k| for all pairs: the same value in both directions to the last bit.

    >>> manhattan(np.array([[0.0, 1.0]]), np.array([[0.0, 1.0], [3.0, 5.0]])).tolist()
    [[0.0, 7.0]]
    """
    out = np.empty((len(x), len(y)))
    _sum_of_differences(x, np.ascontiguousarray(y.T), out)
    return out


def total_variation(x: Array, y: Array) -> Array:
    """½ Σ_k |x_k − y_k| for all pairs of rows without negative numbers that are mostly 0.

    ½ (Σ x + Σ y) − Σ min(x, y): only bins that both rows fill are visited. All sums run in the order of the
    columns, so that equal rows are at 0 and both directions agree to the last bit.

    >>> total_variation(np.array([[0.5, 0.0, 0.5]]), np.array([[0.5, 0.0, 0.5], [0.0, 1.0, 0.0]])).tolist()
    [[0.0, 1.0]]
    """
    out = np.empty((len(x), len(y)))
    _from_overlaps(x, *_filled(y), _masses(x), _masses(y), out)
    return out


@loop
def _filled(y):  # type: ignore[no-untyped-def]
    """Rows that fill bin k: `rows[ptr[k]:ptr[k+1]]`, with these values."""
    ptr = np.zeros(y.shape[1] + 1, np.int64)
    for j in range(y.shape[0]):
        for k in range(y.shape[1]):
            if y[j, k] > 0.0:
                ptr[k + 1] += 1
    ptr = np.cumsum(ptr)
    rows, values, free = np.empty(ptr[-1], np.int64), np.empty(ptr[-1]), ptr.copy()
    for j in range(y.shape[0]):
        for k in range(y.shape[1]):
            if y[j, k] > 0.0:
                rows[free[k]], values[free[k]] = j, y[j, k]
                free[k] += 1
    return ptr, rows, values


@loop
def _masses(x):  # type: ignore[no-untyped-def]
    """Sum of every row, in the order of its columns."""
    out = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        for k in range(x.shape[1]):
            out[i] += x[i, k]
    return out


@loop
def _from_overlaps(x, ptr, rows, values, x_mass, y_mass, out):  # type: ignore[no-untyped-def]
    """Overlaps of every row of x with all rows of y, bin by bin, then what they leave of both masses."""
    for i in range(x.shape[0]):
        row = out[i]
        row[:] = 0.0
        for k in range(x.shape[1]):
            own = x[i, k]
            if own > 0.0:
                for at in range(ptr[k], ptr[k + 1]):
                    row[rows[at]] += min(own, values[at])
        for j in range(row.shape[0]):
            row[j] = max(0.0, 0.5 * (x_mass[i] + y_mass[j]) - row[j])


@loose_loop
def _from_products(x, y, x_norm, y_norm, near, out):  # type: ignore[no-untyped-def]
    """Turn products (n, m) into squared distances, in place."""
    for i in range(out.shape[0]):
        row, norm = out[i], x_norm[i]
        close = False
        for j in range(row.shape[0]):
            size = norm + y_norm[j]
            row[j] = size - 2.0 * row[j]
            close |= row[j] <= near * size
        if close:
            for j in range(row.shape[0]):
                if row[j] <= near * (norm + y_norm[j]):
                    total = 0.0
                    for k in range(x.shape[1]):
                        step = x[i, k] - y[j, k]
                        total += step * step
                    row[j] = total


@loop
def _sum_of_differences(x, columns, out):  # type: ignore[no-untyped-def]
    """`columns` (d, m) is y transposed: the inner loop runs over y's rows, four columns at a time."""
    d = x.shape[1]
    fours = d - d % 4
    for i in range(x.shape[0]):
        row = out[i]
        row[:] = 0.0
        for k in range(0, fours, 4):
            p, q, r, s = x[i, k], x[i, k + 1], x[i, k + 2], x[i, k + 3]
            a, b, c, e = columns[k], columns[k + 1], columns[k + 2], columns[k + 3]
            for j in range(row.shape[0]):
                row[j] += (abs(p - a[j]) + abs(q - b[j])) + (abs(r - c[j]) + abs(s - e[j]))
        for k in range(fours, d):
            p, a = x[i, k], columns[k]
            for j in range(row.shape[0]):
                row[j] += abs(p - a[j])
