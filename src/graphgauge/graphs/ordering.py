"""The order of edges by (target, source): what makes compressed rows, and checks of simplicity, linear."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphgauge.compiling import loop

Ints = np.ndarray[Any, np.dtype[np.int64]]


@loop
def is_ordered(source: Ints, target: Ints) -> bool:
    """Whether edges already ascend by (target, source); equal neighbours are allowed."""
    for e in range(1, source.size):
        if target[e] < target[e - 1] or (target[e] == target[e - 1] and source[e] < source[e - 1]):
            return False
    return True


@loop
def edge_order(source: Ints, target: Ints, nodes: int) -> Ints:
    """Positions of the edges ordered by (target, source), equal edges in their old order: (E,).

    Two counting passes, first by source and then by target (a radix sort with whole nodes as digits), so
    the cost is O(E + N) where a comparison sort needs O(E log E). Every id must lie in 0 to `nodes` − 1.

    >>> edge_order(np.array([1, 0, 2]), np.array([0, 1, 0]), 3).tolist()
    [0, 2, 1]
    """
    by_source = np.empty(source.size, np.int64)
    order = np.empty(source.size, np.int64)
    place = np.zeros(nodes + 1, np.int64)
    for s in source:
        place[s + 1] += 1
    for i in range(nodes):
        place[i + 1] += place[i]
    for e in range(source.size):
        by_source[place[source[e]]] = e
        place[source[e]] += 1
    place[:] = 0
    for t in target:
        place[t + 1] += 1
    for i in range(nodes):
        place[i + 1] += place[i]
    for k in range(by_source.size):
        e = by_source[k]
        order[place[target[e]]] = e
        place[target[e]] += 1
    return order


def edge_order_plain(source: Ints, target: Ints, nodes: int) -> Ints:
    """The twin of `edge_order` in plain NumPy."""
    return np.lexsort((source, target)).astype(np.int64)
