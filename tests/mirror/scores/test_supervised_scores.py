"""Targets that do not fit are refused, and odd parts have the value that the documentation says."""

from __future__ import annotations

import math

import pytest
import torch

from graphgauge.scores import LOSSES, SCORES, TargetError, hits_at_of_links, loss_of
from graphgauge.scores.losses import class_weighted_cross_entropy
from graphgauge.scores.supervised import class_accuracy, f1, mae

CLASSES = ("cross_entropy", "class_weighted_cross_entropy")


@pytest.mark.parametrize("name", ["l1", "mse"])
@pytest.mark.parametrize("shape", [(4, 1, 1), (1, 4), (4, 2), (3,), (1,), ()])
def test_values_are_never_broadcast(name: str, shape: tuple[int, ...]) -> None:
    with pytest.raises(TargetError, match="not broadcast"):
        LOSSES[name](torch.zeros(4, 1), torch.zeros(shape))


@pytest.mark.parametrize("name", CLASSES)
def test_classes_must_fit(name: str) -> None:
    said = torch.zeros(4, 3)
    for wrong, word in [
        (torch.zeros(4, 1, dtype=torch.int64), "want"),
        (torch.zeros(3, dtype=torch.int64), "want"),
        (torch.zeros(4), "whole numbers"),
        (torch.tensor([0, 1, 2, 3]), "from 0 to 3"),
        (torch.tensor([0, -1, 2, 1]), "from -1 to 2"),
    ]:
        with pytest.raises(TargetError, match=word):
            LOSSES[name](said, wrong)


@pytest.mark.parametrize("name", list(SCORES))
def test_every_score_has_a_definition(name: str) -> None:
    score = SCORES[name]
    assert score.definition.endswith(".")
    assert score.unit


def test_scores_refuse_what_losses_refuse() -> None:
    with pytest.raises(TargetError, match="not broadcast"):
        mae(torch.zeros(4, 1), torch.zeros(4, 1, 1))


def test_a_batch_of_one_class_has_no_loss_but_a_gradient() -> None:
    said = torch.zeros(4, 2, requires_grad=True)
    loss = class_weighted_cross_entropy(said, torch.ones(4, dtype=torch.int64))
    loss.backward()  # type: ignore[no-untyped-call]
    assert float(loss.detach()) == 0.0
    assert said.grad is not None
    assert not said.grad.any()


def test_classes_that_do_not_occur_are_left_out() -> None:
    said = torch.eye(3)[torch.tensor([0, 1, 1])]
    assert class_accuracy(said, torch.tensor([0, 1, 0])) == pytest.approx((0.5 + 1.0) / 2)


def test_f1_without_positives_is_zero() -> None:
    assert f1(torch.tensor([[1.0, 0.0]]), torch.tensor([0])) == 0.0


def test_hits_with_few_negatives_ties_and_nothing() -> None:
    assert hits_at_of_links(torch.zeros(3), torch.zeros(2), k=50) == 1.0
    assert hits_at_of_links(torch.zeros(3), torch.zeros(50), k=50) == 0.0  # a tie is no hit
    assert math.isnan(hits_at_of_links(torch.zeros(0), torch.zeros(50)))
    with pytest.raises(ValueError, match="at least 1"):
        hits_at_of_links(torch.zeros(3), torch.zeros(2), k=0)


def test_levels_weigh_by_their_outputs() -> None:
    said = {"node": torch.ones(7, 3), "graph": torch.zeros(2, 1)}
    true = {"node": torch.zeros(7, 3), "graph": torch.zeros(2)}
    assert float(loss_of("mse", said, true)) == pytest.approx(0.75)
