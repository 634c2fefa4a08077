"""Undirected edges, each once, out of a graph set and back into one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import torch

from graphgauge.graphs import GraphError, GraphSet
from graphgauge.graphs.ordering import edge_order, is_ordered
from graphgauge.perturb import kernels
from graphgauge.perturb.kernels import Bools, Ints

_WHY = {
    kernels.SELF_LOOP: "is a self-loop",
    kernels.DUPLICATE: "is there twice",
    kernels.ONE_WAY: "is there one way only",
}


@dataclass(frozen=True, eq=False)
class Edges:
    """The M undirected edges of a set of simple graphs, each once, graph by graph, by (high, low).

    Parameters
    ----------
    low, high : (M,) int64, global node ids, low < high
    before : (M,) int64, node pairs without an edge that come before this edge, counted through the set,
        where the pairs of a graph are ordered by (high, low) as well
    ptr : (G+1,) int64, edges ``ptr[g]:ptr[g+1]`` belong to graph g
    node_ptr : (G+1,) int64, nodes of each graph
    """

    low: Ints
    high: Ints
    before: Ints
    ptr: Ints
    node_ptr: Ints


def simple_edges(graphs: GraphSet) -> Edges:
    """Each edge once, after a check that every graph is simple and undirected. O(E + N).

    Raises
    ------
    GraphError
        naming graph and edge, for an edge outside its graph, a self-loop, an edge there twice or an edge
        without its reverse; and for a set that is marked directed

    >>> edges = simple_edges(GraphSet.from_edges([[(2, 1), (0, 1)]]))
    >>> edges.low.tolist(), edges.high.tolist(), edges.before.tolist()
    ([0, 1], [1, 2], [0, 1])
    """
    source, target = _ordered(graphs)
    node_ptr, edge_ptr = graphs.node_ptr.cpu().numpy(), graphs.edge_ptr.cpu().numpy()
    kind, e = kernels.first_fault(source, target, graphs.num_nodes)
    if kind != kernels.SIMPLE:
        g = int(np.searchsorted(node_ptr, target[e], side="right")) - 1
        u, v = source[e] - node_ptr[g], target[e] - node_ptr[g]
        raise GraphError(f"graph {g}: edge ({u}, {v}) {_WHY[kind]}; noise needs simple undirected graphs")
    if graphs.directed:
        raise GraphError("the set is marked directed; noise needs undirected graphs (directed=False)")
    # Every edge is stored twice in its graph, so half the pointers are the pointers of the half.
    low, high, before = kernels.each_once(source, target, node_ptr, edge_ptr)
    return Edges(low, high, before, edge_ptr // 2, node_ptr)


def by_target(graphs: GraphSet) -> GraphSet:
    """The same graphs with edges ordered by (target, source), columns with them; itself if they are already.

    >>> by_target(GraphSet.from_edges([[(2, 1), (0, 1)]])).edge_index.tolist()
    [[1, 0, 2, 1], [0, 1, 1, 2]]
    """
    source, target = _inside(graphs)
    if is_ordered(source, target):
        return graphs
    order = torch.from_numpy(edge_order(source, target, graphs.num_nodes)).to(graphs.device)
    columns = {name: column[order] for name, column in graphs.edge.items()}
    return replace(graphs, edge_index=graphs.edge_index[:, order], edge=columns)


def pack(
    first: Ints, second: Ints, graphs: GraphSet, keep: Bools | None = None, new_id: Ints | None = None
) -> GraphSet:
    """Undirected edges, each once, any order, as a set on the nodes of `graphs`, by (target, source).

    Parameters
    ----------
    first, second : (M,) int64, ends of the edges, global ids
    keep : (M,) bool, edges to use; None: all
    new_id : (N,) int64, new number of each node; None: its old one
    """
    keep = np.ones(first.size, np.bool_) if keep is None else keep
    new_id = np.arange(graphs.num_nodes) if new_id is None else new_id
    edge_index, rows = kernels.both_ways(first, second, keep, new_id)
    edge_ptr = rows[graphs.node_ptr.cpu().numpy()]
    device = graphs.device
    return GraphSet(
        graphs.node_ptr, torch.from_numpy(edge_index).to(device), torch.from_numpy(edge_ptr).to(device)
    )


def _inside(graphs: GraphSet) -> tuple[Ints, Ints]:
    """Source and target of every edge, all inside their graphs: the compiled loops index by them."""
    source, target = graphs.edge_index.cpu().contiguous().numpy()
    node_ptr, edge_ptr = graphs.node_ptr.cpu().numpy(), graphs.edge_ptr.cpu().numpy()
    if kernels.first_outside(source, target, node_ptr, edge_ptr) >= 0:
        graphs.check()
    return source, target


def _ordered(graphs: GraphSet) -> tuple[Ints, Ints]:
    """Source and target by (target, source). Of an undirected set by (source, target), the usual order,
    this is the same with its ends exchanged."""
    source, target = _inside(graphs)
    if is_ordered(source, target):
        return source, target
    if is_ordered(target, source):
        return target, source
    order = edge_order(source, target, graphs.num_nodes)
    return source[order], target[order]
