"""Automorphism orbits and isomorphism: 1-WL colours first, BLISS (in igraph) where they do not decide."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor

from graphgauge.graphs.colours import (
    Array,
    class_count,
    components,
    components_apart,
    connected,
    dense,
    edge_colours,
    same_rows,
    scramble,
    start_colours,
    wl_colours,
)
from graphgauge.graphs.convert_edges import listed_once, refuse_duplicates
from graphgauge.graphs.errors import GraphError
from graphgauge.graphs.graphset import GraphSet
from graphgauge.graphs.segments import counts_to_ptr


def orbits(graphs: GraphSet, *, initial: Tensor | None = None) -> Tensor:
    """Automorphism orbits: two nodes share one when a symmetry of their graph maps one to the other.

    1-WL colours come first; a graph whose nodes all have different colours has no symmetry and is done. Then
    twins (nodes of one colour with the same neighbours, such as the leaves of a star) are put into one node,
    again and again, since they always share an orbit and would need a generator each. For what is left igraph
    (BLISS) gives generators of the automorphism group of every component, and its canonical form tells which
    components of a graph can change places; the orbits are the connected components of "twin of", "some
    generator maps i to j" and "j stands in i's place in an isomorphic component". Exact.

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
    rest, name = graphs.structure(), np.arange(graphs.num_nodes)
    moved_from, moved_to = [name[:0]], [name[:0]]
    while not rest.directed and (like := twins(rest, colour)) is not None:
        moved_from.append(name)
        moved_to.append(name[like])
        rest, colour, kept = merged(rest, colour, like)
        name = name[kept]
    for here, there in _symmetries(rest, colour):
        moved_from.append(name[here])
        moved_to.append(name[there])
    out = connected(graphs.num_nodes, np.concatenate(moved_from), np.concatenate(moved_to))
    return torch.from_numpy(out).to(graphs.device)


def isomorphic(
    a: GraphSet,
    b: GraphSet,
    *,
    initial: tuple[Tensor, Tensor] | None = None,
    edge_initial: tuple[Tensor, Tensor] | None = None,
) -> bool:
    """Whether two graphs (sets of one graph each) are the same up to node numbers; exact.

    Columns are ignored, except the colours of nodes and edges given in `initial` and `edge_initial`.

    >>> c6 = GraphSet.from_edges([[(i, (i + 1) % 6) for i in range(6)]])
    >>> triangles = GraphSet.from_edges([[(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]])
    >>> isomorphic(c6, triangles), isomorphic(c6, c6.relabel(torch.tensor([3, 1, 4, 0, 5, 2])))
    (False, True)
    """
    if len(a) != 1 or len(b) != 1:
        raise GraphError(f"isomorphic compares two graphs, got sets of {len(a)} and {len(b)}")
    both = GraphSet.concat([a.structure(), b.structure()])
    nodes, edges = (None if given is None else torch.cat(list(given)) for given in (initial, edge_initial))
    first, second = isomorphism_classes(both, initial=nodes, edge_initial=edges).tolist()
    return bool(first == second)


