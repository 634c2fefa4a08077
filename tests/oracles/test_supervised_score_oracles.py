"""Supervised scores and losses against scikit-learn, PyTorch and OGB's definition of hits."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn import metrics
from torch.nn import functional as F

from graphgauge.scores import SCORES, hits_at_of_links, link_bce, loss_of
from graphgauge.scores.losses import class_weighted_cross_entropy
from graphgauge.scores.supervised import accuracy_of_classes, class_accuracy, f1, log10_mse_of_outputs, mae


def classes(seed: int, count: int, n: int = 200) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    said = torch.randn(n, count, generator=generator)
    return said, torch.randint(0, count, (n,), generator=generator)


@pytest.mark.parametrize("count", [2, 6])
def test_accuracies_are_those_of_scikit_learn(count: int) -> None:
    said, true = classes(0, count)
    chosen = said.argmax(1)
    assert accuracy_of_classes(said, true) == pytest.approx(metrics.accuracy_score(true, chosen))
    assert class_accuracy(said, true) == pytest.approx(metrics.balanced_accuracy_score(true, chosen))


def test_f1_is_that_of_scikit_learn() -> None:
    for seed in range(5):
        said, true = classes(seed, 2)
        assert f1(said, true) == pytest.approx(metrics.f1_score(true, said.argmax(1)))


def test_mae_is_that_of_scikit_learn() -> None:
    generator = torch.Generator().manual_seed(1)
    said, true = torch.randn(50, 1, generator=generator), torch.randn(50, generator=generator)
    assert mae(said, true) == pytest.approx(metrics.mean_absolute_error(true, said), abs=1e-6)


def test_weighted_loss_is_the_published_formula() -> None:
    """Weight (V − n_c) / V of the classes that are there, 0 of the others, in PyTorch's weighted mean."""
    said, true = classes(3, 4)
    true[true == 2] = 1  # class 2 is absent
    weight = [0.0 if not (true == c).any() else float((true != c).sum()) / len(true) for c in range(4)]
    expected = F.cross_entropy(said, true, weight=torch.tensor(weight))
    assert class_weighted_cross_entropy(said, true) == pytest.approx(float(expected), rel=1e-6)


def test_hits_by_counting() -> None:
    rng = np.random.default_rng(0)
    positive, negative = rng.normal(1, 1, 300), rng.normal(0, 1, 1000)
    for k in (1, 10, 50):
        bar = sorted(negative)[-k]
        expected = sum(p > bar for p in positive) / 300
        assert hits_at_of_links(torch.tensor(positive), torch.tensor(negative), k) == pytest.approx(expected)


def test_link_loss_is_the_published_one_without_its_guards() -> None:
    generator = torch.Generator().manual_seed(2)
    positive, negative = torch.randn(40, generator=generator), torch.randn(70, generator=generator)
    expected = -(positive.sigmoid().log().mean() + (1 - negative.sigmoid()).log().mean())
    assert float(link_bce(positive, negative)) == pytest.approx(float(expected), rel=1e-5)


def test_six_properties_are_averaged_over_outputs() -> None:
    generator = torch.Generator().manual_seed(3)
    said = {"node": torch.randn(30, 3, generator=generator), "graph": torch.randn(5, 3, generator=generator)}
    true = {"node": torch.randn(30, 3, generator=generator), "graph": torch.randn(5, 3, generator=generator)}
    errors = [((said[k] - true[k]) ** 2).mean(0) for k in said]
    six = torch.cat(errors)
    assert float(loss_of("mse", said, true)) == pytest.approx(float(six.mean()), rel=1e-6)
    assert torch.allclose(log10_mse_of_outputs(said, true), six.double().log10(), atol=1e-6)
    of = SCORES["log10_mse"].of
    assert of is not None
    assert of(said, true) == pytest.approx(float(six.log10().mean()), rel=1e-5)
