"""Compiled loops of the quotient: equal values and equal neighbourhoods get equal numbers, exactly.

All use hash tables with open addressing in which a slot holds a number whose first owner is known. What is
hashed only says where to look: values, and whole neighbourhoods, are compared, so no collision can join
what differs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graphgauge.compiling import loop

Ints = np.ndarray[Any, np.dtype[np.int64]]
Small = np.ndarray[Any, np.dtype[np.int32]]

EMPTY = np.int32(-1)
SPREAD = np.uint64(0x9E3779B97F4A7C15)  # 2⁶⁴ divided by the golden ratio


@loop
def mixed(key: np.uint64) -> np.uint64:
    """A random-looking 64-bit number for each key, one to one."""
    z = key * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    return z ^ (z >> np.uint64(32))


@loop
def empty_table(entries: int) -> Small:
    """At least twice as many slots as entries, a power of two."""
    size = 2
    while size < 2 * entries:
        size *= 2
    return np.full(size, -1, np.int32)


@loop
def same(one: Ints, other: Ints) -> bool:
    """`np.array_equal` without memory of its own."""
    if one.size != other.size:
        return False
    for k in range(one.size):  # noqa: SIM110 - a generator does not compile
        if one[k] != other[k]:
            return False
    return True


@loop
def numbered(values: Ints) -> tuple[Ints, Ints, Ints]:
    """Equal values share a number, given in the order of first appearance.

    Returns
    -------
    number of every value (m,), position of the first value of each number (n,), how often each occurs (n,)

    >>> [a.tolist() for a in numbered(np.array([7, 3, 7]))]
    [[0, 1, 0], [0, 1], [2, 1]]
    """
    table = empty_table(values.size)
    last = np.uint64(table.size - 1)
    number = np.empty(values.size, np.int64)
    first = np.empty(values.size, np.int64)
    count = np.zeros(values.size, np.int64)
    n = 0
    for i in range(values.size):
        slot = mixed(np.uint64(values[i])) & last
        while table[slot] >= 0 and values[first[table[slot]]] != values[i]:
            slot = (slot + np.uint64(1)) & last
        if table[slot] < 0:
            table[slot] = n
            first[n] = i
            n += 1
        number[i] = table[slot]
        count[number[i]] += 1
    return number, first[:n].copy(), count[:n].copy()


def numbered_plain(values: Ints) -> tuple[Ints, Ints, Ints]:
    """The twin of `numbered` in plain NumPy."""
    _, first, rank, count = np.unique(values, return_index=True, return_inverse=True, return_counts=True)
    order = np.argsort(first)
    number = np.empty(order.size, np.int64)
    number[order] = np.arange(order.size)
    return number[rank.reshape(-1)], first[order], count[order]


@loop
def refined(colour: Small, ptr: Ints, source: Ints, kind: Small, kinds: int) -> tuple[Small, int]:
    """One round: equal numbers for equal colours with equal multisets of (neighbour's colour, edge's kind).

    Parameters
    ----------
    colour : (N,) colours of the nodes, 0 or more
    ptr, source : (N+1,), (E,) node i receives from ``source[ptr[i]:ptr[i+1]]``
    kind : (E,) kinds of these edges, 0 to ``kinds`` − 1

    Returns
    -------
    (N,) numbers in the order of first appearance, and how many there are

    >>> path, ptr = np.array([1, 0, 2, 1]), np.array([0, 1, 3, 4])
    >>> refined(np.zeros(3, np.int32), ptr, path, np.zeros(4, np.int32), 1)[0].tolist()
    [0, 1, 0]
    """
    keys = np.empty(source.size, np.int64)
    for k in range(source.size):
        keys[k] = np.int64(colour[source[k]]) * kinds + kind[k]
    table = empty_table(colour.size)
    last = np.uint64(table.size - 1)
    number = np.empty(colour.size, np.int32)
    first = np.empty(colour.size, np.int64)
    n = 0
    for i in range(colour.size):
        row = keys[ptr[i] : ptr[i + 1]]
        row.sort()
        hashed = mixed(np.uint64(colour[i]))
        for key in row:
            hashed = mixed(hashed ^ np.uint64(key))
        slot = hashed & last
        while table[slot] >= 0:
            j = first[table[slot]]
            if colour[j] == colour[i] and same(keys[ptr[j] : ptr[j + 1]], row):
                break
            slot = (slot + np.uint64(1)) & last
        if table[slot] < 0:
            table[slot] = n
            first[n] = i
            n += 1
        number[i] = table[slot]
    return number, n


def refined_plain(colour: Small, ptr: Ints, source: Ints, kind: Small, kinds: int) -> tuple[Small, int]:
    """The twin of `refined` in plain Python."""
    keys = (colour[source].astype(np.int64) * kinds + kind).tolist()
    seen: dict[tuple[int, ...], int] = {}
    number = [
        seen.setdefault((int(colour[i]), *sorted(keys[ptr[i] : ptr[i + 1]])), len(seen))
        for i in range(colour.size)
    ]
    return np.array(number, np.int32), len(seen)


@loop
def taken(node_ptr: Ints, edge_ptr: Ints, ends: Ints, ids: Ints) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints]:
    """Some graphs of a set, one after another.

    Parameters
    ----------
    node_ptr, edge_ptr : (G+1,) of the set
    ends : (2, E) of the set
    ids : (k,) graphs to take

    Returns
    -------
    pointers of nodes and of edges (k+1,), ends of edges in the batch (2, E′), numbers in the set of all nodes
    (N′,) and of all edges (E′,), and for every node how far the edges of its graph move (N′,)
    """
    nodes, edges = np.zeros(ids.size + 1, np.int64), np.zeros(ids.size + 1, np.int64)
    for k in range(ids.size):
        nodes[k + 1] = nodes[k] + node_ptr[ids[k] + 1] - node_ptr[ids[k]]
        edges[k + 1] = edges[k] + edge_ptr[ids[k] + 1] - edge_ptr[ids[k]]
    node, moved = np.empty(nodes[-1], np.int64), np.empty(nodes[-1], np.int64)
    edge, new = np.empty(edges[-1], np.int64), np.empty((2, edges[-1]), np.int64)
    for k in range(ids.size):
        back, left = node_ptr[ids[k]] - nodes[k], edge_ptr[ids[k]] - edges[k]
        for v in range(nodes[k], nodes[k + 1]):
            node[v] = v + back
            moved[v] = -left
        for e in range(edges[k], edges[k + 1]):
            edge[e] = e + left
            new[0, e] = ends[0, e + left] - back
            new[1, e] = ends[1, e + left] - back
    return nodes, edges, new, node, edge, moved


@loop
def entries(
    first: Ints, nodes: Ints, shift: Ints, ptr: Ints, source: Ints, edge: Ints, before: Ints, rows: Ints
) -> tuple[Ints, Ints, Ints]:
    """Rows of messages of chosen nodes of a batch, read from the set that the batch was taken from.

    Nodes of a graph stand one after another in the set and in the batch, so what a node is moved by also
    moves its neighbours; so do edges.

    Parameters
    ----------
    first : (n,) chosen nodes, by their places in the batch
    nodes : (N,) number in the set of every node of the batch
    shift : (n,) what to add to a number of an edge in the set for its place in the batch
    ptr, source, edge : incoming edges of all nodes of the set, as in `graphgauge.graphs.csr.CSR`
    before : (N,) row of every node of the batch before the round
    rows : (E,) row of every edge of the batch after the round

    Returns
    -------
    pointer (n+1,), rows of sources and rows of edges
    """
    out = np.zeros(first.size + 1, np.int64)
    for r in range(first.size):
        v = nodes[first[r]]
        out[r + 1] = out[r] + ptr[v + 1] - ptr[v]
    sources = np.empty(out[-1], np.int64)
    edges = np.empty(out[-1], np.int64)
    for r in range(first.size):
        v = nodes[first[r]]
        to = out[r]
        for k in range(ptr[v], ptr[v + 1]):
            sources[to] = before[source[k] + first[r] - v]
            edges[to] = rows[edge[k] + shift[r]]
            to += 1
    return out, sources, edges


def entries_plain(
    first: Ints, nodes: Ints, shift: Ints, ptr: Ints, source: Ints, edge: Ints, before: Ints, rows: Ints
) -> tuple[Ints, Ints, Ints]:
    """The twin of `entries` in plain Python."""
    out, sources, edges = [0], [], []
    for p, by in zip(first.tolist(), shift.tolist(), strict=True):
        taken = range(ptr[nodes[p]], ptr[nodes[p] + 1])
        sources += [before[source[k] + p - nodes[p]] for k in taken]
        edges += [rows[edge[k] + by] for k in taken]
        out.append(len(sources))
    return np.array(out, np.int64), np.array(sources, np.int64), np.array(edges, np.int64)
