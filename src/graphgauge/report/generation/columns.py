"""The columns of the table of one generated set, and the notes that explain them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from graphgauge.report.formats import Head
from graphgauge.report.generation.scores import Score
from graphgauge.report.numbers import bound, deviation, number
from graphgauge.report.summary import Summary

ARROWS = {True: "↑", False: "↓", None: " "}
ABSENT = "–"
Sizes = tuple[float | None, float | None]


@dataclass(frozen=True)
class Column:
    """`head` has its detail on the second line, `note` says what a reader has to know; `sizes` are the graphs
    on both sides that a number of the column has seen."""

    name: str
    head: Head
    show: Callable[[Score], str]
    note: str = ""
    sizes: Callable[[Score], Sizes] | None = None

    def headed(self, scores: Sequence[Score]) -> Head:
        """The head with the numbers of graphs, where the rows tell them."""
        if self.sizes is None:
            return self.head
        known = (f"{number(a)} vs {number(b)}" for a, b in map(self.sizes, scores) if a and b)
        seen = next(known, "")
        text = self.head.text.replace("{n}", seen)
        return replace(self.head, text="\n".join(line.strip(", ") for line in text.split("\n")))


def named(score: Score) -> str:
    """The metric after the arrow of its direction.

    A glance is enough: ↑ higher is better, ↓ lower is better.
    """
    return f"{ARROWS[score.higher_is_better]} {score.metric}"


def value(score: Score) -> str:
    """The value on all graphs, ± its deviation over seeds and their number where there are several."""
    found = score.whole
    if found is None:
        return ABSENT
    several = "" if found.sd is None else f" ± {deviation(found.sd)} ({found.n})"
    return number(found.mean) + several


def _interval(score: Score) -> str:
    found = score.interval
    return ABSENT if found is None else f"{bound(found[0])} … {bound(found[1])}"


def _replicates(found: Summary | None) -> str:
    if found is None:
        return ABSENT
    return number(found.mean) + ("" if found.sd is None else f" ± {deviation(found.sd)}")


def _whole(score: Score) -> Sizes:
    return score.generated, score.reference


def _halves(score: Score) -> Sizes:
    """Every replicate has a random half of the reference on one side."""
    return score.part, None if score.reference is None else score.reference // 2


COLUMNS = {
    c.name: c
    for c in (
        Column(
            "value",
            Head("value, {n}\n± sd over seeds (n)"),
            value,
            "value: on all graphs, the generated vs the reference; ± standard deviation over n seeds of the "
            "random network, where the metric has one. ↑ higher is better, ↓ lower.",
            _whole,
        ),
        Column(
            "interval",
            Head("95 %\ninterval"),
            _interval,
            "95 % interval: of the value, for other graphs and the same seeds, from its standard deviation "
            "over half-samples; it may pass a limit such as 0.",
        ),
        Column(
            "half",
            Head("half samples\n{n}"),
            lambda score: number(score.half.mean) if score.half else ABSENT,
            "half-samples: mean over random halves of the generated and of the reference graphs; fewer "
            "than the value has seen, and most metrics depend on how many.",
            _halves,
        ),
        Column(
            "floor",
            Head("noise floor\n{n} ± sd"),
            lambda score: _replicates(score.floor),
            "noise floor: the same between two disjoint halves of the reference, of the same sizes: what the "
            "metric gives where nothing is wrong. Compare it with the half-samples, not with the value.",
            _halves,
        ),
        Column(
            "verdict",
            Head("verdict", is_text=True),
            lambda score: score.verdict.short or ABSENT,
            "verdict: half-samples against the noise floor, with 95 %. same: indistinguishable from the "
            "reference at this sample size. worse ×3: three times its noise floor. above reference: of "
            "precision and density, does the set keep to the densest region? Look at recall and coverage. "
            "below its floor: copies of the reference? Look at novelty.",
        ),
        Column("unit", Head("unit", is_text=True), lambda score: score.unit),
        Column("needs", Head("needs\ngraphs"), lambda score: number(score.needs) if score.needs else ABSENT),
    )
}
MAIN = ("value", "interval", "half", "floor", "verdict")


def choose(scores: Sequence[Score], columns: str | Sequence[str]) -> list[Column]:
    """The columns asked for ("main", "all", names or "a,b") that have something in them."""
    if isinstance(columns, str) and columns not in ("main", "all"):
        columns = [name.strip() for name in columns.split(",")]
    names = MAIN if columns == "main" else tuple(COLUMNS) if columns == "all" else tuple(columns)
    unknown = [name for name in names if name not in COLUMNS]
    if unknown:
        raise ValueError(f"no column {unknown[0]!r}; there are main, all, {', '.join(COLUMNS)}")
    chosen = [COLUMNS[name] for name in names]
    return [column for column in chosen if any(column.show(score) not in ("", ABSENT) for score in scores)]


def record(score: Score, reference: str, settings: str, mark: str, rank: Summary | None) -> dict[str, object]:
    """Everything that is known of a score, unrounded, for CSV."""
    low, high = score.interval or (None, None)
    return {
        "reference": reference,
        "settings": settings,
        "metric": score.metric,
        "subject": score.subject,
        **_fields("value", score.whole, "seeds"),
        "low": low,
        "high": high,
        **_fields("half", score.half, "n"),
        **_fields("floor", score.floor, "n"),
        **_fields("rank", rank, "n"),
        "mark": mark,
        "code": score.verdict.code,
        "verdict": score.verdict.text,
        "warning": score.warning,
        "generated_graphs": score.generated,
        "reference_graphs": score.reference,
        "half_graphs": score.part,
        "needs": score.needs,
        "unit": score.unit,
        "higher_is_better": score.higher_is_better,
        "definition": score.definition,
    }


def _fields(name: str, found: Summary | None, count: str) -> Mapping[str, object]:
    values = (found.mean, found.sd, found.n) if found else (None, None, None)
    return dict(zip((name, f"{name}_sd", f"{name}_{count}"), values, strict=True))


_NOTHING = Score("", "", "", None, "", None, None, None, None, None, None, None, None)
FIELDS = tuple(record(_NOTHING, "", "", "", None))  # of a CSV without records
