"""Laplacian eigenvectors as positions of nodes, and eigenvalues as features of graphs."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor

from graphgauge.compiling import Ints, loop
from graphgauge.encodings.checks import choice, width
from graphgauge.encodings.rows import (
    Doubles,
    Pieces,
    Rows,
    pieces_of,
    require_symmetric,
    rows_of,
    symmetrised,
)
from graphgauge.encodings.signs import fix_signs
from graphgauge.encodings.solvers import KINDS, NONE, spectra
from graphgauge.graphs import GraphError, GraphSet

Normalisation = Literal["symmetric", "random_walk", "none"]
Sign = Literal["fixed", "absolute"]
Directed = Literal["refuse", "symmetrise"]


def laplacian(
    graphs: GraphSet,
    k: int,
    *,
    normalisation: Normalisation = "symmetric",
    skip: int | Literal["null"] = 1,
    sign: Sign = "fixed",
    apart: bool = False,
    weight: str | None = None,
    directed: Directed = "refuse",
) -> Tensor:
    """Eigenvectors `skip` to `skip` + k − 1 of every graph's Laplacian, by ascending eigenvalue.

    Nodes that are near in the graph get near positions: eigenvectors of low eigenvalues are its smoothest
    functions. L = I − D^(−1/2) A D^(−1/2) with degrees of 0 counted as 1, so a node without neighbours has
    the eigenvalue 1 and a vector of its own. Vectors have length 1.

    What an eigenvector leaves open, and the rule here:

    *Sign.* ``"fixed"``: the largest entry in magnitude is positive; ties go to the next ones, by values
    alone (see `fix_signs`). Only a vector whose values are those of its negative takes its sign from the
    node order. ``"absolute"``: |v|. Random signs in training are a policy of their own:
    `graphgauge.encodings.vary`.

    *Repeated eigenvalues.* Any rotation of their vectors is as good. The basis is the solver's: the same at
    every call and whatever other graphs are in the set, but another one in another node order. Encodings
    without this freedom are `random_walk` and the model `laplacian`.

    *Several components.* Eigenvalue 0 is there once for every component with an edge. As published, exactly
    one vector is dropped (``skip=1``), so others of eigenvalue 0 stay; each is constant up to degrees on
    one component and 0 elsewhere. ``skip="null"`` drops them all. ``apart=True`` treats every component as
    a graph of its own.

    *Small graphs.* Where fewer vectors are left than k, zeros fill the columns: the result always has k of
    them.

    *Size.* Components to 400 nodes are solved as dense matrices, larger ones by Lanczos iterations in memory
    proportional to their edges; see `graphgauge.encodings.solvers`.

    Parameters ----------
    graphs : G graphs of N nodes in all; self-loops are left out, an edge that is there twice counts once
    k : number of columns
    normalisation : "symmetric" as above; "random_walk" for I − D⁻¹A, the same eigenvalues; "none" for D − A
    skip : eigenvectors to drop from the start, or "null" for all of eigenvalue 0
    sign, apart : see above
    weight : edge column of weights, 0 or more, that add up where an edge is there twice; None ignores weights
    directed : what to do with a set marked directed: an error, or every edge both ways (with the larger
        weight)

    Returns
    -------
    (N, k) float64, on the device of `graphs`, computed on the CPU

    Raises
    ------
    GraphError
        for a directed set, an edge without its reverse and for weights that cannot be used
    ValueError
        for k below 1 and unknown options

    Source: Belkin and Niyogi, Laplacian Eigenmaps, 2003; Dwivedi et al., Benchmarking Graph Neural
    Networks, JMLR 2023, appendix E.1.

    >>> path = GraphSet.from_edges([[(0, 1), (1, 2)]])
    >>> laplacian(path, 3).round(decimals=3).abs().tolist()
    [[0.707, 0.5, 0.0], [0.0, 0.707, 0.0], [0.707, 0.5, 0.0]]
    """
    k = width(k)
    choice("sign", sign, ("fixed", "absolute"))
    problem = _problem(graphs, weight, directed)
    _, vectors = _columns(problem, k, normalisation, skip, apart)
    if sign == "absolute":
        np.abs(vectors, out=vectors)
    elif apart:
        sorted_rows = vectors[problem.pieces.order]
        fix_signs(problem.pieces.ptr, sorted_rows)
        vectors[problem.pieces.order] = sorted_rows
    else:
        fix_signs(problem.rows.node_ptr, vectors)
    return torch.from_numpy(vectors).to(graphs.device)


def laplacian_eigenvalues(
    graphs: GraphSet,
    k: int,
    *,
    normalisation: Normalisation = "symmetric",
    skip: int | Literal["null"] = 1,
    padding: float = 0.0,
    weight: str | None = None,
    directed: Directed = "refuse",
) -> Tensor:
    """The eigenvalues of the vectors of `laplacian`, graph by graph, ascending: (G, k) float64.

    In [0, 2] unless ``normalisation="none"``. `padding` stands where a graph has too few. Other parameters
    and errors as in `laplacian`.

    >>> path_and_edge = GraphSet.from_edges([[(0, 1), (1, 2)], [(0, 1)]])
    >>> laplacian_eigenvalues(path_and_edge, 2, padding=-1).round(decimals=9).tolist()
    [[1.0, 2.0], [2.0, -1.0]]
    """
    values, _ = _columns(_problem(graphs, weight, directed), width(k), normalisation, skip, False)
    values[np.isnan(values)] = padding
    return torch.from_numpy(values).to(graphs.device)


class _Problem(NamedTuple):
    rows: Rows
    pieces: Pieces


def _problem(graphs: GraphSet, weight: str | None, directed: str) -> _Problem:
    choice("directed", directed, ("refuse", "symmetrise"))
    if graphs.directed and directed == "refuse":
        raise GraphError(
            "Laplacian eigenvectors need undirected graphs and the set is marked directed; "
            'directed="symmetrise" takes every edge both ways'
        )
    rows = rows_of(graphs, weight=weight)
    if graphs.directed:
        rows = symmetrised(rows)
    else:
        require_symmetric(graphs, rows, weight)
    return _Problem(rows, pieces_of(rows))


def _columns(
    problem: _Problem, k: int, normalisation: str, skip: int | str, apart: bool
) -> tuple[Doubles, Doubles]:
    """Values (groups, k), NaN where there are none, and vectors (N, k); groups are graphs, or components."""
    kind = KINDS[choice("normalisation", normalisation, tuple(KINDS))]
    if skip != "null" and (isinstance(skip, bool) or not isinstance(skip, int) or skip < 0):
        raise ValueError(f'skip must be 0 or more or "null", got {skip!r}')
    rows, pieces = problem
    solved = spectra(rows, pieces, k + (1 if skip == "null" else int(skip)), kind)
    group_ptr = np.arange(pieces.ptr.size) if apart else pieces.group_ptr
    dropped = (
        _null_counts(np.diff(pieces.ptr), group_ptr, kind)
        if skip == "null"
        else np.full(group_ptr.size - 1, skip)
    )
    values = np.full((group_ptr.size - 1, k), np.nan)
    vectors = np.zeros((rows.nodes, k))
    pick(group_ptr, pieces.ptr, pieces.order, *solved, dropped, values, vectors)
    return values, vectors


def _null_counts(size: Ints, group_ptr: Ints, kind: int) -> Ints:
    """Dimension of the eigenspace of 0 of every group: its components with an edge (D − A: all)."""
    total = np.concatenate([[0], np.cumsum((size > 1) | (kind == NONE))])
    counts: Ints = total[group_ptr[1:]] - total[group_ptr[:-1]]
    return counts


@loop
def pick(
    group_ptr: Ints,
    piece_ptr: Ints,
    order: Ints,
    count: Ints,
    value_ptr: Ints,
    vector_ptr: Ints,
    found: Doubles,
    solved: Doubles,
    dropped: Ints,
    values: Doubles,
    vectors: Doubles,
) -> None:
    """Merge the spectra of every group's pieces, ascending, and write what is wanted; equal values in the
    order of the pieces."""
    k = values.shape[1]
    for q in range(group_ptr.size - 1):
        first = value_ptr[group_ptr[q]]
        mine = found[first : value_ptr[group_ptr[q + 1]]]
        ranked = np.argsort(mine, kind="mergesort")
        for c in range(min(k, mine.size - dropped[q])):
            at = first + ranked[dropped[q] + c]
            p = np.searchsorted(value_ptr, at, side="right") - 1
            n = piece_ptr[p + 1] - piece_ptr[p]
            start = vector_ptr[p] + (at - value_ptr[p]) * n
            values[q, c] = found[at]
            for i in range(n):
                vectors[order[piece_ptr[p] + i], c] = solved[start + i]
