"""Validity, uniqueness and novelty of generated graphs, by exact isomorphism.

Every function gives a truth value for each generated graph, (G,), so that shares can be taken and combined;
the share of graphs that are all three at once is the field's V.U.N. Structure decides, and node labels where
they are given; edge labels do not.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from graphgauge.graphs import GraphSet
from graphgauge.graphs.structure import components, isomorphic, isomorphism_classes


def unique(graphs: GraphSet, label: str | None = None) -> Tensor:
    """Whether each graph is the first of its isomorphism class: (G,) bool.

    The mean is the field's uniqueness: classes / graphs, in (0, 1], higher is better.

    Parameters
    ----------
    label : node column of whole numbers that isomorphic nodes must share; None compares structure only

    >>> path, same, triangle = [(0, 1), (1, 2)], [(0, 2), (2, 1)], [(0, 1), (1, 2), (2, 0)]
    >>> unique(GraphSet.from_edges([path, same, triangle])).tolist()
    [True, False, True]
    """
    return _first(isomorphism_classes(graphs, initial=_labels(graphs, label)))


def novel(generated: GraphSet, reference: GraphSet, label: str | None = None) -> Tensor:
    """Whether each generated graph is isomorphic to no reference graph: (G,) bool.

    The mean is the field's novelty, in [0, 1], higher is better.

    >>> seen = GraphSet.from_edges([[(0, 1), (1, 2)]])
    >>> novel(GraphSet.from_edges([[(2, 0), (0, 1)], [(0, 1)]]), seen).tolist()
    [False, True]
    """
    both = GraphSet.concat([_only(generated, label), _only(reference, label)])
    classes = isomorphism_classes(both, initial=_labels(both, label))
    return ~torch.isin(classes[: len(generated)], classes[len(generated) :])


def is_tree(graphs: GraphSet) -> Tensor:
    """Whether each graph is connected and has one edge less than nodes: (G,) bool. No node, no tree.

    >>> is_tree(GraphSet.from_edges([[(0, 1), (1, 2)], [(0, 1), (1, 2), (2, 0)]])).tolist()
    [True, False]
    """
    return is_connected(graphs) & (graphs.edges_per_graph == 2 * (graphs.nodes_per_graph - 1))


def is_connected(graphs: GraphSet) -> Tensor:
    """Whether each graph has exactly one component: (G,) bool; a graph without nodes has none.

    >>> is_connected(GraphSet.from_edges([[(0, 1)], []], num_nodes=[2, 2])).tolist()
    [True, False]
    """
    component = components(graphs)
    owner = torch.zeros(int(component.max()) + 1 if component.numel() else 0, dtype=torch.int64)
    owner[component] = graphs.batch
    return torch.bincount(owner, minlength=len(graphs)) == 1


def is_lobster(graphs: GraphSet) -> Tensor:
    """Whether each graph is a tree that becomes a path when its leaves are taken away twice: (G,) bool.

    A path may be empty or a single node.

    >>> star = [(0, 1), (0, 2), (0, 3)]
    >>> is_lobster(GraphSet.from_edges([star, [(0, 1), (1, 2), (2, 0)]])).tolist()
    [True, False]
    """
    keep = torch.ones(graphs.num_nodes, dtype=torch.bool)
    for _ in range(2):
        keep &= _degree_among(graphs, keep) > 1
    branching = keep & (_degree_among(graphs, keep) > 2)
    owner = graphs.batch[branching]
    return is_tree(graphs) & (torch.bincount(owner, minlength=len(graphs)) == 0)


def is_grid(graphs: GraphSet) -> Tensor:
    """Whether each graph is an a × b grid with a, b ≥ 2: (G,) bool, exact.

    The number of nodes n = ab and of edges m = 2ab − a − b leave one pair {a, b}; the grid of that size is
    compared by isomorphism.

    >>> square, path = [(0, 1), (1, 2), (2, 3), (3, 0)], [(0, 1), (1, 2), (2, 3)]
    >>> is_grid(GraphSet.from_edges([square, path])).tolist()
    [True, False]
    """
    answers = [_is_this_grid(graphs[g]) for g in range(len(graphs))]
    return torch.tensor(answers, dtype=torch.bool)


def _is_this_grid(graph: GraphSet) -> bool:
    n, m = graph.num_nodes, graph.num_edges // 2
    total = 2 * n - m  # a + b
    square = total**2 - 4 * n
    root = int(np.sqrt(max(square, 0)) + 0.5)
    if square < 0 or root**2 != square or (total - root) % 2 or (total - root) // 2 < 2:
        return False
    return isomorphic(graph.structure(), grid((total - root) // 2, (total + root) // 2))


def grid(a: int, b: int) -> GraphSet:
    """The a × b grid graph.

    >>> grid(2, 3).num_edges
    14
    """
    number = np.arange(a * b).reshape(a, b)
    across = np.stack([number[:, :-1].ravel(), number[:, 1:].ravel()], axis=1)
    down = np.stack([number[:-1].ravel(), number[1:].ravel()], axis=1)
    return GraphSet.from_edges([np.concatenate([across, down]).tolist()], num_nodes=[a * b])


VALID: dict[str, Callable[[GraphSet], Tensor]] = {
    "connected": is_connected,
    "tree": is_tree,
    "lobster": is_lobster,
    "grid": is_grid,
}


def _degree_among(graphs: GraphSet, keep: Tensor) -> Tensor:
    """Degree of every node counting only edges between kept nodes: (N,)."""
    source, target = graphs.edge_index
    return torch.bincount(target[keep[source] & keep[target]], minlength=graphs.num_nodes)


def _first(classes: Tensor) -> Tensor:
    numbers = classes.numpy()
    first = np.zeros(numbers.size, dtype=bool)
    first[np.unique(numbers, return_index=True)[1]] = True
    return torch.from_numpy(first)


def _labels(graphs: GraphSet, label: str | None) -> Tensor | None:
    return None if label is None else graphs.node[label]


def _only(graphs: GraphSet, label: str | None) -> GraphSet:
    """The structure with the label column alone, so that sets with different columns can be put together."""
    kept = {} if label is None else {label: graphs.node[label]}
    return graphs.structure().with_columns(node=kept)
