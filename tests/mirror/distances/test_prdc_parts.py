"""Precision, recall, density and coverage of many parts: each part as if it were given alone."""

from __future__ import annotations

import numpy as np
import pytest

from graphgauge.distances.prdc import TIES, prdc, prdc_parts

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
