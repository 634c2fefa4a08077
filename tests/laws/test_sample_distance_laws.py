"""Laws of Fréchet, kernel distance, P/R/D/C and classifier scores: identity, symmetry, ranges, order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphgauge.distances.classifier import classifier_accuracy
from graphgauge.distances.frechet import frechet
from graphgauge.distances.kernel_distance import kernel_distance
from graphgauge.distances.polygraph import polygraph_discrepancy
from graphgauge.distances.prdc import METRICS, prdc
from graphgauge.distances.result import Distance

Array = np.ndarray[Any, Any]


def metric(name: str) -> Callable[[Array, Array], Distance]:
    return lambda x, y: prdc(x, y, 3, metrics=[name])[name]


DISTANCES: dict[str, Callable[[Array, Array], Distance]] = {
    "fd": frechet,
    "fd, standardised": lambda x, y: frechet(x, y, standardise=True),
    "kd": kernel_distance,
    "kd, biased": lambda x, y: kernel_distance(x, y, unbiased=False),
    "kd, subsets": lambda x, y: kernel_distance(x, y, subsets=3, subset_size=5),
    "c2st": lambda x, y: classifier_accuracy(x, y, folds=2),
    "pgd": polygraph_discrepancy,
    "pgd, tv": lambda x, y: polygraph_discrepancy(x, y, variant="tv"),
    **{name: metric(name) for name in METRICS},
}
SYMMETRIC = ("fd", "kd", "kd, biased", "f1_pr")


def draw(seed: int, ties: bool) -> tuple[Array, Array]:
    """Two samples of unequal size; on a lattice with duplicates, if ties are asked for."""
    rng = np.random.default_rng(seed)
    n, m, d = rng.integers(6, 25), rng.integers(6, 25), rng.integers(1, 12)
    x, y = rng.normal(size=(n, d)), rng.normal(size=(m, d)) * rng.uniform(0.3, 3) + rng.normal()
    return (np.round(x), np.round(y)) if ties else (x, y)


@pytest.mark.parametrize("name", DISTANCES)
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000), ties=st.booleans())
def test_range_order_of_rows_and_float32(name: str, seed: int, ties: bool) -> None:
    x, y = draw(seed, ties)
    result = DISTANCES[name](x, y)
    low, high = result.range
    assert low <= result.value <= high
    assert (result.definition["n"], result.definition["m"]) == (len(x), len(y))
    rng = np.random.default_rng(seed)
    shuffled = DISTANCES[name](x[rng.permutation(len(x))], y[rng.permutation(len(y))])
    assert shuffled.value == pytest.approx(result.value, rel=1e-9, abs=1e-9)
    if ties:  # whole numbers are the same numbers in single precision
        assert DISTANCES[name](x.astype(np.float32), y.astype(np.float32)).value == result.value


@pytest.mark.parametrize("name", SYMMETRIC)
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000), ties=st.booleans())
def test_symmetric_ones_are(name: str, seed: int, ties: bool) -> None:
    x, y = draw(seed, ties)
    assert DISTANCES[name](y, x).value == pytest.approx(DISTANCES[name](x, y).value, rel=1e-9, abs=1e-12)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), ties=st.booleans())
def test_recall_is_precision_the_other_way_round(seed: int, ties: bool) -> None:
    x, y = draw(seed, ties)
    assert DISTANCES["recall"](x, y).value == DISTANCES["precision"](y, x).value


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), ties=st.booleans())
def test_a_sample_against_itself(seed: int, ties: bool) -> None:
    """0 apart, and 1 for all six of P/R/D/C, whatever is duplicated in it."""
    x, _ = draw(seed, ties)
    assert frechet(x, x).value == pytest.approx(0.0, abs=1e-12)
    assert kernel_distance(x, x, unbiased=False).value == pytest.approx(0.0, abs=1e-9)
    for name, result in prdc(x, x, 3).items():
        assert result.value == pytest.approx(1.0, abs=1e-12), name
    assert classifier_accuracy(x, x, folds=2).value <= 0.75


@pytest.mark.parametrize(("ties", "density"), [("shared", 1.0), ("open", 0.0), ("closed", 40 / 5)])
def test_all_equal_points_by_rule(ties: str, density: float) -> None:
    x = np.full((30, 4), 0.3)
    y = np.full((40, 4), 0.3)
    values = {name: float(result) for name, result in prdc(x, y, ties=ties).items()}
    assert values["density"] == pytest.approx(density, abs=1e-12)
    for name in ("precision", "recall", "coverage", "f1_pr"):
        assert values[name] == (0.0 if ties == "open" else 1.0), name
    assert float(frechet(x, y)) == pytest.approx(0.0, abs=1e-20)
    assert float(kernel_distance(x, y)) == pytest.approx(0.0, abs=1e-12)
    assert float(polygraph_discrepancy(x, y)) == 0.0
    assert float(classifier_accuracy(x, y)) == 0.5


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), ties=st.booleans(), copies=st.integers(2, 4))
def test_density_of_a_sample_whose_points_all_occur_several_times(seed: int, ties: bool, copies: int) -> None:
    x, _ = draw(seed, ties)
    many = np.repeat(x, copies, axis=0)
    assert prdc(x, many, 3)["density"].value == pytest.approx(1.0, abs=1e-12)
    assert prdc(many, many, 3)["density"].value == pytest.approx(1.0, abs=1e-12)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), exponent=st.integers(-300, 300))
def test_prdc_does_not_know_the_unit(seed: int, exponent: int) -> None:
    x, y = draw(seed, ties=True)
    scaled = prdc(np.ldexp(x, exponent), np.ldexp(y, exponent), 3)
    assert [r.value for r in scaled.values()] == [r.value for r in prdc(x, y, 3).values()]


def test_unbiased_kernel_distance_may_be_negative_and_biased_may_not() -> None:
    rng = np.random.default_rng(0)
    draws = [rng.normal(size=(2, 6, 4)) for _ in range(200)]
    assert 40 < sum(float(kernel_distance(x, y)) < 0 for x, y in draws) < 160
    assert all(float(kernel_distance(x, y, unbiased=False)) >= 0 for x, y in draws)


def test_scores_rise_with_the_distance() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(300, 5)), rng.normal(size=(300, 5))
    for name in ("fd", "kd", "c2st", "pgd", "pgd, tv"):
        values = [DISTANCES[name](x + shift, y).value for shift in (0.0, 0.3, 0.6, 1.2, 2.4)]
        assert values == sorted(values), name
    for name in ("precision", "recall", "density", "coverage"):
        values = [DISTANCES[name](x + shift, y).value for shift in (0.0, 1.2, 2.4, 4.8)]
        assert values == sorted(values, reverse=True), name


def test_p_values_of_the_table_are_spread_nearly_evenly() -> None:
    rng = np.random.default_rng(3)
    values = [classifier_accuracy(*rng.normal(size=(2, 40, 3))).extra["p_value"] for _ in range(60)]
    assert np.mean(np.array(values) <= 0.05) < 0.2
    assert 0.3 < np.mean(values) < 0.7


@pytest.mark.slow
def test_p_values_of_permutations_are_spread_evenly() -> None:
    rng = np.random.default_rng(3)
    options = {"folds": 2, "permutations": 19}
    values = [
        classifier_accuracy(*rng.normal(size=(2, 20, 2)), **options).extra["p_value"] for _ in range(100)
    ]
    assert np.mean(np.array(values) <= 0.1) < 0.2
    assert 0.4 < np.mean(values) < 0.65


def test_permutation_p_value_of_samples_far_apart_is_the_smallest_there_is() -> None:
    x, y = np.random.default_rng(0).normal(size=(2, 20, 2))
    assert classifier_accuracy(x + 9.0, y, folds=2, permutations=19).extra["p_value"] == 1 / 20


def test_what_a_classifier_learns_by_heart_does_not_count() -> None:
    """More columns than training rows: told apart without error in training, by chance outside of it."""
    x, y = np.random.default_rng(0).normal(size=(2, 60, 80))
    assert polygraph_discrepancy(x, y).value < 0.2
    assert 0.3 < classifier_accuracy(x, y).value < 0.7
