"""Eigenvectors of small symmetric matrices, compiled: for thousands of graphs of a few nodes.

A LAPACK call costs more in its preparations than in its arithmetic where a matrix has 20 rows. Here the
matrix is made tridiagonal by reflections (Householder), the tridiagonal one diagonal by rotations (the QL
method with implicit shifts), and only the eigenvectors that are asked for are carried back. Both steps are
orthogonal, so vectors of repeated eigenvalues come out orthogonal as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graphgauge.compiling import loop, loose_loop

Doubles = np.ndarray[Any, np.dtype[np.float64]]

EPSILON = 2.0**-52
TURNS = 60  # sweeps for one eigenvalue; two are usual


@loop
def padded(n: int) -> int:
    """Length of a row whose loops run in whole blocks of vector registers."""
    return (n + 15) // 16 * 16


@loose_loop
def lowest(a: Doubles, count: int, values: Doubles, vectors: Doubles) -> bool:
    """The `count` lowest eigenvalues of a symmetric matrix, ascending, and their vectors: rows of (count, n).

    `a` is (n, `padded(n)`) with zeros right of the matrix; it is destroyed. False says that the rotations did
    not come to an end.
    """
    n, wide = a.shape
    diagonal, beside, factor = np.empty(n), np.zeros(n), np.zeros(n)
    reflector, rotated = np.zeros((n, wide)), np.zeros((n, wide))
    tridiagonal(a, diagonal, beside, reflector, factor)
    for i in range(n):
        rotated[i, i] = 1.0
    if not rotate(diagonal, beside, rotated):
        return False
    order = np.argsort(diagonal)
    for c in range(count):
        row = rotated[order[c]]
        carry_back(reflector, factor, row)
        values[c] = diagonal[order[c]]
        vectors[c] = row[:n]
    return True


@loose_loop
def tridiagonal(a: Doubles, diagonal: Doubles, beside: Doubles, reflector: Doubles, factor: Doubles) -> None:
    """Reflections I − f v vᵀ that make `a` tridiagonal; step s has its v in row s, zeros up to place s."""
    n = a.shape[0]
    product = np.empty(a.shape[1])
    for s in range(n - 1):
        diagonal[s] = a[s, s]
        beside[s] = a[s, s + 1]
        below = 0.0
        for j in range(s + 2, n):
            below += a[s, j] * a[s, j]
        if below > 0.0:
            head = a[s, s + 1]
            length = np.sqrt(head * head + below)
            beside[s] = -length if head > 0 else length
            v = reflector[s]
            v[s + 1 : n] = a[s, s + 1 : n]
            v[s + 1] = head - beside[s]
            factor[s] = 2.0 / (v[s + 1] * v[s + 1] + below)
            reflect(a, s + 1, v, factor[s], product)
    diagonal[n - 1] = a[n - 1, n - 1]


@loose_loop
def reflect(a: Doubles, first: int, v: Doubles, f: float, product: Doubles) -> None:
    """The rows from `first` on, reflected from both sides: B − v qᵀ − q vᵀ; nothing changes where v is 0."""
    n, wide = a.shape
    product[:] = 0.0
    along = 0.0
    for i in range(first, n):
        row, total = a[i], 0.0
        for j in range(wide):
            total += row[j] * v[j]
        product[i] = f * total
        along += product[i] * v[i]
    along *= 0.5 * f
    for j in range(wide):
        product[j] -= along * v[j]
    for i in range(first, n):
        row, vi, qi = a[i], v[i], product[i]
        for j in range(wide):
            row[j] -= vi * product[j] + qi * v[j]


@loose_loop
def rotate(d: Doubles, e: Doubles, z: Doubles) -> bool:
    """Rotations that make (d, e) diagonal: `d` becomes the eigenvalues, and the rows of `z` turn with it."""
    n = d.size
    for low in range(n):
        for turn in range(TURNS + 1):
            high = low
            while high < n - 1 and abs(e[high]) > EPSILON * (abs(d[high]) + abs(d[high + 1])):
                high += 1
            if high == low:
                break
            if turn == TURNS:
                return False
            sweep(d, e, z, low, high)
    return True


@loose_loop
def sweep(d: Doubles, e: Doubles, z: Doubles, low: int, high: int) -> None:
    """One QL step with Wilkinson's shift on the rows low to high."""
    n = z.shape[1]
    half = 0.5 * (d[low + 1] - d[low]) / e[low]
    root = np.sqrt(half * half + 1.0)
    shift = d[low] - e[low] / (half + (root if half >= 0 else -root))
    g = d[high] - shift
    c, s, moved = 1.0, 1.0, 0.0
    for i in range(high - 1, low - 1, -1):
        f, b = s * e[i], c * e[i]
        r = np.sqrt(f * f + g * g)
        e[i + 1] = r
        if r == 0.0:
            d[i + 1] -= moved
            e[high] = 0.0
            return
        inverse = 1.0 / r
        s, c = f * inverse, g * inverse
        g = d[i + 1] - moved
        t = (d[i] - g) * s + 2.0 * c * b
        moved = s * t
        d[i + 1] = g + moved
        g = c * t - b
        upper, lower = z[i + 1], z[i]
        for j in range(n):
            x, y = upper[j], lower[j]
            upper[j] = s * y + c * x
            lower[j] = c * y - s * x
    d[low] -= moved
    e[low] = g
    e[high] = 0.0


@loose_loop
def carry_back(reflector: Doubles, factor: Doubles, row: Doubles) -> None:
    """An eigenvector of the tridiagonal matrix becomes one of the matrix itself, in place."""
    for s in range(factor.size - 3, -1, -1):
        if factor[s] != 0.0:
            v, dot = reflector[s], 0.0
            for j in range(row.size):
                dot += v[j] * row[j]
            dot *= factor[s]
            for j in range(row.size):
                row[j] -= dot * v[j]