def isomorphism_classes(
    graphs: GraphSet, *, initial: Tensor | None = None, edge_initial: Tensor | None = None
) -> Tensor:
    """Number of the isomorphism class of every graph, in the order of first appearance; exact.

    Graphs with different colour histograms differ. Among graphs with equal ones, a graph whose colours are
    all different is determined by them; the others are compared by the canonical forms (BLISS) of their
    connected components, in which an edge with a colour is a node of that colour between its ends. Dense
    components without colours of edges are compared by their complements.

    Parameters
    ----------
    initial : (N,) whole numbers that an isomorphism must keep (a node type, say)
    edge_initial : (E,) whole numbers that it must keep (a bond type, say)

    Returns
    -------
    (G,) int64

    Raises
    ------
    GraphError where an edge is stored more than once, or has another colour than its reverse

    >>> isomorphism_classes(GraphSet.from_edges([[(0, 1), (1, 2)], [(0, 1)], [(2, 0), (0, 1)]])).tolist()
    [0, 1, 0]
    """
    refuse_duplicates(graphs, "isomorphism is defined for simple graphs here")
    apart = _loops_apart(graphs, initial, edge_initial)
    colour = wl_colours(graphs, initial=apart, edge_initial=edge_initial).cpu().numpy()
    owner, node_ptr = graphs.batch.cpu().numpy(), graphs.node_ptr.tolist()
    histogram = colour[np.lexsort((colour, owner))]
    keys: list[tuple[bytes, bytes]] = [(histogram[a:b].tobytes(), b"") for a, b in pairwise(node_ptr)]
    times: dict[tuple[bytes, bytes], int] = {}
    for key in keys:
        times[key] = times.get(key, 0) + 1
    unsure = ~_discrete(colour, owner, len(graphs)) & np.array([times[key] > 1 for key in keys], dtype=bool)
    kind = edge_colours(graphs, edge_initial)
    if class_count(kind) > 1:  # one kind of edges tells nothing apart
        graphs, colour = _subdivided(graphs, colour, kind, unsure)
    chosen = np.flatnonzero(unsure)
    own = np.repeat(unsure, graphs.nodes_per_graph.cpu().numpy())
    for g, form in zip(chosen.tolist(), _forms(graphs.structure()[chosen], colour[own]), strict=True):
        keys[g] = (keys[g][0], form)
    number: dict[tuple[bytes, bytes], int] = {}
    classes = [number.setdefault(key, len(number)) for key in keys]
    return torch.tensor(classes, dtype=torch.int64, device=graphs.device)


# ── exact symmetry ─────────────────────────────────────────────────────────────────────────────────────────


def _loops_apart(graphs: GraphSet, initial: Tensor | None, edge_initial: Tensor | None = None) -> Tensor:
    """Starting colours that say which nodes have a self-loop, and of which colour, since BLISS is given the
    graph without them."""
    colour = torch.from_numpy(start_colours(graphs, initial)).to(graphs.device)
    kind = torch.from_numpy(edge_colours(graphs, edge_initial)).to(graphs.device) + 1
    source, target = graphs.edge_index
    loops = source == target
    looped = torch.zeros_like(colour)
    looped[source[loops]] = kind[loops]
    return (int(kind.max()) + 1 if kind.numel() else 1) * colour + looped


def _subdivided(graphs: GraphSet, colour: Array, kind: Array, chosen: Array) -> tuple[GraphSet, Array]:
    """The chosen graphs with a node in the place of every edge, coloured like the edge; the others without
    nodes. Edges keep their direction; self-loops are left out."""
    kinds = GraphSet.with_columns(graphs.structure(), edge={"kind": torch.from_numpy(kind)})
    keep = listed_once(kinds).cpu().numpy()  # raises where an edge and its reverse differ
    source, target = graphs.edge_index.cpu().numpy()
    edge_owner, owner = graphs.edge_batch.cpu().numpy(), graphs.batch.cpu().numpy()
    keep &= chosen[edge_owner] & (source != target)
    nodes = np.flatnonzero(chosen[owner])
    owners = np.concatenate([owner[nodes], edge_owner[keep]])
    order = np.argsort(owners, kind="stable")
    place = np.empty_like(order)  # of the kept nodes, then of the kept edges
    place[order] = np.arange(order.size)
    new = np.zeros(graphs.num_nodes, dtype=np.int64)
    new[nodes] = place[: nodes.size]
    middle = place[nodes.size :]
    ends = np.concatenate([np.stack([new[source[keep]], middle]), np.stack([middle, new[target[keep]]])], 1)
    if not graphs.directed:
        ends = np.concatenate([ends, ends[::-1]], axis=1)
    listed = owners[order][ends[0]]
    by_graph = np.argsort(listed, kind="stable")
    size = len(graphs)
    out = GraphSet(
        counts_to_ptr(torch.from_numpy(np.bincount(owners, minlength=size))),
        torch.from_numpy(np.ascontiguousarray(ends[:, by_graph])),
        counts_to_ptr(torch.from_numpy(np.bincount(listed, minlength=size))),
        directed=graphs.directed,
    )
    colours = np.concatenate([colour[nodes], int(colour.max(initial=-1)) + 1 + kind[keep]])
    return out, colours[order]


