"""Laws of WL, NSPDK and random-GIN descriptors: names of nodes and the order of graphs mean nothing."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from graphgauge import GraphSet
from graphgauge.descriptors import nspdk
from graphgauge.descriptors.encoder import encoder_descriptor
from graphgauge.descriptors.features import Features
from graphgauge.descriptors.neighbourhoods import _few, _many, ball_numbers, row_words
from graphgauge.descriptors.nspdk import nspdk_features
from graphgauge.descriptors.numbers import PairVocabulary
from graphgauge.descriptors.random_gin import RandomGIN, random_gin
from graphgauge.descriptors.sparse import Vocabulary, mean_features, mean_in_parts, unit_rows, widened
from graphgauge.descriptors.wl import wl_features
from graphgauge.graphs.errors import TooLargeError

LAW = settings(max_examples=25, deadline=None)
OPTIONS: dict[str, Any] = {"node_types": 3, "edge_types": 2, "dtype": torch.float64}


def exact(features: Any) -> np.ndarray:
    return np.asarray(features.toarray())


# name → GraphSet → (G, d) array; counts of whole numbers are compared exactly, sums of floats closely
DESCRIBE: dict[str, Callable[[GraphSet], np.ndarray]] = {
    "wl": lambda g: exact(wl_features(g, rounds=3, labels="x")),
    "nspdk": lambda g: exact(nspdk_features(g, radius=2, distance=3, labels="x", edge_labels="edge_attr")),
    "random_gin": lambda g: random_gin(g, **OPTIONS).numpy(),
    "random_gin_one_by_one": lambda g: random_gin(g, batch_nodes=1, **OPTIONS).numpy(),
}


@st.composite
def labelled(draw: st.DrawFn) -> GraphSet:
    """Up to five graphs of up to seven nodes, empty ones among them, with node and edge types."""
    edges, counts = [], []
    for _ in range(draw(st.integers(1, 5))):
        n = draw(st.integers(0, 7))
        pairs = [(u, v) for u in range(n) for v in range(u + 1, n)]
        edges.append(draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else [])
        counts.append(n)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return GraphSet.from_edges(
        edges,
        counts,
        node={"x": rng.integers(0, 3, sum(counts))},
        edge={"edge_attr": rng.integers(0, 2, sum(map(len, edges)))},
    )


def renumbered(graphs: GraphSet, seed: int) -> GraphSet:
    keys = np.random.default_rng(seed).random(graphs.num_nodes)
    order = torch.from_numpy(np.lexsort((keys, graphs.batch.numpy())))
    new_id = torch.empty_like(order)
    new_id[order] = torch.arange(graphs.num_nodes)
    return graphs.relabel(new_id)


@LAW
@pytest.mark.parametrize("name", DESCRIBE)
@given(graphs=labelled(), seed=st.integers(0, 1000))
def test_names_of_nodes_change_nothing(name: str, graphs: GraphSet, seed: int) -> None:
    describe = DESCRIBE[name]
    np.testing.assert_allclose(describe(renumbered(graphs, seed)), describe(graphs), rtol=1e-10, atol=1e-12)


@LAW
@pytest.mark.parametrize("name", DESCRIBE)
@given(graphs=labelled(), data=st.data())
def test_order_of_graphs_orders_the_rows_only(name: str, graphs: GraphSet, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(graphs))))
    describe = DESCRIBE[name]
    np.testing.assert_allclose(describe(graphs[order]), describe(graphs)[order], rtol=1e-10, atol=1e-12)


@LAW
@pytest.mark.parametrize("name", ["random_gin", "random_gin_one_by_one"])
@given(graphs=labelled(), data=st.data())
def test_batch_mates_change_nothing(name: str, graphs: GraphSet, data: st.DataObject) -> None:
    i = data.draw(st.integers(0, len(graphs) - 1))
    describe = DESCRIBE[name]
    np.testing.assert_allclose(describe(graphs[i])[0], describe(graphs)[i], rtol=1e-10, atol=1e-12)


@LAW
@given(one=labelled(), other=labelled())
def test_kernels_of_two_sets_do_not_depend_on_which_comes_first(one: GraphSet, other: GraphSet) -> None:
    def between(first: GraphSet, second: GraphSet, vocabulary: Any, describe: Any) -> np.ndarray:
        x, y = describe(first, vocabulary), describe(second, vocabulary)
        return exact(widened(x, y.shape[1]) @ y.T)

    def wl(graphs: GraphSet, vocabulary: Vocabulary) -> Any:
        return wl_features(graphs, labels="x", vocabulary=vocabulary)

    def nspdk(graphs: GraphSet, vocabulary: PairVocabulary) -> Any:
        return nspdk_features(graphs, radius=1, distance=2, labels="x", vocabulary=vocabulary)

    for describe, words in ((wl, Vocabulary), (nspdk, PairVocabulary)):
        there, back = between(one, other, words(), describe), between(other, one, words(), describe)
        assert np.array_equal(there, back.T)


@LAW
@given(graphs=labelled())
def test_every_round_of_wl_counts_every_node_and_refines_the_one_before(graphs: GraphSet) -> None:
    rounds = [exact(wl_features(graphs, rounds=r, labels="x")) for r in range(4)]
    for r, features in enumerate(rounds):
        assert np.array_equal(features.sum(1), (r + 1) * graphs.nodes_per_graph.numpy())
        if r:
            assert np.array_equal(features[:, : rounds[r - 1].shape[1]], rounds[r - 1])


@LAW
@given(graphs=labelled())
def test_mean_features_make_the_mean_of_the_kernel(graphs: GraphSet) -> None:
    features = unit_rows(wl_features(graphs))
    mean = mean_features(features)
    assert mean @ mean == pytest.approx((features @ features.T).toarray().mean(), abs=1e-12)
    lengths = np.sqrt(features.multiply(features).sum(axis=1))
    np.testing.assert_allclose(lengths, (graphs.nodes_per_graph > 0).numpy().astype(float))


@LAW
@given(graphs=labelled(), batch_nodes=st.integers(1, 20))
def test_means_in_parts_are_means_of_the_whole(graphs: GraphSet, batch_nodes: int) -> None:
    words, pairs = Vocabulary(), PairVocabulary()

    def wl(part: GraphSet) -> Any:
        return unit_rows(wl_features(part, labels="x", vocabulary=words))

    def nspdk(part: GraphSet) -> Any:
        return nspdk_features(part, radius=1, distance=2, normalise=True, vocabulary=pairs)

    for describe in (wl, nspdk):
        in_parts = mean_in_parts(graphs, describe, batch_nodes=batch_nodes)
        np.testing.assert_allclose(in_parts, mean_features(describe(graphs)), atol=1e-12)


def cycles() -> GraphSet:
    ring = [(i, (i + 1) % 6) for i in range(6)]
    triangles = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]
    return GraphSet.from_edges([ring, triangles])


@given(labelled(), st.integers(0, 2), st.integers(0, 3))
@LAW
def test_nspdk_entries_are_never_more_than_the_bound(graphs: GraphSet, radius: int, distance: int) -> None:
    entries = nspdk_features(graphs, radius=radius, distance=distance, labels="x").nnz
    if entries:
        with pytest.raises(TooLargeError):
            nspdk_features(graphs, radius=radius, distance=distance, labels="x", most=entries - 1)


@given(labelled(), st.booleans())
@LAW
def test_nspdk_of_a_few_graphs_at_a_time_is_that_of_all_at_once(graphs: GraphSet, normalise: bool) -> None:
    whole, vocabulary = nspdk_features(graphs, labels="x", normalise=normalise), PairVocabulary()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nspdk, "ROOM", 1)
        parts = nspdk_features(graphs, labels="x", normalise=normalise, vocabulary=vocabulary)
        again = nspdk_features(graphs, labels="x", normalise=normalise, vocabulary=vocabulary)
    for name in ("data", "indices", "indptr"):
        expected = getattr(whole, name)
        assert np.array_equal(getattr(parts, name), expected)
        assert np.array_equal(getattr(again, name), expected)


@given(labelled(), st.booleans())
@LAW
def test_twins_have_the_same_balls(graphs: GraphSet, bonds: bool) -> None:
    """Every pair of nodes of a graph with the same label, neighbours and bonds, and no other."""
    ptr, neighbour = graphs.csr.ptr.numpy(), graphs.csr.source.numpy()
    label = graphs.node["x"].numpy().astype(np.uint64)
    bond = graphs.edge["edge_attr"].numpy().astype(np.uint64)[graphs.csr.edge.numpy()] * np.uint64(bonds)
    owner = graphs.batch.numpy()
    words = row_words(owner, ptr, neighbour, label, bond)
    rows = [
        (owner[v], label[v], *neighbour[ptr[v] : ptr[v + 1]], *bond[ptr[v] : ptr[v + 1]])
        for v in range(len(label))
    ]
    assert [[w == v for w in words] for v in words] == [[row == other for row in rows] for other in rows]
    like = nspdk._first_of(words)
    each = np.arange(len(label))
    found, expected = (ball_numbers(ptr, neighbour, label, bond, 3, first) for first in (like, each))
    assert np.array_equal(found, expected)


@given(st.integers(1, 6), st.integers(0, 60), st.integers(0, 2**32 - 1))
@LAW
def test_pairs_of_balls_are_counted_alike_in_a_table_and_by_sorting(kinds: int, n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    numbers = np.unique(rng.integers(0, 2**63, kinds).astype(np.uint64))
    one, other = rng.integers(0, numbers.size, (2, n))
    results = []
    for tally in (_few, _many):
        key, count = np.zeros(n, np.uint64), np.zeros(n, np.int64)
        filled = tally(numbers, one, other, np.uint64(3), key, count)
        results.append(list(zip(key[:filled].tolist(), count[:filled].tolist(), strict=True)))
    assert results[0] == results[1]
    assert sum(count for _, count in results[0]) == n
    assert len(results[0]) == len({tuple(sorted(pair)) for pair in zip(one, other, strict=True)})


def test_a_cycle_and_two_triangles_are_equal_for_wl_and_gin_and_not_for_nspdk() -> None:
    graphs = cycles()
    wl = exact(wl_features(graphs, rounds=6))
    assert np.array_equal(wl[0], wl[1])
    gin = random_gin(graphs, dtype=torch.float64)
    torch.testing.assert_close(gin[0], gin[1])
    by_distance = exact(nspdk_features(graphs, radius=0, distance=2))
    assert by_distance[0].sum() == 6 + 6 + 6
    assert by_distance[1].sum() == 6 + 6
    by_ball = exact(nspdk_features(graphs, radius=1, distance=0))
    assert sorted(by_ball.T.tolist()) == [[0, 6], [6, 0], [6, 6]]  # a path, a triangle, a node


def test_what_colour_refinement_cannot_tell_apart_nspdk_cannot_inside_a_ball() -> None:
    """The documented limit: a hub joined to a 6-cycle, and to two triangles."""
    graphs = cycles()
    spokes = [(0, v) for v in range(1, 7)]
    rims = [[(u + 1, v + 1) for u, v in graph.edge_index.T.tolist() if u < v] for graph in graphs]
    hubs = GraphSet.from_edges([spokes + rim for rim in rims])
    rows = (hubs.csr.ptr.numpy(), hubs.csr.source.numpy())
    alike = np.zeros(hubs.num_nodes, np.uint64)
    each = np.arange(hubs.num_nodes)
    balls = ball_numbers(*rows, alike, np.zeros(hubs.num_edges, np.uint64), 1, each)
    assert balls[0, 1] == balls[7, 1]  # around the hubs
    assert balls[1, 1] != balls[8, 1]  # around the rims: whole features differ all the same


def digest() -> str:
    """Of all three descriptors of two small graphs."""
    edges = [[(0, 1), (1, 2), (2, 0), (2, 3)], [(0, 1), (1, 2), (2, 3), (3, 4)]]
    graphs = GraphSet.from_edges(edges)
    values = (exact(wl_features(graphs)), exact(nspdk_features(graphs)), random_gin(graphs, seed=3).numpy())
    return hashlib.sha256(b"".join(v.tobytes() for v in values)).hexdigest()


def test_values_are_the_same_in_processes_with_other_hash_seeds() -> None:
    code = f"import runpy; print(runpy.run_path({__file__!r})['digest']())"
    env = {**os.environ, "PYTHONHASHSEED": "77" if os.environ.get("PYTHONHASHSEED") == "1" else "1"}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == digest()


def test_the_seed_decides_the_network() -> None:
    graphs = cycles()
    assert torch.equal(random_gin(graphs, seed=4), random_gin(graphs, seed=4))
    assert not torch.allclose(random_gin(graphs, seed=4), random_gin(graphs, seed=5))


def test_an_encoder_is_summed_over_each_graph_and_left_as_it_was() -> None:
    graphs = cycles()
    net = RandomGIN(Features(), width=5, dtype=torch.float64)
    net.train()
    found = encoder_descriptor(graphs, net)
    assert net.training
    torch.testing.assert_close(found, torch.stack([net(graph).sum(0) for graph in graphs]))
