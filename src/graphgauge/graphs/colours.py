"""Connected components and 1-WL colours of all nodes of a set at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from graphgauge.graphs.checks import check_ids
from graphgauge.graphs.errors import GraphError
from graphgauge.graphs.graphset import GraphSet
from graphgauge.graphs.segments import counts_to_ptr

Array = np.ndarray[Any, Any]

# ptr (N+1,) and neighbour (E,): the neighbours of node i are neighbour[ptr[i]:ptr[i+1]].
Side = tuple[Array, Array]


def components(graphs: GraphSet) -> Tensor:
    """Connected component of every node (weak ones where the set is directed).

    Returns
    -------
    (N,) int64, numbered 0, 1, … over the whole set in the order of their first nodes

    >>> components(GraphSet.from_edges([[(0, 2)], [(0, 1)]], num_nodes=[3, 2])).tolist()
    [0, 1, 0, 2, 2]
    """
    check_ids(graphs)
    source, target = graphs.edge_index.cpu().numpy()
    return torch.from_numpy(connected(graphs.num_nodes, source, target)).to(graphs.device)


def components_apart(graphs: GraphSet, label: Tensor) -> tuple[GraphSet, Array, Array]:
    """Every component as a graph of its own, without columns, on the CPU.

    Parameters
    ----------
    label : (N,) the `components` of the graphs

    Returns
    -------
    The components, graph by graph; the old number of each of their nodes (N,); the graph of each component

    >>> graphs = GraphSet.from_edges([[(0, 2)], [(0, 1)]], num_nodes=[3, 2])
    >>> parts, order, owner = components_apart(graphs, components(graphs))
    >>> parts.nodes_per_graph.tolist(), order.tolist(), owner.tolist()
    ([2, 1, 2], [0, 2, 1, 3, 4], [0, 0, 1])
    """
    of = label.cpu().numpy()
    order = np.argsort(of, kind="stable")
    number = np.empty_like(order)
    number[order] = np.arange(order.size)
    edges = number[graphs.edge_index.cpu().numpy()]
    sizes = np.bincount(of)
    edge_of = of[graphs.edge_index[0].cpu().numpy()]
    by_label = np.argsort(edge_of, kind="stable")
    parts = GraphSet(
        counts_to_ptr(torch.from_numpy(sizes)),
        torch.from_numpy(np.ascontiguousarray(edges[:, by_label])),
        counts_to_ptr(torch.from_numpy(np.bincount(edge_of, minlength=sizes.size))),
        directed=graphs.directed,
    )
    owner = graphs.batch.cpu().numpy()[order[parts.node_ptr[:-1].numpy()]]
    return parts, order, owner


def wl_colours(
    graphs: GraphSet,
    rounds: int | None = None,
    *,
    initial: Tensor | None = None,
    edge_initial: Tensor | None = None,
) -> Tensor:
    """Colours of the 1-dimensional Weisfeiler–Leman refinement, comparable over the whole set.

    A round gives two nodes the same new colour exactly when they had the same colour and equal multisets of
    neighbour colours (of in- and of out-neighbours where the set is directed). Nodes of *different graphs*
    with the same stable colour cannot be told apart by any message-passing network without features.

    Colours are found with random 64-bit sums and then proved: the result is checked node by node against
    the definition, so it is exact. The work is O(E log E) a round.

    Parameters
    ----------
    rounds : number of rounds; None goes on until no colour class splits any more
    initial : (N,) whole numbers to start from (a node type, say); None starts with one colour
    edge_initial : (E,) whole numbers (a bond type, say); neighbours then count apart by the number of the
        edge that leads to them

    Returns
    -------
    (N,) int64, colours 0 to C-1

    >>> wl_colours(GraphSet.from_edges([[(0, 1), (1, 2)], [(0, 1)]])).tolist()  # a path of 3, an edge
    [0, 1, 0, 2, 2]
    """
    if rounds is not None and rounds < 0:
        raise ValueError(f"rounds must be 0 or more, got {rounds}")
    colour = start_colours(graphs, initial)
    sides = _sides(graphs, edge_initial)
    for salt in range(8):  # a second salt is needed about once in 10**8 calls
        found = _stable(colour, sides, salt) if rounds is None else _fixed(colour, sides, salt, rounds)
        if found is not None:
            return torch.from_numpy(found).to(graphs.device)
    raise RuntimeError("64-bit sums of Weisfeiler–Leman colours collided for every salt")


# ── colour refinement ──────────────────────────────────────────────────────────────────────────────────────


def start_colours(graphs: GraphSet, initial: Tensor | None) -> Array:
    return _numbers(initial, graphs.num_nodes, "initial colours")


def edge_colours(graphs: GraphSet, initial: Tensor | None) -> Array:
    """Colours of edges, 0 to C-1: (E,)."""
    return _numbers(initial, graphs.num_edges, "initial colours of edges")


def _numbers(initial: Tensor | None, count: int, what: str) -> Array:
    if initial is None:
        return np.zeros(count, dtype=np.int64)
    if initial.shape != (count,) or initial.is_floating_point():
        raise GraphError(
            f"{what} must be {count} whole numbers, got {initial.dtype} of shape {tuple(initial.shape)}"
        )
    return dense(initial.cpu().numpy().astype(np.int64))


def _sides(graphs: GraphSet, edge_initial: Tensor | None) -> list[Side]:
    """In-neighbours, and out-neighbours too where the set is directed; apart for each colour of edges."""
    if edge_initial is None:
        csr = graphs.csr
        rows = [csr, csr.transpose] if graphs.directed else [csr]
        return [(r.ptr.cpu().numpy(), r.source.cpu().numpy()) for r in rows]
    colour = edge_colours(graphs, edge_initial)
    source, target = graphs.edge_index.cpu().numpy()
    ways = [(source, target), (target, source)] if graphs.directed else [(source, target)]
    return [
        _side(there[colour == c], here[colour == c], graphs.num_nodes)
        for c in range(class_count(colour))
        for there, here in ways
    ]


def _side(there: Array, here: Array, count: int) -> Side:
    """The nodes `there` listed for every node `here`."""
    ptr = np.concatenate([[0], np.cumsum(np.bincount(here, minlength=count))])
    return ptr, there[np.argsort(here, kind="stable")]


def _stable(initial: Array, sides: list[Side], salt: int) -> Array | None:
    """Rounds until the number of classes stands still; None where sums collided.

    Nodes that no round can tell apart always have equal sums, so collisions can only make classes too coarse.
    A result that passes the check is a stable colouring, hence the coarsest one.
    """
    key, classes = scramble(initial.astype(np.uint64), salt), 0
    while (now := _different(key)) != classes:
        last, classes = key, now
        key = _round(key, sides, salt)
    if not initial.size:
        return initial
    colour = dense(last)
    return colour if _proved(colour, colour, sides) and _proved(colour, initial, []) else None


def _fixed(initial: Array, sides: list[Side], salt: int, rounds: int) -> Array | None:
    """A given number of rounds, each proved; None where sums collided."""
    colour = initial
    for _ in range(rounds):
        refined = dense(_round(scramble(colour.astype(np.uint64), salt), sides, salt))
        if not _proved(refined, colour, sides):
            return None
        if class_count(refined) == class_count(colour):
            break
        colour = refined
    return colour


def _round(key: Array, sides: list[Side], salt: int) -> Array:
    """New 64-bit colours from the old ones and the sums of scrambled neighbour colours."""
    out = scramble(key, salt + 1)
    for i, (ptr, neighbour) in enumerate(sides):
        running = np.zeros(neighbour.size + 1, dtype=np.uint64)
        np.cumsum(scramble(key, salt + i + 2)[neighbour], out=running[1:])
        out += running[ptr[1:]] - running[ptr[:-1]]
    return out


def scramble(key: Array, salt: int) -> Array:
    """A fixed random-looking 64-bit number for each key: splitmix64, one to one for each salt."""
    z = key + np.uint64(0xD1B54A32D192ED03 * (salt + 1) % 2**64)
    z *= np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def _proved(new: Array, old: Array, sides: list[Side]) -> bool:
    """Whether nodes of one `new` colour have the same `old` colour and multisets of old neighbour colours."""
    if new.size == 0:
        return True
    example = np.zeros(class_count(new), dtype=np.int64)
    example[new[::-1]] = np.arange(new.size)[::-1]
    like = example[new]
    return np.array_equal(old[like], old) and same_rows(like, old, sides)


def same_rows(like: Array, value: Array, sides: list[Side]) -> bool:
    """Whether every node i has the same multiset of neighbour values as node ``like[i]``."""
    width = int(value.max(initial=0)) + 1
    for ptr, neighbour in sides:
        degree = np.diff(ptr)
        if not np.array_equal(degree[like], degree):
            return False
        row = np.repeat(np.arange(like.size), degree)
        listed = np.sort(row * width + value[neighbour]) - row * width
        other = np.arange(row.size) + np.repeat(ptr[like] - ptr[:-1], degree)
        if not np.array_equal(listed[other], listed):
            return False
    return True


def dense(values: Array) -> Array:
    """Values → their ranks among the different values."""
    ranked = np.unique(values, return_inverse=True)[1]
    return ranked.reshape(-1).astype(np.int64)


def _different(key: Array) -> int:
    """Number of different values; sorting is faster here than the hash table of np.unique."""
    return int(np.count_nonzero(np.diff(np.sort(key)))) + 1 if key.size else 0


def class_count(colour: Array) -> int:
    return int(colour.max()) + 1 if colour.size else 0


def connected(count: int, source: Array, target: Array) -> Array:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if count == 0:
        return np.zeros(0, dtype=np.int64)
    links = coo_array((np.ones(source.size, dtype=np.int8), (source, target)), shape=(count, count))
    label = connected_components(links, directed=False)[1]
    first = np.unique(label, return_index=True)[1]
    rank = np.empty(first.size, dtype=np.int64)
    rank[np.argsort(first)] = np.arange(first.size)
    ordered: Array = rank[label]
    return ordered
