"""Validity, uniqueness and novelty against networkx and enumeration."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import torch

from graphgauge.graphs import GraphSet
from graphgauge.scores import VALID, grid, is_grid, is_lobster, novel, unique


def small_graphs(seed: int, count: int = 40) -> list[nx.Graph]:
    rng = np.random.default_rng(seed)
    return [
        nx.gnp_random_graph(int(rng.integers(0, 7)), 0.4, seed=int(s)) for s in rng.integers(1000, size=count)
    ]


def test_unique_and_novel_equal_pairwise_isomorphism_tests() -> None:
    generated, reference = small_graphs(0), small_graphs(1, 15)
    is_first = [not any(nx.is_isomorphic(g, h) for h in generated[:i]) for i, g in enumerate(generated)]
    is_new = [not any(nx.is_isomorphic(g, h) for h in reference) for g in generated]
    ours, theirs = GraphSet.from_networkx(generated), GraphSet.from_networkx(reference)
    assert unique(ours).tolist() == is_first
    assert novel(ours, theirs).tolist() == is_new
    assert 0 < sum(is_first) < len(is_first)
    assert 0 < sum(is_new) < len(is_new)


def test_labels_tell_equal_structures_apart() -> None:
    path = [(0, 1), (1, 2)]
    graphs = GraphSet.from_edges([path] * 3)
    labelled = graphs.with_columns(node={"kind": torch.tensor([0, 1, 0, 1, 0, 0, 0, 0, 1])})
    assert unique(graphs).tolist() == [True, False, False]
    assert unique(labelled, "kind").tolist() == [True, True, False]
    assert novel(labelled[1:], labelled[:1], "kind").tolist() == [True, True]


def test_colour_refinement_alone_would_be_wrong_here() -> None:
    six = [(i, (i + 1) % 6) for i in range(6)]
    triangles = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]
    graphs = GraphSet.from_edges([six, triangles])
    assert unique(graphs).tolist() == [True, True]
    assert novel(graphs[0], graphs[1]).tolist() == [True]


@pytest.mark.parametrize("name", ["tree", "connected"])
def test_checks_equal_networkx(name: str) -> None:
    graphs = small_graphs(2, 60)
    oracle = {
        "tree": lambda g: len(g) > 0 and nx.is_tree(g),
        "connected": lambda g: len(g) > 0 and nx.is_connected(g),
    }[name]
    found = VALID[name](GraphSet.from_networkx(graphs)).tolist()
    assert found == [oracle(g) for g in graphs]
    assert any(found)


def is_lobster_by_networkx(g: nx.Graph) -> bool:
    if len(g) == 0 or not nx.is_tree(g):
        return False
    g = g.copy()
    for _ in range(2):
        g.remove_nodes_from([v for v, d in list(g.degree()) if d <= 1])
    return all(d <= 2 for _, d in g.degree())


def test_lobsters_and_what_is_none() -> None:
    trees = [nx.random_labeled_tree(n, seed=s) for n in (1, 2, 5, 12, 30) for s in range(12)]
    lobsters = [nx.random_lobster(8, 0.6, 0.6, seed=s) for s in range(10)]
    graphs = [*trees, *lobsters, nx.cycle_graph(5), nx.empty_graph(0)]
    found = is_lobster(GraphSet.from_networkx(graphs)).tolist()
    assert found == [is_lobster_by_networkx(g) for g in graphs]
    assert all(found[len(trees) : -2])
    assert not all(found[: len(trees)])


def test_grids_and_what_is_none() -> None:
    rng = np.random.default_rng(0)
    for a, b in [(2, 2), (2, 5), (4, 4), (3, 7)]:
        shuffled = grid(a, b).relabel(torch.from_numpy(rng.permutation(a * b)))
        assert is_grid(shuffled).tolist() == [True]
    torus = GraphSet.from_networkx([nx.grid_2d_graph(4, 4, periodic=True)])
    broken = nx.convert_node_labels_to_integers(nx.grid_2d_graph(3, 4))
    broken.remove_edge(0, 1)
    broken.add_edge(0, 11)
    others = GraphSet.from_networkx([broken, nx.path_graph(6), nx.empty_graph(0), nx.empty_graph(4)])
    assert is_grid(torus).tolist() == [False]
    assert is_grid(others).tolist() == [False] * 4
