"""What every encoding counts on: the weighted neighbours of every node, checked once."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch

from graphgauge.compiling import Ints, loop
from graphgauge.graphs import GraphError, GraphSet
from graphgauge.graphs.checks import check_edges, describe

Doubles = np.ndarray[Any, np.dtype[np.float64]]


class Rows(NamedTuple):
    """Node i has the neighbours ``neighbour[ptr[i]:ptr[i+1]]``, ascending, with positive ``weight``.

    Graph g has the nodes ``node_ptr[g]:node_ptr[g+1]``. In a directed set the neighbours of i are those
    with an edge to i.
    """

    node_ptr: Ints
    ptr: Ints
    neighbour: Ints
    weight: Doubles

    @property
    def nodes(self) -> int:
        return self.ptr.size - 1


def rows_of(graphs: GraphSet, *, weight: str | None = None, loops: bool = False) -> Rows:
    """Neighbours of every node of a set. O(E + N).

    Parameters ----------
    weight : edge column of weights, which add up where an edge is there twice; None gives every edge the
        weight
        1, however often it is there. An edge of weight 0 counts as none.
    loops : keep self-loops

    Raises
    ------
    GraphError
        for a weight that is negative, not finite or not one number an edge, and for an edge that leaves its
        graph

    >>> path = GraphSet.from_edges([[(0, 1), (1, 2)]])
    >>> rows_of(path).neighbour.tolist()
    [1, 0, 2, 1]
    """
    csr = graphs.csr
    node_ptr, ptr, source = (t.cpu().numpy() for t in (graphs.node_ptr, csr.ptr, csr.source))
    weights = np.ones(0) if weight is None else _weights(graphs, weight)[csr.edge.cpu().numpy()]
    rows = Rows(node_ptr, *merged(node_ptr, ptr, source, weights, weight is not None, loops))
    if rows.ptr[-1] < 0:
        check_edges(graphs)  # names the edge
        raise GraphError("edges are not stored graph by graph")
    return rows


def require_symmetric(graphs: GraphSet, rows: Rows, weight: str | None) -> None:
    """Raise, naming the edge, unless every edge is there both ways with the same weight."""
    node, place = first_one_way(rows.ptr, rows.neighbour, rows.weight)
    if node < 0:
        return
    check_edges(graphs)
    g = int(np.searchsorted(rows.node_ptr, node, side="right")) - 1
    u, v = rows.neighbour[place] - rows.node_ptr[g], node - rows.node_ptr[g]
    raise GraphError(f"graph {g}: edge ({u}, {v}) and its reverse differ in the column {weight!r}")


def symmetrised(rows: Rows) -> Rows:
    """Every edge both ways, with the larger of the two weights."""
    from scipy.sparse import csr_array

    n = rows.nodes
    one_way = csr_array((rows.weight, rows.neighbour, rows.ptr), shape=(n, n))
    both = csr_array(one_way.maximum(one_way.T))
    both.sort_indices()
    return Rows(rows.node_ptr, both.indptr.astype(np.int64), both.indices.astype(np.int64), both.data)


def _weights(graphs: GraphSet, name: str) -> Doubles:
    if name not in graphs.edge:
        raise GraphError(f"there is no edge column {name!r}; the edge columns are {sorted(graphs.edge)}")
    column = graphs.edge[name].detach().cpu()
    if column.dim() == 2 and column.shape[1] == 1:
        column = column[:, 0]
    if column.dim() != 1 or column.is_complex():
        raise GraphError(f"weights are one number an edge; the column {name!r} is a {describe(column)}")
    values = column.to(torch.float64).numpy()
    bad = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if bad.size:
        e = int(bad[0])
        g = int(graphs.edge_batch[e])
        u, v = (graphs.edge_index[:, e] - graphs.node_ptr[g]).tolist()
        raise GraphError(
            f"graph {g}: edge ({u}, {v}) has the weight {values[e]} in {name!r}, not 0 or more and finite"
        )
    return values


@loop
def merged(
    node_ptr: Ints, ptr: Ints, source: Ints, weights: Doubles, weighted: bool, loops: bool
) -> tuple[Ints, Ints, Doubles]:
    """Rows without repeated edges; the last pointer is -1 where an edge leaves its graph."""
    out_ptr, neighbour, weight = np.zeros_like(ptr), np.empty_like(source), np.empty(source.size)
    filled = 0
    for g in range(node_ptr.size - 1):
        low, high = node_ptr[g], node_ptr[g + 1]
        for i in range(low, high):
            start = filled
            for e in range(ptr[i], ptr[i + 1]):
                j = source[e]
                if j < low or j >= high:
                    out_ptr[-1] = -1
                    return out_ptr, neighbour, weight
                w = weights[e] if weighted else 1.0
                if w == 0.0 or (j == i and not loops):
                    continue
                if filled > start and neighbour[filled - 1] == j:
                    weight[filled - 1] += w if weighted else 0.0
                else:
                    neighbour[filled], weight[filled] = j, w
                    filled += 1
            out_ptr[i + 1] = filled
    return out_ptr, neighbour[:filled], weight[:filled]


@loop
def first_one_way(ptr: Ints, neighbour: Ints, weight: Doubles) -> tuple[int, int]:
    """A node and the place of one of its edges whose reverse is missing or weighs something else; (-1, -1).

    Nodes ascend, so the rows in which a node is named come in the order of its own row: one cursor a node.
    """
    cursor = ptr[:-1].copy()
    for i in range(ptr.size - 1):
        for e in range(ptr[i], ptr[i + 1]):
            j = neighbour[e]
            at = cursor[j]
            if at == ptr[j + 1] or neighbour[at] != i or weight[at] != weight[e]:
                return i, e
            cursor[j] += 1
    return -1, -1


class Pieces(NamedTuple):
    """Connected components: piece p has the nodes ``order[ptr[p]:ptr[p+1]]``, ascending; node i is number
    ``place[i]`` of its piece; group q (a graph) has the pieces ``group_ptr[q]:group_ptr[q+1]``."""

    ptr: Ints
    order: Ints
    place: Ints
    group_ptr: Ints


def pieces_of(rows: Rows) -> Pieces:
    """Connected components, graph by graph, in the order of their first nodes. O(E + N)."""
    return Pieces(*connected(rows.node_ptr, rows.ptr, rows.neighbour))


@loop
def connected(node_ptr: Ints, ptr: Ints, neighbour: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    n = ptr.size - 1
    label, stack = np.full(n, -1), np.empty(n, dtype=np.int64)
    group_ptr = np.zeros_like(node_ptr)
    found = 0
    for g in range(node_ptr.size - 1):
        for first in range(node_ptr[g], node_ptr[g + 1]):
            if label[first] >= 0:
                continue
            label[first], stack[0], height = found, first, 1
            while height:
                height -= 1
                i = stack[height]
                for e in range(ptr[i], ptr[i + 1]):
                    if label[neighbour[e]] < 0:
                        label[neighbour[e]] = found
                        stack[height] = neighbour[e]
                        height += 1
            found += 1
        group_ptr[g + 1] = found
    piece_ptr = np.zeros(found + 1, dtype=np.int64)
    for i in range(n):
        piece_ptr[label[i] + 1] += 1
    for p in range(found):
        piece_ptr[p + 1] += piece_ptr[p]
    filled, order, place = np.zeros(found, dtype=np.int64), np.empty_like(stack), np.empty_like(stack)
    for i in range(n):
        p = label[i]
        place[i] = filled[p]
        order[piece_ptr[p] + filled[p]] = i
        filled[p] += 1
    return piece_ptr, order, place, group_ptr
