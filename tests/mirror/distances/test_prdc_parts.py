"""Precision, recall, density and coverage of many parts: each part as if it were given alone."""

from __future__ import annotations

import numpy as np
import pytest

from graphgauge.distances.prdc import TIES, prdc, prdc_parts, reference_balls

RNG = np.random.default_rng(8)
IN_X, IN_Y = RNG.random((60, 4)) < 0.5, RNG.random((50, 4)) < 0.5


@pytest.mark.parametrize("ties", sorted(TIES))
@pytest.mark.parametrize("kind", ["continuous", "grid full of ties"])
def test_parts_are_plain_calls(kind: str, ties: str) -> None:
    draw = RNG.normal if kind == "continuous" else lambda size: RNG.integers(0, 3, size).astype(float)
    x, y = draw(size=(60, 3)), draw(size=(50, 3))
    parts = prdc_parts(x, y, IN_X, IN_Y, 3, ties=ties)
    for r in range(4):
        plain = prdc(x[IN_X[:, r]], y[IN_Y[:, r]], 3, ties=ties)
        assert {name: values[r] for name, values in parts.items()} == pytest.approx(
            {name: float(value) for name, value in plain.items()}, rel=1e-12
        )


def test_points_are_placed_as_the_whole_reference_places_them() -> None:
    """Points that a coarse grid makes equal in the whole are equal in every part."""
    y = np.repeat(RNG.normal(size=(25, 2)), 2, axis=0)
    noisy = y + 1e-12 * RNG.normal(size=y.shape)
    exact = prdc_parts(y, y, IN_Y, ~IN_Y, 3, resolution=1e-9)
    rounded = prdc_parts(noisy, noisy, IN_Y, ~IN_Y, 3, resolution=1e-9)
    for name, values in exact.items():
        np.testing.assert_allclose(rounded[name], values, rtol=1e-12, err_msg=name)


def test_bad_parts_are_refused() -> None:
    x, y = RNG.normal(size=(60, 2)), RNG.normal(size=(50, 2))
    with pytest.raises(ValueError, match=r"in_x must be bool of shape \(60, parts\), got int64 \(60, 4\)"):
        prdc_parts(x, y, IN_X.astype(np.int64), IN_Y)
    with pytest.raises(ValueError, match="in_x has 4 parts and in_y has 3"):
        prdc_parts(x, y, IN_X, IN_Y[:, :3])
    few = IN_Y.copy()
    few[5:, 2] = False
    with pytest.raises(ValueError, match=r"part 2 of y has \d rows"):
        prdc_parts(x, y, IN_X, few)


def test_balls_of_the_parts_of_a_reference_serve_many_samples() -> None:
    """The whole sample may be one of the parts; rows in none do not matter."""
    x, y = RNG.normal(size=(60, 3)), RNG.normal(size=(50, 3))
    in_x, in_y = IN_X.copy(), IN_Y.copy()
    in_x[:, 0], in_y[:, 0] = True, True
    in_y[3], y[3] = False, 7.0
    known = reference_balls(y, 3, parts=in_y)
    for sample in (x, 2.0 * x):
        parts = prdc_parts(sample, known, in_x, None, 3)
        expected = prdc_parts(sample, y, in_x, in_y, 3)
        whole = prdc(sample, y[in_y[:, 0]], 3)
        for name, values in parts.items():
            np.testing.assert_array_equal(values, expected[name], err_msg=name)
            assert values[0] == pytest.approx(float(whole[name]), rel=1e-12)


def test_balls_of_parts_are_refused_where_they_do_not_fit() -> None:
    x, y = RNG.normal(size=(60, 3)), RNG.normal(size=(50, 3))
    whole, known = reference_balls(y, 3), reference_balls(y, 3, parts=IN_Y)
    with pytest.raises(ValueError, match="the balls of y are of parts"):
        prdc(x, known, 3)
    for wrong, in_y in ((whole, None), (known, IN_Y)):
        with pytest.raises(ValueError, match="balls of y need parts of their own"):
            prdc_parts(x, wrong, IN_X, in_y, 3)
    with pytest.raises(ValueError, match="in_x has 3 parts and in_y has 4"):
        prdc_parts(x, known, IN_X[:, :3], None, 3)
    with pytest.raises(ValueError, match="k, ties, resolution"):
        prdc_parts(x, known, IN_X, None, 4)
    with pytest.raises(ValueError, match="parts has no column"):
        reference_balls(y, 3, parts=IN_Y[:, :0])
    with pytest.raises(ValueError, match="part 0 of y has 3 rows"):
        reference_balls(y, 3, parts=np.arange(50)[:, None] < 3)
