"""Orbits of graphlets of 5 nodes against enumeration with networkx's isomorphism, and Pržulj's numbering."""

from __future__ import annotations

from itertools import combinations

import networkx as nx
import numpy as np
import pytest

from graphgauge import GraphSet
from graphgauge.descriptors import node_orbits, orbit_counts
from graphgauge.descriptors.five import GRAPHLETS, orbit_table, trees
from graphgauge.descriptors.simple import simple_rows
from graphgauge.graphs import GraphError

MODELS = [nx.empty_graph(5) for _ in GRAPHLETS]
for model, edges in zip(MODELS, GRAPHLETS.values(), strict=True):
    model.add_edges_from((int(edge[0]), int(edge[1])) for edge in edges.split())
# The first orbit of each graphlet, G9 to G29, in Pržulj's figure.
FIRST = [15, 18, 22, 24, 27, 31, 34, 35, 39, 43, 45, 49, 51, 54, 56, 59, 62, 65, 68, 70, 72]


def weight(graph: nx.Graph, v: int) -> int:
    return graph.degree(v) + sum(graph.degree(u) for u in graph[v])


def automorphism_orbits(graph: nx.Graph) -> set[frozenset[int]]:
    maps = list(nx.isomorphism.GraphMatcher(graph, graph).isomorphisms_iter())
    return {frozenset(image[v] for image in maps) for v in graph}


def listed(graph: nx.Graph) -> np.ndarray:
    """Counts (n, 73) of orbits 15 to 72, by comparing every set of 5 nodes with all models."""
    out = np.zeros((len(graph), 73), np.int64)
    for nodes in combinations(graph, 5):
        inside = nx.Graph(graph.subgraph(nodes))
        if nx.is_connected(inside):
            (g,) = (g for g, model in enumerate(MODELS) if nx.is_isomorphic(inside, model))
            image = next(nx.isomorphism.GraphMatcher(inside, MODELS[g]).isomorphisms_iter())
            orbits = sorted(automorphism_orbits(MODELS[g]), key=lambda orbit: weight(MODELS[g], min(orbit)))
            for v in nodes:
                out[v, FIRST[g] + [image[v] in orbit for orbit in orbits].index(True)] += 1
    return out


def test_the_graphlets_are_the_21_connected_graphs_of_5_nodes_with_58_orbits() -> None:
    assert all(len(model) == 5 and nx.is_connected(model) for model in MODELS)
    assert not any(nx.is_isomorphic(a, b) for a, b in combinations(MODELS, 2))
    assert len(MODELS) == 21
    counts = [len(automorphism_orbits(model)) for model in MODELS]
    assert [15, *(15 + np.cumsum(counts))] == [*FIRST, 73]
    for model in MODELS:  # the rule that numbers the orbits tells them apart
        assert {frozenset(v for v in model if weight(model, v) == w) for w in
                (weight(model, v) for v in model)} == automorphism_orbits(model)  # fmt: skip
    assert (orbit_table()[:, 0] >= 0).sum() == 728  # connected graphs on 5 labelled nodes


@pytest.mark.parametrize("seed", range(6))
def test_orbits_are_those_of_every_subset_of_5_nodes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graphs = [
        nx.gnp_random_graph(int(rng.integers(4, 9)), float(rng.random()), seed=seed + i) for i in range(4)
    ]
    packed = GraphSet.from_networkx([*graphs, nx.empty_graph(0), MODELS[seed]])
    orbits = node_orbits(packed, size=5).numpy()
    expected = np.concatenate([listed(graph) for graph in [*graphs, MODELS[seed]]])
    np.testing.assert_array_equal(orbits[:, 15:], expected[:, 15:])
    np.testing.assert_array_equal(orbits[:, :15], node_orbits(packed).numpy())
    bound = trees(simple_rows(packed))
    assert expected.sum() / 5 <= bound.sum()


def test_every_graphlet_counts_itself_once() -> None:
    packed = GraphSet.from_networkx(MODELS)
    own = node_orbits(packed, size=5).numpy()[:, 15:].reshape(21, 5, 58)
    assert (own.sum(2) == 1).all()
    for g, (start, stop) in enumerate(zip(FIRST, [*FIRST[1:], 73], strict=True)):
        assert own[g, :, start - 15 : stop - 15].sum() == 5


def test_large_graphs_keep_the_rules_that_need_no_listing() -> None:
    path, star, clique = nx.path_graph(300), nx.star_graph(30), nx.complete_graph(12)
    packed = GraphSet.from_networkx([path, star, clique])
    orbits = node_orbits(packed, size=5)
    assert orbits[150, 15:18].tolist() == [2, 2, 1]
    assert orbits[300, 23] == 30 * 29 * 28 * 27 // 24
    assert orbits[-1, 72] == 11 * 10 * 9 * 8 // 24
    assert orbits[-1, 15:72].sum() == 0


def test_a_clique_without_an_edge_has_15_columns_or_73() -> None:
    graph = GraphSet.from_networkx([MODELS[19]])
    assert node_orbits(graph).shape == (5, 15)
    assert orbit_counts(graph, size=5).shape == (1, 73)
    with pytest.raises(ValueError, match="up to 4 or 5 nodes, not 6"):
        node_orbits(graph, size=6)


def test_counts_that_would_take_too_long_are_refused_before_they_start() -> None:
    graphs = GraphSet.from_networkx([nx.path_graph(9), nx.complete_graph(400)])
    with pytest.raises(GraphError, match=r"subgraphs of 5 nodes, .* of them in graph 1, .* most=1e\+10"):
        node_orbits(graphs, size=5)
    with pytest.raises(GraphError, match="of them in graph 0"):
        orbit_counts(graphs[[0]], size=5, most=4)
