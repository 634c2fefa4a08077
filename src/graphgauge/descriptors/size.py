"""How large a graph is, and in how many pieces: one number each."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from graphgauge.descriptors.simple import simple_rows
from graphgauge.graphs import GraphSet, structure


def size(graphs: GraphSet) -> Tensor:
    """Number of nodes: (G, 1) float64.

    >>> size(GraphSet.from_edges([[(0, 1)], []], [3, 0])).tolist()
    [[3.0], [0.0]]
    """
    return graphs.nodes_per_graph.to(torch.float64)[:, None]


def edge_count(graphs: GraphSet) -> Tensor:
    """Number of undirected edges: (G, 1) float64.

    Raises
    ------
    GraphError
        for graphs that are not simple and undirected, naming graph and edge

    >>> edge_count(GraphSet.from_edges([[(0, 1), (1, 2)], []], [3, 0])).tolist()
    [[2.0], [0.0]]
    """
    simple_rows(graphs)
    return graphs.edges_per_graph.to(torch.float64)[:, None] / 2


def density(graphs: GraphSet) -> Tensor:
    """Share of the pairs of nodes that are joined, m / (n (n − 1) / 2): (G, 1) float64 in [0, 1].

    A graph of fewer than two nodes has no pairs: its density is 0.

    >>> density(GraphSet.from_edges([[(0, 1), (1, 2)], []], [3, 1])).tolist()
    [[0.6666666666666666], [0.0]]
    """
    n = size(graphs)
    return edge_count(graphs) / (n * (n - 1) / 2).clamp(min=1)


def component_count(graphs: GraphSet) -> Tensor:
    """Number of connected components: (G, 1) float64; a lone node is one, a graph without nodes has none.

    >>> component_count(GraphSet.from_edges([[(0, 1)], []], [3, 0])).tolist()
    [[2.0], [0.0]]
    """
    simple_rows(graphs)
    label = structure.components(graphs).cpu().numpy()
    # Components are numbered by their first nodes, so the highest number so far counts those met so far.
    met = torch.from_numpy(np.append(0, np.maximum.accumulate(label) + 1)).to(graphs.device)
    return met[graphs.node_ptr].diff().to(torch.float64)[:, None]
