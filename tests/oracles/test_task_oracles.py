"""Targets of tasks against networkx and against formulas written out."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import torch
from scipy.spatial.distance import cdist

from graphgauge.datasets import MissingData, load_task
from graphgauge.datasets.tasks.csl import SKIPS
from graphgauge.datasets.tasks.graphtheoryprop import distances, draw, targets
from graphgauge.datasets.tasks.superpixels import nearest
from graphgauge.datasets.tasks.tsp import packed_instances, tour


def test_six_properties_against_networkx() -> None:
    rng = np.random.default_rng(0)
    adjacency, _ = draw(rng, 120, 16)
    adjacency[0] = 0  # two pieces: a path of 4 nodes and a cycle of 12
    for u, v in [*nx.path_graph(4).edges, *((4 + i, 4 + (i + 1) % 12) for i in range(12))]:
        adjacency[0, u, v] = adjacency[0, v, u] = 1
    values, source = rng.random((120, 16)), rng.integers(0, 16, 120)
    node, graph = targets(adjacency, values, source)
    for k in range(120):
        g = nx.from_numpy_array(adjacency[k])
        length = dict(nx.all_pairs_shortest_path_length(g))
        assert node[k, :, 0].tolist() == [length[int(source[k])].get(i, 0) for i in range(16)]
        assert node[k, :, 1].tolist() == [max(length[i].values()) for i in range(16)]
        laplacian = nx.laplacian_matrix(g, nodelist=range(16)).toarray() @ values[k]
        assert np.allclose(node[k, :, 2], laplacian)
        assert bool(graph[k, 0]) == nx.is_connected(g)
        assert graph[k, 1] == max(max(row.values()) for row in length.values())
        assert graph[k, 2] == pytest.approx(np.abs(nx.adjacency_spectrum(g)).max(), abs=1e-5)
    assert graph[0, 0] == 0
    assert distances(adjacency)[0, 0, 5] == -1


def test_published_label_is_that_of_repeated_squaring() -> None:
    rng = np.random.default_rng(1)
    adjacency, _ = draw(rng, 150, 15)
    _, graph = targets(adjacency, rng.random((150, 15)), np.zeros(150, np.int64), "published")
    for k in range(150):
        power = adjacency[k].astype(np.float64)
        for _ in range(1 + 4):  # 1 + ⌈log2 15⌉ squarings
            power = power @ power
        assert bool(graph[k, 0]) == bool(power.min() > 0)
    assert 0 < graph[:, 0].sum() < 150


def test_cycle_lengths_against_networkx() -> None:
    graphs = load_task("cycles", size=200).graphs
    for g in graphs:
        rings = nx.cycle_basis(g.to_networkx()[0])
        lengths = sorted(len(ring) for ring in rings)
        assert len(lengths) == 2
        assert (6 in lengths) == bool(g.graph["y"][0])
        assert set(lengths) <= {3, 4, 5, 6, 7, 8, 9}


def test_csl_graphs_are_circulant() -> None:
    graphs = load_task("csl").graphs
    for k, skip in enumerate(SKIPS):
        expected = nx.circulant_graph(41, [1, skip])
        for g in (graphs[15 * k], graphs[15 * k + 14]):
            assert int(g.graph["y"][0]) == k
            assert nx.is_isomorphic(g.to_networkx()[0], expected)


def test_similarity_of_superpixels_against_the_formula() -> None:
    xy = np.random.default_rng(0).random((30, 2)).astype(np.float32)
    edges, weight, ptr = nearest(xy, np.array([0, 20, 30]))
    assert ptr.tolist() == [0, 160, 240]
    d = cdist(xy[:20].astype(float), xy[:20].astype(float))
    scale = np.sort(d, axis=1)[:, 1:9].mean(1, keepdims=True) + 1e-8
    a = np.exp(-((d / scale) ** 2))
    a = (a + a.T) / 2
    np.fill_diagonal(a, -1)
    for i in range(20):
        own = edges[0] == i
        assert sorted(edges[1, own]) == sorted(np.argsort(-a[i])[:8])
        assert np.allclose(weight[own], a[i, edges[1, own]], atol=1e-6)


def test_few_superpixels_are_all_joined() -> None:
    edges, _, ptr = nearest(
        np.random.default_rng(0).random((6, 2)).astype(np.float32), np.array([0, 1, 1, 6])
    )
    assert ptr.tolist() == [0, 0, 0, 20]
    assert set(edges[0]) == {1, 2, 3, 4, 5}


def test_a_tour_through_a_circle_goes_round() -> None:
    solver = pytest.importorskip("fast_tsp").find_tour
    rng = np.random.default_rng(0)
    angle = np.linspace(0, 2 * np.pi, 30, endpoint=False)
    order = rng.permutation(30)
    points = (0.5 + 0.4 * np.stack([np.cos(angle), np.sin(angle)], axis=1))[order]
    found = tour(solver, 0.05, points)
    steps = np.abs(np.diff(order[np.append(found, found[:1])])) % 28
    assert set(steps) == {1}
    assert found[0] == 0
    assert found[1] < found[-1]


def test_edges_of_the_tour_and_nothing_else() -> None:
    rng = np.random.default_rng(0)
    points = [rng.random((n, 2)) for n in (26, 40)]
    tours = [rng.permutation(26), rng.permutation(40)]
    graphs = packed_instances(points, tours)
    for g, p, t in zip(graphs, points, tours, strict=True):
        source, target = g.edge_index.numpy()
        inside = {frozenset(pair) for pair in zip(t.tolist(), np.roll(t, -1).tolist(), strict=True)}
        expected = [
            int(frozenset(pair) in inside) for pair in zip(source.tolist(), target.tolist(), strict=True)
        ]
        assert g.edge["y"].tolist() == expected
        near = np.argsort(cdist(p, p), axis=1)[:, 1:26]
        assert {(i, int(j)) for i in range(len(p)) for j in near[i]} == set(
            zip(source.tolist(), target.tolist(), strict=True)
        )
        length = np.linalg.norm(p[source] - p[target], axis=1)
        assert np.allclose(g.edge["edge_attr"][:, 0].numpy(), length, atol=1e-6)


def test_points_in_one_place_are_neighbours_of_one_another() -> None:
    points = np.random.default_rng(0).random((40, 2))
    points[5:35] = points[5]
    graphs = packed_instances([points], [np.arange(40)])
    assert bool((graphs.edge_index[0] != graphs.edge_index[1]).all())
    assert torch.bincount(graphs.edge_index[0]).unique().tolist() == [25]


def test_real_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Official sizes are verified when a task is loaded; here are a few figures from elsewhere."""
    monkeypatch.setenv("GRAPHGAUGE_OFFLINE", "1")
    try:
        aqsol, enzymes = load_task("aqsol"), load_task("enzymes")
    except MissingData as error:
        pytest.skip(str(error).splitlines()[0])
    assert round(aqsol.graphs.num_nodes / 9823, 2) == 17.57
    assert round(aqsol.graphs.num_edges / 9823, 2) == 35.76
    assert enzymes.node is not None
    assert enzymes.node.size == 18
    assert [torch.bincount(enzymes.graphs.graph["y"][fold.test]).tolist() for fold in enzymes.folds] == [
        [10] * 6
    ] * 10
