"""Parts of samples are measured together as they are measured alone, to the last digit, whatever ties."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphgauge.distances import neighbours
from graphgauge.distances.neighbours import Frame, balls, balls_plain, meet_plain
from graphgauge.distances.prdc import METRICS, TIES, Reference, prdc, prdc_parts, reference_balls

Array = np.ndarray[Any, Any]
ROOM = sys.modules[prdc.__module__]  # the room's front door has the function under the module's name
SHARES = ((0.5, 0.5, 0.5), (0.3, 0.9, 1.0), (1.0, 0.25, 0.6), (0.4, 0.4, 0.05))


def alone(x: Array, y: Array, a: Array, b: Array, k: int, ties: str, resolution: float) -> dict[str, Array]:
    """Every part by `prdc`, with its points where the whole reference places them."""
    frame = Frame.of(y, resolution)
    found: dict[str, list[float]] = {name: [] for name in METRICS}
    for r in range(a.shape[1]):
        points = frame.place(y[b[:, r]])
        known = Reference(frame, points, balls(points, k, ties), int(b[:, r].sum()), k, ties)
        for name, value in prdc(x[a[:, r]], known, k, ties=ties, resolution=resolution).items():
            found[name].append(float(value))
    return {name: np.array(values) for name, values in found.items()}


def by_definition(x: Array, y: Array, a: Array, b: Array, k: int, ties: str, grid: float) -> dict[str, Array]:
    """The four shares of every part from all differences."""
    frame = Frame.of(y, grid)
    rows = []
    for r in range(a.shape[1]):
        p, q = frame.place(x[a[:, r]]), frame.place(y[b[:, r]])
        held, holds, reached = meet_plain(p, balls_plain(p, k, ties), q, balls_plain(q, k, ties))
        of_x, of_y = p.weights[:, 0] / p.weights.sum(), q.weights[:, 0] / q.weights.sum()
        rows.append(
            [of_x @ (held[:, 0] > 0), of_y @ reached[:, 0], of_x @ held[:, 0] / k, of_y @ holds[:, 0]]
        )
    return dict(zip(("precision", "recall", "density", "coverage"), np.array(rows).T, strict=True))


def draw_samples(seed: int, kind: str, same: bool, shares: tuple[float, ...]) -> tuple[Array, ...]:
    """Two samples and parts of them, every part with some rows at least."""
    rng = np.random.default_rng(seed)
    n, m, d = rng.integers(20, 60), rng.integers(20, 60), int(rng.integers(1, 4))
    if kind == "grid":
        x, y = (rng.integers(0, rng.integers(1, 5), (size, d)).astype(float) for size in (n, m))
    else:
        x, y = rng.normal(size=(n, d)), rng.normal(size=(m, d)) * 2.0
        x, y = x[rng.integers(0, n, n)], y[rng.integers(0, m, m)]
    if kind == "nearly equal":
        x, y = (np.round(v) + 1e-12 * rng.normal(size=v.shape) for v in (x, y))
    in_x, in_y = (rng.random((len(v), len(shares))) < shares for v in (x, y))
    if same:
        x = y
        in_x = ~in_y
    for members in (in_x, in_y):
        for column in members.T:
            column[rng.permutation(len(column))[:6]] = True
    return x, y, in_x, in_y


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    kind=st.sampled_from(["grid", "repeated", "nearly equal"]),
    ties=st.sampled_from(sorted(TIES)),
    resolution=st.sampled_from([0.0, 1e-9]),
    k=st.integers(1, 5),
    same=st.booleans(),
    shares=st.sampled_from(SHARES),
)
def test_together_or_alone_is_the_same(
    seed: int, kind: str, ties: str, resolution: float, k: int, same: bool, shares: tuple[float, ...]
) -> None:
    x, y, in_x, in_y = draw_samples(seed, kind, same, shares)
    expected = alone(x, y, in_x, in_y, k, ties, resolution)
    with pytest.MonkeyPatch.context() as patch:
        decided = prdc_parts(x, y, in_x, in_y, k, ties=ties, resolution=resolution)
        patch.setattr(ROOM, "_groups", lambda a, b, same: [list(range(a.shape[1]))])
        together = prdc_parts(x, y, in_x, in_y, k, ties=ties, resolution=resolution)
        patch.setattr(neighbours, "_enough", lambda weights, k: 1)  # every part looks among its members
        searched = prdc_parts(x, y, in_x, in_y, k, ties=ties, resolution=resolution)
        known = reference_balls(y, k, ties=ties, resolution=resolution, parts=in_y)
        of_known = prdc_parts(x, known, in_x, None, k, ties=ties, resolution=resolution)
        some = prdc_parts(x, y, in_x, in_y, k, metrics="recall", ties=ties, resolution=resolution)
    for name in METRICS:
        for values in (decided, together, searched, of_known):
            np.testing.assert_array_equal(values[name], expected[name], err_msg=name)
    np.testing.assert_array_equal(some["recall"], expected["recall"])
    for name, values in by_definition(x, y, in_x, in_y, k, ties, resolution).items():
        np.testing.assert_allclose(together[name], values, rtol=1e-12, atol=1e-15, err_msg=name)


@pytest.mark.parametrize("ties", sorted(TIES))
@pytest.mark.parametrize("same", [False, True])
def test_halves_of_larger_samples(same: bool, ties: str) -> None:
    """Several blocks of rows; some halves end beyond the list of nearest points."""
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, 700, 12))
    y[:100] = np.round(y[:100])
    in_x, in_y = rng.random((2, 700, 8)) < 0.5
    if same:
        x, in_x = y, ~in_y
    parts = prdc_parts(x, y, in_x, in_y, 5, ties=ties)
    for name, values in alone(x, y, in_x, in_y, 5, ties, 0.0).items():
        np.testing.assert_array_equal(parts[name], values, err_msg=name)


def test_many_parts_do_not_ask_for_more_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """More parts than are measured together, and one that is small."""
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(2, 200, 3))
    in_x, in_y = rng.random((2, 200, 7)) < 0.8
    in_y[8:, 4] = False
    in_y[:8, 4] = True
    monkeypatch.setattr(ROOM, "TOGETHER", 3)
    assert ROOM._groups(in_x, in_y, False) == [[0, 1, 2], [3, 4, 5], [6]]
    parts = prdc_parts(x, y, in_x, in_y, 5)
    for name, values in alone(x, y, in_x, in_y, 5, "shared", 0.0).items():
        np.testing.assert_array_equal(parts[name], values, err_msg=name)


def test_disjoint_parts_are_measured_alone() -> None:
    parts = np.arange(60)[:, None] % 3 == np.arange(3)
    assert ROOM._groups(parts, parts, False) == [[0], [1], [2]]
    assert ROOM._groups(parts, np.roll(parts, 1, axis=1), True) == [[0], [1], [2]]
