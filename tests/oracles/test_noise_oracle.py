"""The sparse noise against the paper's formula on N×N matrices, and compiled loops against their twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphgauge.graphs import GraphSet
from graphgauge.graphs.ordering import edge_order, edge_order_plain, is_ordered
from graphgauge.perturb import NOISE, kernels
from graphgauge.perturb.edges import simple_edges

REPEATS = 4000
# The first example may compile a loop, so no deadline.
LAW = settings(max_examples=60, deadline=None)


def dense_noise(adjacency: np.ndarray, noise: float, removes: bool, rng: np.random.Generator) -> np.ndarray:
    """Paper A, section 4, as printed: |E| is the number of ones in A."""
    n, ones = len(adjacency), adjacency.sum()
    p_add = noise * ones / (n * (n - 1) - ones)

    def symmetric(p: float) -> np.ndarray:
        upper = np.triu(rng.random((n, n)) < p, 1)
        return upper | upper.T

    add, remove = symmetric(p_add), symmetric(noise if removes else 0.0)
    return (adjacency & ~remove) | (~adjacency & add)


@pytest.mark.parametrize("model", sorted(NOISE))
@pytest.mark.parametrize("edges", [[(0, 1), (1, 2), (2, 3), (3, 4), (1, 4)], [(0, 1), (0, 2), (0, 5)]])
def test_same_distribution_as_dense_matrices(edges: list[tuple[int, int]], model: str) -> None:
    """Frequency of every pair, and of every two pairs together (independence), within 4.5 σ of each other."""
    n, noise = 6, 0.3
    adjacency = np.zeros((n, n), bool)
    for u, v in edges:
        adjacency[u, v] = adjacency[v, u] = True
    rng = np.random.default_rng(11)
    theirs = np.stack([dense_noise(adjacency, noise, model == "add-remove", rng) for _ in range(REPEATS)])
    graphs = GraphSet.from_edges([edges], num_nodes=[n])[[0] * REPEATS]
    noisy = NOISE[model](graphs, noise, rng)
    ours = np.zeros((REPEATS, n, n), bool)
    source, target = noisy.edge_index.numpy()
    ours[source // n, source % n, target % n] = True
    upper = np.triu_indices(n, 1)
    flat_ours, flat_theirs = (a[:, upper[0], upper[1]].astype(float) for a in (ours, theirs))
    together_ours, together_theirs = (a.T @ a / REPEATS for a in (flat_ours, flat_theirs))
    p = (together_ours + together_theirs) / 2
    sigma = np.sqrt(p * (1 - p) * 2 / REPEATS)
    assert (np.abs(together_ours - together_theirs) <= 4.5 * sigma + 1e-12).all()


@st.composite
def raw_edges(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Any edges inside their graphs: loops, repeats and single directions too."""
    sizes = draw(st.lists(st.integers(0, 5), max_size=5))
    node_ptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    sources, targets, counts = [], [], []
    for start, n in zip(node_ptr, sizes, strict=False):
        ends = st.integers(0, max(n - 1, 0))
        some = draw(st.lists(st.tuples(ends, ends), max_size=6 if n else 0))
        if draw(st.booleans()):
            some = [(u, v) for u, v in set(some) | {(v, u) for u, v in some} if u != v]
        sources += [start + u for u, _ in some]
        targets += [start + v for _, v in some]
        counts.append(len(some))
    edge_ptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return np.array(sources, np.int64), np.array(targets, np.int64), node_ptr, edge_ptr


@LAW
@given(raw_edges())
def test_order_twin(raw: tuple[np.ndarray, ...]) -> None:
    source, target, node_ptr, _ = raw
    order = edge_order(source, target, node_ptr[-1])
    assert np.array_equal(order, edge_order_plain(source, target, node_ptr[-1]))
    assert is_ordered(source[order], target[order])
    assert is_ordered(source, target) == np.array_equal(order, np.arange(source.size))


@LAW
@given(raw_edges())
def test_fault_twin(raw: tuple[np.ndarray, ...]) -> None:
    source, target, node_ptr, _ = raw
    nodes = int(node_ptr[-1])
    order = edge_order_plain(source, target, nodes)
    source, target = source[order], target[order]
    kind, e = kernels.first_fault(source, target, nodes)
    plain_kind, plain_e = kernels.first_fault_plain(source, target, nodes)
    assert kind == plain_kind
    if kind == kernels.ONE_WAY:
        there = set(zip(source.tolist(), target.tolist(), strict=True))
        assert (target[e], source[e]) not in there
    else:
        assert e == plain_e


@LAW
@given(raw_edges(), st.integers(-1, 12), st.integers(0, 30))
def test_outside_twin(raw: tuple[np.ndarray, ...], node: int, where: int) -> None:
    source, target, node_ptr, edge_ptr = raw
    if source.size:
        source[where % source.size] = node
    found = kernels.first_outside(source, target, node_ptr, edge_ptr)
    assert found == kernels.first_outside_plain(source, target, node_ptr, edge_ptr)


@LAW
@given(raw_edges(), st.randoms(use_true_random=False))
def test_both_ways_and_each_once_twins(raw: tuple[np.ndarray, ...], random: object) -> None:
    source, target, node_ptr, _ = raw
    rng = np.random.default_rng(random.getrandbits(32))  # type: ignore[attr-defined]
    draw = rng.integers(0, np.arange(node_ptr[-1]) - np.repeat(node_ptr[:-1], np.diff(node_ptr)) + 1)
    new_id = kernels.shuffle(draw, node_ptr)
    assert np.array_equal(new_id, kernels.shuffle_plain(draw, node_ptr))
    low, high = np.minimum(source, target), np.maximum(source, target)
    low, high = (
        np.unique(np.stack([low, high])[:, low < high], axis=1) if (low < high).any() else (low[:0],) * 2
    )
    keep = rng.random(low.size) < 0.7
    edge_index, rows = kernels.both_ways(low, high, keep, new_id)
    plain_index, plain_rows = kernels.both_ways_plain(low, high, keep, new_id)
    assert np.array_equal(edge_index, plain_index)
    assert np.array_equal(rows, plain_rows)
    ptr = rows[node_ptr]
    once = kernels.each_once(*edge_index, node_ptr, ptr)
    for compiled, plain in zip(once, kernels.each_once_plain(*edge_index, node_ptr, ptr), strict=True):
        assert np.array_equal(compiled, plain)


def test_non_edges_before_each_edge_by_listing_all_pairs() -> None:
    rng = np.random.default_rng(2)
    lists = [[(u, v) for v in range(n) for u in range(v) if rng.random() < 0.5] for n in (6, 1, 7, 0, 4)]
    edges = simple_edges(GraphSet.from_edges(lists, num_nodes=[6, 1, 7, 0, 4]))
    expected, free = [], 0
    for n, present in zip((6, 1, 7, 0, 4), lists, strict=True):
        for pair in ((u, v) for v in range(n) for u in range(v)):
            if pair in present:
                expected.append(free)
            else:
                free += 1
    assert edges.before.tolist() == expected
