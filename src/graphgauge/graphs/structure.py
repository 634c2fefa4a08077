"""Facts about structure, over a whole set at once: components, 1-WL colours, automorphism orbits."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor

from graphgauge.graphs.convert_edges import refuse_duplicates
from graphgauge.graphs.errors import GraphError
from graphgauge.graphs.graphset import GraphSet

Array = np.ndarray[Any, Any]


def components(graphs: GraphSet) -> Tensor:
    """Connected component of every node (weak ones where the set is directed).

    Returns
    -------
    (N,) int64, numbered 0, 1, … over the whole set in the order of their first nodes

    >>> components(GraphSet.from_edges([[(0, 2)], [(0, 1)]], num_nodes=[3, 2])).tolist()
    [0, 1, 0, 2, 2]
    """
    source, target = graphs.edge_index.cpu().numpy()
    return torch.from_numpy(_connected(graphs.num_nodes, source, target)).to(graphs.device)


def wl_colours(graphs: GraphSet, rounds: int | None = None, *, initial: Tensor | None = None) -> Tensor:
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

    Returns
    -------
    (N,) int64, colours 0 to C-1

    >>> wl_colours(GraphSet.from_edges([[(0, 1), (1, 2)], [(0, 1)]])).tolist()  # a path of 3, an edge
    [0, 1, 0, 2, 2]
    """
    if rounds is not None and rounds < 0:
        raise ValueError(f"rounds must be 0 or more, got {rounds}")
    colour = _start(graphs, initial)
    sides = _sides(graphs)
    for salt in range(8):  # a second salt is needed about once in 10**8 calls
        found = _stable(colour, sides, salt) if rounds is None else _fixed(colour, sides, salt, rounds)
        if found is not None:
            return torch.from_numpy(found).to(graphs.device)
    raise RuntimeError("64-bit sums of Weisfeiler–Leman colours collided for every salt")


def orbits(graphs: GraphSet, *, initial: Tensor | None = None) -> Tensor:
    """Automorphism orbits: two nodes share one when a symmetry of their graph maps one to the other.

    1-WL colours come first; a graph whose nodes all have different colours has no symmetry and is done. For
    the others igraph (BLISS) gives generators of the automorphism group, and the orbits are the connected
    components of "some generator maps i to j". Exact.

    Parameters
    ----------
    initial : (N,) whole numbers that a symmetry must keep (a node type, say)

    Returns
    -------
    (N,) int64, numbered 0, 1, … over the whole set in the order of their first nodes; never shared by
    two graphs

    Raises
    ------
    GraphError where an edge is stored more than once

    >>> orbits(GraphSet.from_edges([[(0, 1), (1, 2)], [(0, 1)]])).tolist()
    [0, 1, 0, 2, 2]
    """
    refuse_duplicates(graphs, "orbits are defined for simple graphs here")
    colour = wl_colours(graphs, initial=_loops_apart(graphs, initial)).cpu().numpy()
    owner = graphs.batch.cpu().numpy()
    moved_from, moved_to = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for start, graph, local in _coloured(graphs, colour, ~_discrete(colour, owner, len(graphs))):
        for generator in graph.automorphism_group(color=local):
            image = np.asarray(generator)
            moved = np.flatnonzero(image != np.arange(image.size))
            moved_from.append(moved + start)
            moved_to.append(image[moved] + start)
    out = _connected(graphs.num_nodes, np.concatenate(moved_from), np.concatenate(moved_to))
    return torch.from_numpy(out).to(graphs.device)


def isomorphic(a: GraphSet, b: GraphSet, *, initial: tuple[Tensor, Tensor] | None = None) -> bool:
    """Whether two graphs (sets of one graph each) are the same up to node numbers; exact.

    Columns are ignored, except the node colours given in `initial`.

    >>> c6 = GraphSet.from_edges([[(i, (i + 1) % 6) for i in range(6)]])
    >>> triangles = GraphSet.from_edges([[(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]])
    >>> isomorphic(c6, triangles), isomorphic(c6, c6.relabel(torch.tensor([3, 1, 4, 0, 5, 2])))
    (False, True)
    """
    if len(a) != 1 or len(b) != 1:
        raise GraphError(f"isomorphic compares two graphs, got sets of {len(a)} and {len(b)}")
    both = GraphSet.concat([a.structure(), b.structure()])
    colours = None if initial is None else torch.cat(list(initial))
    first, second = isomorphism_classes(both, initial=colours).tolist()
    return bool(first == second)


