"""Laws of verdicts and of the generation table: they hold for any summaries and any rows."""

from __future__ import annotations

import csv
import io
import random
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from graphgauge import report
from graphgauge.report import Summary, interval, verdict
from graphgauge.rows import Row

VALUE = st.floats(-1e6, 1e6) | st.sampled_from([0.0, 1.0])
SUMMARY = st.builds(
    Summary, st.just({}), VALUE, st.none() | st.floats(0, 1e3) | st.just(0.0), st.integers(1, 200)
)
OPPOSITE = {"same": "same", "worse": "better", "better": "worse", "unknown": "unknown"}


def mirrored(summary: Summary) -> Summary:
    return Summary({}, -summary.mean, summary.sd, summary.n)


@given(SUMMARY, SUMMARY, st.booleans())
def test_verdict_of_negated_values_with_the_other_direction(half: Summary, floor: Summary, up: bool) -> None:
    assert verdict(half, floor, up).code == verdict(mirrored(half), mirrored(floor), not up).code


@given(SUMMARY, SUMMARY, st.booleans())
def test_other_direction_is_the_opposite_verdict(half: Summary, floor: Summary, up: bool) -> None:
    assert verdict(half, floor, up).code == OPPOSITE[verdict(half, floor, not up).code]


@given(SUMMARY, SUMMARY, st.booleans())
def test_exchanged_means_are_the_opposite_verdict(half: Summary, floor: Summary, up: bool) -> None:
    exchanged = Summary({}, floor.mean, half.sd, half.n), Summary({}, half.mean, floor.sd, floor.n)
    assert verdict(*exchanged, up).code == OPPOSITE[verdict(half, floor, up).code]


@given(SUMMARY, SUMMARY, st.booleans(), st.integers(-10, 10))
def test_units_do_not_matter(half: Summary, floor: Summary, up: bool, power: int) -> None:
    def scaled(s: Summary) -> Summary:
        return Summary({}, s.mean * 2.0**power, None if s.sd is None else s.sd * 2.0**power, s.n)

    assert verdict(scaled(half), scaled(floor), up).code == verdict(half, floor, up).code


@given(SUMMARY, st.booleans())
def test_a_floor_is_the_same_as_itself(floor: Summary, up: bool) -> None:
    known = floor.sd is not None and floor.n > 1
    assert verdict(floor, floor, up).code == ("same" if known else "unknown")


@given(VALUE, SUMMARY)
def test_interval_lies_around_its_value(value: float, half: Summary) -> None:
    found = interval(value, half)
    if half.sd is None or half.n < 2:
        assert found is None
    else:
        assert found is not None
        assert found[0] <= value <= found[1]
        assert (found[0] + found[1]) / 2 == pytest.approx(value, abs=1e-9 * (1 + half.sd * 20))


def make_row(
    subject: str,
    metric: str,
    split: str,
    value: float,
    spread: float | None,
    n: int,
    seed: int,
    needs: int | None,
) -> Row:
    higher = {"up": True, "down": False}.get(metric)
    params = {"reference": "grid", "reference_graphs": 20, "generated_graphs": n, "needs": needs}
    return Row(subject, "generation", subject, metric, value, "unit", higher, "d", n, seed, split, spread,
               params=params)  # fmt: skip


ROWS = st.lists(
    st.builds(
        make_row,
        st.sampled_from(["fast", "slow", "a|b_c&"]),
        st.sampled_from(["up", "down", "count"]),
        st.sampled_from(["all", "half-samples", "reference halves", "rank", "other"]),
        st.floats(allow_nan=True, allow_infinity=True),
        st.none() | st.floats(0, 10),
        st.integers(1, 50),
        st.integers(0, 3),
        st.sampled_from([None, 42]),
    ),
    max_size=40,
)


@given(ROWS, st.sampled_from(report.FORMATS), st.sampled_from([None, "main", "all"]))
def test_table_takes_any_rows(rows: list[Row], format: str, columns: str | None) -> None:
    assert isinstance(report.table(rows, format, columns=columns), str)
    assert isinstance(report.ranking(rows), str)


