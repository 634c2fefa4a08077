"""Validity by planarity, chemistry and users' functions."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import torch

from graphgauge import GraphError, GraphSet
from graphgauge.datasets import load
from graphgauge.graphs.structure import planar
from graphgauge.scores import VALID, is_connected, is_molecule, is_planar, per_graph


def subdivided(graph: nx.Graph, seed: int) -> nx.Graph:
    """With each edge replaced by a path of 1 to 4 edges."""
    rng, out = np.random.default_rng(seed), nx.Graph()
    out.add_nodes_from(graph)
    for u, v in graph.edges():
        nx.add_path(out, [u, *[(u, v, i) for i in range(int(rng.integers(0, 4)))], v])
    return out


K5, K33 = nx.complete_graph(5), nx.complete_bipartite_graph(3, 3)
PLANAR = [
    nx.empty_graph(0), nx.empty_graph(1), nx.empty_graph(3), nx.path_graph(2), nx.complete_graph(4),
    nx.grid_2d_graph(7, 9), nx.wheel_graph(12), nx.icosahedral_graph(), nx.dodecahedral_graph(),
    nx.complete_bipartite_graph(2, 9), nx.circular_ladder_graph(8), nx.random_labeled_tree(60, seed=1),
    *[nx.Graph(g.edges - [e]) for g in (K5, K33) for e in [next(iter(g.edges))]],
]  # fmt: skip
NOT_PLANAR = [
    K5, K33, nx.complete_graph(9), nx.petersen_graph(), nx.hypercube_graph(4), nx.heawood_graph(),
    nx.grid_2d_graph(5, 5, periodic=True), *[subdivided(g, s) for g in (K5, K33) for s in range(5)],
    nx.disjoint_union(nx.path_graph(50), subdivided(K33, 9)), nx.disjoint_union(nx.grid_2d_graph(9, 9), K5),
]  # fmt: skip


def test_known_planar_and_other_graphs() -> None:
    assert planar(GraphSet.from_networkx(PLANAR, attributes=())).tolist() == [True] * len(PLANAR)
    assert planar(GraphSet.from_networkx(NOT_PLANAR, attributes=())).tolist() == [False] * len(NOT_PLANAR)


def test_triangulations_of_the_planar_data_set_are_at_the_bound() -> None:
    graphs = load("planar", "test")
    assert is_planar(graphs).all()
    rng = np.random.default_rng(0)
    crossed = [g.copy() for g in graphs.to_networkx()]
    for g in crossed:  # a triangulation with an edge more may cross it
        missing = list(nx.non_edges(g))
        g.add_edges_from(missing[i] for i in rng.choice(len(missing), 6, replace=False))
    expected = [nx.check_planarity(g)[0] for g in crossed]
    assert is_planar(GraphSet.from_networkx(crossed)).tolist() == expected
    assert not any(expected)


def test_loops_repeated_edges_and_direction_make_no_difference_to_planarity() -> None:
    many = nx.MultiGraph([(0, 1)] * 30 + [(0, 0)])
    kept = GraphSet.from_networkx(many, self_loops="keep", duplicates="keep")
    arcs = GraphSet.from_edges([[(0, 1)], list(K5.edges), list(K5.to_directed().edges)], directed="keep")
    assert planar(kept).tolist() == [True]
    assert planar(arcs).tolist() == [True, False, False]


def test_valid_planar_graphs_are_connected() -> None:
    two = nx.disjoint_union(nx.path_graph(3), nx.path_graph(3))
    graphs = GraphSet.from_networkx([two, nx.path_graph(3), K5, nx.empty_graph(0)])
    assert planar(graphs).tolist() == [True, True, False, True]
    assert VALID["planar"](graphs).tolist() == [False, True, False, False]


def test_molecules() -> None:
    pytest.importorskip("rdkit")
    texts = ["CCO", "c1ccccc1", "[Na+].[Cl-]"]
    graphs = GraphSet.from_smiles(texts)
    assert is_molecule(graphs).tolist() == [True] * 3
    assert (is_molecule(graphs) & is_connected(graphs)).tolist() == [True, True, False]
    made = GraphSet.from_edges([[(0, 1)], [(0, 1)], []], num_nodes=[2, 2, 0])
    made = made.with_columns(
        node={"node_type": torch.tensor([6, 6, 6, 9])}, edge={"edge_type": torch.tensor([2, 2, 2, 2])}
    )
    assert VALID["molecule"](made).tolist() == [True, False, False]
    with pytest.raises(GraphError, match="missing"):
        is_molecule(made.structure())


def test_functions_of_one_graph() -> None:
    graphs = GraphSet.from_networkx([nx.path_graph(3), nx.cycle_graph(3), nx.empty_graph(0)])
    assert per_graph(nx.is_bipartite)(graphs).tolist() == [True, False, True]
    assert per_graph(lambda g: g.num_edges == 4, "graphset")(graphs).tolist() == [True, False, False]
    with pytest.raises(ValueError, match="form='pyg'"):
        per_graph(nx.is_bipartite, "pyg")  # type: ignore[arg-type]
    assert per_graph(nx.is_bipartite)(graphs[[]]).dtype == torch.bool


def test_functions_of_one_molecule() -> None:
    pytest.importorskip("rdkit")
    two = GraphSet.from_smiles(["CCO", "CC"])
    odd = two.with_columns(edge={"edge_type": torch.full((two.num_edges,), 3)})
    assert per_graph(lambda m: m.GetNumAtoms() == 2, "rdkit")(two).tolist() == [False, True]
    assert per_graph(lambda m: True, "rdkit")(odd).tolist() == [False, False]
