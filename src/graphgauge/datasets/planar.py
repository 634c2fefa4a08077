"""Planar graphs: Delaunay triangulations of random points."""

from __future__ import annotations

import numpy as np

from graphgauge.datasets.entry import generated
from graphgauge.datasets.options import whole
from graphgauge.datasets.packing import even_ptr, simple
from graphgauge.graphs import GraphSet


def planar(rng: np.random.Generator, size: int, *, nodes: int = 64) -> GraphSet:
    """`size` Delaunay triangulations of n points, uniform in the unit square: planar and connected.

    A graph with h points on its convex hull has 3 n - 3 - h edges. Up to three nodes are a complete graph.

    Parameters
    ----------
    rng : where chance comes from
    size : number of graphs
    nodes : nodes n of every graph, at least 1

    >>> graphs = planar(np.random.default_rng(0), 2, nodes=4)
    >>> all(edges in (10, 12) for edges in graphs.edges_per_graph.tolist())
    True
    """
    from scipy.spatial import Delaunay  # here, since it takes long to import

    whole("size", size, 0)
    whole("nodes", nodes, 1)
    points = rng.random((size, nodes, 2))
    if nodes > 3:
        triangles = [Delaunay(points[g]).simplices + g * nodes for g in range(size)]
        corners = np.concatenate([np.empty((0, 3), np.int64), *triangles])
        ends = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [0, 2]]])
    else:
        pairs = np.stack(np.triu_indices(nodes, 1), axis=1)
        ends = (pairs + even_ptr(size, nodes)[:-1, None, None]).reshape(-1, 2)
    return simple(ends[:, 0], ends[:, 1], even_ptr(size, nodes))


PLANAR = generated(
    planar,
    "Delaunay triangulations of 64 random points",
    "Martinkus, Loukas, Perraudin, Wattenhofer. SPECTRE. ICML 2022",
    sizes={"train": 128, "val": 32, "test": 40},
)
