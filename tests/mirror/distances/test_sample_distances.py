"""Fréchet, kernel distance, P/R/D/C and classifier scores: options, errors, what is computed."""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any

import numpy as np
import pytest

from graphgauge.distances.classifier import classifier_accuracy
from graphgauge.distances.frechet import frechet
from graphgauge.distances.kernel_distance import kernel_distance
from graphgauge.distances.polygraph import polygraph_discrepancy
from graphgauge.distances.prdc import prdc, reference_balls
from graphgauge.distances.scaling import standardise_by

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(20, 3)), RNG.normal(size=(30, 3)) + 0.5


def test_results_say_what_they_are() -> None:
    results = [frechet(X, Y), kernel_distance(X, Y), classifier_accuracy(X, Y), polygraph_discrepancy(X, Y)]
    for result in [*results, *prdc(X, Y).values()]:
        assert {"n": 20, "m": 30, "d": 3}.items() <= result.definition.items()
        json.dumps(dict(result.definition)), json.dumps(dict(result.extra))
    assert [r.name for r in results] == ["fd", "kd", "c2st", "pgd"]
    assert all(r.lower_is_better for r in results)
    assert not any(r.lower_is_better for r in prdc(X, Y).values())
    assert frechet(X, Y).definition["squared"] is True


@pytest.mark.parametrize(
    "function", [frechet, kernel_distance, classifier_accuracy, polygraph_discrepancy, prdc]
)
def test_bad_samples_raise(function: Any) -> None:
    with pytest.raises(ValueError, match="row 1, column 2 is nan"):
        function(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, np.nan]]), Y)
    with pytest.raises(ValueError, match="columns"):
        function(X[:, :2], Y)
    with pytest.raises(ValueError, match="empty"):
        function(X[:0], Y)


def test_one_row_is_too_few() -> None:
    with pytest.raises(ValueError, match="y: a covariance needs at least 2 rows"):
        frechet(X, Y[:1])
    with pytest.raises(ValueError, match="at least 2 rows"):
        kernel_distance(X[:1], Y)
    assert float(kernel_distance(X[:1], Y, unbiased=False)) > 0
    with pytest.raises(ValueError, match="at least 4 rows"):
        polygraph_discrepancy(X[:3], Y)
    with pytest.raises(ValueError, match="folds must be"):
        classifier_accuracy(X[:4], Y)


@pytest.mark.parametrize("k", [0, 20, 30])
def test_k_must_be_smaller_than_both_samples(k: int) -> None:
    with pytest.raises(ValueError, match=f"smaller than every sample; got {k}, x has 20 rows"):
        prdc(X, Y, k)
    with pytest.raises(ValueError, match=f"got {k}"):
        prdc(Y, X, k)


def test_balls_of_the_reference_are_made_once_for_many() -> None:
    known = reference_balls(Y, 4, ties="closed")
    for x in (X, X + 1.0, Y):
        assert prdc(x, known, 4, ties="closed") == prdc(x, Y, 4, ties="closed")
    with pytest.raises(
        ValueError, match=r"made with .* \(4, 'closed', 0.0\); asked for \(5, 'shared', 0.0\)"
    ):
        prdc(X, known)
    with pytest.raises(ValueError, match="x has 2 columns and y has 3"):
        prdc(X[:, :2], known, 4, ties="closed")
    with pytest.raises(ValueError, match="standardise both samples before"):
        prdc(X, known, 4, ties="closed", standardise=True)
    with pytest.raises(ValueError, match="y has 4 rows"):
        reference_balls(Y[:4])


def test_values_beyond_all_measure_raise() -> None:
    with pytest.raises(ValueError, match="as large as any of y"):
        prdc(X * 1e200, Y)


def test_rounding_noise_is_no_difference_at_a_coarser_resolution() -> None:
    copies = np.repeat(Y, 8, axis=0)
    noisy = copies * (1.0 + 1e-15 * RNG.normal(size=copies.shape))
    clean = prdc(X, copies, resolution=1e-9)
    assert {name: r.value for name, r in prdc(X, noisy, resolution=1e-9).items()} == {
        name: r.value for name, r in clean.items()
    }
    assert clean["density"].definition["resolution"] == 1e-9
    known = reference_balls(noisy, resolution=1e-9)
    assert prdc(X, known, resolution=1e-9) == prdc(X, noisy, resolution=1e-9)
    assert prdc(copies, copies, resolution=1e-9)["density"].value == pytest.approx(1.0, abs=1e-12)
    with pytest.raises(ValueError, match="resolution must be"):
        prdc(X, Y, resolution=2.0)


def test_four_rows_are_enough_for_polygraph() -> None:
    assert 0.0 <= float(polygraph_discrepancy({"a": X[:4], "b": X[:4] ** 2}, {"a": Y, "b": Y**2})) <= 1.0


def test_unknown_names_raise() -> None:
    with pytest.raises(ValueError, match="'recal'; there are precision, recall"):
        prdc(X, Y, metrics=["recal"])
    with pytest.raises(ValueError, match="'half'; there are shared, open, closed"):
        prdc(X, Y, ties="half")
    with pytest.raises(ValueError, match="'jsd'; there are js, tv"):
        polygraph_discrepancy(X, Y, variant="jsd")


