"""WL and NSPDK counts against slow implementations without shared code: nested tuples, isomorphic balls."""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array

from graphgauge import GraphSet
from graphgauge.datasets import load
from graphgauge.descriptors.nspdk import nspdk_features
from graphgauge.descriptors.numbers import PairVocabulary
from graphgauge.descriptors.sparse import Vocabulary, widened
from graphgauge.descriptors.wl import wl_features


def random_set(seed: int, count: int = 6, directed: bool = False) -> GraphSet:
    """Random labelled graphs of 0 to 8 nodes, some edgeless, some dense."""
    rng = np.random.default_rng(seed)
    edges: list[list[tuple[int, int]]] = []
    sizes = [0, 1, *rng.integers(2, 9, count).tolist()]
    for n in sizes:
        pairs = [(u, v) for u in range(n) for v in range(n) if (u != v if directed else u < v)]
        keep = rng.random(len(pairs)) < rng.choice([0.2, 0.4, 0.7])
        edges.append([pair for pair, kept in zip(pairs, keep, strict=True) if kept])
    return GraphSet.from_edges(
        edges,
        sizes,
        directed="keep" if directed else "error",
        node={"kind": rng.integers(0, 2, sum(sizes))},
        edge={"bond": rng.integers(0, 2, sum(map(len, edges)))},
    )


def columns_of(counts: list[Counter[Any]]) -> list[tuple[float, ...]]:
    """The columns of a list of counters, in ascending order: comparable whatever the columns are called."""
    keys = {key for counter in counts for key in counter}
    return sorted(tuple(float(counter[key]) for counter in counts) for key in keys)


def columns_in(features: csr_array) -> list[tuple[float, ...]]:
    return sorted(map(tuple, features.toarray().T.tolist()))


# ── Weisfeiler–Lehman: a colour is a nested tuple ──────────────────────────────────────────────────────────


def wl_by_tuples(graph: GraphSet, rounds: int, labels: str | None) -> Counter[Any]:
    n, arcs = graph.num_nodes, graph.edge_index.T.tolist()
    into = [[u for u, v in arcs if v == node] for node in range(n)]
    out = [[v for u, v in arcs if u == node] if graph.directed else [] for node in range(n)]
    start = [len(into[v]) for v in range(n)] if labels is None else graph.node[labels].tolist()
    colour: list[Any] = [(label,) for label in start]
    seen = Counter((0, c) for c in colour)
    for done in range(1, rounds + 1):
        colour = [
            (colour[v], tuple(sorted(colour[u] for u in into[v])), tuple(sorted(colour[u] for u in out[v])))
            for v in range(n)
        ]
        seen.update((done, c) for c in colour)
    return seen


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("labels", [None, "kind"])
@pytest.mark.parametrize("directed", [False, True])
def test_wl_counts_are_those_of_nested_tuples(seed: int, labels: str | None, directed: bool) -> None:
    graphs = random_set(seed, directed=directed)
    for rounds in (0, 1, 3):
        expected = columns_of([wl_by_tuples(graph, rounds, labels) for graph in graphs])
        assert columns_in(wl_features(graphs, rounds=rounds, labels=labels)) == expected


def test_wl_columns_of_sets_described_one_after_another_are_those_of_all_together() -> None:
    one, other = random_set(10), random_set(11)
    words = Vocabulary()
    first = wl_features(one, vocabulary=words)
    second = wl_features(other, vocabulary=words)
    apart = np.vstack([widened(first, len(words)).toarray(), second.toarray()])
    expected = columns_of([wl_by_tuples(graph, 4, None) for graph in [*one, *other]])
    assert sorted(map(tuple, apart.T.tolist())) == expected


# ── NSPDK: balls are equal when networkx finds an isomorphism ──────────────────────────────────────────────


