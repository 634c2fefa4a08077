"""Wasserstein distance of numbers against SciPy, and its laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

from graphgauge.distances.wasserstein import wasserstein

NUMBERS = st.lists(st.one_of(st.integers(-3, 3), st.floats(-1e6, 1e6)), min_size=1, max_size=30)


@given(NUMBERS, NUMBERS)
@settings(max_examples=200, deadline=None)
def test_it_is_scipys(x, y):
    wanted = wasserstein_distance(x, y)
    assert wasserstein(x, y).value == pytest.approx(wanted, rel=1e-9, abs=1e-9)
    assert wasserstein(y, x).value == wasserstein(x, y).value


@given(NUMBERS, st.floats(-1e3, 1e3), st.integers(1, 4))
@settings(max_examples=100, deadline=None)
def test_equal_samples_are_at_0_and_a_shift_is_its_size(x, shift, times):
    assert wasserstein(x, x[::-1] * times).value == 0.0
    moved = np.array(x, dtype=float) + shift
    assert wasserstein(moved, x).value == pytest.approx(abs(shift), abs=1e-8)


def test_of_equal_sizes_it_is_the_mean_difference_of_the_sorted_numbers():
    x, y = np.random.default_rng(0).normal(size=(2, 500))
    assert wasserstein(x, y).value == pytest.approx(np.abs(np.sort(x) - np.sort(y)).mean(), rel=1e-12)
