"""Structural descriptors against networkx, NumPy, enumeration of subgraphs and the loops' plain twins."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, pairwise

import networkx as nx
import numpy as np
import pytest
import torch

from graphgauge import GraphSet
from graphgauge.descriptors import (
    clustering_coefficients,
    clustering_histogram,
    component_count,
    degree_histogram,
    density,
    diameter,
    edge_count,
    eigenvalues,
    graphlet_counts,
    node_orbits,
    orbit_counts,
    path_length_histogram,
    spectrum_histogram,
    triangles,
)
from graphgauge.descriptors.paths import path_lengths, path_lengths_plain
from graphgauge.descriptors.simple import simple_rows
from graphgauge.descriptors.subgraphs import (
    dense_subgraphs,
    edge_triangles,
    edge_triangles_plain,
    is_dense,
    node_subgraphs,
    node_subgraphs_plain,
    sparse_subgraphs,
)

# The place of a node by the degrees in its subgraph and its own degree there: enough up to 4 nodes.
PLACES = {
    (1, 1): {1: 0},
    (1, 1, 2): {1: 1, 2: 2},
    (2, 2, 2): {2: 3},
    (1, 1, 2, 2): {1: 4, 2: 5},
    (1, 1, 1, 3): {1: 6, 3: 7},
    (2, 2, 2, 2): {2: 8},
    (1, 2, 2, 3): {1: 9, 2: 10, 3: 11},
    (2, 2, 3, 3): {2: 12, 3: 13},
    (3, 3, 3, 3): {3: 14},
}
GRAPHLET_ORDER = list(PLACES)


def small() -> list[nx.Graph]:
    rng = np.random.default_rng(0)
    sizes = [0, 1, 1, 2, 2, *rng.integers(3, 11, size=40).tolist()]
    return [nx.gnp_random_graph(n, float(rng.random()), seed=i) for i, n in enumerate(sizes)]


def large() -> list[nx.Graph]:
    """Three graphs that are walked along their rows, hubs first or last, and three that are rows of bits."""
    hubs = nx.powerlaw_cluster_graph(400, 4, 0.9, seed=2)
    return [
        nx.gnp_random_graph(300, 0.02, seed=1),
        hubs,
        nx.relabel_nodes(hubs, dict(enumerate(reversed(range(400))))),
        nx.gnp_random_graph(150, 0.3, seed=3),
        nx.windmill_graph(30, 10),
        nx.disjoint_union(nx.star_graph(150), nx.complete_graph(5)),
    ]


def listed(graph: nx.Graph) -> tuple[np.ndarray, np.ndarray]:
    """Orbit counts of every node and graphlet counts, by looking at every set of 2 to 4 nodes."""
    orbits, graphlets = np.zeros((len(graph), 15), np.int64), np.zeros(9, np.int64)
    for k in (2, 3, 4):
        for nodes in combinations(range(len(graph)), k):
            inside = graph.subgraph(nodes)
            if nx.is_connected(inside):
                degrees = tuple(sorted(d for _, d in inside.degree))
                graphlets[GRAPHLET_ORDER.index(degrees)] += 1
                for v in nodes:
                    orbits[v, PLACES[degrees][inside.degree(v)]] += 1
    return orbits, graphlets


def test_orbits_and_graphlets_are_those_of_every_subset_of_nodes() -> None:
    graphs = small()
    packed = GraphSet.from_networkx(graphs)
    expected = [listed(graph) for graph in graphs]
    np.testing.assert_array_equal(node_orbits(packed).numpy(), np.concatenate([o for o, _ in expected]))
    np.testing.assert_array_equal(graphlet_counts(packed).numpy(), np.stack([g for _, g in expected]))
    means = [o.mean(0) if len(o) else np.zeros(15) for o, _ in expected]
    np.testing.assert_allclose(orbit_counts(packed).numpy(), means, rtol=1e-15)


def test_orbits_of_named_graphs() -> None:
    packed = GraphSet.from_networkx([nx.complete_graph(50), nx.cycle_graph(9), nx.star_graph(20)])
    counts = node_orbits(packed)
    assert counts[0].tolist() == [49, 0, 0, 49 * 48 // 2, *[0] * 10, 49 * 48 * 47 // 6]
    assert counts[50].tolist() == [2, 2, 1, 0, 2, 2, *[0] * 9]
    assert counts[59, [0, 2, 7]].tolist() == [20, 190, 1140]


def test_counting_loops_agree_with_their_plain_twins() -> None:
    rows = simple_rows(GraphSet.from_networkx(small() + large()))
    over = edge_triangles(*rows)
    np.testing.assert_array_equal(over, edge_triangles_plain(*rows))
    for got, expected in zip(node_subgraphs(*rows, over), node_subgraphs_plain(*rows, over), strict=True):
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("count", [dense_subgraphs, sparse_subgraphs])
def test_either_way_of_counting_is_right_for_any_graph(count: Callable[..., None]) -> None:
    graphs = [
        nx.gnp_random_graph(n, p, seed=n) for n in (5, 63, 64, 65, 130, 200) for p in (0.1, 0.6, 0.9, 1.0)
    ]
    for graph in graphs + large():
        _, ptr, neighbour = rows = simple_rows(GraphSet.from_networkx([graph]))
        over = edge_triangles(*rows)
        found = np.zeros((3, len(graph)), np.int64)
        between = (over,) if count is sparse_subgraphs else ()
        count(0, len(graph), ptr, neighbour, *between, *found)
        np.testing.assert_array_equal(found, node_subgraphs_plain(*rows, over))


def test_both_ways_of_counting_are_chosen() -> None:
    node_ptr, ptr, _ = simple_rows(GraphSet.from_networkx(large()))
    ways = [is_dense(a, b, ptr) for a, b in pairwise(node_ptr)]
    assert ways == [False, False, False, True, True, True]


def test_path_lengths_agree_with_their_plain_twin_and_networkx() -> None:
    graphs = small() + large()
    packed = GraphSet.from_networkx(graphs)
    rows = simple_rows(packed)
    for got, expected in zip(path_lengths(*rows), path_lengths_plain(*rows), strict=True):
        np.testing.assert_array_equal(got, expected)
    counts, longest = path_length_histogram(packed, normalise=False), diameter(packed)
    for g, graph in enumerate(graphs):
        lengths = [d for _, row in nx.all_pairs_shortest_path_length(graph) for d in row.values() if d]
        wanted = np.bincount(lengths, minlength=counts.shape[1])[1:] / 2 if lengths else 0
        np.testing.assert_array_equal(counts[g, :-1].numpy(), wanted)
        assert counts[g].sum() == len(graph) * (len(graph) - 1) / 2
        assert longest[g] == max(lengths, default=0)


def test_triangles_and_clustering_are_those_of_networkx() -> None:
    graphs = small() + large()
    packed = GraphSet.from_networkx(graphs)
    assert triangles(packed).tolist() == [t for graph in graphs for t in nx.triangles(graph).values()]
    expected = [c for graph in graphs if len(graph) for c in nx.clustering(graph).values()]
    np.testing.assert_allclose(clustering_coefficients(packed).numpy(), expected, rtol=1e-15)


def test_clustering_bins_are_exact_on_their_edges() -> None:
    graphs = small() + large()
    expected = np.zeros((len(graphs), 100))
    for g, graph in enumerate(graphs):
        for v, t in nx.triangles(graph).items():
            pairs = max(graph.degree(v) * (graph.degree(v) - 1) // 2, 1)
            expected[g, min(99, int(Fraction(100 * t, pairs)))] += 1
    counts = clustering_histogram(GraphSet.from_networkx(graphs), normalise=False)
    np.testing.assert_array_equal(counts.numpy(), expected)


def test_a_coefficient_of_29_hundredths_stays_out_of_the_bin_below() -> None:
    """The centre has 25 neighbours, 87 of whose 300 pairs are joined; int(0.29 * 100) is 28."""
    joined = list(combinations(range(1, 26), 2))[:87]
    graph = GraphSet.from_edges([[(0, v) for v in range(1, 26)] + joined], [26])
    assert clustering_coefficients(graph)[0] == 0.29
    assert int(0.29 * 100) == 28
    counts = clustering_histogram(graph, normalise=False)[0]
    assert counts[28] == 0
    assert counts[29] > 0


def test_spectra_are_those_of_numpy() -> None:
    graphs = small() + large()
    packed = GraphSet.from_networkx(graphs)
    found = eigenvalues(packed)
    for g, graph in enumerate(graphs):
        if len(graph):
            L = nx.normalized_laplacian_matrix(graph).toarray()
            own = found[packed.node_ptr[g] : packed.node_ptr[g + 1]].numpy()
            np.testing.assert_allclose(own, np.linalg.eigvalsh(L), atol=1e-12)
    counts = spectrum_histogram(packed, normalise=False)
    for g in range(len(graphs)):
        own = found[packed.node_ptr[g] : packed.node_ptr[g + 1]].numpy()
        expected, _ = np.histogram(own, bins=200, range=(-1e-5, 2))
        np.testing.assert_array_equal(counts[g].numpy(), expected)


def test_spectra_of_graphs_in_pieces_are_those_of_numpy() -> None:
    """Components of many sizes, their nodes mixed up, beside a connected graph, a small one and none."""
    rng = np.random.default_rng(5)
    pieces = [nx.gnp_random_graph(int(n), 0.5, seed=i) for i, n in enumerate(rng.integers(1, 40, 25))]
    mixed = nx.disjoint_union_all([*pieces, nx.star_graph(30), nx.balanced_tree(2, 4)])
    mixed = nx.relabel_nodes(mixed, dict(enumerate(rng.permutation(len(mixed)).tolist())))
    whole = nx.compose(nx.gnp_random_graph(80, 0.1, seed=1), nx.path_graph(80))
    graphs = [whole, nx.empty_graph(0), mixed, nx.empty_graph(3), mixed]
    packed = GraphSet.from_networkx(graphs)
    found = np.split(eigenvalues(packed).numpy(), packed.node_ptr[1:-1].tolist())
    for own, graph in zip(found, graphs, strict=True):
        if len(graph):
            L = nx.normalized_laplacian_matrix(graph, nodelist=range(len(graph))).toarray()
            np.testing.assert_allclose(own, np.linalg.eigvalsh(L), atol=1e-12)


def test_spectra_of_graphs_with_twins_are_those_of_numpy() -> None:
    """Nodes with the same neighbours: leaves of trees, sides of complete multipartite graphs, copies."""
    copied = nx.gnp_random_graph(40, 0.2, seed=1)
    for v in range(0, 40, 2):
        copied.add_edges_from([(100 + v, u) for u in copied.neighbors(v)])
    twinned = [nx.balanced_tree(4, 3), nx.star_graph(80), nx.complete_multipartite_graph(3, 20, 50), copied]
    plain = [nx.Graph(nx.convert_node_labels_to_integers(graph).edges) for graph in twinned]
    graphs = [*plain, nx.disjoint_union_all([*plain, nx.empty_graph(3)]), nx.path_graph(70)]
    packed = GraphSet.from_networkx(graphs)
    found = np.split(eigenvalues(packed).numpy(), packed.node_ptr[1:-1].tolist())
    for own, graph in zip(found, graphs, strict=True):
        expected = np.linalg.eigvalsh(nx.normalized_laplacian_matrix(graph).toarray())
        np.testing.assert_allclose(own, expected, atol=1e-12)


def test_degrees_components_density_are_those_of_networkx() -> None:
    graphs = small() + large()
    packed = GraphSet.from_networkx(graphs)
    counts = degree_histogram(packed, normalise=False)
    for g, graph in enumerate(graphs):
        expected = nx.degree_histogram(graph)
        assert counts[g].tolist() == expected + [0] * (counts.shape[1] - len(expected))
    assert component_count(packed)[:, 0].tolist() == [nx.number_connected_components(g) for g in graphs]
    assert edge_count(packed)[:, 0].tolist() == [g.number_of_edges() for g in graphs]
    expected_density = torch.tensor([nx.density(g) for g in graphs], dtype=torch.float64)
    torch.testing.assert_close(density(packed)[:, 0], expected_density, rtol=1e-15, atol=0)
