"""Quadratic forms of a kernel, block by block: everything that an MMD and its permutations need.

For rows z_1 … z_N (those of x, then those of y) and weights w the energy is Σ_ij w_i w_j k(z_i, z_j).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from scipy.sparse import csr_array

from graphgauge.distances.samples import Array

Indices = np.ndarray[Any, np.dtype[np.int64]]

# A block of float64 values then fits in the second-level cache.
BLOCK = 256

# Two blocks of rows → (index of the bandwidth, kernel values) for each bandwidth, left out where all are 0.
# An array may be overwritten when the next is asked for.
Values = Callable[[Array, Array], Iterator[tuple[int, Array]]]


class Energies(Protocol):
    """A kernel that has read two samples."""

    @property
    def bandwidths(self) -> tuple[float | None, ...]:
        """Bandwidths chosen, (None,) for a kernel that has none."""

    def energies(self, weights: Array, block: int = BLOCK) -> Array:
        """Σ_ij w_i w_j k(z_i, z_j) of every column of weights (N, c): (bandwidths, c)."""

    def forms(self, weights: Array, pairs: Sequence[tuple[int, int]], block: int = BLOCK) -> Array:
        """Σ_ij v_i w_j k(z_i, z_j) of pairs (v, w) of columns of weights (N, c): (bandwidths, pairs).

        What no pair asks for is not visited: with v on the rows of x and w on those of y, k(y, y′) is not.
        """

    def diagonal(self) -> Array:
        """k(z_i, z_i): (N,), the same at every bandwidth."""

    def gram(self, block: int = BLOCK) -> Array:
        """All values k(z_i, z_j): (bandwidths, N, N)."""


@dataclass(frozen=True)
class Pool:
    """The distinct rows of two samples, in an order that does not depend on theirs."""

    rows: Array  # (u, d)
    which: np.ndarray[Any, np.dtype[np.int64]]  # (N,) distinct row of each row
    counts: Array  # (2, u) how often x and y have each


def pool(x: Array, y: Array) -> Pool:
    """Distinct rows of x (n, d) and y (m, d): sets of small graphs have few, and the Gram matrix shrinks.

    >>> both = pool(np.array([[1.0], [1.0]]), np.array([[2.0], [1.0]]))
    >>> both.rows[both.which].ravel().tolist(), both.counts.sum(axis=1).tolist()
    ([1.0, 1.0, 2.0, 1.0], [2.0, 2.0])
    """
    rows = np.concatenate([x, y]) + 0.0  # −0 becomes 0, so that equal rows have equal bytes
    keys = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    which = which.ravel().astype(np.int64)
    sides = (which[: len(x)], which[len(x) :])
    counts = np.stack([np.bincount(side, minlength=len(first)) for side in sides]).astype(np.float64)
    return Pool(rows[first], which, counts)


@dataclass(frozen=True)
class Pairwise:
    """Energies by visiting every pair of distinct rows once; memory is a few blocks."""

    rows: Array  # (u, d) distinct rows as `values` reads them
    which: np.ndarray[Any, np.dtype[np.int64]]  # (N,) distinct row of each row
    values: Values
    bandwidths: tuple[float | None, ...]
    self_values: Callable[[Array], Array]  # rows (u, d) → k(z, z) (u,)

    def energies(self, weights: Array, block: int = BLOCK) -> Array:
        weights = _sum_by(self.which, weights, len(self.rows))
        total = np.zeros((len(self.bandwidths), weights.shape[1]))
        for start, stop, other, end in _half(len(self.rows), block):
            left, right = weights[start:stop], weights[other:end]
            if not (left.any() and right.any()):
                continue
            twice = 1.0 if start == other else 2.0
            for index, values in self.values(self.rows[start:stop], self.rows[other:end]):
                total[index] += twice * np.einsum("ic,ic->c", left, values @ right)
        return total

    def forms(self, weights: Array, pairs: Sequence[tuple[int, int]], block: int = BLOCK) -> Array:
        weights = _sum_by(self.which, weights, len(self.rows))
        # Rows on which the same columns are zero stand together, so that whole blocks are left out.
        order = np.lexsort((weights != 0).T[::-1])
        rows, weights = self.rows[order], weights[order]
        total = np.zeros((len(self.bandwidths), len(pairs)))
        for start, stop, other, end in _half(len(rows), block):
            terms = _terms(weights[start:stop], weights[other:end], pairs, start == other)
            if terms is None:
                continue
            left, right, at, form = terms
            for index, values in self.values(rows[start:stop], rows[other:end]):
                sums = np.einsum("ic,ic->c", left, (values @ right)[:, at])
                total[index] += np.bincount(form, sums, len(pairs))
        return total

    def diagonal(self) -> Array:
        return np.asarray(self.self_values(self.rows)[self.which])

    def gram(self, block: int = BLOCK) -> Array:
        count = len(self.rows)
        out = np.zeros((len(self.bandwidths), count, count))
        for start, stop, other, end in _half(count, block):
            for index, values in self.values(self.rows[start:stop], self.rows[other:end]):
                out[index, start:stop, other:end] = values
                out[index, other:end, start:stop] = values.T
        if np.array_equal(self.which, np.arange(count)):
            return out
        return out[:, self.which[:, None], self.which]


@dataclass(frozen=True)
class Inner:
    """Energies of the linear kernel in O(N d): |Σ_i w_i z_i|².

    Rows are an array, less a centre, or a SciPy sparse matrix. An MMD does not feel a shift, and loses no
    digits where the centre is far from 0; the Gram matrix is that of the rows as they were.

    Parameters
    ----------
    rows : (N, d) array or sparse matrix
    centre : (d,) what was taken from every row of an array
    alone : (N,) of sparse rows, squared length of what no other row shares (see `sparse_inner`)
    """

    rows: Any
    centre: Array | float = 0.0
    alone: Array | float = 0.0
    bandwidths: tuple[float | None, ...] = (None,)

    def energies(self, weights: Array, block: int = BLOCK) -> Array:
        # A few columns at a time: sparse rows may have millions of columns.
        few = 8 if hasattr(self.rows, "toarray") else max(weights.shape[1], 1)
        parts = [weights[:, start : start + few] for start in range(0, weights.shape[1], few)]
        shared = np.concatenate([np.square(self.rows.T @ part).sum(axis=0) for part in parts] or [[]])
        return np.asarray(shared + self._alone(np.square(weights)))[None]

    def forms(self, weights: Array, pairs: Sequence[tuple[int, int]], block: int = BLOCK) -> Array:
        shared = [(self.rows.T @ weights[:, v]) @ (self.rows.T @ weights[:, w]) for v, w in pairs]
        own = [self._alone(weights[:, v] * weights[:, w]) for v, w in pairs]
        value: Array = np.array([shared]) + np.array([own])
        return value

    def diagonal(self) -> Array:
        squares = self.rows.multiply(self.rows) if hasattr(self.rows, "toarray") else np.square(self.rows)
        return np.asarray(np.asarray(squares.sum(axis=1), dtype=np.float64).ravel() + self.alone)

    def gram(self, block: int = BLOCK) -> Array:
        if hasattr(self.rows, "toarray"):
            values = np.asarray((self.rows @ self.rows.T).toarray())
            values[np.diag_indices(len(values))] += self.alone
            return values[None]
        rows = self.rows + self.centre
        return np.asarray(rows @ rows.T)[None]

    def _alone(self, products: Array) -> Any:
        """Σ_i products_i · alone_i of every column, 0 for an array."""
        return self.alone @ products if isinstance(self.alone, np.ndarray) else 0.0


def sparse_inner(rows: Any) -> Inner:
    """Energies of sparse rows (CSR), most of whose columns have a single entry, as WL and NSPDK counts do.

    Such a column adds w_i² v² to an energy and nothing else: its entries are summed once for each row, and
    only columns that rows share take part in products.

    >>> from scipy.sparse import csr_array
    >>> inner = sparse_inner(csr_array([[1.0, 2.0, 0.0], [1.0, 0.0, 3.0]]))
    >>> inner.rows.shape, inner.gram()[0].tolist()
    ((2, 1), [[5.0, 1.0], [1.0, 10.0]])
    """
    times = np.bincount(rows.indices, minlength=rows.shape[1])
    lone = times[rows.indices] == 1
    owner = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    squares = np.square(rows.data[lone], dtype=np.float64)
    alone = np.bincount(owner[lone], weights=squares, minlength=rows.shape[0]).astype(np.float64)
    place = np.cumsum(times > 1) - 1
    ends = np.concatenate([[0], np.cumsum(np.bincount(owner[~lone], minlength=rows.shape[0]))])
    shared = (rows.data[~lone], place[rows.indices[~lone]], ends)
    return Inner(csr_array(shared, shape=(rows.shape[0], int((times > 1).sum()))), alone=alone)


def _half(count: int, block: int) -> Iterator[tuple[int, int, int, int]]:
    """Blocks on and above the diagonal."""
    if block < 1:
        raise ValueError(f"block must be at least 1, got {block}")
    for start in range(0, count, block):
        for other in range(start, count, block):
            yield start, min(start + block, count), other, min(other + block, count)


def _terms(
    left: Array, right: Array, pairs: Sequence[tuple[int, int]], same: bool
) -> tuple[Array, Array, Indices, Indices] | None:
    """What a block adds to the forms: t columns of left, those of right, and for each its right one and form.

    A block beside the diagonal stands for its mirror image too, where v and w change sides; None where
    nothing is added.
    """
    there, here = (side.any(axis=0).tobytes() for side in (left, right))
    plan = _plan(there, here, tuple(pairs), same)
    if plan is None:
        return None
    first, columns, at, form = plan
    return left[:, first], np.ascontiguousarray(right[:, columns]), at, form


@lru_cache(maxsize=256)
def _plan(
    there: bytes, here: bytes, pairs: tuple[tuple[int, int], ...], same: bool
) -> tuple[Indices, Indices, Indices, Indices] | None:
    """The columns of `_terms`, from which columns have any weight on the left and on the right: few cases."""
    wanted = [(v, w, form) for form, (v, w) in enumerate(pairs)]
    if not same:
        wanted += [(w, v, form) for v, w, form in wanted]
    wanted = [term for term in wanted if there[term[0]] and here[term[1]]]
    if not wanted:
        return None
    first, second, form = np.array(wanted).T
    columns, at = np.unique(second, return_inverse=True)
    return first, columns, at.ravel(), form


def _sum_by(which: np.ndarray[Any, np.dtype[np.int64]], weights: Array, count: int) -> Array:
    """Sum the rows of weights (N, c) that belong to one distinct row: (count, c)."""
    order = np.argsort(which, kind="stable")
    starts = np.searchsorted(which[order], np.arange(count))
    return np.asarray(np.add.reduceat(weights[order], starts, axis=0))
