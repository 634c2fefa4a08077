"""Local clustering coefficients, and their histogram in exact bins."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from graphgauge.descriptors.histograms import count_rows, shares
from graphgauge.descriptors.simple import simple_rows
from graphgauge.descriptors.subgraphs import edge_triangles
from graphgauge.graphs import GraphSet


def triangles(graphs: GraphSet) -> Tensor:
    """Triangles through every node: (N,) int64.

    >>> triangles(GraphSet.from_edges([[(0, 1), (1, 2), (2, 0), (2, 3)]])).tolist()
    [1, 1, 1, 0]
    """
    rows = simple_rows(graphs)
    total = np.zeros(rows.neighbour.size + 1, np.int64)
    np.cumsum(edge_triangles(*rows), out=total[1:])
    return torch.from_numpy(np.diff(total[rows.ptr]) // 2).to(graphs.device)


def clustering_coefficients(graphs: GraphSet) -> Tensor:
    """Share of every node's pairs of neighbours that are joined, 2t / (d (d − 1)): (N,) float64 in [0, 1].

    A node of fewer than two neighbours has 0.

    >>> clustering_coefficients(GraphSet.from_edges([[(0, 1), (1, 2), (2, 0), (2, 3)]])).tolist()
    [1.0, 1.0, 0.3333333333333333, 0.0]
    """
    joined, pairs = _fractions(graphs)
    return joined.to(torch.float64) / pairs


def clustering_histogram(graphs: GraphSet, *, bins: int = 100, normalise: bool = True) -> Tensor:
    """Share of the nodes of each graph whose clustering coefficient falls in each of equal bins on [0, 1].

    Bin k holds k/bins ≤ c < (k + 1)/bins, the last one 1 as well. A coefficient is a fraction of whole
    numbers and is put in its bin as one, so that a coefficient on an edge (1/5, 3/10, …) is never moved to
    the bin below by rounding, as happens with edges in floating point.

    Parameters
    ----------
    bins : number of bins
    normalise : False gives counts, which sum to the number of nodes

    Returns
    -------
    (G, bins) float64, rows that sum to 1; a graph without nodes is a row of 0

    Raises
    ------
    GraphError
        for graphs that are not simple and undirected, naming graph and edge

    Source: paper C, section 2 (100 bins); networkx's ``clustering``.

    >>> g = GraphSet.from_edges([[(0, 1), (1, 2), (2, 0), (2, 3)], []], [4, 0])
    >>> clustering_histogram(g, bins=3).tolist()
    [[0.25, 0.25, 0.5], [0.0, 0.0, 0.0]]
    """
    if bins < 1:
        raise ValueError(f"bins must be 1 or more, got {bins}")
    joined, pairs = _fractions(graphs)
    place = (joined * bins // pairs).clamp(max=bins - 1)
    counts = count_rows(graphs.batch, place, (len(graphs), bins))
    return shares(counts) if normalise else counts


def _fractions(graphs: GraphSet) -> tuple[Tensor, Tensor]:
    """Joined pairs of neighbours of every node, and all such pairs, at least 1."""
    joined = triangles(graphs)
    d = graphs.degree
    return joined, (d * (d - 1) // 2).clamp(min=1)
