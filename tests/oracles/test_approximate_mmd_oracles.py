"""Approximate MMD against the exact one: is the error that it states the error that it has?"""

from __future__ import annotations

import numpy as np
import pytest

from graphgauge.distances import approximate
from graphgauge.distances.approximate import mmd_approximate
from graphgauge.distances.kernels import laplacian_tv, rbf
from graphgauge.distances.mmd import mmd

SEEDS = range(100)


def samples(kind):
    rng = np.random.default_rng(11)
    if kind == "normal":
        return rng.normal(size=(300, 8)), 1.1 * rng.normal(size=(260, 8)) + 0.1
    if kind == "one distribution":
        return rng.normal(size=(300, 8)), rng.normal(size=(260, 8))
    if kind == "skewed":
        return rng.lognormal(0, 1.5, size=(300, 4)), rng.lognormal(0, 1.4, size=(260, 4))
    return rng.integers(0, 4, size=(300, 3)), rng.integers(0, 5, size=(260, 3)) + 0.0  # most rows repeated


@pytest.mark.parametrize("estimator", ["biased", "unbiased"])
@pytest.mark.parametrize("kind", ["normal", "one distribution", "skewed", "repeated"])
@pytest.mark.parametrize("kernel", [rbf("ten"), rbf([0.7, 1.4])], ids=["ten", "two"])
def test_the_exact_value_is_within_4_standard_errors(estimator, kind, kernel):
    x, y = samples(kind)
    exact = mmd(x, y, kernel, estimator)
    results = [mmd_approximate(x, y, kernel, estimator, features=512, seed=seed) for seed in SEEDS]
    scores = [abs(result.value - exact.value) / result.extra["standard_error"] for result in results]
    assert max(scores) < 4.0
    # Without bias at every bandwidth: the mean over seeds has an error smaller by the root of their number.
    values = np.array([result.extra["values"] for result in results])
    errors = np.array([result.extra["standard_errors"] for result in results])
    off = np.abs(values.mean(axis=0) - exact.extra["values"])
    assert (off < 4.0 * np.sqrt(np.square(errors).mean(axis=0) / len(results))).all()
    # And not stated larger than it is: spread over seeds and stated error agree.
    assert (values.std(axis=0) > 0.5 * errors.mean(axis=0)).all()


def test_laplacian_of_total_variation():
    rng = np.random.default_rng(2)
    x, y = (1.0 + rng.poisson(rate, size=(200, 6)) for rate in (1.0, 1.6))
    kernel = laplacian_tv([0.1, 0.5])
    exact = mmd(x, y, kernel).value
    for seed in SEEDS:
        result = mmd_approximate(x, y, kernel, features=512, seed=seed)
        assert abs(result.value - exact) < 4.0 * result.extra["standard_error"]
        assert result.extra["standard_error"] < 0.2 * exact


def test_waves_are_cosines_and_sines_and_their_plain_twin():
    rng = np.random.default_rng(5)
    angles = np.concatenate([rng.normal(size=(6, 9)) * 30, np.arange(-4, 5)[None] * np.pi / 4])
    weights, scales = rng.random((7, 2)), np.array([1.0, 0.3, 5.0]) / (2 * np.pi)
    got, plain = np.zeros((3, 4, 9)), np.zeros((3, 4, 9))
    approximate._add_waves(angles, weights, scales, got)
    approximate._add_waves.py_func(angles, weights, scales, plain)
    turned = 2 * np.pi * scales[:, None, None] * angles
    wanted = np.stack(
        [weights[:, side] @ wave(turned) for side in (0, 1) for wave in (np.cos, np.sin)], axis=1
    )
    np.testing.assert_allclose(plain, wanted, atol=1e-12)
    np.testing.assert_allclose(got, wanted, atol=1e-12)