@pytest.mark.parametrize(
    ("metrics", "samples_with_balls"),
    [
        (["coverage"], 1),
        (["recall"], 1),
        (["density", "coverage", "f1_dc"], 1),
        (["f1_pr"], 2),
        (["recall", "density"], 2),
    ],
)
def test_only_what_is_asked_is_computed(
    metrics: list[str], samples_with_balls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = sys.modules[prdc.__module__]  # the room's front door has the function under the module's name
    calls = {"balls": 0, "meet": 0}

    def counted(name: str) -> Any:
        original = getattr(room, name)

        def call(*arguments: Any) -> Any:
            calls[name] += 1
            return original(*arguments)

        return call

    for name in calls:
        monkeypatch.setattr(room, name, counted(name))
    assert list(prdc(X, Y, metrics=metrics)) == metrics
    assert calls == {"balls": samples_with_balls, "meet": 1}  # one look at all pairs serves both directions


def test_a_tuple_of_one_name_may_be_the_name() -> None:
    assert list(prdc(X, Y, metrics="density")) == ["density"]


def test_standardisation_is_by_the_reference() -> None:
    standard, same = standardise_by(Y, Y, X)
    assert standard.std(axis=0) == pytest.approx(np.ones(3))
    assert same == pytest.approx((X - Y.mean(axis=0)) / Y.std(axis=0))
    scaled = frechet(X * [1, 1000, 1], Y * [1, 1000, 1], standardise=True)
    assert float(scaled) == pytest.approx(float(frechet(X, Y, standardise=True)))
    assert scaled.definition["scaler"] == "reference"
    assert frechet(X, Y).definition["scaler"] is None


def test_a_constant_column_of_the_reference_keeps_its_unit() -> None:
    flat = np.column_stack([Y, np.full(30, 0.1)])
    moved = np.column_stack([X, np.full(20, 2.1)])
    difference = float(frechet(moved, flat, standardise=True)) - float(frechet(X, Y, standardise=True))
    assert difference == pytest.approx(4.0)


def test_kernel_distance_on_7_and_5_rows_says_what_it_took() -> None:
    whole = kernel_distance(X[:7], Y[:5])
    assert (whole.definition["rows"], whole.definition["n"], whole.definition["m"]) == ("all", 7, 5)
    subsets = kernel_distance(X[:7], Y[:5], subsets=4)
    assert subsets.definition["rows"] == "mean of 4 subsets of 5, seed 0"
    assert subsets.extra["spread"] > 0
    assert subsets.value != kernel_distance(X[:7], Y[:5], subsets=4, seed=1).value


def test_subsets_of_everything_are_everything() -> None:
    whole, subsets = kernel_distance(X, Y[:20]), kernel_distance(X, Y[:20], subsets=2)
    assert subsets.value == pytest.approx(whole.value, rel=1e-12)
    assert subsets.extra["spread"] == pytest.approx(0.0, abs=1e-12)


def test_polygraph_chooses_its_descriptor_on_the_training_halves() -> None:
    result = polygraph_discrepancy(
        {"noise": RNG.normal(size=(40, 2)), "moved": RNG.normal(size=(40, 2)) + 3.0},
        {"noise": RNG.normal(size=(50, 2)), "moved": RNG.normal(size=(50, 2))},
    )
    training = result.extra["training_scores"]
    assert result.extra["descriptor"] == max(training, key=training.__getitem__) == "moved"
    assert result.value == result.extra["subscores"]["moved"]


def test_descriptors_must_agree() -> None:
    with pytest.raises(ValueError, match="x has descriptors"):
        polygraph_discrepancy({"a": X}, {"b": Y})
    with pytest.raises(ValueError, match=r"descriptor 'b' has \(20, 29\) rows, 'a' has \(20, 30\)"):
        polygraph_discrepancy({"a": X, "b": X}, {"a": Y, "b": Y[:29]})
    with pytest.raises(ValueError, match="both"):
        polygraph_discrepancy(X, {"a": Y})


def test_same_seed_same_number() -> None:
    for function in (classifier_accuracy, polygraph_discrepancy):
        assert function(X, Y, seed=3).value == function(X, Y, seed=3).value
    values = {classifier_accuracy(X, Y, seed=seed).value for seed in range(8)}
    assert len(values) > 1


def test_a_column_that_varies_by_rounding_is_no_unit() -> None:
    reference = np.array([[1.0, 1e-17], [2.0, 0.0], [3.0, 0.0]])
    (standard,) = standardise_by(reference, np.array([[2.0, 0.5]]))
    assert standard[0, 0] == 0.0
    assert abs(standard[0, 1]) < 1.0


def test_samples_that_are_far_apart_are_told_without_a_warning() -> None:
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(size=(15, 40)) * 1e-3, rng.normal(size=(15, 40)) * 1e3])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert float(polygraph_discrepancy(x + 1e4, rng.normal(size=(30, 40)))) > 0.9
