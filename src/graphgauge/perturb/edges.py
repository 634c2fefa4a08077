"""Undirected edges, each once, out of a graph set and back into one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from graphgauge.graphs import GraphError, GraphSet
from graphgauge.graphs.ordering import edge_order, is_ordered
from graphgauge.perturb.kernels import DUPLICATE, ONE_WAY, SELF_LOOP, SIMPLE, first_fault, first_outside

Ints = np.ndarray[Any, np.dtype[np.int64]]

_WHY = {
    SELF_LOOP: "is a self-loop",
    DUPLICATE: "is there twice",
    ONE_WAY: "has no reverse: the graph is directed",
}


@dataclass(frozen=True, eq=False)
class Edges:
    """The M undirected edges of a set of simple graphs, each once, graph by graph, by (high, low).

    Parameters
    ----------
    low, high : (M,) int64, global node ids, low < high
    ptr : (G+1,) int64, edges ``ptr[g]:ptr[g+1]`` belong to graph g
    node_ptr : (G+1,) int64, nodes of each graph
    """

    low: Ints
    high: Ints
    ptr: Ints
    node_ptr: Ints


def ordered(graphs: GraphSet) -> GraphSet:
    """The same structure without columns, edges by (target, source), checked to be simple and undirected.

    Raises
    ------
    GraphError
        naming graph and edge, for an edge outside its graph, a self-loop, an edge there twice or an edge
        without its reverse; and for a set that is marked directed

    >>> ordered(GraphSet.from_edges([[(2, 1), (0, 1)]])).edge_index.tolist()
    [[1, 0, 2, 1], [0, 1, 1, 2]]
    """
    bare = graphs.structure() if graphs.node or graphs.edge or graphs.graph else graphs
    source, target = bare.edge_index.cpu().contiguous().numpy()
    node_ptr, edge_ptr = bare.node_ptr.cpu().numpy(), bare.edge_ptr.cpu().numpy()
    if first_outside(source, target, node_ptr, edge_ptr) >= 0:
        graphs.check()
    bare = by_target(bare)
    source, target = bare.edge_index.cpu().numpy()
    kind, e = first_fault(source, target, bare.num_nodes)
    if kind != SIMPLE:
        g = int(np.searchsorted(node_ptr, target[e], side="right")) - 1
        u, v = source[e] - node_ptr[g], target[e] - node_ptr[g]
        raise GraphError(f"graph {g}: edge ({u}, {v}) {_WHY[kind]}; noise needs simple undirected graphs")
    if graphs.directed:
        raise GraphError("the set is marked directed; noise needs undirected graphs (directed=False)")
    return bare


def by_target(graphs: GraphSet) -> GraphSet:
    """The same graphs with edges ordered by (target, source), columns with them; itself if they are already.

    >>> by_target(GraphSet.from_edges([[(2, 1), (0, 1)]])).edge_index.tolist()
    [[1, 0, 2, 1], [0, 1, 1, 2]]
    """
    source, target = graphs.edge_index.cpu().contiguous().numpy()
    if is_ordered(source, target):
        return graphs
    order = edge_order(source, target, graphs.num_nodes)
    where = torch.from_numpy(order).to(graphs.device)
    edge_index = torch.from_numpy(np.stack([source[order], target[order]])).to(graphs.device)
    return replace(graphs, edge_index=edge_index, edge={k: v[where] for k, v in graphs.edge.items()})


def undirected(graphs: GraphSet) -> Edges:
    """Each edge of an `ordered` set once."""
    source, target = graphs.edge_index.cpu().numpy()
    once = source < target
    # Every undirected edge is stored twice in its graph, so half the pointers are the new pointers.
    return Edges(
        source[once], target[once], graphs.edge_ptr.cpu().numpy() // 2, graphs.node_ptr.cpu().numpy()
    )


def pack(first: Ints, second: Ints, graphs: GraphSet) -> GraphSet:
    """Undirected edges (global ids, each once, any order) as a set on the nodes of `graphs`, by target."""
    source, target = np.concatenate([first, second]), np.concatenate([second, first])
    order = edge_order(source, target, graphs.num_nodes)
    edge_index = np.stack([source[order], target[order]])
    edge_ptr = np.searchsorted(edge_index[1], graphs.node_ptr.cpu().numpy())
    device = graphs.device
    return GraphSet(
        graphs.node_ptr, torch.from_numpy(edge_index).to(device), torch.from_numpy(edge_ptr).to(device)
    )
