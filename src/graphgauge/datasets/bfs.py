"""Breadth-first samples of a large graph (paper A, section 4 and appendix B, algorithm 1)."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from graphgauge.compiling import loop
from graphgauge.datasets.errors import DatasetError
from graphgauge.datasets.options import whole
from graphgauge.datasets.packing import Ints, even_ptr, packed
from graphgauge.graphs import GraphSet
from graphgauge.graphs.structure import components


def bfs_sample(
    graphs: GraphSet, count: int, order: int, seed: int | np.random.Generator = 0, *, origin: bool = False
) -> GraphSet:
    """`count` induced subgraphs of exactly `order` nodes that keep the local topology of a large graph.

    A sample starts with a random node. While it has fewer than N' = `order` nodes, all neighbours of its
    nodes join it; where they would be too many, a uniformly random subset of the new ones joins instead, so
    that the sample has exactly N' nodes. (Printed in the paper, the size test of algorithm 1 is the other
    way round; taken so, it would trim when there is nothing to trim.) All edges of the graph between nodes
    of the sample are kept.

    Rule for small components: starts are drawn uniformly among the nodes whose component has at least N'
    nodes. So every sample is connected, and a node without an edge occurs only for N' = 1. Samples are
    independent and may overlap. The first samples do not depend on `count`.

    Parameters
    ----------
    graphs : undirected and simple; one large graph, or several, each sampled in proportion to its nodes
    count : number of samples, at least 0
    order : nodes N' of every sample, at least 1
    seed : whole number or numpy Generator
    origin : also give the node column ``origin``: the node's id in `graphs`

    Returns
    -------
    GraphSet of `count` graphs; nodes ascend by their id in `graphs`; edges both ways, sorted.

    Raises
    ------
    DatasetError
        if the graph has fewer than N' nodes, or no component that large (the message names the largest).

    >>> ring = GraphSet.from_edges([[(0, 1), (1, 2), (2, 3), (3, 0)]])
    >>> sample = bfs_sample(ring, count=2, order=3)
    >>> sample.nodes_per_graph.tolist(), sample.edges_per_graph.tolist()
    ([3, 3], [4, 4])
    """
    whole("count", count, 0)
    whole("order", order, 1)
    ptr, neighbours, starts = _prepare(graphs, order)
    rng = seed if isinstance(seed, np.random.Generator) else np.random.default_rng(whole("seed", seed, 0))
    chance = rng.random((count, order))
    members = _grow(ptr, neighbours, starts, chance)
    edge_index, edge_ptr = _induce(ptr, neighbours, members)
    sample = packed(edge_index, edge_ptr, even_ptr(count, order))
    return sample.with_columns(node={"origin": torch.from_numpy(members.reshape(-1))}) if origin else sample


def _prepare(graphs: GraphSet, order: int) -> tuple[Ints, Ints, Ints]:
    """Rows of the graph (sorted, checked) and the nodes at which a sample may start."""
    if graphs.directed:
        raise DatasetError("breadth-first samples are taken of undirected graphs; this set is directed")
    n = graphs.num_nodes
    if n < order:
        raise DatasetError(f"a sample of {order} nodes cannot be taken of a graph with {n} nodes")
    ptr, neighbours = graphs.csr.ptr.numpy(), graphs.csr.source.numpy()
    _check_simple(graphs, neighbours)
    component = components(graphs).numpy()
    sizes = np.bincount(component)
    starts = np.flatnonzero(sizes[component] >= order)
    if starts.size == 0:
        raise DatasetError(
            f"no component has {order} nodes: the largest has {sizes.max()} of the {n}; "
            f"an order of at most {sizes.max()} can be sampled"
        )
    return ptr, neighbours, starts


def _check_simple(graphs: GraphSet, neighbours: Ints) -> None:
    target = graphs.csr.target.numpy()
    if (target == neighbours).any():
        raise DatasetError(
            f"node {target[target == neighbours][0]} has a self-loop; samples are simple graphs"
        )
    twice = (np.diff(target) == 0) & (np.diff(neighbours) == 0)
    if twice.any():
        e = int(np.flatnonzero(twice)[0])
        raise DatasetError(f"edge ({neighbours[e]}, {target[e]}) is there twice; samples are simple graphs")


@loop
def _grow(ptr: Any, neighbours: Any, starts: Any, chance: Any) -> Any:
    count, order = chance.shape
    members = np.empty((count, order), np.int64)
    seen = np.full(ptr.size - 1, -1, np.int64)  # the last sample that a node was met in
    fresh = np.empty(ptr.size - 1, np.int64)
    for g in range(count):
        row = members[g]
        row[0] = starts[int(chance[g, 0] * starts.size)]
        seen[row[0]] = g
        done, size = 0, 1  # nodes whose neighbours are in, and nodes that are in
        while size < order:
            met = 0
            for i in range(done, size):
                for k in range(ptr[row[i]], ptr[row[i] + 1]):
                    j = neighbours[k]
                    if seen[j] != g:
                        seen[j] = g
                        fresh[met] = j
                        met += 1
            done = size
            if met > order - size:  # too many: the first places of a shuffle
                for i in range(order - size):
                    k = i + int(chance[g, size + i] * (met - i))
                    fresh[i], fresh[k] = fresh[k], fresh[i]
                met = order - size
            row[size : size + met] = fresh[:met]
            size += met
        row.sort()
    return members


def grow_plain(ptr: Ints, neighbours: Ints, starts: Ints, chance: Any) -> Ints:
    """The plain numpy twin of the compiled growth: the same samples for the same chances."""
    count, order = chance.shape
    members = np.empty((count, order), np.int64)
    for g in range(count):
        inside = np.array([starts[int(chance[g, 0] * starts.size)]])
        frontier = inside
        while inside.size < order:
            met = np.concatenate([neighbours[ptr[i] : ptr[i + 1]] for i in frontier])
            _, first = np.unique(met, return_index=True)
            met = met[np.sort(first)]
            frontier = met[~np.isin(met, inside)]
            room = order - inside.size
            if frontier.size > room:
                for i in range(room):
                    k = i + int(chance[g, inside.size + i] * (frontier.size - i))
                    frontier[[i, k]] = frontier[[k, i]]
                frontier = frontier[:room]
            inside = np.concatenate([inside, frontier])
        members[g] = np.sort(inside)
    return members


@loop
def _induce(ptr: Any, neighbours: Any, members: Any) -> Any:
    count, order = members.shape
    place = np.full(
        ptr.size - 1, -1, np.int64
    )  # global new id of a node, valid if it lies in the sample's range
    edge_ptr = np.zeros(count + 1, np.int64)
    bound = 0
    for g in range(count):
        for i in range(order):
            bound += min(ptr[members[g, i] + 1] - ptr[members[g, i]], order - 1)
    edges = np.empty((2, bound), np.int64)
    e = 0
    for g in range(count):
        for i in range(order):
            place[members[g, i]] = g * order + i
        for i in range(order):
            for k in range(ptr[members[g, i]], ptr[members[g, i] + 1]):
                j = place[neighbours[k]]
                if j >= g * order:
                    edges[0, e] = g * order + i
                    edges[1, e] = j
                    e += 1
        edge_ptr[g + 1] = e
    return edges[:, :e].copy(), edge_ptr


def induce_plain(ptr: Ints, neighbours: Ints, members: Ints) -> tuple[Ints, Ints]:
    """The plain numpy twin of the compiled selection of edges."""
    count, order = members.shape
    n = ptr.size - 1
    source = np.repeat(np.arange(n), np.diff(ptr))
    parts = []
    for g in range(count):
        place = np.full(n, -1)
        place[members[g]] = np.arange(g * order, (g + 1) * order)
        inside = (place[source] >= 0) & (place[neighbours] >= 0)
        parts.append(np.stack([place[source[inside]], place[neighbours[inside]]]))
    sizes = [part.shape[1] for part in parts]
    return np.concatenate([np.empty((2, 0), np.int64), *parts], axis=1), np.cumsum([0, *sizes])
