"""Laws of the noise models and of random relabelling, on graphs of every kind."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from graphgauge.graphs import GraphError, GraphSet
from graphgauge.perturb import NOISE, make_pairs, relabel_randomly
from graphgauge.perturb.noise import addition_probability

MODELS = sorted(NOISE)
# The first example may compile a loop, so no deadline.
LAW = settings(max_examples=60, deadline=None)


@st.composite
def graph_sets(draw: st.DrawFn, density: float = 0.6) -> GraphSet:
    """Up to six graphs of 0 to 9 nodes, a trailing empty one among them now and then."""
    edges, nodes = [], []
    for _ in range(draw(st.integers(0, 6))):
        n = draw(st.integers(0, 9))
        pairs = [(u, v) for v in range(n) for u in range(v)]
        most = int(density * len(pairs))
        edges.append(draw(st.lists(st.sampled_from(pairs), unique=True, max_size=most)) if most else [])
        nodes.append(n)
    if draw(st.booleans()):
        edges.append([])
        nodes.append(0)
    return GraphSet.from_edges(edges, num_nodes=nodes)


def undirected(graphs: GraphSet) -> set[tuple[int, int]]:
    edges = list(zip(*graphs.edge_index.tolist(), strict=True))
    assert len(set(edges)) == len(edges)
    assert all((v, u) in set(edges) and u != v for u, v in edges)
    return {(u, v) for u, v in edges if u < v}


@LAW
@given(graph_sets(), st.sampled_from(MODELS), st.integers(0, 2**40))
def test_without_noise_truth_is_an_isomorphism(graphs: GraphSet, model: str, seed: int) -> None:
    pairs = make_pairs(graphs, 0.0, model, seed).check()
    assert undirected(pairs.left.relabel(pairs.truth)) == undirected(pairs.right)


@LAW
@given(graph_sets(), st.sampled_from(MODELS), st.floats(0, 0.6), st.integers(0, 2**40))
def test_places_order_and_simplicity(graphs: GraphSet, model: str, noise: float, seed: int) -> None:
    pairs = make_pairs(graphs, noise, model, seed).check()
    assert torch.equal(pairs.right.node_ptr, graphs.node_ptr)
    undirected(pairs.right)
    source, target = pairs.right.edge_index
    assert ((target * (graphs.num_nodes + 1) + source).diff() > 0).all()
    assert not pairs.right.directed


@LAW
@given(graph_sets(), st.floats(0, 0.6), st.integers(0, 2**40))
def test_adding_keeps_every_edge(graphs: GraphSet, noise: float, seed: int) -> None:
    pairs = make_pairs(graphs, noise, "add", seed)
    assert undirected(pairs.left.relabel(pairs.truth)) <= undirected(pairs.right)


@LAW
@given(graph_sets(), st.sampled_from(MODELS), st.integers(0, 2**40), st.data())
def test_edge_order_of_the_input_does_not_matter(
    graphs: GraphSet, model: str, seed: int, data: st.DataObject
) -> None:
    flipped = GraphSet(graphs.node_ptr, graphs.edge_index.flip(0), graphs.edge_ptr)
    shuffled = graphs.edge_index.clone()
    for start, end in zip(graphs.edge_ptr[:-1].tolist(), graphs.edge_ptr[1:].tolist(), strict=True):
        order = data.draw(st.permutations(range(start, end)))
        shuffled[:, start:end] = graphs.edge_index[:, torch.tensor(order, dtype=torch.int64)]
    mixed = GraphSet(graphs.node_ptr, shuffled, graphs.edge_ptr)
    rights = [make_pairs(g, 0.3, model, seed).right.content_hash for g in (graphs, flipped, mixed)]
    assert len(set(rights)) == 1


@LAW
@given(graph_sets(), st.sampled_from(MODELS), st.integers(0, 2**40))
def test_same_seed_same_pairs(graphs: GraphSet, model: str, seed: int) -> None:
    first, second = (make_pairs(graphs, 0.2, model, seed) for _ in range(2))
    assert first.content_hash == second.content_hash
    assert first.meta == second.meta


def test_other_seed_other_pairs() -> None:
    graphs = GraphSet.from_edges([[(i, (i + 1) % 30) for i in range(30)]])
    assert len({make_pairs(graphs, 0.2, seed=s).content_hash for s in range(20)}) == 20


SHAPES = {
    "one edge and a spare node": (3, [(0, 1)]),
    "N=5, m=4": (5, [(0, 1), (1, 2), (2, 3), (3, 4)]),
    "star": (12, [(0, i) for i in range(1, 12)]),
    "cycle": (40, [(i, (i + 1) % 40) for i in range(40)]),
    "dense": (10, [(u, v) for v in range(10) for u in range(v) if (u + v) % 4]),
    "no edge": (6, []),
    "one node": (1, []),
}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("shape", SHAPES)
def test_counts_are_within_four_sigma(shape: str, model: str) -> None:
    n, edges = SHAPES[shape]
    m, noise, copies = len(edges), 0.25, 20_000
    free = n * (n - 1) // 2 - m
    graphs = GraphSet.from_edges([edges], num_nodes=[n])[[0] * copies]
    noisy = NOISE[model](graphs, noise, np.random.default_rng(5))
    old = _keys(graphs, n)
    new = _keys(noisy, n)
    kept, added = np.isin(new, old).sum(), (~np.isin(new, old)).sum()
    removal = noise if model == "add-remove" else 0.0
    addition = noise * m / free if m else 0.0
    for count, places, p in ((m * copies - kept, m, removal), (added, free, addition)):
        sigma = np.sqrt(copies * places * p * (1 - p))
        assert abs(count - copies * places * p) <= 4 * sigma


def _keys(graphs: GraphSet, n: int) -> np.ndarray:
    """One number for each undirected edge of a set of graphs of n nodes."""
    source, target = graphs.edge_index.numpy()
    return (source * n + target % n)[source < target]


def test_two_nodes() -> None:
    """One edge on two nodes is complete: it may go, nothing may come; without edges nothing happens."""
    edge = GraphSet.from_edges([[(0, 1)]])
    assert make_pairs(edge, 0.9, "add").right.num_edges == 2
    with pytest.raises(GraphError, match="graph 0"):
        make_pairs(edge, 0.1, "add-remove")
    assert make_pairs(edge, 0.0, "add-remove").right.num_edges == 2
    assert make_pairs(GraphSet.from_edges([[]], num_nodes=[2]), 0.9).right.num_edges == 0


@LAW
@given(st.integers(2, 400), st.data(), st.floats(0.001, 0.999))
def test_probabilities_balance_or_raise(n: int, data: st.DataObject, noise: float) -> None:
    pairs = n * (n - 1) // 2
    m = data.draw(st.integers(0, pairs))
    if m and noise > (pairs / m - 1) * (1 + 1e-9):
        with pytest.raises(GraphError, match=rf"graph 0: N = {n} nodes and m = {m} edges"):
            addition_probability(np.array([n]), np.array([m]), noise)
    elif noise < (pairs / max(m, 1) - 1) * (1 - 1e-9):
        p = addition_probability(np.array([n]), np.array([m]), noise)[0]
        assert 0 <= p <= 1
        assert p * (pairs - m) == pytest.approx(noise * m)


def test_at_the_bound_every_non_edge_is_added() -> None:
    graphs = GraphSet.from_edges([[(0, 1), (1, 2), (2, 3), (3, 0)]])  # M/m - 1 = 0.5
    for seed in range(50):
        assert make_pairs(graphs, 0.5, "add", seed).right.num_edges == 12


@pytest.mark.parametrize(
    "numbers",
    [
        lambda graphs: relabel_randomly(graphs, np.random.default_rng(3))[1],
        lambda graphs: make_pairs(graphs, 0.0, seed=3).truth,
    ],
    ids=["relabel_randomly", "make_pairs"],
)
def test_relabelling_is_uniform(numbers: Callable[[GraphSet], torch.Tensor]) -> None:
    copies = 24_000
    new_id = numbers(GraphSet.from_edges([[]], num_nodes=[4])[[0] * copies])
    orders = (new_id.reshape(copies, 4) % 4) @ torch.tensor([64, 16, 4, 1])
    _, counts = orders.unique(return_counts=True)
    assert counts.numel() == 24
    assert float(((counts - 1000) ** 2 / 1000).sum()) < chi2.ppf(0.9999, 23)


@LAW
@given(graph_sets(), st.integers(0, 2**40))
def test_relabelling_moves_columns_with_their_nodes_and_edges(graphs: GraphSet, seed: int) -> None:
    source, target = graphs.edge_index
    marked = graphs.with_columns(
        node={"old": torch.arange(graphs.num_nodes)}, edge={"ends": torch.stack([source, target], 1)}
    )
    moved, new_id = relabel_randomly(marked, np.random.default_rng(seed))
    assert torch.equal(new_id[moved.old], torch.arange(graphs.num_nodes))
    assert torch.equal(new_id[moved.ends].T, moved.edge_index)
