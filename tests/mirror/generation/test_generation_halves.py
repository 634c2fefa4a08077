"""Random parts of both sets."""

from __future__ import annotations

import numpy as np
import pytest

from graphgauge.instruments.generation.halves import half_samples, halves


@pytest.mark.parametrize("n", [1, 2, 3, 5, 12, 300])
@pytest.mark.parametrize("m", [1, 2, 3, 7, 40])
def test_parts_are_disjoint_and_of_the_sizes_that_are_compared(m, n):
    parts = halves(m, n, 20, 0)
    assert parts.size == min(n // 2, m // 2)
    assert parts.count == (20 if parts.size else 0)
    assert parts.a.shape == parts.b.shape == (m, parts.count)
    assert not (parts.a & parts.b).any()
    assert set(parts.a.sum(axis=0)) <= {parts.size}
    assert set(parts.b.sum(axis=0)) <= {m // 2}
    some = half_samples(n, parts, 0)
    assert some.shape == (n, parts.count)
    assert set(some.sum(axis=0)) <= {parts.size}


def test_parts_follow_the_seed_alone():
    one, same, other = halves(40, 30, 8, 0), halves(40, 30, 8, 0), halves(40, 30, 8, 1)
    assert np.array_equal(one.a, same.a)
    assert np.array_equal(one.b, same.b)
    assert not np.array_equal(one.b, other.b)
    assert np.array_equal(half_samples(30, one, 0), half_samples(30, one, 0))
    assert not np.array_equal(half_samples(40, one, 0), one.b)
    assert np.array_equal(one.b, halves(40, 20, 8, 0).b)  # whatever the generated set


def test_every_row_is_as_likely_as_another():
    parts = halves(10, 10, 4000, 0)
    for members in (parts.a, parts.b, half_samples(10, parts, 0)):
        assert np.abs(members.mean(axis=1) - 0.5).max() < 0.04
