"""Structural descriptors: documented values of odd graphs, refusals, and real molecules."""

from __future__ import annotations

import os

import networkx as nx
import numpy as np
import pytest
import torch

from graphgauge import GraphSet
from graphgauge.datasets import base
from graphgauge.descriptors import (
    DESCRIPTORS,
    clustering_histogram,
    component_count,
    degree_histogram,
    diameter,
    eigenvalues,
    node_orbits,
    path_length_histogram,
    spectrum_histogram,
)
from graphgauge.graphs import GraphError

STRUCTURAL = (
    "degree", "clustering", "orbit", "graphlet", "spectral", "path_length", "edges", "density",
    "components", "diameter",
)  # fmt: skip
# No nodes; one node; three nodes without edges.
EDGELESS = GraphSet.from_edges([[], [], []], [0, 1, 3])
real = pytest.mark.skipif("GRAPHGAUGE_DATA" not in os.environ, reason="GRAPHGAUGE_DATA names no data folder")


def raw(edges: list[tuple[int, int]], nodes: list[int], edge_ptr: list[int]) -> GraphSet:
    """A set with exactly these ordered edges, checked by nobody."""
    return GraphSet(torch.tensor([0, *np.cumsum(nodes)]), torch.tensor(edges).T, torch.tensor(edge_ptr))


@pytest.mark.parametrize("name", STRUCTURAL)
def test_a_set_of_no_graphs_gives_no_rows(name: str) -> None:
    assert DESCRIPTORS[name](GraphSet.from_edges([], [])).shape[0] == 0


def test_documented_values_without_edges() -> None:
    assert degree_histogram(EDGELESS).tolist() == [[0], [1], [1]]
    assert clustering_histogram(EDGELESS, bins=2).tolist() == [[0, 0], [1, 0], [1, 0]]
    assert spectrum_histogram(EDGELESS, bins=2).tolist() == [[0, 0], [1, 0], [1, 0]]
    assert path_length_histogram(EDGELESS, max_length=1).tolist() == [[0, 0], [0, 0], [0, 1]]
    assert DESCRIPTORS["orbit"](EDGELESS).abs().sum() == 0
    for name, values in {
        "size": [0, 1, 3], "edges": [0, 0, 0], "density": [0, 0, 0], "components": [0, 1, 3],
        "diameter": [0, 0, 0],
    }.items():  # fmt: skip
        assert DESCRIPTORS[name](EDGELESS)[:, 0].tolist() == values


@pytest.mark.parametrize("name", STRUCTURAL)
@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([(0, 1), (1, 0), (2, 3), (3, 2), (3, 3)], r"graph 1: edge \(1, 1\) is a self-loop"),
        ([(0, 1), (1, 0), (2, 2), (2, 3), (3, 2)], r"graph 1: edge \(0, 0\) is a self-loop"),
        ([(0, 1), (1, 0), (2, 3), (3, 2), (2, 3), (3, 2)], r"graph 1: edge \([01], [01]\) is there twice"),
        ([(0, 1), (1, 0), (2, 3)], r"graph 1: edge \(0, 1\) has no reverse"),
        ([(0, 1), (1, 0), (3, 2)], r"graph 1: edge \(1, 0\) has no reverse"),
        ([(0, 1), (1, 0), (2, 0), (0, 2)], r"graph 1: edge \(0, -2\) is outside its 2 nodes"),
    ],
)
def test_graphs_that_are_not_simple_are_refused(
    name: str, edges: list[tuple[int, int]], message: str
) -> None:
    with pytest.raises(GraphError, match=message):
        DESCRIPTORS[name](raw(edges, [2, 2], [0, 2, len(edges)]))


@pytest.mark.parametrize("name", STRUCTURAL)
def test_directed_sets_are_refused(name: str) -> None:
    with pytest.raises(GraphError, match="directed"):
        DESCRIPTORS[name](GraphSet.from_edges([[(0, 1)]], directed="keep"))


