"""Random regular graphs: every node has the same degree, which is all that 1-WL sees."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphgauge.compiling import loop
from graphgauge.datasets.entry import generated
from graphgauge.datasets.errors import DatasetError
from graphgauge.datasets.options import whole
from graphgauge.datasets.packing import Ints, even_ptr, pack
from graphgauge.graphs import GraphSet

_EXACT = 3  # up to this degree a pairing without a clash is met soon: its chance is about exp(-(d² - 1) / 4)


def regular(rng: np.random.Generator, size: int, *, nodes: int = 100, degree: int = 8) -> GraphSet:
    """`size` graphs in which every node has d neighbours, uniform among all such graphs or nearly so.

    The n d ends of edges are joined in random pairs. Up to d = 3 the graph is begun anew until no pair is a
    self-loop or repeats an edge: exactly uniform. For larger d such pairs are thrown back and joined again,
    and only if no allowed pair is left, the graph is begun anew (Steger and Wormald): uniform in the limit
    of large n. Where d > (n - 1) / 2, the complement is drawn.

    Parameters
    ----------
    rng : where chance comes from
    size : number of graphs
    nodes : nodes n of every graph, at least 1
    degree : d, between 0 and n - 1; n d must be even

    >>> regular(np.random.default_rng(0), 2, nodes=10, degree=3).degree.unique().tolist()
    [3]
    """
    whole("size", size, 0)
    whole("nodes", nodes, 1)
    whole("degree", degree, 0, nodes - 1)
    if nodes * degree % 2:
        raise DatasetError(f"nodes times degree must be even, got {nodes} times {degree}")
    dense = 2 * degree > nodes - 1
    u, v = _pair(rng, size, nodes, nodes - 1 - degree if dense else degree)
    if dense:
        u, v = _complement(u, v, size, nodes)
    return pack(u, v, even_ptr(size, nodes))


def _complement(u: Ints, v: Ints, size: int, nodes: int) -> tuple[Ints, Ints]:
    """All pairs of nodes in the same graph that are no edge."""
    there = np.zeros((size, nodes, nodes), bool)
    there[u // nodes, u % nodes, v % nodes] = True
    there[u // nodes, v % nodes, u % nodes] = True
    g, i, j = np.nonzero(np.triu(~there, 1))
    return g * nodes + i, g * nodes + j


@loop
def _pair(rng: Any, size: int, nodes: int, degree: int) -> Any:
    each = nodes * degree // 2
    u, v = np.empty(size * each, np.int64), np.empty(size * each, np.int64)
    neighbour, have = np.empty((nodes, max(degree, 1)), np.int64), np.zeros(nodes, np.int64)
    stubs = np.empty(nodes * degree, np.int64)
    for g in range(size):
        left = stubs.size
        have[:] = 0
        for k in range(left):
            stubs[k] = k // degree
        while left > 0:
            for k in range(left - 1, 0, -1):
                r = int(rng.random() * (k + 1))
                stubs[k], stubs[r] = stubs[r], stubs[k]
            back = 0
            for k in range(0, left, 2):
                a, b = stubs[k], stubs[k + 1]
                if a != b and not _joined(neighbour, have, a, b):
                    neighbour[a, have[a]], neighbour[b, have[b]] = b, a
                    have[a] += 1
                    have[b] += 1
                else:
                    stubs[back], stubs[back + 1] = a, b
                    back += 2
            left = back
            if (degree <= _EXACT and left > 0) or not _possible(neighbour, have, stubs[:left]):
                left = stubs.size
                have[:] = 0
                for k in range(left):
                    stubs[k] = k // degree
        e = g * each
        for i in range(nodes):
            for k in range(have[i]):
                if i < neighbour[i, k]:
                    u[e], v[e] = g * nodes + i, g * nodes + neighbour[i, k]
                    e += 1
    return u, v


@loop
def _joined(neighbour: Any, have: Any, a: int, b: int) -> bool:
    found = False
    for k in range(have[a]):
        found |= neighbour[a, k] == b
    return found


@loop
def _possible(neighbour: Any, have: Any, stubs: Any) -> bool:
    for i in range(stubs.size):
        for j in range(i):
            if stubs[i] != stubs[j] and not _joined(neighbour, have, stubs[i], stubs[j]):
                return True
    return bool(stubs.size == 0)


REGULAR = generated(
    regular,
    "random regular graphs: one degree for all, one colour for 1-WL",
    "Steger, Wormald. Generating random regular graphs quickly. Comb. Prob. Comput. 8, 1999",
)
