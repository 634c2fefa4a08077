"""Barabási–Albert graphs: new nodes link to old ones in proportion to their degree."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphgauge.compiling import loop
from graphgauge.datasets.entry import generated
from graphgauge.datasets.errors import DatasetError
from graphgauge.datasets.options import whole
from graphgauge.datasets.packing import even_ptr, pack
from graphgauge.graphs import GraphSet


def ba(rng: np.random.Generator, size: int, *, nodes: int = 100, links: int = 4) -> GraphSet:
    """`size` graphs grown from a star of m + 1 nodes; each further node links to m different older ones.

    An older node is drawn with probability in proportion to its degree, again until m are different. Each
    graph has m (n - m) edges and is connected.

    Parameters
    ----------
    rng : where chance comes from
    size : number of graphs
    nodes : nodes n of every graph, more than m
    links : m, at least 1

    >>> ba(np.random.default_rng(0), 2, nodes=10, links=3).edges_per_graph.tolist()
    [42, 42]
    """
    whole("size", size, 0)
    whole("nodes", nodes, 2)
    if whole("links", links, 1) >= nodes:
        raise DatasetError(f"links must be less than nodes, got links={links}, nodes={nodes}")
    u, v = _grow(rng, size, nodes, links)
    return pack(u, v, even_ptr(size, nodes))


@loop
def _grow(rng: Any, size: int, nodes: int, links: int) -> Any:
    each = links * (nodes - links)
    u, v = np.empty(size * each, np.int64), np.empty(size * each, np.int64)
    for g in range(size):
        first, start = g * nodes, g * each
        for e in range(links):
            u[start + e], v[start + e] = first, first + 1 + e
        e = links
        for new in range(links + 1, nodes):
            for k in range(links):
                # An end of a random earlier edge is a node drawn in proportion to its degree.
                while True:
                    r = int(rng.random() * 2 * (e - k))
                    node = u[start + r // 2] if r % 2 == 0 else v[start + r // 2]
                    fresh = True
                    for j in range(k):
                        fresh &= u[start + e - k + j] != node
                    if fresh:
                        break
                u[start + e], v[start + e] = node, first + new
                e += 1
    return u, v


BA = generated(
    ba,
    "Barabási–Albert graphs: preferential attachment",
    "Barabási, Albert. Emergence of scaling in random networks. Science 286, 1999",
)
