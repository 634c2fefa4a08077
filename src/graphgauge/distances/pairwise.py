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
