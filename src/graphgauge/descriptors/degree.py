"""Degree histograms."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from graphgauge.descriptors.histograms import count_rows, shares
from graphgauge.descriptors.simple import simple_rows
from graphgauge.graphs import GraphError, GraphSet


def degree_histogram(graphs: GraphSet, *, max_degree: int | None = None, normalise: bool = True) -> Tensor:
    """Share of the nodes of each graph that have degree 0, 1, …

    Parameters
    ----------
    max_degree : the last column; None takes the largest degree of the set. Two sets are compared column by
        column, so both need the same number, or one call on both together
    normalise : False gives counts, which sum to the number of nodes

    Returns
    -------
    (G, max_degree + 1) float64, rows that sum to 1; a graph without nodes is a row of 0

    Raises
    ------
    GraphError
        for a degree above `max_degree`, naming the graph, and for graphs that are not simple and undirected

    Source: paper C, section 2; networkx's ``degree_histogram``, divided by its sum.

    >>> degree_histogram(GraphSet.from_edges([[(0, 1), (1, 2)], [], []], [3, 1, 0])).tolist()
    [[0.0, 0.6666666666666666, 0.3333333333333333], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    degree = torch.from_numpy(np.diff(simple_rows(graphs).ptr)).to(graphs.device)
    largest = int(degree.max()) if degree.numel() else 0
    last = largest if max_degree is None else max_degree
    if last < largest:
        g = int(graphs.batch[int(degree.argmax())])
        raise GraphError(f"graph {g} has a node of degree {largest}, above max_degree={max_degree}")
    counts = count_rows(graphs.batch, degree, (len(graphs), last + 1))
    return shares(counts) if normalise else counts
