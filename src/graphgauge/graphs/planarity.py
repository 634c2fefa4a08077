"""Planarity, by networkx where counting does not decide."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from graphgauge.graphs.colours import components
from graphgauge.graphs.graphset import GraphSet


def planar(graphs: GraphSet) -> Tensor:
    """Whether each graph can be drawn in the plane without crossings: (G,) bool, exact.

    Direction, self-loops and repeated edges make no difference. With n nodes, m edges and c components, a
    graph has m − n + c independent cycles; 6 in a subdivision of K5 and 4 in one of K3,3, so a graph with
    less than 4 is planar (Kuratowski), and one with m > 3n − 6 ≥ 3 is not (Euler). networkx decides all
    others one by one, in time linear in their nodes.

    >>> k4 = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    >>> k5 = [*k4, (0, 4), (1, 4), (2, 4), (3, 4)]
    >>> planar(GraphSet.from_edges([k4, k5])).tolist()
    [True, False]
    """
    width = max(graphs.num_nodes, 1)
    component = components(graphs).cpu().numpy()  # checks the ids
    ends = np.sort(graphs.edge_index.cpu().numpy(), axis=0)
    keys = np.unique(ends[0, ends[0] < ends[1]] * width + ends[1, ends[0] < ends[1]])
    low, high = keys // width, keys % width
    owner = graphs.batch.cpu().numpy()
    m = np.bincount(owner[low], minlength=len(graphs))
    n = graphs.nodes_per_graph.cpu().numpy()
    first = np.unique(component, return_index=True)[1]
    c = np.bincount(owner[first], minlength=len(graphs))
    out = m - n + c < 4
    unsure = np.flatnonzero(~out & (m <= 3 * n - 6))
    start = np.concatenate([[0], np.cumsum(m)])
    for g in unsure.tolist():
        edges = slice(start[g], start[g + 1])
        out[g] = _planar(list(zip(low[edges].tolist(), high[edges].tolist(), strict=True)))
    return torch.from_numpy(out).to(graphs.device)


def _planar(edges: list[tuple[int, int]]) -> bool:
    import networkx as nx

    return bool(nx.check_planarity(nx.Graph(edges))[0])