def isomorphism_classes(graphs: GraphSet, *, initial: Tensor | None = None) -> Tensor:
    """Number of the isomorphism class of every graph, in the order of first appearance; exact.

    Graphs with different colour histograms differ. Among graphs with equal ones, a graph whose colours are
    all different is determined by them; the others are compared by their canonical form (BLISS).

    Returns
    -------
    (G,) int64

    Raises
    ------
    GraphError where an edge is stored more than once

    >>> isomorphism_classes(GraphSet.from_edges([[(0, 1), (1, 2)], [(0, 1)], [(2, 0), (0, 1)]])).tolist()
    [0, 1, 0]
    """
    refuse_duplicates(graphs, "isomorphism is defined for simple graphs here")
    colour = wl_colours(graphs, initial=_loops_apart(graphs, initial)).cpu().numpy()
    owner, node_ptr = graphs.batch.cpu().numpy(), graphs.node_ptr.tolist()
    histogram = colour[np.lexsort((colour, owner))]
    keys: list[tuple[bytes, bytes]] = [(histogram[a:b].tobytes(), b"") for a, b in pairwise(node_ptr)]
    times: dict[tuple[bytes, bytes], int] = {}
    for key in keys:
        times[key] = times.get(key, 0) + 1
    unsure = ~_discrete(colour, owner, len(graphs)) & np.array([times[key] > 1 for key in keys], dtype=bool)
    chosen = iter(np.flatnonzero(unsure).tolist())
    for _, graph, local in _coloured(graphs, colour, unsure):
        g = next(chosen)
        keys[g] = (keys[g][0], _canonical(graph, local))
    number: dict[tuple[bytes, bytes], int] = {}
    classes = [number.setdefault(key, len(number)) for key in keys]
    return torch.tensor(classes, dtype=torch.int64, device=graphs.device)


# ── colour refinement ──────────────────────────────────────────────────────────────────────────────────────

Side = tuple[
    Array, Array
]  # ptr (N+1,), neighbour (E,): the neighbours of node i are neighbour[ptr[i]:ptr[i+1]]


def _start(graphs: GraphSet, initial: Tensor | None) -> Array:
    if initial is None:
        return np.zeros(graphs.num_nodes, dtype=np.int64)
    if initial.shape != (graphs.num_nodes,) or initial.is_floating_point():
        raise GraphError(
            f"initial colours must be {graphs.num_nodes} whole numbers, "
            f"got {initial.dtype} of shape {tuple(initial.shape)}"
        )
    return _dense(initial.cpu().numpy().astype(np.int64))


def _sides(graphs: GraphSet) -> list[Side]:
    """In-neighbours, and out-neighbours too where the set is directed."""
    csr = graphs.csr
    rows = [csr, csr.transpose] if graphs.directed else [csr]
    return [(r.ptr.cpu().numpy(), r.source.cpu().numpy()) for r in rows]


def _stable(initial: Array, sides: list[Side], salt: int) -> Array | None:
    """Rounds until the number of classes stands still; None where sums collided.

    Nodes that no round can tell apart always have equal sums, so collisions can only make classes too coarse.
    A result that passes the check is a stable colouring, hence the coarsest one.
    """
    key, classes = _scramble(initial.astype(np.uint64), salt), 0
    while (now := _different(key)) != classes:
        last, classes = key, now
        key = _round(key, sides, salt)
    if not initial.size:
        return initial
    colour = _dense(last)
    return colour if _proved(colour, colour, sides) and _proved(colour, initial, []) else None


def _fixed(initial: Array, sides: list[Side], salt: int, rounds: int) -> Array | None:
    """A given number of rounds, each proved; None where sums collided."""
    colour = initial
    for _ in range(rounds):
        refined = _dense(_round(_scramble(colour.astype(np.uint64), salt), sides, salt))
        if not _proved(refined, colour, sides):
            return None
        if _classes(refined) == _classes(colour):
            break
        colour = refined
    return colour


