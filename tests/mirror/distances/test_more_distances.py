"""Wasserstein, the kept reference of Fréchet, approximate MMD: conventions and errors."""

from __future__ import annotations

import time

import numpy as np
import pytest

from graphgauge.distances import (
    frechet,
    frechet_reference,
    mmd_approximate,
    polygraph_discrepancy,
    rbf,
    wasserstein,
)

RNG = np.random.default_rng(1)
X, Y = RNG.normal(size=(30, 4)), RNG.normal(size=(25, 4))


def test_wasserstein_says_what_it_is():
    result = wasserstein([0, 1, 3], [5, 6, 8, 9])
    assert (result.name, result.range, result.lower_is_better) == ("w1", (0.0, np.inf), True)
    assert (result.definition["squared"], result.definition["n"], result.definition["m"]) == (False, 3, 4)
    assert result.value == pytest.approx(7.0 - 4.0 / 3.0)


def test_wasserstein_of_bad_input():
    for x, y, message in (
        ([[1.0, 2.0]], [[1.0, 2.0]], "numbers, one to a row"),
        ([], [1.0], "empty sample"),
        ([1.0, np.nan], [1.0], "x: row 1, column 0 is nan"),
        ([-1.7e308], [1.7e308], "too far apart"),
    ):
        with pytest.raises(ValueError, match=message):
            wasserstein(x, y)


def test_a_kept_reference_of_frechet_gives_the_same():
    known = frechet_reference(Y)
    assert frechet(X, known) == frechet(X, Y)
    assert frechet(X[:3], known) == frechet(X[:3], Y)  # fewer rows than columns
    for call, message in (
        (lambda: frechet(X[:, :2], known), "x has 2 columns and y has 4"),
        (lambda: frechet(X[:1], known), "x: a covariance needs"),
        (lambda: frechet_reference(Y[:1]), "y: a covariance needs"),
        (lambda: frechet(X, known, standardise=True), "standardise both samples before"),
    ):
        with pytest.raises(ValueError, match=message):
            call()


def test_approximate_mmd_is_seeded_and_does_not_feel_the_order_of_rows():
    first = mmd_approximate(X, Y, rbf(1.0), seed=3)
    assert mmd_approximate(X, Y, rbf(1.0), seed=3) == first
    assert mmd_approximate(X[::-1], Y, rbf(1.0), seed=3).value == pytest.approx(first.value, rel=1e-12)
    assert mmd_approximate(X, Y, rbf(1.0), seed=4).value != first.value
    assert (first.name, first.definition["features"], first.definition["bandwidth"]) == (
        "mmd2_approximate",
        2048,
        1.0,
    )
    same = mmd_approximate(X, X[::-1], "rbf")
    assert same.value == pytest.approx(0.0, abs=1e-25)
    assert 0.0 < same.extra["standard_error"] < 1e-12


def test_standardised_by_the_reference():
    by_hand = [(rows - Y.mean(0)) / Y.std(0) for rows in (X, Y)]
    result = mmd_approximate(X, Y, standardise=True)
    assert result.value == pytest.approx(mmd_approximate(*by_hand).value, rel=1e-9)
    assert result.definition["scaler"] == "reference"


def test_what_cannot_be_approximated_raises():
    for call, message in (
        (lambda: mmd_approximate(X, Y, "linear"), "exact in linear time"),
        (lambda: mmd_approximate(X, Y, "polynomial"), "known for rbf, laplacian_tv, not for polynomial"),
        (lambda: mmd_approximate(X, Y, features=20), "at least 256 features"),
        (lambda: mmd_approximate(X, Y, rbf(1e-12)), "too small against the rows"),
        (lambda: mmd_approximate(X[:1], Y, estimator="unbiased"), "two rows on each side, got 1 and 25"),
        (lambda: mmd_approximate(X, Y, estimator="fair"), "no estimator 'fair'"),
    ):
        with pytest.raises(ValueError, match=message):
            call()


def test_empty_columns_of_wide_histograms_change_nothing_and_cost_nothing() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.poisson(1.0, (40, 5)).astype(float), rng.poisson(1.5, (40, 5)).astype(float)
    wide_x, wide_y = (np.concatenate([rows, np.zeros((40, 20_000))], axis=1) for rows in (x, y))
    start = time.process_time()
    wide = polygraph_discrepancy({"h": wide_x, "g": wide_x}, {"h": wide_y, "g": wide_y})
    assert time.process_time() - start < 10.0  # a Hessian of 20,000 columns would take minutes
    assert float(wide) == float(polygraph_discrepancy({"h": x, "g": x}, {"h": y, "g": y}))