def twins(graphs: GraphSet, colour: Array) -> Array | None:
    """First twin of every node (itself where it has none); None where no node has a twin.

    Found by 64-bit sums over neighbours and then proved, like the colours.
    """
    csr = graphs.csr
    ptr, neighbour = csr.ptr.cpu().numpy(), csr.source.cpu().numpy()
    running = np.zeros(neighbour.size + 1, dtype=np.uint64)
    np.cumsum(scramble(neighbour.astype(np.uint64), 0), out=running[1:])
    own = colour.astype(np.uint64) * np.uint64(max(len(graphs), 1)) + graphs.batch.cpu().numpy().astype(
        np.uint64
    )
    key = scramble(own, 1) + running[ptr[1:]] - running[ptr[:-1]]
    _, first, group = np.unique(key, return_index=True, return_inverse=True)
    like: Array = first[group]
    if first.size == key.size or not np.array_equal(own[like], own):
        return None
    return like if same_rows(like, np.arange(key.size), [(ptr, neighbour)]) else None


def merged(graphs: GraphSet, colour: Array, like: Array) -> tuple[GraphSet, Array, Array]:
    """The graphs with one node for each class of twins, its colour saying how many it stands for.

    Twins have the same neighbours, so every symmetry of the smaller graph that keeps these colours is one of
    the graph, and the other way round. Also returns the nodes that were kept.
    """
    kept = np.flatnonzero(like == np.arange(like.size))
    times = np.bincount(like, minlength=like.size)[kept]
    number = np.full(like.size, -1)
    number[kept] = np.arange(kept.size)
    edges = torch.from_numpy(number)[graphs.edge_index.cpu()]
    inside = (edges >= 0).all(0)
    owner = graphs.batch.cpu()[torch.from_numpy(kept)]
    smaller = GraphSet(
        counts_to_ptr(torch.bincount(owner, minlength=len(graphs))),
        edges[:, inside],
        counts_to_ptr(torch.bincount(graphs.edge_batch.cpu()[inside], minlength=len(graphs))),
    )
    return smaller, dense(colour[kept] * (int(times.max(initial=0)) + 1) + times), kept


def _symmetries(graphs: GraphSet, colour: Array) -> Iterator[tuple[Array, Array]]:
    """Pairs of nodes that some symmetry maps to each other, enough of them to connect every orbit."""
    parts, order, owner = components_apart(graphs, components(graphs))
    local = colour[order]
    batch, start = parts.batch.numpy(), parts.node_ptr.numpy()
    discrete = _discrete(local, batch, len(parts))
    place = np.lexsort((local, batch))  # nodes of each part by colour: their places where colours differ
    forms = [b""] * len(parts)
    alike = _alike(place, local, start, owner)
    several = np.bincount(alike, minlength=1)[alike] > 1
    chosen = iter(np.flatnonzero(~discrete).tolist())
    for first, graph, own in _coloured(parts, local, ~discrete):
        part = next(chosen)
        nodes = order[first : first + len(own)]
        for generator in graph.automorphism_group(color=own):
            image = np.asarray(generator)
            moved = np.flatnonzero(image != np.arange(image.size))
            yield nodes[moved], nodes[image[moved]]
        if several[part]:
            forms[part], standing = _canonical(graph, own)
            place[first : first + len(own)] = first + standing
    seen: dict[tuple[int, bytes], int] = {}
    for part in np.flatnonzero(several).tolist():
        like = seen.setdefault((int(alike[part]), forms[part]), part)
        here, there = (order[place[start[i] : start[i + 1]]] for i in (like, part))
        yield here, there


def _alike(place: Array, colour: Array, start: Array, owner: Array) -> Array:
    """A number for each part, equal for parts of one graph with the same colours: (parts,)."""
    number: dict[tuple[int, bytes], int] = {}
    listed = colour[place]
    keys = [(int(g), listed[a:b].tobytes()) for g, (a, b) in zip(owner, pairwise(start), strict=True)]
    return np.array([number.setdefault(key, len(number)) for key in keys], dtype=np.int64)