@pytest.mark.parametrize("seed", range(5))
def test_any_multigraph_is_refused_with_a_fault_it_has(seed: int) -> None:
    """Both ways, so that the fault is a loop or an edge there twice, wherever it stands."""
    rng = np.random.default_rng(seed)
    for _ in range(40):
        pairs = rng.integers(0, 5, size=(6, 2))
        ordered = [tuple(map(int, p)) for p in np.concatenate([pairs, pairs[:, ::-1]])]
        loops = {p for p in ordered if p[0] == p[1]}
        twice = {p for p in ordered if ordered.count(p) > 1}
        if loops or twice:
            with pytest.raises(GraphError) as caught:
                degree_histogram(raw(ordered, [5], [0, 12]))
            named = loops if "self-loop" in str(caught.value) else twice
            assert any(f"edge {p} " in str(caught.value) for p in named)


def test_columns_too_few_are_refused() -> None:
    graphs = GraphSet.from_networkx([nx.path_graph(3), nx.star_graph(4)])
    with pytest.raises(GraphError, match="graph 1 has a node of degree 4, above max_degree=3"):
        degree_histogram(graphs, max_degree=3)
    with pytest.raises(GraphError, match="graph 0 has a shortest path of length 2, above max_length=1"):
        path_length_histogram(graphs, max_length=1)
    assert degree_histogram(graphs, max_degree=7).shape == (2, 8)
    with pytest.raises(ValueError, match="bins must be 1 or more"):
        clustering_histogram(graphs, bins=0)
    with pytest.raises(ValueError, match="bins must be 1 or more"):
        spectrum_histogram(graphs, bins=0)


def test_bipartite_graphs_keep_the_eigenvalue_2() -> None:
    """Unclipped, the trees and complete bipartite graphs among them pass 0 or 2 by rounding."""
    bipartite = [nx.cycle_graph(8), nx.star_graph(3), nx.path_graph(3), nx.star_graph(9)]
    bipartite += [nx.balanced_tree(3, 3)]
    bipartite += [nx.Graph(nx.complete_bipartite_graph(*sides).edges) for sides in ((3, 5), (7, 7))]
    graphs = GraphSet.from_networkx(bipartite)
    found = eigenvalues(graphs)
    assert torch.isfinite(found).all()
    assert (found >= 0).all()
    assert (found <= 2).all()
    counts = spectrum_histogram(graphs, normalise=False)
    assert counts[:, 0].tolist() == [1] * 7
    assert counts[:, -1].tolist() == [1] * 7
    assert torch.equal(counts.sum(1), graphs.nodes_per_graph.double())


def test_graphs_above_500_nodes_keep_every_eigenvalue() -> None:
    graph = GraphSet.from_networkx([nx.path_graph(600)])
    assert spectrum_histogram(graph, normalise=False).sum() == 600


def test_a_large_graph_of_many_components_takes_the_time_of_small_ones() -> None:
    """As one matrix of 30,000 rows its spectrum would need 7 GB."""
    paths = [(i, i + 1) for i in range(30_000) if i % 3 != 2]
    found = eigenvalues(GraphSet.from_edges([paths], [30_000]))
    torch.testing.assert_close(found, torch.tensor([0.0, 1.0, 2.0]).double().repeat_interleave(10_000))


def test_the_leaves_of_a_large_star_count_once_in_its_spectrum() -> None:
    found = eigenvalues(GraphSet.from_edges([[(0, i) for i in range(1, 30_000)]]))
    torch.testing.assert_close(found, torch.tensor([0.0, *[1.0] * 29_998, 2.0]).double())


def test_dense_graphs_of_a_thousand_nodes_do_not_explode() -> None:
    """Listing its 4-cliques one by one would take 4·10¹⁰ steps."""
    graph = GraphSet.from_networkx([nx.complete_graph(1000)])
    assert node_orbits(graph)[0, 14] == 999 * 998 * 997 // 6
    assert diameter(graph).item() == 1


@real
@pytest.mark.parametrize("name", ["zinc", "aqsol"])
def test_molecules_agree_with_networkx(name: str) -> None:
    graphs = base(name, "val", size=60, seed=1)
    others = graphs.to_networkx()
    found = clustering_histogram(graphs, normalise=False)
    for g, other in enumerate(map(nx.Graph, others)):
        values = np.array(list(nx.clustering(other).values()))
        assert found[g, 99] == (values == 1).sum()
        assert found[g, 0] == (values < 0.01).sum()
        assert component_count(graphs)[g] == nx.number_connected_components(other)
    assert torch.equal(node_orbits(graphs)[:, 0], graphs.degree)
    rows = torch.cat([DESCRIPTORS["orbit"](graph) for graph in graphs])
    assert torch.equal(rows, DESCRIPTORS["orbit"](graphs))
