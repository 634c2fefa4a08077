"""Compiled loops of this room, each beside a plain NumPy twin that gives the same answer."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphgauge.compiling import loop

Ints = np.ndarray[Any, np.dtype[np.int64]]
Bools = np.ndarray[Any, np.dtype[np.bool_]]

# What `first_fault` answers, besides the position of the edge at fault.
SIMPLE, SELF_LOOP, DUPLICATE, ONE_WAY = range(4)


@loop
def first_outside(source: Ints, target: Ints, node_ptr: Ints, edge_ptr: Ints) -> int:
    """Position of the first edge that leaves its graph, or −1."""
    for g in range(node_ptr.size - 1):
        low, high = node_ptr[g], node_ptr[g + 1]
        for e in range(edge_ptr[g], edge_ptr[g + 1]):
            if source[e] < low or source[e] >= high or target[e] < low or target[e] >= high:
                return e
    return -1


def first_outside_plain(source: Ints, target: Ints, node_ptr: Ints, edge_ptr: Ints) -> int:
    graph = np.repeat(np.arange(node_ptr.size - 1), np.diff(edge_ptr))
    low, high = node_ptr[graph], node_ptr[graph + 1]
    bad = (source < low) | (source >= high) | (target < low) | (target >= high)
    return int(bad.argmax()) if bad.any() else -1


@loop
def first_fault(source: Ints, target: Ints, nodes: int) -> tuple[int, int]:
    """Why edges ordered by (target, source) are not simple and undirected: (kind, position of the edge).

    The reverse of every edge is found with one cursor a node: targets ascend, so the edges that leave a
    node must meet the edges that enter it one after another. O(E + N).
    """
    rows = np.empty(nodes + 1, np.int64)
    row = 0
    for e in range(source.size):
        s, t = source[e], target[e]
        if s == t:
            return SELF_LOOP, e
        if e > 0 and s == source[e - 1] and t == target[e - 1]:
            return DUPLICATE, e
        while row <= t:
            rows[row] = e
            row += 1
    rows[row:] = source.size
    cursor = rows[:-1].copy()
    for e in range(source.size):
        s, t = source[e], target[e]
        at = cursor[s]
        if at == rows[s + 1] or source[at] > t:
            return ONE_WAY, e
        if source[at] < t:
            return ONE_WAY, at
        cursor[s] = at + 1
    for i in range(nodes):
        if cursor[i] < rows[i + 1]:
            return ONE_WAY, cursor[i]
    return SIMPLE, -1


def first_fault_plain(source: Ints, target: Ints, nodes: int) -> tuple[int, int]:
    """The twin of `first_fault`; among several edges without a reverse it may name another one."""
    there, back = target * nodes + source, source * nodes + target
    loop, twice = source == target, np.diff(there, prepend=-1) == 0
    if (loop | twice).any():
        e = int((loop | twice).argmax())
        return (SELF_LOOP if loop[e] else DUPLICATE), e
    one_way = ~np.isin(back, there)
    return (ONE_WAY, int(one_way.argmax())) if one_way.any() else (SIMPLE, -1)


@loop
def each_once(source: Ints, target: Ints, node_ptr: Ints, edge_ptr: Ints) -> tuple[Ints, Ints, Ints]:
    """The edges with source < target, in their order, and how many non-edges of the set precede each.

    Pair (u, v), u < v, counted inside its graph, has number v(v−1)/2 + u, whatever N is, and these numbers
    ascend with the edges; so the pairs before an edge, less the edges before it, are the non-edges before it.
    """
    low, high = np.empty(source.size // 2, np.int64), np.empty(source.size // 2, np.int64)
    before = np.empty(source.size // 2, np.int64)
    k, free = 0, 0
    for g in range(node_ptr.size - 1):
        start, first = node_ptr[g], k
        for e in range(edge_ptr[g], edge_ptr[g + 1]):
            if source[e] < target[e]:
                u, v = source[e] - start, target[e] - start
                low[k], high[k] = source[e], target[e]
                before[k] = free + v * (v - 1) // 2 + u - (k - first)
                k += 1
        nodes = node_ptr[g + 1] - start
        free += nodes * (nodes - 1) // 2 - (k - first)
    return low, high, before


def each_once_plain(source: Ints, target: Ints, node_ptr: Ints, edge_ptr: Ints) -> tuple[Ints, Ints, Ints]:
    low, high = source[source < target], target[source < target]
    nodes, edges = np.diff(node_ptr), np.diff(edge_ptr) // 2
    pairs = nodes * (nodes - 1) // 2
    graph = np.repeat(np.arange(nodes.size), edges)
    u, v = low - node_ptr[graph], high - node_ptr[graph]
    return low, high, (np.cumsum(pairs) - pairs)[graph] + v * (v - 1) // 2 + u - np.arange(low.size)


@loop
def both_ways(first: Ints, second: Ints, keep: Bools, new_id: Ints) -> tuple[Ints, Ints]:
    """Edges that are kept, renumbered, both ways, by (target, source): edge_index (2, E), rows (N+1,).

    Node i becomes ``new_id[i]``; node i of the result receives edges ``rows[i]:rows[i+1]``. Each edge is
    first put under one end; walking those rows in order and putting every entry under its other end leaves
    each row ascending. O(E + N), no comparison.
    """
    nodes = new_id.size
    rows = np.zeros(nodes + 1, np.int64)
    for e in range(first.size):
        if keep[e]:
            rows[new_id[first[e]] + 1] += 1
            rows[new_id[second[e]] + 1] += 1
    for i in range(nodes):
        rows[i + 1] += rows[i]
    place = rows[:-1].copy()
    neighbour = np.empty(rows[-1], np.int64)
    for e in range(first.size):
        if keep[e]:
            a, b = new_id[first[e]], new_id[second[e]]
            neighbour[place[a]] = b
            neighbour[place[b]] = a
            place[a] += 1
            place[b] += 1
    place[:] = rows[:-1]
    edge_index = np.empty((2, neighbour.size), np.int64)
    for i in range(nodes):
        for k in range(rows[i], rows[i + 1]):
            j = neighbour[k]
            edge_index[0, place[j]] = i
            edge_index[1, k] = i
            place[j] += 1
    return edge_index, rows


def both_ways_plain(first: Ints, second: Ints, keep: Bools, new_id: Ints) -> tuple[Ints, Ints]:
    a, b = new_id[first[keep]], new_id[second[keep]]
    source, target = np.concatenate([a, b]), np.concatenate([b, a])
    order = np.lexsort((source, target))
    rows = np.concatenate([[0], np.cumsum(np.bincount(target, minlength=new_id.size))])
    return np.stack([source[order], target[order]]), rows


@loop
def shuffle(draw: Ints, ptr: Ints) -> Ints:
    """A permutation inside every segment from one draw an element (Fisher–Yates): (N,) positions.

    ``draw[i]`` is uniform on 0 to k where element i is number k of its segment; then every permutation of a
    segment is equally likely.
    """
    out = np.arange(draw.size)
    for g in range(ptr.size - 1):
        for i in range(ptr[g], ptr[g + 1]):
            j = ptr[g] + draw[i]
            out[i], out[j] = out[j], out[i]
    return out


def shuffle_plain(draw: Ints, ptr: Ints) -> Ints:
    """The twin of `shuffle`: step k of all segments at once."""
    out = np.arange(draw.size)
    size = np.diff(ptr)
    for k in range(int(size.max(initial=0))):
        start = ptr[:-1][size > k]
        i, j = start + k, start + draw[start + k]
        out[i], out[j] = out[j], out[i]
    return out