def _discrete(colour: Array, owner: Array, count: int) -> Array:
    """Mask (G,) of graphs whose nodes all have different colours."""
    order = np.lexsort((colour, owner))
    same = (np.diff(colour[order]) == 0) & (np.diff(owner[order]) == 0)
    out = np.ones(count, dtype=bool)
    out[owner[order][1:][same]] = False
    return out


def _coloured(graphs: GraphSet, colour: Array, chosen: Array) -> Any:
    """For each chosen graph: its first node, itself as an igraph graph without loops, its colours from 0.

    An undirected graph with more than half of all possible edges is given as its complement, which has the
    same symmetries, and fewer edges to search. Graphs of equal colours have as many edges, so that none is
    compared with the complement of another.
    """
    import igraph

    source, target = graphs.edge_index.cpu().numpy()
    keep = source != target if graphs.directed else source < target
    owner = graphs.edge_batch.cpu().numpy()[keep]
    start = graphs.node_ptr.cpu().numpy()
    pairs = np.stack([source[keep], target[keep]], axis=1) - start[owner][:, None]
    ends = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=len(graphs)))])
    for g in np.flatnonzero(chosen).tolist():
        nodes = slice(int(start[g]), int(start[g + 1]))
        n, edges = nodes.stop - nodes.start, pairs[ends[g] : ends[g + 1]]
        if not graphs.directed and 4 * len(edges) > n * (n - 1):
            edges = _missing(n, edges)
        graph = igraph.Graph(n=n, edges=edges.tolist(), directed=graphs.directed)
        yield nodes.start, graph, dense(colour[nodes]).tolist()


def _missing(n: int, edges: Array) -> Array:
    """The pairs u < v of n nodes that are not among the edges u < v."""
    apart = np.triu(np.ones((n, n), dtype=bool), 1)
    apart[edges[:, 0], edges[:, 1]] = False
    return np.argwhere(apart)


def _forms(graphs: GraphSet, colour: Array) -> list[bytes]:
    """For each graph the sorted numbers of its components' canonical forms, the same numbers for all graphs.

    Of the whole graph BLISS would search every way in which equal components can change places. A component
    whose nodes all have different colours is determined by them.
    """
    parts, order, owner = components_apart(graphs, components(graphs))
    local, batch, ptr = colour[order], parts.batch.numpy(), parts.node_ptr.tolist()
    searched = ~_discrete(local, batch, len(parts))
    edges = [b""] * len(parts)
    for part, (_, graph, own) in zip(
        np.flatnonzero(searched).tolist(), _coloured(parts, local, searched), strict=True
    ):
        edges[part] = _canonical(graph, own)[0]
    listed = local[np.lexsort((local, batch))]
    number: dict[tuple[bytes, bytes], int] = {}
    keys = [(listed[a:b].tobytes(), own) for own, (a, b) in zip(edges, pairwise(ptr), strict=True)]
    form = np.array([number.setdefault(key, len(number)) for key in keys], dtype=np.int64)
    by_graph = form[np.lexsort((form, owner))]
    ends = np.cumsum(np.bincount(owner, minlength=len(graphs)))
    return [one.tobytes() for one in np.split(by_graph, ends[:-1])] if len(graphs) else []


def _canonical(graph: Any, colour: list[int]) -> tuple[bytes, Array]:
    """BLISS's canonical renumbering: its edges, sorted, equal exactly for isomorphic coloured graphs; and the
    node at each canonical place, told by an attribute: igraph's versions differ in a permutation's sense.
    """
    graph.vs["node"] = range(graph.vcount())
    canonical = graph.permute_vertices(graph.canonical_permutation(color=colour))
    edges: Array = np.array(canonical.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    if not graph.is_directed():
        edges = np.sort(edges, axis=1)
    form = edges[np.lexsort((edges[:, 1], edges[:, 0]))].tobytes()
    return bytes(form), np.array(canonical.vs["node"], dtype=np.int64)
