"""Laws of MMD over the whole table of kernels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphgauge.distances.kernels import KERNELS, as_kernel, gram, lowest_eigenvalue
from graphgauge.distances.mmd import mmd
from graphgauge.distances.permutation import permutation_test

NAMES = list(KERNELS)
HISTOGRAMS = ["gaussian_emd", "gaussian_tv", "laplacian_tv"]


@st.composite
def two_samples(draw, least=1):
    seed, d = draw(st.integers(0, 2**32 - 1)), draw(st.integers(1, 6))
    n, m = draw(st.integers(least, 12)), draw(st.integers(least, 12))
    rng = np.random.default_rng(seed)
    return tuple(0.1 + rng.integers(0, 4, size=(size, d)) for size in (n, m))


@pytest.mark.parametrize("name", NAMES)
@given(two_samples())
@settings(max_examples=25, deadline=None)
def test_a_sample_has_no_distance_to_itself(name, samples):
    x, _ = samples
    assert mmd(x, x[::-1], name).value == pytest.approx(0.0, abs=1e-25)
    assert mmd(x, np.repeat(x, 3, axis=0), name).value == pytest.approx(0.0, abs=1e-25)


@pytest.mark.parametrize("estimator", ["biased", "unbiased"])
@pytest.mark.parametrize("name", NAMES)
@given(samples=two_samples(least=2), seed=st.integers(0, 99))
@settings(max_examples=15, deadline=None)
def test_symmetric_and_the_same_in_any_order_and_block(name, estimator, samples, seed):
    x, y = samples
    rng = np.random.default_rng(seed)
    value = mmd(x, y, name, estimator).value
    for other in (
        mmd(y, x, name, estimator),
        mmd(rng.permutation(x), rng.permutation(y), name, estimator),
        mmd(x, y, name, estimator, block=3),
    ):
        assert other.value == pytest.approx(value, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
@given(two_samples())
@settings(max_examples=25, deadline=None)
def test_inside_its_range_and_not_negative_for_a_positive_definite_kernel(name, samples):
    result = mmd(*samples, name)
    low, high = result.range
    assert low - 1e-14 <= result.value <= high
    if as_kernel(name).positive_definite:
        assert low == 0
        for kernel in np.atleast_3d(gram(*samples, name).T).T:
            assert lowest_eigenvalue(kernel) > -1e-9 * np.abs(kernel).max()


@pytest.mark.parametrize("name", HISTOGRAMS)
@given(samples=two_samples(), width=st.integers(1, 5))
@settings(max_examples=15, deadline=None)
def test_empty_bins_on_the_right_change_nothing(name, samples, width):
    x, y = samples
    padded = np.pad(y, ((0, 0), (0, width)))
    assert mmd(x, y, name).value == pytest.approx(mmd(x, padded, name).value, rel=1e-12, abs=1e-15)
    assert mmd(list(x), list(padded), name).value == mmd(x, padded, name).value


@given(samples=two_samples(least=2), shift=st.floats(-1e6, 1e6))
@settings(max_examples=25, deadline=None)
def test_linear_and_rbf_do_not_feel_a_shift(samples, shift):
    x, y = samples
    for name in ("linear", "rbf"):
        for estimator in ("biased", "unbiased"):
            moved = mmd(x + shift, y + shift, name, estimator).value
            assert moved == pytest.approx(mmd(x, y, name, estimator).value, rel=1e-5, abs=1e-7)


def test_biased_is_never_negative_and_unbiased_is_about_half_of_the_time():
    rng = np.random.default_rng(0)
    draws = [rng.normal(size=(2, 6, 8)) for _ in range(200)]
    for name in ("linear", "rbf", "polynomial"):
        assert all(mmd(x, y, name).value >= 0 for x, y in draws)
    below = np.mean([mmd(x, y, "linear", "unbiased").value < 0 for x, y in draws])
    assert 0.4 < below < 0.75


def test_p_values_are_uniform_where_both_samples_have_one_distribution():
    rng = np.random.default_rng(77)
    p = [float(permutation_test(*rng.normal(size=(2, 10, 2)), permutations=99, rng=rng)) for _ in range(400)]
    for level in (0.1, 0.25, 0.5, 0.75):
        assert np.mean(np.array(p) <= level) == pytest.approx(level, abs=0.08)
    assert min(p) >= 0.01