def nspdk_by_isomorphism(
    graphs: GraphSet, radius: int, distance: int, labels: str | None, bonds: str | None
) -> list[Counter[Any]]:
    known: list[nx.Graph] = []  # one ball of each class

    def class_of(ball: nx.Graph) -> int:
        for i, other in enumerate(known):
            if len(other) == len(ball) and nx.is_isomorphic(
                ball, other, node_match=lambda a, b: a == b, edge_match=lambda a, b: a == b
            ):
                return i
        known.append(ball)
        return len(known) - 1

    counts = []
    for graph in graphs:
        plain = nx.Graph()
        label = graph.degree.tolist() if labels is None else graph.node[labels].tolist()
        plain.add_nodes_from((v, {"label": label[v], "root": False}) for v in range(graph.num_nodes))
        bond = [0] * graph.num_edges if bonds is None else graph.edge[bonds].tolist()
        for (u, v), b in zip(graph.edge_index.T.tolist(), bond, strict=True):
            plain.add_edge(u, v, bond=b)
        far = dict(nx.all_pairs_shortest_path_length(plain))
        counter: Counter[Any] = Counter()
        for r in range(radius + 1):
            balls = []
            for v in plain:
                ball = plain.subgraph([u for u, d in far[v].items() if d <= r]).copy()
                ball.nodes[v]["root"] = True
                balls.append(class_of(ball))
            for v in plain:
                for u, d in far[v].items():
                    if u >= v and d <= distance:
                        counter[r, d, *sorted((balls[u], balls[v]))] += 1
        counts.append(counter)
    return counts


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("labels", "bonds"), [(None, None), ("kind", None), ("kind", "bond")])
def test_nspdk_counts_are_those_of_isomorphic_balls(seed: int, labels: str | None, bonds: str | None) -> None:
    graphs = random_set(20 + seed)
    expected = columns_of(nspdk_by_isomorphism(graphs, 2, 3, labels, bonds))
    found = nspdk_features(graphs, radius=2, distance=3, labels=labels, edge_labels=bonds)
    assert columns_in(found) == expected


def test_nspdk_columns_of_sets_described_one_after_another_are_those_of_all_together() -> None:
    one, other = random_set(30, 4), random_set(31, 4)
    pairs = PairVocabulary()
    first = nspdk_features(one, radius=1, distance=2, vocabulary=pairs)
    second = nspdk_features(other, radius=1, distance=2, vocabulary=pairs)
    apart = np.vstack([widened(first, len(pairs)).toarray(), second.toarray()])
    expected = columns_of(nspdk_by_isomorphism(GraphSet.concat([one, other]), 1, 2, None, None))
    assert sorted(map(tuple, apart.T.tolist())) == expected


@pytest.mark.parametrize("seed", range(3))
def test_columns_of_numbers_are_those_of_a_dictionary(seed: int) -> None:
    """Numbers that collide in the table, zero and the largest one included."""
    rng = np.random.default_rng(seed)
    pairs, known = PairVocabulary(), dict[int, int]()
    for count in (0, 5, 400, 3000, 3000, 1):
        numbers = rng.integers(0, 900, count).astype(np.uint64) << np.uint64(rng.choice([0, 3, 54]))
        numbers[: count // 100] = 2**64 - 1
        for number in sorted(set(numbers.tolist()) - set(known)):
            known[number] = len(known)
        assert pairs.columns(numbers).tolist() == [known[number] for number in numbers.tolist()]
        assert len(pairs) == len(known)


def test_normalised_nspdk_is_the_mean_of_normalised_block_kernels() -> None:
    """K(G, H) = Σ_blocks k_b(G, H) / sqrt(k_b(G, G) k_b(H, H)), then K normalised once more."""
    graphs = random_set(40)
    counts = nspdk_by_isomorphism(graphs, 1, 2, None, None)
    total = np.zeros((len(counts), len(counts)))
    for block in [(r, d) for r in range(2) for d in range(3)]:
        own = [Counter({k: c for k, c in counter.items() if k[:2] == block}) for counter in counts]
        gram = np.array([[sum(c * b[k] for k, c in a.items()) for b in own] for a in own], dtype=float)
        scale = np.sqrt(np.outer(np.diag(gram), np.diag(gram)))
        total += np.divide(gram, scale, out=np.zeros_like(gram), where=scale > 0)
    scale = np.sqrt(np.outer(np.diag(total), np.diag(total)))
    expected = np.divide(total, scale, out=np.zeros_like(total), where=scale > 0)
    features = nspdk_features(graphs, radius=1, distance=2, normalise=True)
    np.testing.assert_allclose((features @ features.T).toarray(), expected, atol=1e-12)


# ── real molecules ─────────────────────────────────────────────────────────────────────────────────────────

real = pytest.mark.skipif(
    not os.environ.get("GRAPHGAUGE_DATA"), reason="GRAPHGAUGE_DATA names no data folder"
)


@real
def test_wl_of_real_molecules() -> None:
    graphs = load("zinc", "test")[:100]
    atoms = graphs.with_columns(node={"atom": graphs.node["x"][:, 0]})
    expected = columns_of([wl_by_tuples(graph, 4, "atom") for graph in atoms])
    assert columns_in(wl_features(graphs, labels="x")) == expected


@real
def test_nspdk_of_real_molecules() -> None:
    graphs = load("zinc", "test")[:6]
    atoms = graphs.with_columns(node={"atom": graphs.node["x"][:, 0]})
    expected = columns_of(nspdk_by_isomorphism(atoms, 3, 4, "atom", "edge_attr"))
    found = nspdk_features(graphs, radius=3, distance=4, labels="x", edge_labels="edge_attr")
    assert columns_in(found) == expected