@given(ROWS, st.randoms())
def test_order_of_rows_changes_no_value(rows: list[Row], shuffler: random.Random) -> None:
    once = list({(r.subject, r.metric, r.split, r.seed): r for r in rows}.values())
    shuffled = list(once)
    shuffler.shuffle(shuffled)

    assert Counter(map(str, told(once))) == Counter(map(str, told(shuffled)))


def told(rows: list[Row]) -> list[dict[str, str]]:
    """Records without what these rows contradict each other in."""
    return [
        {k: v for k, v in r.items() if k not in ("needs", "warning", "generated_graphs")}
        for r in records(rows)
    ]


def records(rows: list[Row]) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(report.table(rows, "csv"))))


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False, width=32), min_size=3, max_size=3))
def test_csv_gives_the_values_back(values: list[float]) -> None:
    splits = ("all", "half-samples", "reference halves")
    rows = [
        make_row("fast", "down", split, value, 0.1, 9, 0, None)
        for split, value in zip(splits, values, strict=True)
    ]
    (record,) = records(rows)
    assert [float(record[name]) for name in ("value", "half", "floor")] == values


# Simulated sets of points: the instrument's procedure with a metric that is quick.

Metric = Callable[[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]], float]


def squared_mean_difference(z: NDArray[np.float64], a: NDArray[np.int64], b: NDArray[np.int64]) -> float:
    return float(((z[a].mean(axis=0) - z[b].mean(axis=0)) ** 2).sum())


def biased_mmd(z: NDArray[np.float64], a: NDArray[np.int64], b: NDArray[np.int64]) -> float:
    """z holds the rows of a kernel matrix."""
    return float(z[np.ix_(a, a)].mean() + z[np.ix_(b, b)].mean() - 2 * z[np.ix_(a, b)].mean())


def kernel(z: NDArray[np.float64]) -> NDArray[np.float64]:
    squares = ((z[:, None] - z[None]) ** 2).sum(axis=-1)
    return np.exp(-squares / np.median(squares[squares > 0]))


def simulated(
    rng: np.random.Generator, shift: float, metric: Metric, n: int = 40, replicates: int = 40
) -> str:
    """The verdict on n points in 4 dimensions, shifted in one of them, against n others."""
    points = rng.normal(size=(2 * n, 4))
    points[:n, 0] += shift
    seen = kernel(points) if metric is biased_mmd else points
    halves, floors = [], []
    for _ in range(replicates):
        generated, reference = rng.permutation(n), n + rng.permutation(n)
        halves.append(metric(seen, generated[: n // 2], reference[: n // 2]))
        floors.append(metric(seen, reference[: n // 2], reference[n // 2 :]))
    half, floor = (
        Summary({}, float(np.mean(v)), float(np.std(v, ddof=1)), replicates) for v in (halves, floors)
    )
    return verdict(half, floor, False).code


@pytest.mark.parametrize("metric", [squared_mean_difference, biased_mmd])
def test_verdicts_on_simulated_sets(metric: Metric) -> None:
    rng = np.random.default_rng(0)
    null = Counter(simulated(rng, 0.0, metric) for _ in range(300))
    assert null["same"] >= 0.9 * 300
    shifted = Counter(simulated(rng, 2.0, metric) for _ in range(100))
    assert shifted["worse"] >= 99


def test_interval_of_a_share_covers_it() -> None:
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(300):
        valid = rng.random(100) < 0.8
        halves = [valid[rng.permutation(100)[:50]].mean() for _ in range(40)]
        half = Summary({}, float(np.mean(halves)), float(np.std(halves, ddof=1)), 40)
        low, high = interval(float(valid.mean()), half) or (0.0, 0.0)
        covered += low <= 0.8 <= high
    assert 0.9 * 300 <= covered <= 0.99 * 300
