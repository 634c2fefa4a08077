"""WL, NSPDK and random-GIN descriptors: odd graphs, refusals, presets, any encoder, real molecules."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array
from torch import nn

from graphgauge import GraphSet
from graphgauge.datasets import load
from graphgauge.descriptors import DESCRIPTORS
from graphgauge.descriptors.encoder import batches, encoder_descriptor
from graphgauge.descriptors.features import Features
from graphgauge.descriptors.nspdk import nspdk_features
from graphgauge.descriptors.numbers import PairVocabulary
from graphgauge.descriptors.random_gin import (
    PRESETS,
    RandomGIN,
    orthogonal,
    random_gin,
    random_gin_over_seeds,
)
from graphgauge.descriptors.sparse import Vocabulary, mean_features, unit_rows, widened
from graphgauge.descriptors.wl import _written_out, wl_features
from graphgauge.graphs import GraphError
from graphgauge.graphs.errors import TooLargeError
from graphgauge.models import build

LEARNED = ("wl", "nspdk", "random_gin", "random_gin_released")


def odd() -> GraphSet:
    """No nodes, one node, two lone nodes, a path, and no nodes at the end."""
    return GraphSet.from_edges([[], [], [], [(0, 1), (1, 2)], []], num_nodes=[0, 1, 2, 3, 0])


def dense(features: Any) -> np.ndarray:
    return features.toarray() if isinstance(features, csr_array) else features.numpy()


@pytest.mark.parametrize("name", LEARNED)
def test_odd_graphs_have_a_row_each_and_graphs_without_nodes_are_zero(name: str) -> None:
    values = dense(DESCRIPTORS[name](odd()))
    assert values.shape[0] == 5
    assert not values[[0, 4]].any()
    assert np.isfinite(values).all()
    assert values[3].any()


@pytest.mark.parametrize("name", LEARNED)
def test_a_set_without_graphs_has_no_rows(name: str) -> None:
    assert DESCRIPTORS[name](odd()[:0]).shape[0] == 0


def test_widths_of_the_presets() -> None:
    assert DESCRIPTORS["random_gin"](odd()).shape == (5, 105)
    assert DESCRIPTORS["random_gin_released"](odd()).shape == (5, 70)
    assert random_gin(odd(), **PRESETS["paper"]).equal(random_gin(odd()))


def test_released_preset_doubles_the_degree() -> None:
    graphs = odd()
    given = graphs.with_columns(node={"x": 2.0 * graphs.degree[:, None]})
    torch.testing.assert_close(random_gin(graphs, **PRESETS["released"]), random_gin(given, rounds=2))


def test_loops_and_repeated_edges_count_as_they_are_stored() -> None:
    edges = [[(0, 1), (0, 1), (1, 1)]]
    graphs = GraphSet.from_edges(edges, self_loops="keep", duplicates="keep")
    simple = GraphSet.from_edges([[(0, 1)]])
    for name in LEARNED:
        both = dense(DESCRIPTORS[name](GraphSet.concat([graphs, simple])))
        assert not np.allclose(both[0], both[1])


def test_double_and_single_precision_agree() -> None:
    single, double = (random_gin(odd(), dtype=dtype) for dtype in (torch.float32, torch.float64))
    assert (single.dtype, double.dtype) == (torch.float32, torch.float64)
    torch.testing.assert_close(single.double(), double, rtol=1e-4, atol=1e-5)


def test_every_seed_is_a_network_of_its_own() -> None:
    found = random_gin_over_seeds(odd(), [3, 4], width=6)
    assert found.shape == (2, 5, 18)
    assert found[0].equal(random_gin(odd(), seed=3, width=6))
    assert not found[0].equal(found[1])


@pytest.mark.parametrize(("rows", "columns"), [(35, 35), (35, 4), (4, 35), (35, 1)])
def test_weights_are_orthogonal(rows: int, columns: int) -> None:
    w = orthogonal(rows, columns, np.random.default_rng(1))
    assert w.shape == (rows, columns)
    shorter = w @ w.T if rows < columns else w.T @ w
    np.testing.assert_allclose(shorter, np.eye(min(rows, columns)), atol=1e-12)


# ── any encoder ────────────────────────────────────────────────────────────────────────────────────────────


def test_a_model_of_the_alignment_benchmark_describes_graphs() -> None:
    torch.manual_seed(0)
    net, graphs = build("gin"), odd()[1:4]
    found = encoder_descriptor(graphs, net, batch_nodes=2)
    assert found.shape == (3, 64)
    assert not found.requires_grad
    expected = torch.stack([net.eval()(graph).double().sum(0) for graph in graphs]).detach()
    assert found.dtype == torch.float64
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)


def test_an_encoder_is_run_in_evaluation_mode() -> None:
    class Noisy(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.drop = nn.Dropout(0.5)

        def forward(self, graphs: GraphSet) -> torch.Tensor:
            return self.drop(torch.ones(graphs.num_nodes, 50))

    net = Noisy()
    assert encoder_descriptor(odd(), net)[3].tolist() == [3.0] * 50
    assert net.training


@pytest.mark.parametrize("result", [torch.zeros(5), torch.zeros(2, 4)])
def test_an_encoder_that_returns_something_else_is_refused(result: torch.Tensor) -> None:
    with pytest.raises(ValueError, match=r"the net must return \(6, d\) embeddings"):
        encoder_descriptor(odd(), lambda graphs: result)


def test_an_encoder_without_columns_or_torch_is_refused() -> None:
    with pytest.raises(ValueError, match=r"\(6, d\) embeddings with d ≥ 1, got \(6, 0\)"):
        encoder_descriptor(odd(), lambda graphs: torch.zeros(6, 0))
    with pytest.raises(ValueError, match=r"as a torch tensor, got a numpy\.ndarray"):
        encoder_descriptor(odd(), lambda graphs: np.zeros((6, 2)))


@pytest.mark.parametrize("value", ["nan", "inf"])
def test_a_number_that_is_none_names_the_graph_in_the_whole_set(value: str) -> None:
    graphs = GraphSet.from_edges([[(0, 1)], [], [(0, 1), (1, 2)]], [2, 1, 3])

    def net(part: GraphSet) -> torch.Tensor:
        return torch.where(part.degree[:, None] > 1, float(value), 1.0)

    with pytest.raises(ValueError, match=f"the net returns {value} for graph 2$"):
        encoder_descriptor(graphs, net, batch_nodes=2)


def test_batches_hold_every_graph_once_and_no_more_nodes_than_asked() -> None:
    graphs = GraphSet.from_edges([[]] * 9, num_nodes=[0, 3, 3, 0, 9, 1, 1, 1, 0])
    parts = list(batches(graphs, 6))
    assert GraphSet.concat(parts).same_as(graphs)
    assert [part.num_nodes for part in parts] == [6, 9, 3]


# ── refusals ───────────────────────────────────────────────────────────────────────────────────────────────


def test_categories_need_their_number() -> None:
    graphs = odd().with_columns(node={"x": torch.tensor([0, 1, 2, 0, 1, 4])})
    with pytest.raises(GraphError, match="'x' holds categories: say with node_types"):
        random_gin(graphs)
    with pytest.raises(GraphError, match="node 5 has category 4 in 'x', outside 0 to 2"):
        Features(node_types=3).node_rows(graphs, torch.float32)
    assert random_gin(graphs, node_types=5).shape == (5, 105)
    assert random_gin(graphs, node=None).equal(random_gin(odd()))


def test_columns_that_are_not_there_are_named() -> None:
    with pytest.raises(GraphError, match="no node column 'atom'"):
        random_gin(odd(), node="atom")
    with pytest.raises(GraphError, match="no edge column 'bond'"):
        random_gin(odd(), edge="bond")
    with pytest.raises(GraphError, match="no node column 'atom'"):
        wl_features(odd(), labels="atom")
    with pytest.raises(GraphError, match="no edge column 'bond'"):
        nspdk_features(odd(), edge_labels="bond")


@pytest.mark.parametrize("value", [0.5, float("nan")])
def test_labels_are_whole(value: float) -> None:
    graphs = odd().with_columns(node={"x": torch.tensor([0, 1, value, 0, 1, 4])})
    with pytest.raises(GraphError, match=f"node 2 has {value} in 'x', and labels are whole numbers"):
        wl_features(graphs, labels="x")


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="rounds must be 0 or more"):
        wl_features(odd(), rounds=-1)
    with pytest.raises(ValueError, match="radius and distance must be 0 or more"):
        nspdk_features(odd(), radius=-1)
    with pytest.raises(ValueError, match="rounds, width and depth must be 1 or more"):
        RandomGIN(Features(), rounds=0)
    with pytest.raises(ValueError, match=r"torch.float32 or torch.float64"):
        random_gin(odd(), dtype=torch.int64)
    with pytest.raises(ValueError, match="no mean features"):
        mean_features(wl_features(odd()[:0]))
    with pytest.raises(ValueError, match="cannot be widened"):
        widened(csr_array(np.eye(3)), 2)
    with pytest.raises(GraphError, match="undirected"):
        nspdk_features(GraphSet.from_edges([[(0, 1)]], directed="keep"))


def random_graph(nodes: int, p: float, seed: int) -> list[list[int]]:
    upper = np.triu(np.random.default_rng(seed).random((nodes, nodes)) < p, 1)
    return np.argwhere(upper).tolist()


def test_nspdk_of_dense_graphs_is_refused_before_it_fills_the_memory() -> None:
    graphs = GraphSet.from_edges([random_graph(n, 0.1, n) for n in (20, 200, 30)], [20, 200, 30])
    vocabulary = PairVocabulary()
    message = r"graph 1 with its 200 nodes may have .* more than most=5e\+04, 0.004 GB in all; take a smaller"
    with pytest.raises(TooLargeError, match=message):
        nspdk_features(graphs, most=50_000, vocabulary=vocabulary)
    assert len(vocabulary) == 0
    assert nspdk_features(graphs, radius=0, most=50_000).nnz < 50_000
    assert nspdk_features(graphs, most=200_000).nnz > 50_000


def test_nspdk_of_a_star_is_quick_and_never_too_large() -> None:
    """Leaves are twins: their balls are equal, and the bound knows that they are."""
    leaves = 2_000
    counts = nspdk_features(GraphSet.from_edges([[(0, i) for i in range(1, leaves + 1)]]), most=100)
    by_distance = [leaves + 1, leaves, leaves * (leaves - 1) // 2]
    assert counts.sum() == 5 * sum(by_distance)
    assert sorted(counts.data.tolist()) == sorted([1.0, leaves, *by_distance[1:]] * 5)


def test_a_vocabulary_settles_what_came_after_the_old_columns() -> None:
    vocabulary = PairVocabulary()
    assert vocabulary.columns(np.array([50, 40], np.uint64)).tolist() == [1, 0]
    found = [vocabulary.enter(np.array(part, np.uint64)) for part in ([9, 50], [7, 9, 8])]
    assert [part.tolist() for part in found] == [[2, 1], [3, 2, 4]]
    vocabulary.settle(2, found)
    assert [part.tolist() for part in found] == [[4, 1], [2, 4, 3]]
    assert vocabulary.columns(np.array([7, 8, 9, 40, 50], np.uint64)).tolist() == [2, 3, 4, 0, 1]


# ── real molecules ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.skipif(not os.environ.get("GRAPHGAUGE_DATA"), reason="GRAPHGAUGE_DATA names no data folder")
def test_halves_of_real_molecules_are_closer_than_changed_ones() -> None:
    graphs = load("zinc", "test")
    half, other = graphs[:500], graphs[500:]
    shuffled = other.node["x"][torch.randperm(other.num_nodes, generator=torch.Generator().manual_seed(0))]
    changed = other.with_columns(node={"x": shuffled})

    def wl(graphs: GraphSet, words: Any) -> csr_array:
        return wl_features(graphs, labels="x", vocabulary=words)

    def nspdk(graphs: GraphSet, words: Any) -> csr_array:
        return nspdk_features(
            graphs, radius=2, labels="x", edge_labels="edge_attr", normalise=True, vocabulary=words
        )

    for describe, words in ((wl, Vocabulary()), (nspdk, PairVocabulary())):
        sides = [describe(part, words) for part in (half, other, changed)]
        a, b, c = (mean_features(unit_rows(widened(side, len(words)))) for side in sides)
        assert 10 * np.sum((a - b) ** 2) < np.sum((a - c) ** 2)
    gin = [random_gin(part, node_types=28, edge_types=4) for part in (half, other, changed)]
    scale = gin[0].std(0).clamp(min=1e-6)  # standardised by the reference, as it is measured
    a, b, c = (values.mean(0) / scale for values in gin)
    assert 10 * (a - b).square().sum() < (a - c).square().sum()


def test_default_batches_of_the_random_gin_change_nothing_beyond_rounding() -> None:
    graphs = GraphSet.from_edges([[(i, (i + 1) % n) for i in range(n)] for n in range(3, 120)])
    assert graphs.num_nodes > 2 * 2_048
    whole = random_gin(graphs, batch_nodes=10**9)
    torch.testing.assert_close(random_gin(graphs), whole, rtol=1e-12, atol=1e-12)


def test_colours_are_written_out_as_own_colour_degree_and_sorted_neighbours() -> None:
    rng = np.random.default_rng(0)
    upper = np.argwhere(np.triu(rng.random((40, 40)) < 0.5, 1))
    graphs = GraphSet.from_edges([upper.tolist(), [(0, 1)], []], num_nodes=[40, 2, 3])
    colour, nodes = rng.integers(0, 9, graphs.num_nodes), rng.permutation(graphs.num_nodes)
    ptr, source = graphs.csr.ptr.numpy(), graphs.csr.source.numpy()
    around = [np.sort(colour[source[ptr[v] : ptr[v + 1]]]) for v in nodes]
    expected = [
        np.array([colour[v], row.size, *row], dtype=">i8").tobytes()
        for v, row in zip(nodes, around, strict=True)
    ]
    assert _written_out(graphs, colour, nodes) == expected


def test_a_radius_that_adds_no_node_gives_the_same_pairs_in_every_block() -> None:
    complete = GraphSet.from_edges([[(i, j) for i in range(5) for j in range(i)]])
    counts = nspdk_features(complete, radius=4, distance=1)
    assert sorted(counts.data.tolist()) == [5.0] * 5 + [10.0] * 5
