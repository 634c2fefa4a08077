"""Which of several generated sets is best, by each metric and over all of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from graphgauge.report.formats import BEST, TIED
from graphgauge.report.generation.scores import Block, Score
from graphgauge.report.summary import Summary
from graphgauge.report.verdicts import ROUNDING, alike


@dataclass(frozen=True)
class Ranked:
    """The scores of a metric best first, and the rank of each: mean, deviation, number of rankings."""

    metric: str
    scores: tuple[Score, ...]
    ranks: tuple[Summary, ...]

    @property
    def best_share(self) -> float | None:
        """In which share of the rankings the first is the best, a tie shared; None where it is not known.

        Without a row of it, it follows from the mean rank of two sets, 2 − mean, and from a mean rank of 1.
        """
        wins = self.scores[0].half_wins
        if wins is not None:
            return wins.mean
        first = self.ranks[0].mean
        if first == 1:
            return 1.0
        return 2 - first if len(self.ranks) == 2 else None

    @property
    def tied(self) -> bool:
        """Whether no ranking tells any two sets apart: nobody is first."""
        return all(place.mean == self.ranks[0].mean and not place.sd for place in self.ranks)

    @property
    def best(self) -> list[Score]:
        """The sets with the best value on all graphs, the one that is printed; none where all have it."""
        known = [score for score in self.scores if not math.isnan(score.value)]
        least = min(known, key=_badness)
        found = [score for score in known if same_number(score.value, least.value)]
        return found if len(found) < len(self.scores) else []

    def mark(self, score: Score) -> str:
        """BEST for the best value, TIED for all that are within noise of it."""
        found = self.best
        if score in found:
            return BEST
        return TIED if within_noise((found or self.scores)[0], score) else ""


def same_number(a: float, b: float) -> bool:
    """Whether two numbers differ by no more than arithmetic."""
    return a == b or math.isclose(a, b, rel_tol=ROUNDING)


def within_noise(a: Score, b: Score) -> bool:
    """Whether two sets have values that differ by no more than their noise."""
    return alike(a.value, b.value, a.half, b.half)


def rank(scores: Sequence[Score]) -> Ranked | None:
    """Sets by mean rank, then by value; None for fewer than two sets or a metric without direction.

    Where a set has no rank rows, all are ranked once, by their values. NaN comes last.
    """
    if len(scores) < 2 or any(s.higher_is_better is None for s in scores):
        return None
    ranks = [s.rank for s in scores]
    known = [r for r in ranks if r is not None and not math.isnan(r.mean)]
    found = known if len(known) == len(scores) else _by_value(scores)
    order = sorted(range(len(scores)), key=lambda i: (found[i].mean, _badness(scores[i]), scores[i].subject))
    if math.isnan(scores[order[0]].value):
        return None
    return Ranked(scores[0].metric, tuple(scores[i] for i in order), tuple(found[i] for i in order))


def ranked(block: Block) -> list[Ranked]:
    """All metrics that rank, in the block's order."""
    return [found for metric in block.metrics if (found := rank(block.of(metric)))]


def overall(block: Block, found: Sequence[Ranked]) -> list[tuple[str, float]]:
    """Mean of the mean ranks over the metrics that all sets have, best first: (subject, mean rank).

    Metrics by which all are tied say nothing and are left out.
    """
    complete = [r for r in found if len(r.scores) == len(block.subjects) and not r.tied]
    ranks: dict[str, list[float]] = {}
    for one in complete:
        for score, place in zip(one.scores, one.ranks, strict=True):
            ranks.setdefault(score.subject, []).append(place.mean)
    means = [(subject, math.fsum(ranks[subject]) / len(ranks[subject])) for subject in ranks]
    return sorted(means, key=lambda pair: (pair[1], pair[0]))


def _badness(score: Score) -> tuple[bool, float]:
    if math.isnan(score.value):
        return True, 0.0
    return False, -score.value if score.higher_is_better else score.value


def _by_value(scores: Sequence[Score]) -> list[Summary]:
    """One ranking by the values; equal ones share the mean of their places."""
    keys = [_badness(score) for score in scores]
    places = [sum(k < key for k in keys) + (sum(k == key for k in keys) + 1) / 2 for key in keys]
    return [Summary({}, place, None, 1) for place in places]
