"""Is a generated set worse than the reference itself? Intervals, verdicts and warnings from summaries.

All functions are pure. A *half* summarises a metric over random half-samples of generated and reference
graphs, a *floor* the same metric between two disjoint halves of the reference, of the same sizes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from scipy.special import stdtrit

from graphgauge.report.numbers import number
from graphgauge.report.summary import Summary

LEVEL = 0.95
TELLING = 1.1  # a ratio to the noise floor is told from here on
ROUNDING = 1e-12  # relative difference of two means that is arithmetic and no finding

Code = Literal["same", "worse", "better", "unknown"]


@dataclass(frozen=True)
class Verdict:
    """`code` for machines, `text` for people, `short` for a column of a table."""

    code: Code
    text: str
    short: str


def quantile(n: int) -> float:
    """t_{0.975, n−1}: how many standard deviations an interval of 95 % reaches to each side.

    >>> round(quantile(100), 3)
    1.984
    """
    return float(stdtrit(n - 1, 0.5 + LEVEL / 2))


def interval(value: float, half: Summary | None) -> tuple[float, float] | None:
    """95 % interval of a value computed on all graphs: value ± t_{0.975, R−1} · sd(half-samples).

    The standard deviation over random half-samples drawn without replacement equals, to first order, that of
    the value on all graphs: a half has twice the variance, and the finite-population correction 1 − 1/2 takes
    half of it away (half-sample bootstrap). Sampling with replacement, the usual bootstrap, would be wrong
    here: copies of a graph count as equal graphs, which biases an MMD and collapses the balls around nearest
    neighbours. Nothing is clipped: an interval of a squared distance may begin below zero.

    Parameters
    ----------
    value : on all graphs, mean over the seeds of the descriptor
    half : summary over R half-samples; its mean is not used

    Returns
    -------
    (low, high), or None with fewer than two half-samples or where a number is NaN

    >>> low, high = interval(0.5, Summary({}, 0.6, 0.1, 100))
    >>> round(low, 4), round(high, 4)
    (0.3016, 0.6984)
    """
    if half is None or not _known(half) or math.isnan(value):
        return None
    reach = quantile(half.n) * _sd(half)
    return value - reach, value + reach


def noise(floor: Summary, half: Summary | None = None) -> float:
    """How far the value of one half-sample falls from the mean of `floor` by chance, with 95 %.

    t_{0.975, R−1} · sd · √(1 + 1/R), the prediction interval of one more value, sd the larger of both. The
    floor alone knows too little: a share that is 1 in every half of the reference has no spread there, and
    a distance that one or two graphs far off make large is unsteady in the half-samples, which hold them or
    not, while no half of the reference holds such a graph.
    """
    larger = max(_sd(floor), _sd(half) if half is not None and _known(half) else 0.0)
    return quantile(floor.n) * larger * math.sqrt(1 + 1 / floor.n)


def verdict(half: Summary | None, floor: Summary | None, higher_is_better: bool | None) -> Verdict:
    """Whether the generated graphs are further from the reference than the reference is from itself.

    Like is compared with like: both summaries are over halves of equal sizes, since most metrics depend on
    the number of graphs. With noise = t_{0.975, R−1} · sd · √(1 + 1/R), sd the larger of both, the
    set is "same" where |mean(half) − mean(floor)| ≤ noise, else "worse" or "better" by the direction of the
    metric. Where every half lies beyond every floor the set is not "same" whatever the deviations: those of
    a distance with heavy tails are large just where it is far from its floor.

    "Better" than the reference's own value is no praise: a share above it is typical of a set that keeps to
    the densest region (look at recall and coverage), a distance below it of copies of the reference (look at
    novelty).

    Parameters
    ----------
    half : metric between random halves of the generated and of the reference graphs, over R replicates
    floor : metric between two disjoint random halves of the reference, of the same sizes
    higher_is_better : direction of the metric; None has no verdict

    Returns
    -------
    Verdict; "unknown" without direction, without a floor of at least two replicates, or where a mean or a
    deviation is NaN

    Examples
    --------
    >>> floor = Summary({}, 0.010, 0.002, 100)
    >>> verdict(Summary({}, 0.012, 0.002, 100), floor, False).code
    'same'
    >>> verdict(Summary({}, 0.130, 0.002, 100), floor, False).text
    'worse than the reference, ×13 its noise floor'
    >>> verdict(Summary({}, 0.61, 0.02, 100), Summary({}, 0.99, 0.01, 100), True).text
    'worse than the reference: 0.61 where the reference itself has 0.99'
    """
    if higher_is_better is None:
        return Verdict("unknown", "no direction, no verdict", "")
    if floor is None or floor.n < 2 or floor.sd is None:
        return Verdict("unknown", "no noise floor", "no noise floor")
    if half is None:
        return Verdict("unknown", "no half-samples", "no half-samples")
    if math.isnan(half.mean) or not _known(floor):
        return Verdict("unknown", "not a number", "nan")
    apart = half.mean - floor.mean
    rounding = ROUNDING * max(abs(half.mean), abs(floor.mean))
    limit = rounding if separated(half, floor) else max(noise(floor, half), rounding)
    if half.mean == floor.mean or abs(apart) <= limit:
        return Verdict("same", "indistinguishable from the reference at this sample size", "same")
    if (apart > 0) == higher_is_better:
        return _better(higher_is_better)
    return _worse(half, floor, higher_is_better)


FEWEST = 5  # replicates on each side from which on no overlap is a finding


def separated(half: Summary, floor: Summary) -> bool:
    """Whether all replicates of one lie beyond all of the other; False where their ends are not known.

    >>> separated(Summary({}, 9.0, 5.0, 10, 3.0, 30.0), Summary({}, 1.0, 0.5, 10, 0.2, 2.0))
    True
    """
    ends = (half.low, half.high, floor.low, floor.high)
    if min(half.n, floor.n) < FEWEST or any(end is None or math.isnan(end) for end in ends):
        return False
    low, high, floor_low, floor_high = (float(end) for end in ends if end is not None)
    return low > floor_high or high < floor_low


def _better(higher_is_better: bool) -> Verdict:
    if higher_is_better:
        return Verdict("better", "above the reference's own value", "above reference")
    return Verdict("better", "closer than the reference to itself", "below its floor")


def _worse(half: Summary, floor: Summary, higher_is_better: bool) -> Verdict:
    text = "worse than the reference"
    if higher_is_better:
        ours, own = _apart(half.mean, floor.mean)
        text = f"{text}: {ours} where the reference itself has {own}"
        return Verdict("worse", text, f"worse: {ours} < {own}")
    if has_ratio(floor) and half.mean / floor.mean >= TELLING:
        ratio = times(half.mean / floor.mean)
        return Verdict("worse", f"{text}, {ratio} its noise floor", f"worse {ratio}")
    return Verdict("worse", text, "worse")


def has_ratio(floor: Summary) -> bool:
    """Whether "so many times the noise floor" has a meaning: the floor is clearly above zero.

    An unbiased estimate of a distance is zero on average where nothing is wrong, and its floor as small as
    chance makes it: over R replicates about sd / √R. A floor with a bias is at least about sd. The limit is
    sd / 2.
    """
    return floor.mean > 0 and floor.mean > (floor.sd or 0.0) / 2


def _apart(a: float, b: float) -> tuple[str, str]:
    """Two numbers with as few digits, at least two, as tell them apart."""
    for digits in range(2, 17):
        texts = f"{a:.{digits}g}", f"{b:.{digits}g}"
        if texts[0] != texts[1]:
            return texts
    return str(a), str(b)


def times(ratio: float) -> str:
    """A ratio with two significant digits.

    >>> times(1.349), times(21.6), times(4321.0), times(3.2e9)
    ('×1.3', '×22', '×4,300', '×3.2e+09')
    """
    if not ratio < 1e6:
        return f"×{ratio:.1e}"
    return f"×{ratio:.1f}" if ratio < 9.95 else f"×{float(f'{ratio:.1e}'):,.0f}"


def alike(a: float, b: float, half_a: Summary | None, half_b: Summary | None) -> bool:
    """Whether the values of two generated sets on all graphs differ by no more than their noise (95 %).

    |a − b| ≤ t · √(sd_a² + sd_b²) with the deviations over half-samples and t of the smaller R. The sets
    share a reference, so this is on the safe side. Without half-samples only equal values are alike.

    >>> half = Summary({}, 0.5, 0.1, 100)
    >>> alike(0.5, 0.7, half, half), alike(0.5, 0.7, half, None)
    (True, False)
    """
    if half_a is None or half_b is None or not (_known(half_a) and _known(half_b)):
        return a == b
    return abs(a - b) <= quantile(min(half_a.n, half_b.n)) * math.hypot(_sd(half_a), _sd(half_b))


def enough(needs: float | None, n: float, m: float) -> str:
    """A warning where the smaller of the two sets has fewer graphs than the metric needs, else "".

    Parameters
    ----------
    needs : smallest sample size that paper C found sufficient for the metric; None where it is not known
    n, m : numbers of generated and of reference graphs

    >>> enough(42, 20, 100)
    'n = 20: paper C finds that this metric needs 42 graphs'
    >>> enough(42, 100, 100), enough(None, 2, 2)
    ('', '')
    """
    fewest = min(n, m)
    if needs is None or not fewest < needs:
        return ""
    return f"n = {number(fewest)}: paper C finds that this metric needs {number(needs)} graphs"


def _known(summary: Summary) -> bool:
    """Whether there is a deviation, and neither it nor the mean is NaN."""
    return summary.n >= 2 and not math.isnan(summary.mean) and not math.isnan(_sd(summary))


def _sd(summary: Summary) -> float:
    return math.nan if summary.sd is None else summary.sd
