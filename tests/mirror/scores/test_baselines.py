"""Predictions that need no learning."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from graphgauge.scores.baselines import (
    best_neighbours,
    constant,
    majority,
    majority_by_group,
    mean_by_group,
    mutual_neighbours,
    nearest_neighbours,
    nearest_rank,
)

NUMBERS = st.lists(st.floats(-9, 9, width=32), min_size=1, max_size=30)


@given(NUMBERS)
@settings(max_examples=50, deadline=None)
def test_median_and_mean_are_the_best_constants(values: list[float]) -> None:
    train = torch.tensor(values, dtype=torch.float64)
    for kind, power in (("median", 1), ("mean", 2)):
        best = constant(train, 1, kind)  # type: ignore[arg-type]
        error = ((train - best).abs() ** power).mean()
        for other in (*values, 0.0, float(best) + 0.1, float(best) - 0.1):
            assert error <= ((train - other).abs() ** power).mean() + 1e-9


def test_constants_of_several_columns() -> None:
    train = torch.tensor([[1.0, 0.0], [2.0, 5.0], [9.0, 1.0]])
    assert constant(train, 2).tolist() == [[2.0, 1.0]] * 2
    assert constant(train, 0, "mean").shape == (0, 2)
    assert constant(torch.tensor([1, 2]), 1).tolist() == [1.5]


def test_majority_takes_the_smallest_of_equals() -> None:
    assert majority(torch.tensor([3, 1, 1, 3, 0]), 2).tolist() == [1, 1]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=40))
@settings(max_examples=50, deadline=None)
def test_groups_one_by_one(pairs: list[tuple[int, int]]) -> None:
    group, y = torch.tensor(pairs).T
    wanted = torch.arange(6)
    classes, means = majority_by_group(y, group, wanted), mean_by_group(y, group, wanted)
    for g in range(6):
        own = y[group == g] if bool((group == g).any()) else y
        assert int(classes[g]) == int(torch.bincount(own).argmax())
        assert float(means[g]) == pytest.approx(float(own.double().mean()), abs=1e-6)


def test_means_of_groups_have_all_columns() -> None:
    train = torch.tensor([[1.0, 2.0], [3.0, 4.0], [10.0, 20.0]])
    found = mean_by_group(train, torch.tensor([1, 1, 0]), torch.tensor([1, 0, 5]))
    assert found.tolist()[:2] == [[2.0, 3.0], [10.0, 20.0]]
    assert found[2].tolist() == pytest.approx(train.mean(0).tolist())


def everything(points: Tensor) -> tuple[Tensor, Tensor]:
    n = len(points)
    pairs = torch.cartesian_prod(torch.arange(n), torch.arange(n))
    edge_index = pairs[pairs[:, 0] != pairs[:, 1]].T
    return edge_index, (points[edge_index[0]] - points[edge_index[1]]).norm(dim=1)


def test_ranks_against_sorting_every_node_alone() -> None:
    points = torch.rand(12, 2, generator=torch.Generator().manual_seed(0))
    edge_index, length = everything(points)
    rank = nearest_rank(edge_index, length, 12)
    for i in range(12):
        own = (edge_index[0] == i).nonzero()[:, 0]
        assert rank[own].tolist() == length[own].argsort().argsort().tolist()
    shuffled = torch.randperm(len(length), generator=torch.Generator().manual_seed(1))
    assert torch.equal(nearest_rank(edge_index[:, shuffled], length[shuffled], 12), rank[shuffled])


@pytest.mark.parametrize("k", [1, 2, 4])
def test_mutual_neighbours_against_the_definition(k: int) -> None:
    points = torch.rand(15, 2, generator=torch.Generator().manual_seed(k))
    edge_index, length = everything(points)
    near = torch.cdist(points, points).fill_diagonal_(9).argsort(1)[:, :k]
    one = [int(v in near[u]) for u, v in edge_index.T.tolist()]
    both = [int(v in near[u] and u in near[v]) for u, v in edge_index.T.tolist()]
    assert nearest_neighbours(edge_index, length, 15, k).tolist() == one
    assert mutual_neighbours(edge_index, length, 15, k).tolist() == both


def test_best_neighbours_finds_the_rule_that_made_the_targets() -> None:
    points = torch.rand(30, 2, generator=torch.Generator().manual_seed(0))
    edge_index, length = everything(points)
    for rule in (mutual_neighbours, nearest_neighbours):
        y = rule(edge_index, length, 30, 3)
        assert best_neighbours(edge_index, length, 30, y, rule=rule) == 3


def test_nothing_to_learn_from_is_refused() -> None:
    none = torch.zeros(0, dtype=torch.int64)
    for call in (
        lambda: constant(torch.zeros(0), 1),
        lambda: majority(none, 1),
        lambda: mean_by_group(none, none, none),
        lambda: majority_by_group(none, none, none),
    ):
        with pytest.raises(ValueError, match="at least one training target"):
            call()


def test_bad_arguments_are_named() -> None:
    y = torch.tensor([0, 1])
    with pytest.raises(ValueError, match="2 training targets, but groups of shape"):
        mean_by_group(y, torch.tensor([0]), y)
    with pytest.raises(ValueError, match="one is -1"):
        majority_by_group(y, torch.tensor([0, -1]), y)
    with pytest.raises(ValueError, match="not 'mode'"):
        constant(y, 1, "mode")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="k must be at least 1, got 0"):
        mutual_neighbours(torch.tensor([[0], [1]]), torch.tensor([1.0]), 2, 0)
