"""Intervals, verdicts and warnings, case by case."""

from __future__ import annotations

import math

import pytest
from scipy.stats import t

from graphgauge.report import Summary, enough, interval, verdict
from graphgauge.report.verdicts import alike, noise, quantile, times

FLOOR = Summary({}, 0.010, 0.002, 50)


def half(mean: float, sd: float | None = 0.002, n: int = 50) -> Summary:
    return Summary({}, mean, sd, n)


def test_quantile_is_that_of_students_distribution() -> None:
    for n in (2, 3, 50, 1000):
        assert quantile(n) == pytest.approx(t.ppf(0.975, n - 1), rel=1e-9)


def test_interval_by_hand() -> None:
    low, high = interval(0.3, half(0.5, 0.01, 20)) or (0, 0)
    assert (low, high) == pytest.approx((0.3 - 2.0930 * 0.01, 0.3 + 2.0930 * 0.01), abs=1e-6)
    assert interval(0.001, half(0.5, 1.0)) is not None
    assert (interval(0.001, half(0.5, 1.0)) or (0, 0))[0] < 0  # clipped to nothing


def test_no_interval_without_a_spread() -> None:
    assert interval(0.3, None) is None
    assert interval(0.3, half(0.3, None, 1)) is None
    assert interval(0.3, half(0.3, math.nan)) is None
    assert interval(math.nan, half(0.3)) is None


def test_noise_by_hand() -> None:
    assert noise(Summary({}, 0.0, 2.0, 10)) == pytest.approx(t.ppf(0.975, 9) * 2.0 * math.sqrt(1.1))


@pytest.mark.parametrize(
    ("mean", "higher", "code", "text"),
    [
        (0.012, False, "same", "indistinguishable from the reference at this sample size"),
        (0.008, True, "same", "indistinguishable from the reference at this sample size"),
        (0.035, False, "worse", "worse than the reference, ×3.5 its noise floor"),
        (0.001, False, "better", "closer than the reference to itself"),
        (0.035, True, "better", "above the reference's own value"),
        (0.001, True, "worse", "worse than the reference: 0.001 where the reference itself has 0.01"),
        (0.035, None, "unknown", "no direction, no verdict"),
        (math.nan, False, "unknown", "not a number"),
    ],
)
def test_verdict(mean: float, higher: bool | None, code: str, text: str) -> None:
    found = verdict(half(mean), FLOOR, higher)
    assert (found.code, found.text) == (code, text)


def test_edge_of_the_noise_belongs_to_it() -> None:
    floor = Summary({}, 0.0, 1.0, 50)
    edge = noise(floor)
    assert verdict(half(edge), floor, False).code == "same"
    assert verdict(half(math.nextafter(edge, 9)), floor, False).code == "worse"


def test_no_verdict_without_a_floor() -> None:
    for floor in (None, Summary({}, 0.01, None, 1), Summary({}, 0.01, 0.0, 1)):
        assert verdict(half(0.5), floor, False).text == "no noise floor"
    assert verdict(None, FLOOR, False).text == "no half-samples"
    for broken in (Summary({}, math.nan, 0.1, 9), Summary({}, 0.1, math.nan, 9)):
        assert verdict(half(0.5), broken, False).code == "unknown"


def test_zero_deviation() -> None:
    always = Summary({}, 1.0, 0.0, 50)
    assert verdict(half(1.0, 0.0), always, True).code == "same"
    assert verdict(half(1.0 - 1e-15, 0.0), always, True).code == "same"  # rounding is no finding
    assert verdict(half(0.996, 0.001), always, True).text == (
        "worse than the reference: 0.996 where the reference itself has 1"
    )
    assert verdict(half(0.0), Summary({}, 0.0, 0.0, 50), False).code == "same"


def test_ratio_only_where_it_tells() -> None:
    near = Summary({}, 1.0, 0.001, 50)
    assert verdict(half(1.05), near, False).text == "worse than the reference"
    assert verdict(half(0.5), Summary({}, 0.0, 0.0, 50), False).text == "worse than the reference"
    assert verdict(half(0.5), Summary({}, -0.1, 0.01, 50), False).text == "worse than the reference"
    assert verdict(half(0.5), Summary({}, 1e-5, 1e-4, 50), False).text == "worse than the reference"
    assert verdict(half(1e300), Summary({}, 1e-300, 0.0, 50), False).code == "worse"


def test_times_has_two_digits() -> None:
    assert [times(x) for x in (1.1, 9.94, 9.96, 99.4, 12_345, math.inf)] == [
        "×1.1", "×9.9", "×10", "×99", "×12,000", "×inf",
    ]  # fmt: skip


def test_alike_needs_half_samples_or_equal_values() -> None:
    assert alike(0.1, 0.1, None, None)
    assert not alike(0.1, 0.2, half(0.1, None, 1), half(0.2))
    assert alike(0.1, 0.2, half(0.1, 0.05), half(0.2, 0.05))
    assert not alike(0.1, 0.2, half(0.1, 0.03), half(0.2, 0.03))


def test_enough() -> None:
    assert enough(42, 42, 42) == ""
    assert enough(42, 100, 41) == "n = 41: paper C finds that this metric needs 42 graphs"
    assert enough(None, 1, 1) == ""


def test_one_miss_in_one_half_sample_is_no_finding() -> None:
    """A floor without any spread does not make every difference significant."""
    certain = Summary({}, 1.0, 0.0, 10)
    assert verdict(Summary({}, 0.996, 0.0126, 10), certain, True).code == "same"
    assert verdict(Summary({}, 0.9, 0.0126, 10), certain, True).code == "worse"


def test_one_graph_far_off_is_no_finding() -> None:
    """It is in half of the half-samples: mean and deviation are as large. Nine such graphs are a finding."""
    floor = Summary({}, 7.0, 8.0, 10)
    assert verdict(Summary({}, 507.0, 520.0, 10), floor, False).code == "same"
    assert verdict(Summary({}, 4507.0, 1500.0, 10), floor, False).code == "worse"


def test_a_heavy_tail_beyond_every_floor_is_worse() -> None:
    """Its deviation is large just where it is far off: mean 49,613 ± 40,000 against a floor of 0."""
    floor = Summary({}, -0.04, 0.3, 10, -0.5, 0.4)
    far = Summary({}, 49_613.0, 40_000.0, 10, 900.0, 130_000.0)
    assert verdict(far, floor, False).code == "worse"
    assert verdict(Summary({}, 49_613.0, 40_000.0, 10), floor, False).code == "same"  # ends not known
    overlapping = Summary({}, 49_613.0, 40_000.0, 10, 0.3, 130_000.0)  # half of the halves hold one far graph
    assert verdict(overlapping, floor, False).code == "same"


@pytest.mark.parametrize("n", [2, 4])
def test_few_replicates_apart_are_no_finding(n: int) -> None:
    floor = Summary({}, 0.0, 0.3, n, -0.5, 0.4)
    assert verdict(Summary({}, 1.0, 0.9, n, 0.5, 2.0), floor, False).code == "same"


def test_shares_apart_are_worse_or_better() -> None:
    floor = Summary({}, 0.9, 0.01, 10, 0.88, 0.93)
    assert verdict(Summary({}, 0.5, 0.4, 10, 0.1, 0.87), floor, True).code == "worse"
    assert verdict(Summary({}, 0.99, 0.4, 10, 0.95, 1.0), floor, True).code == "better"
