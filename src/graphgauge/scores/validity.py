"""Checks that say which generated graphs are valid: GraphSet → (G,) bool."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from graphgauge.graphs import GraphSet
from graphgauge.graphs.convert_rdkit import built
from graphgauge.graphs.structure import components, isomorphic, planar
from graphgauge.scores.blockmodel import is_block_model


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


def is_planar(graphs: GraphSet) -> Tensor:
    """Whether each graph is connected and planar: (G,) bool, exact.

    This is the validity of the planar data set of SPECTRE (Martinkus et al., ICML 2022) and of the benchmarks
    after it: planar graphs of several components are not valid. `graphgauge.graphs.structure.planar` asks for
    planarity alone.

    >>> square, two_edges = [(0, 1), (1, 2), (2, 3), (3, 0)], [(0, 1), (2, 3)]
    >>> is_planar(GraphSet.from_edges([square, two_edges])).tolist()
    [True, False]
    """
    return is_connected(graphs) & planar(graphs)


def is_molecule(graphs: GraphSet) -> Tensor:
    """Whether RDKit's sanitisation accepts the molecule that the columns describe: (G,) bool.

    Valences must hold and aromatic rings must be ones that can be kekulised; a graph without atoms is no
    molecule. Several fragments are allowed; ``is_molecule(g) & is_connected(g)`` asks for one. Sets read from
    SMILES pass by construction; the check is for graphs whose node_type and edge_type a model has made (see
    `graphgauge.graphs.convert_rdkit.to_rdkit` for columns that are missing).

    Raises
    ------
    GraphError : the columns are missing; ImportError : RDKit is

    >>> made = GraphSet.from_edges([[(0, 1)], [(0, 1)]], num_nodes=[2, 2])
    >>> made = made.with_columns(node={"node_type": torch.tensor([6, 6, 6, 9])})  # C=C, and C=F
    >>> is_molecule(made.with_columns(edge={"edge_type": torch.tensor([2, 2, 2, 2])})).tolist()
    [True, False]
    """
    found = np.array([molecule is not None for molecule, _ in built(graphs)], dtype=bool)
    return torch.from_numpy(found) & (graphs.nodes_per_graph.cpu() > 0)


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
    "planar": is_planar,
    "sbm": is_block_model,
    "molecule": is_molecule,
}


def per_graph(
    function: Callable[[Any], Any], form: Literal["graphset", "networkx", "rdkit"] = "networkx"
) -> Callable[[GraphSet], Tensor]:
    """A check of one graph as a check of a set: GraphSet → (G,) bool.

    Parameters
    ----------
    function : takes one graph and says whether it is valid
    form : what it is given: a networkx graph, a GraphSet of one graph, or an RDKit molecule (a graph that
        is no molecule is not valid, and the function is not asked)

    What the function raises gets a note of the graph's number.

    >>> import networkx as nx
    >>> check = per_graph(nx.is_bipartite)
    >>> check(GraphSet.from_edges([[(0, 1), (1, 2)], [(0, 1), (1, 2), (2, 0)]])).tolist()
    [True, False]
    """
    if form not in ("graphset", "networkx", "rdkit"):
        raise ValueError(f"form={form!r} is not one of ['graphset', 'networkx', 'rdkit']")

    def check(graphs: GraphSet) -> Tensor:
        if form == "rdkit":
            given: Iterable[Any] = (molecule for molecule, _ in built(graphs))
        else:
            given = graphs.to_networkx() if form == "networkx" else graphs
        answers = [graph is not None and _answer(function, graph, g) for g, graph in enumerate(given)]
        return torch.tensor(answers, dtype=torch.bool)

    return check


def _answer(function: Callable[[Any], Any], graph: Any, number: int) -> bool:
    try:
        return bool(function(graph))
    except Exception as error:
        error.add_note(f"graph {number}")
        raise


def _degree_among(graphs: GraphSet, keep: Tensor) -> Tensor:
    """Degree of every node counting only edges between kept nodes: (N,)."""
    source, target = graphs.edge_index
    return torch.bincount(target[keep[source] & keep[target]], minlength=graphs.num_nodes)
