"""Watts–Strogatz graphs: rings whose edges are rewired at random."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphgauge.compiling import loop
from graphgauge.datasets.entry import generated
from graphgauge.datasets.errors import DatasetError
from graphgauge.datasets.options import number, whole
from graphgauge.datasets.packing import even_ptr, pack
from graphgauge.graphs import GraphSet


def ws(
    rng: np.random.Generator, size: int, *, nodes: int = 100, neighbours: int = 8, rewire: float = 0.1
) -> GraphSet:
    """`size` rings in which every node is joined to its k nearest, then edges get a new end with chance β.

    Edge (i, i + j) becomes (i, w), w uniform among the nodes that are neither i nor joined to it, for
    j = 1, …, k/2 and, within, i = 0, …, n - 1; a node joined to all others keeps its edge. Each graph has
    n k / 2 edges.

    Parameters
    ----------
    rng : where chance comes from
    size : number of graphs
    nodes : nodes n of every graph, more than k
    neighbours : k, even, at least 0
    rewire : β, between 0 and 1

    >>> ws(np.random.default_rng(0), 2, nodes=10, neighbours=4).edges_per_graph.tolist()
    [40, 40]
    """
    whole("size", size, 0)
    whole("nodes", nodes, 1)
    if whole("neighbours", neighbours, 0) % 2 or neighbours >= nodes:
        raise DatasetError(f"neighbours must be even and less than nodes={nodes}, got {neighbours}")
    u, v = _rewire(rng, size, nodes, neighbours // 2, float(number("rewire", rewire, 0, 1)))
    return pack(u, v, even_ptr(size, nodes))


@loop
def _rewire(rng: Any, size: int, nodes: int, half: int, rewire: float) -> Any:
    u, v = np.empty(size * nodes * half, np.int64), np.empty(size * nodes * half, np.int64)
    end = np.empty((nodes, half), np.int64)  # node i owns the edges (i, end[i, j])
    degree = np.empty(nodes, np.int64)
    e = 0
    for g in range(size):
        degree[:] = 2 * half
        for i in range(nodes):
            for j in range(half):
                end[i, j] = (i + j + 1) % nodes
        for j in range(half):
            for i in range(nodes):
                if rng.random() >= rewire or degree[i] >= nodes - 1:
                    continue
                while True:
                    w = int(rng.random() * nodes)
                    joined = w == i
                    for k in range(half):
                        joined |= end[i, k] == w or end[w, k] == i
                    if not joined:
                        break
                degree[end[i, j]] -= 1
                degree[w] += 1
                end[i, j] = w
        for i in range(nodes):
            for j in range(half):
                u[e], v[e] = g * nodes + i, g * nodes + end[i, j]
                e += 1
    return u, v


WS = generated(
    ws,
    "Watts–Strogatz graphs: rewired rings, many triangles and short ways",
    "Watts, Strogatz. Collective dynamics of small-world networks. Nature 393, 1998",
)
