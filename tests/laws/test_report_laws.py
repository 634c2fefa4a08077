"""Laws of the summaries: they hold for any rows."""

from __future__ import annotations

import itertools
import math
import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphgauge import report
from graphgauge.report.alignment.lines import make_lines
from graphgauge.rows import Row

FRACTION = st.floats(0, 1)


def row(subject: str, seed: int, value: float, noise: float = 0.1) -> Row:
    params = {"dataset": "er", "noise": noise}
    return Row(
        f"{subject} {seed} {noise}", "alignment", subject, "accuracy", value, "fraction", True, "d", 1, seed,
        "val", params=params,
    )  # fmt: skip


ROWS = st.lists(
    st.builds(
        row,
        st.sampled_from(["gcn", "gin", "a|b_c"]),
        st.integers(0, 4),
        FRACTION,
        st.sampled_from([0.1, 0.2]),
    ),
    min_size=1,
    max_size=20,
    unique_by=lambda r: r.spec_id,
)


@given(FRACTION, st.integers(1, 12))
def test_constant_rows(value: float, n: int) -> None:
    (found,) = report.summarise([row("gcn", seed, value) for seed in range(n)])
    assert found.mean == pytest.approx(value, rel=1e-15)
    assert found.n == n
    assert found.sd is None if n == 1 else found.sd == pytest.approx(0, abs=1e-15)


@given(st.lists(FRACTION, min_size=2, max_size=20))
def test_agrees_with_the_standard_library(values: list[float]) -> None:
    (found,) = report.summarise([row("gcn", seed, value) for seed, value in enumerate(values)])
    assert found.mean == pytest.approx(statistics.fmean(values))
    assert found.sd == pytest.approx(statistics.stdev(values), abs=1e-12)
    assert found.n == len(values)


@given(ROWS, st.randoms())
def test_order_does_not_matter(rows: list[Row], shuffler: random.Random) -> None:
    shuffled = list(rows)
    shuffler.shuffle(shuffled)
    assert report.summarise(shuffled) == report.summarise(rows)
    assert report.table(shuffled, "csv") == report.table(rows, "csv")
    assert report.ranking(shuffled) == report.ranking(rows)


@given(ROWS)
def test_rows_read_twice_count_once(rows: list[Row]) -> None:
    assert report.summarise(rows + rows) == report.summarise(rows)


@given(ROWS)
def test_every_line_once_and_best_first(rows: list[Row]) -> None:
    lines = make_lines(rows)
    keys = [(line.noise, line.subject) for line in lines]
    assert sorted(keys) == sorted({(r.params["noise"], r.subject) for r in rows})
    for before, after in itertools.pairwise(lines):
        assert before.noise <= after.noise  # type: ignore[operator]
        assert before.noise != after.noise or before.mean("accuracy") >= after.mean("accuracy")
    assert sum(line.values["accuracy"].n for line in lines) == len(rows)


@given(ROWS)
def test_one_nan_makes_the_mean_nan(rows: list[Row]) -> None:
    broken = [*rows, row("gcn", 99, math.nan)]
    found = {(s.key["noise"], s.key["subject"]): s for s in report.summarise(broken)}
    assert math.isnan(found[0.1, "gcn"].mean)


def test_whole_and_float_noise_are_one() -> None:
    (found,) = report.summarise([row("gcn", 0, 0.5, noise=0), row("gcn", 1, 0.5, noise=0.0)])
    assert found.n == 2
