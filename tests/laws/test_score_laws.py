"""Laws of alignment scores: ranges, ties, symmetry, and what node order may never do."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from graphgauge.graphs import GraphSet
from graphgauge.graphs.structure import orbits, wl_colours
from graphgauge.instruments.alignment.evaluation import evaluate
from graphgauge.matching import SOLVERS
from graphgauge.perturb import make_pairs
from graphgauge.scores import (
    accuracy,
    accuracy_expected,
    accuracy_up_to_automorphism,
    class_ceiling,
    hits_at,
    rank_of_truth,
)


def random_graphs(seed: int, count: int = 6, largest: int = 9) -> GraphSet:
    """Sets with empty, one-node and edgeless graphs among them."""
    rng = np.random.default_rng(seed)
    edges, sizes = [], []
    for n in rng.integers(0, largest + 1, size=count):
        present = np.argwhere(np.triu(rng.random((n, n)) < 0.35, 1))
        edges.append([tuple(map(int, e)) for e in present])
        sizes.append(int(n))
    return GraphSet.from_edges(edges, num_nodes=sizes)


def random_matching(graphs: GraphSet, seed: int) -> torch.Tensor:
    """A uniformly random one-to-one matching inside every graph."""
    key = torch.from_numpy(np.random.default_rng(seed).random(graphs.num_nodes))
    return torch.argsort(graphs.batch + key)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000))
def test_scores_lie_in_range_and_under_their_ceilings(seed: int) -> None:
    graphs = random_graphs(seed)
    truth, predicted = random_matching(graphs, seed), random_matching(graphs, seed + 1)
    classes, ptr = orbits(graphs), graphs.node_ptr
    exact = accuracy(predicted, truth, ptr)
    expected = accuracy_expected(predicted, truth, classes, ptr)
    loose = accuracy_up_to_automorphism(predicted, truth, classes, ptr)
    ceiling = class_ceiling(classes, ptr)
    some = graphs.nodes_per_graph > 0
    assert exact[~some].isnan().all()
    for values in (exact, expected, loose, ceiling):
        assert ((values[some] >= 0) & (values[some] <= 1)).all()
    assert (exact[some] <= loose[some] + 1e-12).all()
    assert (expected[some] <= loose[some] + 1e-12).all()
    assert (expected[some] <= ceiling[some] + 1e-12).all()
    assert (class_ceiling(wl_colours(graphs), ptr)[some] <= ceiling[some] + 1e-12).all()


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000))
def test_the_planted_matching_scores_one_and_its_ceiling(seed: int) -> None:
    graphs = random_graphs(seed)
    truth, classes, ptr = random_matching(graphs, seed), orbits(graphs), graphs.node_ptr
    some = graphs.nodes_per_graph > 0
    assert (accuracy(truth, truth, ptr)[some] == 1).all()
    assert (accuracy_up_to_automorphism(truth, truth, classes, ptr)[some] == 1).all()
    torch.testing.assert_close(
        accuracy_expected(truth, truth, classes, ptr)[some], class_ceiling(classes, ptr)[some]
    )


class Constant(torch.nn.Module):
    """Cannot tell any two nodes apart."""

    def forward(self, graphs: GraphSet) -> torch.Tensor:
        return torch.ones(graphs.num_nodes, 4)


class NodeOrder(torch.nn.Module):
    """Cheats by node order: one-hot position of the node in its graph."""

    def forward(self, graphs: GraphSet) -> torch.Tensor:
        position = torch.arange(graphs.num_nodes) - graphs.node_ptr[graphs.batch]
        return torch.nn.functional.one_hot(position, 16).float()


def test_node_order_never_helps() -> None:
    """Constant embeddings, and embeddings that know the node order, score 1/N on average."""
    n, count = 10, 2000
    cycle = [(i, (i + 1) % n) for i in range(n)]
    base = GraphSet.from_edges([cycle] * count, num_nodes=[n] * count)
    pairs = make_pairs(base, 0.0, seed=5)
    sigma = np.sqrt(1 / n / (n * count))  # of the mean of count × n guesses, about
    for model in (Constant(), NodeOrder()):
        found = evaluate(model, pairs)
        assert abs(float(found["accuracy"].mean()) - 1 / n) < 6 * sigma
        assert abs(float(found["top1"].mean()) - 1 / n) < 6 * sigma
        assert abs(float(found["accuracy_softmax"].mean()) - 1 / n) < 6 * sigma
    # On a cycle every matching is right up to automorphism, and the ceiling says what can be reached.
    assert float(found["accuracy_up_to_automorphism"].mean()) == 1.0
    assert abs(float(found["ceiling_automorphism"].mean()) - 1 / n) < 1e-12
    assert abs(float(found["accuracy_expected"].mean()) - 1 / n) < 1e-12


def test_a_cyclic_shift_scores_nothing() -> None:
    """The published top-1 tests membership in the set of predictions and gives 1.0 here."""
    n = 12
    sigma = torch.eye(n).roll(1, dims=1)
    truth = torch.arange(n)
    assert hits_at(rank_of_truth(sigma, truth), 1).sum() == 0
    for solver in SOLVERS.values():
        assert accuracy(solver(sigma), truth, torch.tensor([0, n])).item() == 0


@given(st.integers(1, 6), st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_hits_count_ties_in_expectation(k: int, seed: int) -> None:
    """Oracle: break ties at random many times by enumeration of the places the true entry can take."""
    rng = np.random.default_rng(seed)
    sigma = torch.from_numpy(rng.integers(0, 3, size=(5, 6)).astype(np.float32))
    truth = torch.from_numpy(rng.integers(0, 6, size=5))
    for row, column, value in zip(
        sigma, truth.tolist(), hits_at(rank_of_truth(sigma, truth), k), strict=True
    ):
        larger = sum(float(v) > float(row[column]) for v in row)
        tied = sum(float(v) == float(row[column]) for v in row)
        places = range(larger + 1, larger + tied + 1)
        assert value == pytest.approx(sum(p <= k for p in places) / tied)
    everything = hits_at(rank_of_truth(sigma, truth), 6)
    assert (everything == 1).all()
