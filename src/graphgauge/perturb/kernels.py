"""Compiled loops of this room, each beside a plain NumPy twin that gives the same answer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

Ints = np.ndarray[Any, np.dtype[np.int64]]

# What `first_fault` answers, besides the position of the edge at fault.
SIMPLE, OUTSIDE, SELF_LOOP, DUPLICATE, ONE_WAY = range(5)


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
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
    return _first((source < low) | (source >= high) | (target < low) | (target >= high))


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def first_fault(source: Ints, target: Ints, nodes: int) -> tuple[int, int]:
    """Why edges ordered by (target, source) are not a simple undirected graph: (kind, position).

    The reverse of every edge is found with one cursor a node: targets ascend, so the edges that leave a
    node must meet the edges that enter it one after another.
    """
    for e in range(source.size):
        if source[e] == target[e]:
            return SELF_LOOP, e
    for e in range(1, source.size):
        if source[e] == source[e - 1] and target[e] == target[e - 1]:
            return DUPLICATE, e
    cursor = np.zeros(nodes + 1, np.int64)
    for t in target:
        cursor[t + 1] += 1
    for i in range(nodes):
        cursor[i + 1] += cursor[i]
    end = cursor[1:].copy()
    for e in range(source.size):
        s, t = source[e], target[e]
        at = cursor[s]
        if at == end[s] or source[at] > t:
            return ONE_WAY, e
        if source[at] < t:
            return ONE_WAY, at
        cursor[s] += 1
    for i in range(nodes):
        if cursor[i] < end[i]:
            return ONE_WAY, cursor[i]
    return SIMPLE, -1


def first_fault_plain(source: Ints, target: Ints, nodes: int) -> tuple[int, int]:
    """The twin of `first_fault`; among several edges without a reverse it may name another one."""
    same = (source[1:] == source[:-1]) & (target[1:] == target[:-1])
    there, back = source * nodes + target, target * nodes + source
    for kind, bad in (
        (SELF_LOOP, source == target),
        (DUPLICATE, np.concatenate([np.zeros(min(source.size, 1), bool), same])),
        (ONE_WAY, ~np.isin(there, back)),
    ):
        if bad.any():
            return kind, _first(bad)
    return SIMPLE, -1


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
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


def _first(bad: np.ndarray[Any, np.dtype[np.bool_]]) -> int:
    return int(bad.argmax()) if bad.any() else -1
