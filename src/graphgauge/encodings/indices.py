"""Degrees and node numbers as one-hot rows: the plainest encodings, to measure the others against."""

from __future__ import annotations

import torch
from torch import Tensor

from graphgauge.encodings.checks import width
from graphgauge.graphs import GraphError, GraphSet


def degree(graphs: GraphSet, k: int) -> Tensor:
    """One-hot number of incoming edges: column d for degree d, the last column for k − 1 and more.

    A self-loop counts once, an edge that is there twice counts twice.

    Returns
    -------
    (N, k) float64

    >>> degree(GraphSet.from_edges([[(0, 1), (1, 2)]]), 3).tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    """
    k = width(k)
    return torch.nn.functional.one_hot(graphs.degree.clamp(max=k - 1), k).to(torch.float64)


def node_order(graphs: GraphSet, k: int) -> Tensor:
    """One-hot number of every node inside its graph: the index encoding of published comparisons.

    It depends on the node order and on nothing else. Give k the size of the largest graph of all splits. As
    published it is kept ("fixed order") or drawn anew in every batch ("random order", the policy
    ``"shuffle"``).

    Returns
    -------
    (N, k) float64

    Raises
    ------
    GraphError
        naming the first graph of more than k nodes

    Source: Dwivedi et al., Benchmarking Graph Neural Networks, JMLR 2023, appendix E.1.4 and Table 13.

    >>> node_order(GraphSet.from_edges([[(0, 1)], []], [2, 1]), 2).tolist()
    [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    """
    k = width(k)
    large = graphs.nodes_per_graph > k
    if large.any():
        g = int(large.nonzero()[0, 0])
        n = int(graphs.nodes_per_graph[g])
        raise GraphError(f"graph {g} has {n} nodes, the encoding by node number only {k} columns")
    number = torch.arange(graphs.num_nodes, device=graphs.device) - graphs.node_ptr[:-1][graphs.batch]
    return torch.nn.functional.one_hot(number, k).to(torch.float64)
