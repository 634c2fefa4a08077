"""Generated families against theory and networkx; the compiled kernels against themselves uncompiled."""

from __future__ import annotations

import math
from collections.abc import Callable

import networkx as nx
import numpy as np
import pytest
import torch

from graphgauge.datasets import ba as ba_file
from graphgauge.datasets import base, bfs_sample, load
from graphgauge.datasets import regular as regular_file
from graphgauge.datasets import ws as ws_file
from graphgauge.graphs import GraphSet
from graphgauge.graphs.structure import components

Statistic = Callable[[nx.Graph], float]


def within_four_sigma(values: list[float], expected: float, sigma: float | None = None) -> None:
    spread = np.std(values, ddof=1) if sigma is None else sigma
    error = spread / math.sqrt(len(values))
    assert abs(np.mean(values) - expected) <= 4 * error + 1e-12, (np.mean(values), expected, error)


def degrees(graphs: GraphSet, nodes: int) -> np.ndarray:
    return graphs.degree.numpy().reshape(len(graphs), nodes)


def test_er_edges_are_binomial() -> None:
    graphs = base("er", "train", 2000, 5)
    pairs, p = 4950, 8 / 99
    edges = (graphs.edges_per_graph // 2).numpy()
    sigma = math.sqrt(pairs * p * (1 - p))
    within_four_sigma(list(edges), pairs * p, sigma)
    assert abs(edges.std() / sigma - 1) < 4 / math.sqrt(2 * 2000)
    # The degree of a node is binomial too.
    degree = degrees(graphs, 100)[:, 7]
    within_four_sigma(list(degree), 8.0, math.sqrt(99 * p * (1 - p)))


def test_er_marks_every_pair_alike() -> None:
    graphs = base("er", "train", 4000, 6, nodes=6, degree=2)
    source, target = graphs.edge_index.numpy() % 6
    seen = np.zeros((6, 6))
    np.add.at(seen, (source, target), 1)
    chance = seen[np.triu_indices(6, 1)] / 4000
    assert np.abs(chance - 0.4).max() < 4.5 * math.sqrt(0.4 * 0.6 / 4000)


def compare(graphs: GraphSet, oracle: list[nx.Graph], statistic: Statistic) -> None:
    ours = [statistic(g) for g in graphs.to_networkx()]
    theirs = [statistic(g) for g in oracle]
    error = math.sqrt(np.var(ours, ddof=1) / len(ours) + np.var(theirs, ddof=1) / len(theirs))
    assert abs(np.mean(ours) - np.mean(theirs)) <= 4 * error + 1e-12, (np.mean(ours), np.mean(theirs), error)


def variance(graph: nx.Graph) -> float:
    return float(np.var([d for _, d in graph.degree]))


def triangles(graph: nx.Graph) -> float:
    return sum(nx.triangles(graph).values()) / 3


STATISTICS: dict[str, Statistic] = {
    "degree variance": variance,
    "triangles": triangles,
    "assortativity": lambda g: sum(g.degree[a] * g.degree[b] for a, b in g.edges),
}
FAMILIES = {
    "er": lambda s: nx.gnp_random_graph(40, 6 / 39, seed=s),
    "ba": lambda s: nx.barabasi_albert_graph(40, 3, seed=s),
    "ws": lambda s: nx.watts_strogatz_graph(40, 6, 0.2, seed=s),
    "regular": lambda s: nx.random_regular_graph(6, 40, seed=s),
    "sbm": lambda s: nx.stochastic_block_model([20, 20], [[0.3, 0.05], [0.05, 0.3]], seed=s),
    "tree": lambda s: nx.random_labeled_tree(40, seed=s),
}
OPTIONS = {
    "er": {"degree": 6},
    "ba": {"links": 3},
    "ws": {"neighbours": 6, "rewire": 0.2},
    "regular": {"degree": 6},
    "sbm": {"blocks": 2, "p_in": 0.3, "p_out": 0.05},
    "tree": {},
}


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("name", FAMILIES)
def test_family_has_the_statistics_of_networkx(name: str, statistic: str) -> None:
    graphs = base(name, "train", 150, 11, nodes=40, **OPTIONS[name])
    compare(graphs, [FAMILIES[name](s) for s in range(150)], STATISTICS[statistic])


def test_ba_counts() -> None:
    graphs = base("ba", "train", 50, nodes=30, links=3)
    assert graphs.edges_per_graph.unique().tolist() == [2 * 3 * 27]
    assert int(components(graphs).max()) == 49
    assert int(graphs.degree.min()) >= 1


def test_ba_first_choices_follow_degree() -> None:
    # Star of 3 nodes; the fourth takes 2 of them: the centre is missed with chance 2 · 1/4 · 1/3 = 1/6.
    graphs = base("ba", "train", 6000, 1, nodes=4, links=2)
    missed = (degrees(graphs, 4)[:, 0] == 2).mean()
    assert abs(missed - 1 / 6) < 4 * math.sqrt(5 / 36 / 6000)


def test_ws_counts_and_ring() -> None:
    still = base("ws", "train", 3, nodes=12, neighbours=4, rewire=0)
    assert nx.utils.graphs_equal(still[0].to_networkx()[0], nx.watts_strogatz_graph(12, 4, 0))
    wild = base("ws", "train", 200, nodes=30, neighbours=6, rewire=1)
    assert wild.edges_per_graph.unique().tolist() == [180]
    # Every node keeps its own 3 edges.
    assert int(wild.degree.min()) >= 3
    complete = base("ws", "train", 2, nodes=5, neighbours=4, rewire=1)
    assert complete.edges_per_graph.tolist() == [20, 20]


@pytest.mark.parametrize(
    ("nodes", "degree"), [(10, 3), (8, 7), (9, 8), (12, 8), (7, 0), (100, 8), (6, 5), (9, 4)]
)
def test_regular_is_regular(nodes: int, degree: int) -> None:
    assert base("regular", "train", 30, nodes=nodes, degree=degree).degree.unique().tolist() == [degree]


def test_regular_on_few_nodes_is_uniform() -> None:
    # There are 70 labelled cubic graphs on 6 nodes: 60 prisms and 10 copies of K(3,3).
    graphs = base("regular", "train", 3000, 2, nodes=6, degree=3)
    bipartite = np.array([nx.is_bipartite(g) for g in graphs.to_networkx()])
    share = bipartite.mean()
    assert abs(share - 1 / 7) < 4 * math.sqrt(6 / 49 / 3000), share


def test_sbm_marks_inside_and_outside() -> None:
    graphs = base("sbm", "train", 400, 3, nodes=40, blocks=4, p_in=0.3, p_out=0.1)
    source, target = graphs.edge_index.numpy() % 40
    inside = (source // 10 == target // 10).sum() / 2 / 400 / (4 * 45)
    outside = (source // 10 != target // 10).sum() / 2 / 400 / 600
    assert abs(inside - 0.3) < 4 * math.sqrt(0.21 / (400 * 180))
    assert abs(outside - 0.1) < 4 * math.sqrt(0.09 / (400 * 600))


def test_trees_are_trees_and_uniform() -> None:
    graphs = base("tree", "train", 200, nodes=17)
    assert graphs.edges_per_graph.unique().tolist() == [32]
    assert int(components(graphs).max()) == 199
    # All 16 trees on 4 labelled nodes, each 1/16 of the time; networkx reads the same Prüfer codes.
    small = base("tree", "train", 8000, 1, nodes=4)
    codes = [tuple(nx.to_prufer_sequence(g)) for g in small[:500].to_networkx()]
    assert len(set(codes)) == 16
    keys = small.edge_index[0].reshape(8000, 6) % 4 * 4 + small.edge_index[1].reshape(8000, 6) % 4
    _, counts = np.unique(keys.numpy(), axis=0, return_counts=True)
    assert counts.size == 16
    assert np.abs(counts / 8000 - 1 / 16).max() < 4.5 * math.sqrt(15 / 256 / 8000)


def test_decoding_agrees_with_networkx() -> None:
    from graphgauge.datasets.tree import _decode

    codes = np.random.default_rng(0).integers(0, 9, (50, 7))
    u, v = _decode(codes, 9)
    for g in range(50):
        ours = {
            frozenset(e) for e in zip(u[g * 8 : g * 8 + 8] - 9 * g, v[g * 8 : g * 8 + 8] - 9 * g, strict=True)
        }
        theirs = {frozenset(e) for e in nx.from_prufer_sequence(codes[g].tolist()).edges}
        assert ours == theirs


@pytest.mark.parametrize(
    ("kernel", "arguments"),
    [
        (ba_file._grow, (5, 20, 3)),
        (ws_file._rewire, (5, 20, 3, 0.5)),
        (regular_file._pair, (5, 20, 5)),
    ],
)
def test_compiled_generators_equal_themselves_uncompiled(kernel: Callable, arguments: tuple) -> None:
    compiled = kernel(np.random.default_rng(4), *arguments)
    plain = kernel.py_func(np.random.default_rng(4), *arguments)
    for ours, theirs in zip(compiled, plain, strict=True):
        np.testing.assert_array_equal(ours, theirs)


# ── samples ────────────────────────────────────────────────────────────────────────────────────────────


def test_first_layer_of_a_sample_is_a_uniform_subset() -> None:
    # A star: started at the centre, every leaf is taken alike; started at a leaf, the centre is there too.
    leaves = 12
    star = GraphSet.from_edges([[(0, i) for i in range(1, leaves + 1)]])
    sample = bfs_sample(star, 12000, 4, 0, origin=True)
    members = sample.origin.reshape(-1, 4)
    assert bool((members[:, 0] == 0).all())
    share = torch.bincount(members.reshape(-1), minlength=leaves + 1)[1:] / 12000
    assert float((share - 3 / leaves).abs().max()) < 4.5 * math.sqrt(0.25 * 0.75 / 12000)


def test_a_sample_is_a_ball_but_for_its_last_layer() -> None:
    graph = base("ws", "train", 1, nodes=300, neighbours=4, rewire=0.1)
    wide = graph.to_networkx()[0]
    for members in bfs_sample(graph, 20, 40, 1, origin=True).origin.reshape(20, 40).tolist():
        inside = set(members)

        def is_ball(centre: int, inside: set[int] = inside) -> bool:
            distance = nx.single_source_shortest_path_length(wide, centre)
            far = max(distance[i] for i in inside)
            return all(i in inside for i, d in distance.items() if d < far)

        assert any(is_ball(centre) for centre in members)


def test_starts_are_uniform_over_nodes() -> None:
    ring = GraphSet.from_edges([[(i, (i + 1) % 10) for i in range(10)]])
    start = bfs_sample(ring, 10000, 1, 3, origin=True).origin
    share = torch.bincount(start, minlength=10) / 10000
    assert float((share - 0.1).abs().max()) < 4.5 * math.sqrt(0.09 / 10000)


def test_split_streams_are_independent_draws() -> None:
    train, val = load("er", "train", size=1, seed=0), load("er", "val", size=1, seed=0)
    shared = set(map(tuple, train.edge_index.T.tolist())) & set(map(tuple, val.edge_index.T.tolist()))
    assert len(shared) / 2 < 4950 * (8 / 99) ** 2 + 4 * math.sqrt(4950 * (8 / 99) ** 2)
