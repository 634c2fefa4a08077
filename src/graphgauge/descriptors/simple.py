"""What every structural descriptor counts on: simple undirected graphs, as compressed rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graphgauge.compiling import Ints, loop
from graphgauge.graphs import GraphError, GraphSet
from graphgauge.graphs.checks import check_edges

SIMPLE, SELF_LOOP, DUPLICATE, ELSEWHERE = range(4)
_WHY = {SELF_LOOP: "is a self-loop", DUPLICATE: "is there twice"}
_REMEDY = {SELF_LOOP: 'self_loops="drop"', DUPLICATE: 'duplicates="merge"'}


class Rows(NamedTuple):
    """The neighbours of node i are ``neighbour[ptr[i]:ptr[i+1]]``, ascending; graph g has the nodes
    ``node_ptr[g]:node_ptr[g+1]``."""

    node_ptr: Ints
    ptr: Ints
    neighbour: Ints


def simple_rows(graphs: GraphSet) -> Rows:
    """Neighbours of every node, after a check that every graph is simple and undirected. O(E + N).

    Raises
    ------
    GraphError
        naming graph and edge, for a self-loop, an edge that is there twice, an edge outside its graph or
        without its reverse; and for a set that is marked directed

    >>> simple_rows(GraphSet.from_edges([[(0, 2), (1, 2)]])).neighbour.tolist()
    [2, 2, 0, 1]
    """
    if graphs.directed:
        raise GraphError(
            "the set is marked directed; structural descriptors need undirected graphs, made with "
            'directed="symmetrise"'
        )
    csr = graphs.csr
    node_ptr, edge_ptr = graphs.node_ptr.cpu().numpy(), graphs.edge_ptr.cpu().numpy()
    ptr, neighbour = csr.ptr.cpu().numpy(), csr.source.cpu().numpy()
    kind, node, place = first_fault(node_ptr, edge_ptr, ptr, neighbour)
    if kind == ELSEWHERE:
        check_edges(graphs)  # names the edge
        raise GraphError("edges are not stored graph by graph")
    if kind != SIMPLE:
        g = int(np.searchsorted(node_ptr, node, side="right")) - 1
        u, v = neighbour[place] - node_ptr[g], node - node_ptr[g]
        raise GraphError(
            f"graph {g}: edge ({u}, {v}) {_WHY[kind]}; structural descriptors need simple graphs, made with "
            f"{_REMEDY[kind]}"
        )
    return Rows(node_ptr, ptr, neighbour)


@loop
def first_fault(node_ptr: Ints, edge_ptr: Ints, ptr: Ints, neighbour: Ints) -> tuple[int, int, int]:
    """Why rows are not those of simple undirected graphs: (kind, node, place of the edge).

    Nodes ascend, so the rows in which a node is named must come in the order of its own row: one cursor a
    node finds the reverse of every edge.
    """
    cursor = ptr[:-1].copy()
    for g in range(node_ptr.size - 1):
        low, high = node_ptr[g], node_ptr[g + 1]
        if ptr[low] != edge_ptr[g]:
            return ELSEWHERE, low, edge_ptr[g]
        for i in range(low, high):
            for e in range(ptr[i], ptr[i + 1]):
                j = neighbour[e]
                if j == i:
                    return SELF_LOOP, i, e
                if e > ptr[i] and neighbour[e - 1] == j:
                    return DUPLICATE, i, e
                if j < low or j >= high:
                    return ELSEWHERE, i, e
                if cursor[j] == ptr[j + 1] or neighbour[cursor[j]] != i:
                    # Either there is no reverse, or the row of j has a fault before it.
                    if cursor[j] < ptr[j + 1] and neighbour[cursor[j]] == j:
                        return SELF_LOOP, j, cursor[j]
                    if cursor[j] > ptr[j] and neighbour[cursor[j] - 1] == i:
                        return DUPLICATE, j, cursor[j]
                    return ELSEWHERE, i, e
                cursor[j] += 1
    return SIMPLE, 0, 0
