"""Assignments against enumeration of all of them; expected accuracy against all exchanges of twins."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
import torch

from graphgauge.graphs import GraphSet
from graphgauge.graphs.structure import orbits
from graphgauge.matching import SOLVERS, linear_assignment
from graphgauge.scores import accuracy, accuracy_expected, shared_edges


@pytest.mark.parametrize("seed", range(20))
def test_linear_assignment_is_the_best_of_all(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, m = rng.integers(1, 6), 6
    matrix = torch.from_numpy(rng.normal(size=(n, m)))
    best = max(sum(float(matrix[i, p[i]]) for i in range(n)) for p in permutations(range(m), int(n)))
    found = linear_assignment(matrix)
    assert len(set(found.tolist())) == n
    assert float(matrix[torch.arange(int(n)), found].sum()) == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_greedy_is_one_to_one_and_at_least_half_as_good(seed: int) -> None:
    matrix = torch.from_numpy(np.random.default_rng(seed).random((6, 8)))
    rows = torch.arange(6)
    greedy, best = SOLVERS["greedy"](matrix), linear_assignment(matrix)
    assert len(set(greedy.tolist())) == 6
    assert matrix[rows, greedy].sum() >= matrix[rows, best].sum() / 2


def automorphisms(graphs: GraphSet) -> list[list[int]]:
    edges = {tuple(e) for e in graphs.edge_index.T.tolist()}
    n = graphs.num_nodes
    return [list(p) for p in permutations(range(n)) if {(p[u], p[v]) for u, v in edges} == edges]


@pytest.mark.parametrize(
    "edges",
    [
        [(0, 1), (1, 2), (2, 3)],
        [(0, 1), (1, 2), (2, 3), (3, 0)],
        [(0, 1), (0, 2), (0, 3), (3, 4)],
        [(0, 1), (2, 3)],
        [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4)],
    ],
)
def test_expected_accuracy_is_the_mean_over_automorphisms(edges: list[tuple[int, int]]) -> None:
    """A model cannot know which automorphic copy was planted: average accuracy over all of them."""
    graph = GraphSet.from_edges([edges])
    n, ptr = graph.num_nodes, graph.node_ptr
    group = automorphisms(graph)
    rng = np.random.default_rng(0)
    for _ in range(5):
        predicted = torch.from_numpy(rng.permutation(n))
        truth = torch.from_numpy(rng.permutation(n))
        mean = np.mean([float(accuracy(predicted, truth[torch.tensor(a)], ptr)) for a in group])
        value = float(accuracy_expected(predicted, truth, orbits(graph), ptr))
        assert value == pytest.approx(mean, abs=1e-12)


def test_shared_edges_equal_the_sum_over_adjacency_matrices() -> None:
    rng = np.random.default_rng(3)
    adjacency = [np.triu(rng.random((7, 7)) < 0.4, 1) for _ in range(4)]
    graphs = GraphSet.from_edges([[tuple(map(int, e)) for e in np.argwhere(a)] for a in adjacency], [7] * 4)
    other = graphs[[1, 0, 3, 2]]
    perm = np.stack([rng.permutation(7) for _ in range(4)])
    predicted = torch.from_numpy((perm + 7 * np.arange(4)[:, None]).reshape(-1))
    found = shared_edges(graphs.edge_index, other.edge_index, predicted, graphs.edge_ptr)
    for g, partner in enumerate([1, 0, 3, 2]):
        a, b = (m + m.T for m in (adjacency[g], adjacency[partner]))
        assert found[g] == (a & b[np.ix_(perm[g], perm[g])]).sum() / 2