def _round(key: Array, sides: list[Side], salt: int) -> Array:
    """New 64-bit colours from the old ones and the sums of scrambled neighbour colours."""
    out = _scramble(key, salt + 1)
    for i, (ptr, neighbour) in enumerate(sides):
        running = np.zeros(neighbour.size + 1, dtype=np.uint64)
        np.cumsum(_scramble(key, salt + i + 2)[neighbour], out=running[1:])
        out += running[ptr[1:]] - running[ptr[:-1]]
    return out


def _scramble(key: Array, salt: int) -> Array:
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
    example = np.zeros(_classes(new), dtype=np.int64)
    example[new[::-1]] = np.arange(new.size)[::-1]
    like = example[new]
    if not np.array_equal(old[like], old):
        return False
    width = _classes(old)
    for ptr, neighbour in sides:
        degree = np.diff(ptr)
        if not np.array_equal(degree[like], degree):
            return False
        row = np.repeat(np.arange(new.size), degree)
        listed = np.sort(row * width + old[neighbour]) - row * width
        other = np.arange(row.size) + np.repeat(ptr[like] - ptr[:-1], degree)
        if not np.array_equal(listed[other], listed):
            return False
    return True


def _dense(values: Array) -> Array:
    """Values → their ranks among the different values."""
    ranked = np.unique(values, return_inverse=True)[1]
    return ranked.reshape(-1).astype(np.int64)


def _different(key: Array) -> int:
    """Number of different values; sorting is faster here than the hash table of np.unique."""
    return int(np.count_nonzero(np.diff(np.sort(key)))) + 1 if key.size else 0


def _classes(colour: Array) -> int:
    return int(colour.max()) + 1 if colour.size else 0


# ── exact symmetry ─────────────────────────────────────────────────────────────────────────────────────────


def _loops_apart(graphs: GraphSet, initial: Tensor | None) -> Tensor:
    """Starting colours that say which nodes have a self-loop, since BLISS is given the graph without them."""
    colour = torch.from_numpy(_start(graphs, initial)).to(graphs.device)
    source, target = graphs.edge_index
    looped = torch.zeros_like(colour)
    looped[source[source == target]] = 1
    return 2 * colour + looped


def _discrete(colour: Array, owner: Array, count: int) -> Array:
    """Mask (G,) of graphs whose nodes all have different colours."""
    order = np.lexsort((colour, owner))
    same = (np.diff(colour[order]) == 0) & (np.diff(owner[order]) == 0)
    out = np.ones(count, dtype=bool)
    out[owner[order][1:][same]] = False
    return out


def _coloured(graphs: GraphSet, colour: Array, chosen: Array) -> Any:
    """For each chosen graph: its first node, itself as an igraph graph without loops, its colours from 0."""
    import igraph

    source, target = graphs.edge_index.cpu().numpy()
    keep = source != target if graphs.directed else source < target
    owner = graphs.edge_batch.cpu().numpy()[keep]
    start = graphs.node_ptr.cpu().numpy()
    pairs = np.stack([source[keep], target[keep]], axis=1) - start[owner][:, None]
    ends = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=len(graphs)))])
    for g in np.flatnonzero(chosen).tolist():
        nodes = slice(int(start[g]), int(start[g + 1]))
        graph = igraph.Graph(
            n=nodes.stop - nodes.start,
            edges=pairs[ends[g] : ends[g + 1]].tolist(),
            directed=graphs.directed,
        )
        yield nodes.start, graph, _dense(colour[nodes]).tolist()


def _canonical(graph: Any, colour: list[int]) -> bytes:
    """The edges after BLISS's canonical renumbering, sorted: equal exactly for isomorphic coloured graphs."""
    canonical = graph.permute_vertices(graph.canonical_permutation(color=colour))
    edges: Array = np.array(canonical.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    if not graph.is_directed():
        edges = np.sort(edges, axis=1)
    return bytes(edges[np.lexsort((edges[:, 1], edges[:, 0]))].tobytes())


def _connected(count: int, source: Array, target: Array) -> Array:
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
