"""Edge lists in and out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

import numpy as np
import torch
from torch import Tensor

from graphgauge.graphs.errors import GraphError
from graphgauge.graphs.pack import Array, Columns, Rules, offsets, pack, rule

if TYPE_CHECKING:
    from graphgauge.graphs.graphset import GraphSet

EdgeList = Sequence[Sequence[int]] | Array | Tensor


@overload
def from_edges(
    edges: Sequence[EdgeList],
    num_nodes: Sequence[int] | Array | Tensor | None = ...,
    *,
    both_ways: bool = ...,
    node: Columns | None = ...,
    edge: Columns | None = ...,
    graph: Columns | None = ...,
    return_labels: Literal[False] = ...,
    **rules: Unpack[Rules],
) -> GraphSet: ...
@overload
def from_edges(
    edges: Sequence[EdgeList],
    num_nodes: Sequence[int] | Array | Tensor | None = ...,
    *,
    both_ways: bool = ...,
    node: Columns | None = ...,
    edge: Columns | None = ...,
    graph: Columns | None = ...,
    return_labels: Literal[True],
    **rules: Unpack[Rules],
) -> tuple[GraphSet, list[list[int]]]: ...
def from_edges(
    edges: Sequence[EdgeList],
    num_nodes: Sequence[int] | Array | Tensor | None = None,
    *,
    both_ways: bool = False,
    node: Columns | None = None,
    edge: Columns | None = None,
    graph: Columns | None = None,
    return_labels: bool = False,
    **rules: Unpack[Rules],
) -> GraphSet | tuple[GraphSet, list[list[int]]]:
    """A set from one edge list for each graph, undirected unless ``directed="keep"``.

    Each pair (u, v) is one undirected edge, listed once in either direction, and is stored both ways. Lists
    that hold every edge in both directions say so with ``both_ways=True``.

    Parameters
    ----------
    edges : G edge lists; each is a list of pairs or an array of shape (E_g, 2)
    num_nodes : (G,) nodes of each graph, numbered from 0. Without it the nodes are those the edges name, and
        they must be named 0, 1, …, n-1 without a gap: a gap would be a guess, so it is an error
    both_ways : every undirected edge is listed in both directions
    node, edge, graph : columns with one row for each node, listed edge and graph of the whole set
    return_labels : ids may be any whole numbers; nodes are numbered by ascending id, and the ids are returned
        beside the set, one list for each graph. Memory never depends on the size of an id
    rules : ``directed``, ``self_loops``, ``duplicates``, ``non_finite``; see `graphgauge.graphs.pack.Rules`.
        Any ``directed`` other than "error" reads the pairs as arcs

    >>> from graphgauge import GraphSet
    >>> GraphSet.from_edges([[(0, 1)], []], num_nodes=[2, 1]).edge_index.tolist()
    [[0, 1], [1, 0]]
    >>> graphs, labels = GraphSet.from_edges([[(10_000_000, 7)]], return_labels=True)
    >>> graphs.num_nodes, labels
    (2, [[7, 10000000]])
    """
    arrays = [_pairs(listed, g) for g, listed in enumerate(edges)]
    edge_counts = np.array([len(a) for a in arrays], dtype=np.int64)
    pairs = np.concatenate(arrays) if arrays else np.zeros((0, 2), dtype=np.int64)
    labels: list[list[int]] = []
    if return_labels:
        if num_nodes is not None:
            raise GraphError("return_labels numbers the nodes that the edges name; leave num_nodes out")
        pairs, counts, labels = _number(pairs, edge_counts)
    elif num_nodes is None:
        compact, counts, _ = _number(pairs, edge_counts)
        _refuse_gaps(pairs, compact, counts, edge_counts)
    else:
        counts = _counts(num_nodes, len(arrays))
    ordered = both_ways or rule(rules, "directed") != "error"
    graphs = pack(
        counts, edge_counts, pairs[:, 0], pairs[:, 1],
        ordered=ordered, rules=rules, node=node, edge=edge, graph=graph,
    )  # fmt: skip
    return (graphs, labels) if return_labels else graphs


def to_edges(graphs: GraphSet) -> list[list[tuple[int, int]]]:
    """Edge lists with node numbers inside each graph; an undirected edge once, as (smaller, larger).

    >>> from graphgauge import GraphSet
    >>> GraphSet.from_edges([[(2, 0)], []], num_nodes=[3, 1]).to_edges()
    [[(0, 2)], []]
    """
    pairs, ptr = edge_pairs(graphs, once(graphs))
    return [pairs[a:b] for a, b in pairwise(ptr)]


def once(graphs: GraphSet) -> Tensor:
    """Mask (E,) that leaves each undirected edge once; all edges of a directed set."""
    if graphs.directed:
        return torch.ones(graphs.num_edges, dtype=torch.bool, device=graphs.device)
    return graphs.edge_index[0] <= graphs.edge_index[1]


def listed_once(graphs: GraphSet) -> Tensor:
    """`once`, but raise where this would lose column values that differ between an edge and its reverse."""
    if not graphs.directed and graphs.edge:
        source, target = graphs.edge_index.cpu().numpy()
        there = torch.from_numpy(np.lexsort((target, source))).to(graphs.device)
        back = torch.from_numpy(np.lexsort((source, target))).to(graphs.device)
        for name, value in graphs.edge.items():
            differ = _differ(value[there], value[back])
            if differ.any():
                e = int(there[int(differ.nonzero()[0, 0])])
                g = int(graphs.edge_batch[e])
                u, v = (graphs.edge_index[:, e] - graphs.node_ptr[g]).tolist()
                raise GraphError(
                    f"graph {g}: edge ({u}, {v}) has another value in column {name!r} than its reverse, "
                    "which a list with each edge once cannot hold"
                )
    return once(graphs)


def edge_pairs(graphs: GraphSet, keep: Tensor) -> tuple[list[tuple[int, int]], list[int]]:
    """The edges under a mask, with node numbers inside their graphs, and the offsets of each graph."""
    local = (graphs.edge_index - graphs.node_ptr[graphs.edge_batch])[:, keep]
    counts = torch.bincount(graphs.edge_batch[keep], minlength=len(graphs))
    return list(zip(*local.tolist(), strict=True)), np.cumsum([0, *counts.tolist()]).tolist()


def refuse_duplicates(graphs: GraphSet, remedy: str) -> None:
    """Raise where an edge is stored more than once."""
    key = graphs.edge_index[0] * max(graphs.num_nodes, 1) + graphs.edge_index[1]
    ordered, position = torch.sort(key, stable=True)
    again = (ordered.diff() == 0).nonzero()
    if len(again):
        e = int(position[int(again[0, 0]) + 1])
        g = int(graphs.edge_batch[e])
        u, v = (graphs.edge_index[:, e] - graphs.node_ptr[g]).tolist()
        raise GraphError(f"graph {g}: edge ({u}, {v}) is stored more than once; {remedy}")


def _differ(a: Tensor, b: Tensor) -> Tensor:
    """Rows that differ, NaN equal to NaN."""
    unequal = (a != b) & ~((a != a) & (b != b))
    return unequal.reshape(len(a), -1).any(1) if a.numel() else unequal.reshape(-1)


def _pairs(listed: EdgeList, g: int) -> Array:
    array = listed.numpy() if isinstance(listed, Tensor) else _as_array(listed, g)
    if array.size == 0:
        return np.zeros((0, 2), dtype=np.int64)
    if array.ndim != 2 or array.shape[1] != 2:
        raise GraphError(f"graph {g}: an edge list must have the shape (E, 2), this one has {array.shape}")
    if array.dtype.kind not in "iu":
        raise GraphError(f"graph {g}: node ids must be whole numbers, edge {_first(array)} has {array.dtype}")
    if isinstance(listed, list | tuple) and bool in set(map(type, chain.from_iterable(listed))):
        odd = next(tuple(pair) for pair in listed if bool in map(type, pair))
        raise GraphError(f"graph {g}: node ids must be whole numbers, edge {odd} has a truth value")
    if array.dtype == np.uint64 and (array > np.iinfo(np.int64).max).any():
        raise GraphError(f"graph {g}: node ids do not fit into 64 bits")
    return array.astype(np.int64)


def _as_array(listed: Any, g: int) -> Array:
    try:
        return np.asarray(listed if isinstance(listed, np.ndarray) else list(listed))
    except (ValueError, OverflowError, TypeError) as error:
        raise GraphError(f"graph {g}: an edge list must hold pairs of whole numbers ({error})") from error


def _first(array: Array) -> tuple[Any, ...]:
    return tuple(array[0].tolist())


def _counts(num_nodes: Any, graphs: int) -> Array:
    if isinstance(num_nodes, int):
        raise GraphError(f"num_nodes must list one number for each of the {graphs} graphs, got {num_nodes}")
    counts = np.asarray(num_nodes).reshape(-1)
    if counts.size != graphs:
        raise GraphError(f"{graphs} edge lists but {counts.size} entries in num_nodes")
    return counts


def _number(pairs: Array, edge_counts: Array) -> tuple[Array, Array, list[list[int]]]:
    """Number the ids of each graph by size: numbered pairs, nodes of each graph, ids of each graph."""
    graph = np.repeat(np.arange(edge_counts.size), 2 * edge_counts)
    ids = pairs.reshape(-1)
    order = np.lexsort((ids, graph))
    fresh = np.ones(ids.size, dtype=bool)
    fresh[1:] = (np.diff(ids[order]) != 0) | (np.diff(graph[order]) != 0)
    rank = np.empty(ids.size, dtype=np.int64)
    rank[order] = np.cumsum(fresh) - 1
    counts = np.bincount(graph[order][fresh], minlength=edge_counts.size)
    start = offsets(counts)
    names = ids[order][fresh].tolist()
    labels = [names[a:b] for a, b in pairwise(start.tolist())]
    return (rank - start[graph]).reshape(-1, 2), counts, labels


def _refuse_gaps(pairs: Array, compact: Array, counts: Array, edge_counts: Array) -> None:
    bad = (pairs != compact).any(axis=1)
    if bad.any():
        e = int(np.flatnonzero(bad)[0])
        g = int(np.repeat(np.arange(edge_counts.size), edge_counts)[e])
        raise GraphError(
            f"graph {g}: edge ({pairs[e, 0]}, {pairs[e, 1]}), but its {counts[g]} named nodes are not "
            f"0 to {counts[g] - 1}; give num_nodes, or return_labels=True for ids of your own"
        )
