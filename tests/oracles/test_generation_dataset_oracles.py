"""Datasets of graph generation against networkx, brute force and published numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations

import networkx as nx
import numpy as np
import pytest

from graphgauge.datasets import available, base, load
from graphgauge.datasets.community import community
from graphgauge.datasets.lobster import _grow
from graphgauge.datasets.planar import planar

random_lobster = getattr(nx, "random_lobster_graph", None) or nx.random_lobster
Statistic = Callable[[nx.Graph], float]


def need(name: str) -> None:
    if not available(name):
        pytest.skip(f"{name} is not at hand (GRAPHGAUGE_DATA names the folder that holds it)")


def alike(ours: list[nx.Graph], theirs: list[nx.Graph], statistic: Statistic) -> None:
    a, b = [statistic(g) for g in ours], [statistic(g) for g in theirs]
    error = math.sqrt(np.var(a, ddof=1) / len(a) + np.var(b, ddof=1) / len(b))
    assert abs(np.mean(a) - np.mean(b)) <= 4 * error + 1e-12, (np.mean(a), np.mean(b), error)


SHAPE: dict[str, Statistic] = {
    "nodes": nx.Graph.number_of_nodes,
    "nodes squared": lambda g: float(len(g)) ** 2,
    "edges": nx.Graph.number_of_edges,
    "leaves": lambda g: sum(d == 1 for _, d in g.degree),
    "degree variance": lambda g: float(np.var([d for _, d in g.degree])),
    "triangles": lambda g: sum(nx.triangles(g).values()) / 3,
}


def test_the_default_grids_are_the_published_set() -> None:
    ours = base("grid", "train").to_networkx()
    sides = sorted((i, j) for i in range(10, 20) for j in range(10, 20))
    found = []
    for graph in ours:
        width = graph.number_of_nodes() if 1 not in graph else next(v for v in sorted(graph[0]) if v > 1)
        height = len(graph) // width
        found.append((height, width))
        expected = nx.convert_node_labels_to_integers(nx.grid_2d_graph(height, width), ordering="sorted")
        assert nx.utils.graphs_equal(nx.Graph(graph.edges), nx.Graph(expected.edges))
    assert sorted(found) == sides


@pytest.fixture(scope="module")
def lobsters() -> list[nx.Graph]:
    """The published draws, and more of them: seeds from 1234 up, kept by size."""
    found, seed = [], 1234
    while len(found) < 200:
        graph = random_lobster(80, 0.7, 0.7, seed=seed)
        if 10 <= len(graph) <= 100:
            found.append(graph)
        seed += 1
    return found


@pytest.mark.parametrize("statistic", ["nodes", "nodes squared", "leaves", "degree variance"])
def test_lobsters_have_the_law_of_networkx(lobsters: list[nx.Graph], statistic: str) -> None:
    alike(base("lobster", "train", 600).to_networkx(), lobsters, SHAPE[statistic])


def test_lobsters_are_lobsters() -> None:
    for graph in base("lobster", "val").to_networkx():
        assert nx.is_tree(graph)
        assert 10 <= len(graph) <= 100
        for _ in range(2):
            graph.remove_nodes_from([v for v, d in list(graph.degree) if d <= 1])
        assert all(d <= 2 for _, d in graph.degree)


def test_parts_of_a_lobster_by_chance() -> None:
    # ⌊4 u + ½⌋ is 1, 2, 3, 4 with chances 2 : 2 : 2 : 1.
    bare = base("lobster", "train", 7000, backbone=2, p1=0, p2=0.9, smallest=1)
    share = np.bincount(bare.nodes_per_graph, minlength=5)[1:] / 7000
    assert np.abs(share - np.array([2, 2, 2, 1]) / 7).max() < 4.5 * math.sqrt(10 / 49 / 7000)
    # A node of the path has p1 / (1 - p1) legs on average, and a leg with its claws 1 / (1 - p2) nodes.
    many = base("lobster", "train", 4000, backbone=20, p1=0.3, p2=0.6, smallest=1, largest=10_000)
    nodes = many.nodes_per_graph.double()
    expected = 20 * (1 + 3 / 7 * 2.5) * 80 / 79  # empty ones, of chance 1/80, are drawn again
    assert abs(float(nodes.mean()) - expected) < 4.5 * float(nodes.std()) / math.sqrt(4000)


def test_compiled_lobsters_equal_themselves_uncompiled() -> None:
    arguments = (20, 80, 0.7, 0.7, 10, 100)
    compiled = _grow(np.random.default_rng(4), *arguments)
    plain = _grow.py_func(np.random.default_rng(4), *arguments)
    for ours, theirs in zip(compiled, plain, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def two_blocks(rng: np.random.Generator, low: int, high: int, p: float, between: float) -> nx.Graph:
    """The law in words, one graph at a time."""
    n = int(rng.integers(low, high + 1))
    blocks = [nx.gnp_random_graph(n, p, seed=int(rng.integers(2**31))) for _ in range(2)]
    graph = nx.disjoint_union_all(blocks)
    pieces = [sorted(piece) for piece in nx.connected_components(graph)]
    for a, b in combinations(pieces, 2):
        for _ in range(int((len(a) + len(b)) * between)):
            graph.add_edge(int(rng.choice(a)), int(rng.choice(b)))
    return graph


@pytest.mark.parametrize(
    ("low", "high", "p", "between"), [(30, 79, 0.3, 0.05), (6, 12, 0.15, 0.3)], ids=["published", "in pieces"]
)
def test_communities_have_the_law_in_words(low: int, high: int, p: float, between: float) -> None:
    rng = np.random.default_rng(8)
    ours = community(rng, 150, smallest=low, largest=high, p=p, between=between).to_networkx()
    theirs = [two_blocks(rng, low, high, p, between) for _ in range(100)]
    for name in ("nodes", "nodes squared", "edges", "degree variance", "triangles"):
        alike(ours, theirs, SHAPE[name])


def test_communities_by_count() -> None:
    graphs = base("community", "train", 300)
    order = graphs.nodes_per_graph.numpy()
    assert order.min() >= 60
    assert order.max() <= 158
    assert not (order % 2).any()
    source, target = graphs.edge_index.numpy()
    local = graphs.batch.numpy()
    half = graphs.node_ptr.numpy()[:-1] + order // 2
    across = (source < half[local[source]]) & (target >= half[local[target]])
    crossing = np.bincount(local[source[across]], minlength=300)
    # Up to one edge for every twenty nodes, fewer by those drawn twice.
    assert (crossing <= (order * 0.05).astype(int)).all()
    assert crossing.sum() > 0.98 * (order * 0.05).astype(int).sum()


def test_planar_graphs_are_the_triangles_without_a_point_inside_their_circle() -> None:
    ours = planar(np.random.default_rng(5), 3, nodes=12).to_networkx()
    for graph, points in zip(ours, np.random.default_rng(5).random((3, 12, 2)), strict=True):
        expected = set()
        for corners in combinations(range(12), 3):
            a, b, c = points[list(corners)]
            centre = np.linalg.solve(2 * np.stack([b - a, c - a]), [b @ b - a @ a, c @ c - a @ a])
            distance = np.linalg.norm(points - centre, axis=1)
            if (np.delete(distance, corners) > distance[corners[0]]).all():
                expected |= set(combinations(corners, 2))
        assert {tuple(sorted(edge)) for edge in graph.edges} == expected


def test_planar_graphs_are_planar_and_connected() -> None:
    for graph in base("planar", "val").to_networkx():
        assert len(graph) == 64
        assert nx.check_planarity(graph)[0]
        assert nx.is_connected(graph)
        assert 2 * 64 - 3 <= graph.number_of_edges() <= 3 * 64 - 6


def test_ego_networks_are_those_of_networkx_and_their_number_is_the_published_one() -> None:
    need("ego")
    ours = load("ego")
    # GraphRNN and GRAN: 757 graphs, at most 399 nodes, on average 145 nodes and 332 edges.
    assert len(ours) == 757
    assert int(ours.nodes_per_graph.max()) == 399
    assert round(ours.num_nodes / 757) == 145
    assert round(ours.num_edges / 2 / 757) == 332
    whole = load("citeseer")
    graph = whole.structure().to_networkx()[0]
    inside = max(nx.connected_components(graph), key=len)
    place = {centre: g for g, centre in enumerate(ours.centre.tolist())}
    for centre in sorted(inside)[::20]:
        ball = nx.ego_graph(graph, centre, radius=3)
        assert (centre in place) == (50 <= len(ball) <= 400)
        if centre not in place:
            continue
        one = ours[place[centre]]
        assert one.origin.tolist() == sorted(ball)
        edges = one.origin[one.edge_index].T.tolist()
        assert {frozenset(e) for e in edges} == {frozenset(e) for e in ball.edges}
        assert len(edges) == 2 * ball.number_of_edges()
        assert one.y.tolist() == whole.y[one.origin].tolist()


@pytest.mark.parametrize(
    ("name", "graphs", "nodes", "edges", "classes"),
    [("proteins", 1113, 39.06, 72.82, [663, 450]), ("enzymes", 600, 32.63, 62.14, [100] * 6)],
)
def test_protein_collections_have_the_published_numbers(
    name: str, graphs: int, nodes: float, edges: float, classes: list[int]
) -> None:
    need(name)
    ours = load(name)
    assert len(ours) == graphs
    assert round(ours.num_nodes / graphs, 2) == nodes
    assert round(ours.num_edges / 2 / graphs, 2) == edges
    assert np.bincount(ours.y).tolist() == classes
    assert ours.x.unique().tolist() == ([0, 1, 2] if name == "proteins" else [1, 2, 3])


def test_folds_of_the_benchmark_partition_and_are_stratified() -> None:
    need("enzymes")
    tests = [load("enzymes", "test", fold=fold) for fold in (0, 5, 9)]
    assert [np.bincount(part.y).tolist() for part in tests] == [[10] * 6] * 3
    assert len({part.content_hash for part in tests}) == 3
    assert [len(load("enzymes", split, fold=3)) for split in ("train", "val")] == [480, 60]
    assert tests[0].attributes.shape == (tests[0].num_nodes, 18)
