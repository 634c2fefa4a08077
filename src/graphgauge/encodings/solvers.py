"""The lowest eigenpairs of Laplacians, connected component by connected component.

A graph's spectrum is the union of the spectra of its components, so components are solved one by one: many
eigenvalues that repeat in the whole are simple in the parts, eigenvectors of the joint null space are the
components' own, and a large set of small graphs is nothing but small problems.

========  ==========================================================================================
nodes     solver
========  ==========================================================================================
to 80     compiled loop over all components (`tridiagonal`)
to 400    LAPACK, components of equal size in one batch
above     Lanczos on the sparse matrix; where that does not converge, on its inverse
========  ==========================================================================================
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch

from graphgauge.compiling import Ints, loop
from graphgauge.encodings import lanczos
from graphgauge.encodings.rows import Doubles, Pieces, Rows, pieces_of
from graphgauge.encodings.tridiagonal import lowest, padded

# Measured on one core: the compiled loop is faster to about 90 nodes, Lanczos from a few hundred on.
SMALL, DENSE = 80, 400
ENTRIES = 1 << 21  # entries of the matrices held at once, 16 MB; more where one component needs more

SYMMETRIC, RANDOM_WALK, NONE = range(3)
KINDS = {"symmetric": SYMMETRIC, "random_walk": RANDOM_WALK, "none": NONE}


class Spectra(NamedTuple):
    """The lowest eigenpairs of every component p, ascending.

    ``kept[p]`` values stand from ``value_ptr[p]`` on, and as many vectors, one after another, from
    ``vector_ptr[p]`` on.
    """

    kept: Ints
    value_ptr: Ints
    vector_ptr: Ints
    values: Doubles
    vectors: Doubles


def spectra(rows: Rows, pieces: Pieces, wanted: int, kind: int) -> Spectra:
    """Up to `wanted` eigenpairs of every component's Laplacian of a kind of `KINDS`."""
    size = np.diff(pieces.ptr)
    count = np.minimum(size, wanted)
    out = Spectra(
        count,
        np.concatenate([[0], np.cumsum(count)]),
        np.concatenate([[0], np.cumsum(count * size)]),
        np.zeros(int(count.sum())),
        np.zeros(int((count * size).sum())),
    )
    few = count * 4 < size  # Lanczos is for a small part of the spectrum
    sparse = (size > DENSE) & few
    small = size <= SMALL
    unsolved = solve_small(np.flatnonzero(small), *rows[1:], *pieces[:3], *out, kind)
    for ids in _batches(size, np.flatnonzero(~small & ~sparse)):
        solve_dense(ids, rows, pieces, out, kind)
    for p in unsolved:
        solve_dense(np.array([p]), rows, pieces, out, kind)
    for p in np.flatnonzero(sparse):
        solve_sparse(int(p), rows, pieces, out, kind)
    finish(*rows[1:], *pieces[:3], *out, kind)
    return out


def _batches(size: Ints, ids: Ints) -> list[Ints]:
    """Components of one size after another, no more at once than `ENTRIES` allows."""
    out = []
    for n in np.unique(size[ids]).tolist():
        same = ids[size[ids] == n]
        step = max(1, ENTRIES // n**2)
        out += [same[i : i + step] for i in range(0, same.size, step)]
    return out


def solve_dense(ids: Ints, rows: Rows, pieces: Pieces, out: Spectra, kind: int) -> None:
    """Components of equal size by LAPACK."""
    n = int(pieces.ptr[ids[0] + 1] - pieces.ptr[ids[0]])
    matrices = np.zeros((ids.size, n, n))
    for matrix, p in zip(matrices, ids.tolist(), strict=True):
        fill(p, *rows[1:], *pieces[:3], kind, matrix)
    values, vectors = torch.linalg.eigh(torch.from_numpy(matrices))
    for i, p in enumerate(ids.tolist()):
        _store(p, values[i].numpy(), vectors[i].numpy(), out)


def solve_sparse(p: int, rows: Rows, pieces: Pieces, out: Spectra, kind: int) -> None:
    """One large component by Lanczos iterations."""
    from scipy.sparse import csr_array

    nodes = pieces.order[pieces.ptr[p] : pieces.ptr[p + 1]]
    n = rows.nodes
    whole = csr_array((rows.weight, rows.neighbour, rows.ptr), shape=(n, n))
    adjacency = whole if nodes.size == n else whole[nodes][:, nodes]
    _store(p, *lanczos.lowest(adjacency, int(out.kept[p]), normalised=kind != NONE), out)


def _store(p: int, values: Any, vectors: Any, out: Spectra) -> None:
    count = int(out.kept[p])
    out.values[out.value_ptr[p] : out.value_ptr[p + 1]] = values[:count]
    out.vectors[out.vector_ptr[p] : out.vector_ptr[p + 1]] = vectors[:, :count].T.reshape(-1)


# ── compiled ───────────────────────────────────────────────────────────────────────────────────────────────


@loop
def fill(
    p: int,
    ptr: Ints,
    neighbour: Ints,
    weight: Doubles,
    piece_ptr: Ints,
    order: Ints,
    place: Ints,
    kind: int,
    matrix: Doubles,
) -> None:
    """The Laplacian of one component: D − A, or I − D^(−1/2) A D^(−1/2); `matrix` comes in as zeros."""
    start, stop = piece_ptr[p], piece_ptr[p + 1]
    n = stop - start
    scale = np.ones(n)
    for i in range(n):
        row = order[start + i]
        degree = 0.0
        for e in range(ptr[row], ptr[row + 1]):
            degree += weight[e]
        if kind == NONE:
            matrix[i, i] = degree
        else:
            matrix[i, i] = 1.0
            scale[i] = 1.0 / np.sqrt(degree) if degree > 0 else 1.0
    for i in range(n):
        row = order[start + i]
        for e in range(ptr[row], ptr[row + 1]):
            j = place[neighbour[e]]
            matrix[i, j] -= scale[i] * weight[e] * scale[j]


@loop
def solve_small(
    ids: Ints,
    ptr: Ints,
    neighbour: Ints,
    weight: Doubles,
    piece_ptr: Ints,
    order: Ints,
    place: Ints,
    count: Ints,
    value_ptr: Ints,
    vector_ptr: Ints,
    values: Doubles,
    vectors: Doubles,
    kind: int,
) -> Ints:
    """All small components, one after another; the answer names those that did not converge."""
    unsolved = np.empty(ids.size, dtype=np.int64)
    failed = 0
    for p in ids:
        n = piece_ptr[p + 1] - piece_ptr[p]
        matrix = np.zeros((n, padded(n)))
        fill(p, ptr, neighbour, weight, piece_ptr, order, place, kind, matrix)
        found = values[value_ptr[p] : value_ptr[p + 1]]
        rows = vectors[vector_ptr[p] : vector_ptr[p + 1]].reshape(count[p], n)
        if not lowest(matrix, count[p], found, rows):
            unsolved[failed] = p
            failed += 1
    return unsolved[:failed]


@loop
def finish(
    ptr: Ints,
    neighbour: Ints,
    weight: Doubles,
    piece_ptr: Ints,
    order: Ints,
    place: Ints,
    count: Ints,
    value_ptr: Ints,
    vector_ptr: Ints,
    values: Doubles,
    vectors: Doubles,
    kind: int,
) -> None:
    """The null pair in closed form (rounding would leave ±10⁻¹⁶), and vectors of the kind that is wanted.

    A component of several nodes has the eigenvalue 0 once, with the vector D^(1/2) 1 (1 for D − A).
    """
    for p in range(count.size):
        start, n = piece_ptr[p], piece_ptr[p + 1] - piece_ptr[p]
        root = np.ones(n)
        if kind != NONE:
            for i in range(n):
                row = order[start + i]
                degree = 0.0
                for e in range(ptr[row], ptr[row + 1]):
                    degree += weight[e]
                root[i] = np.sqrt(degree) if degree > 0 else 1.0
        null = count[p] > 0 and (n > 1 or kind == NONE)
        for c in range(count[p]):
            v = vectors[vector_ptr[p] + c * n : vector_ptr[p] + (c + 1) * n]
            if c == 0 and null:
                values[value_ptr[p]] = 0.0
                v[:] = root
            if kind == RANDOM_WALK:
                v /= root
            if (c == 0 and null) or kind == RANDOM_WALK:
                v /= np.sqrt((v * v).sum())


__all__ = ["DENSE", "KINDS", "SMALL", "Spectra", "pieces_of", "spectra"]
