"""Rows → what is known of each generated set by each metric, reference by reference."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from graphgauge.report.numbers import number
from graphgauge.report.summary import Summary, distinct, look_up, mean_of, summary, token
from graphgauge.report.verdicts import Verdict, enough, interval, verdict
from graphgauge.rows import Row

# The splits of the rows of the generation instrument.
WHOLE, HALF, FLOOR, RANK = "all", "half-samples", "reference halves", "rank"
# In which share of the rankings a set is the best: of half-samples, and of networks by values on all graphs.
HALF_WINS, SEED_WINS = "best in half-samples", "best over networks"
RANKINGS = (RANK, HALF_WINS, SEED_WINS)
KINDS = (WHOLE, HALF, FLOOR, *RANKINGS)
MINUTE = ("needs", "listed")  # params that tell nothing of how two runs differ


@dataclass(frozen=True)
class Score:
    """One generated set by one metric; what has no rows is None.

    `whole` summarises the value on all graphs over seeds of the descriptor. `half` (half-samples of both
    sets), `floor` (disjoint halves of the reference) and `rank` are over n replicates; `part` is the number
    of graphs in every half-sample of the generated set. Where nothing was `checked` (validity without a
    check) there is no value to show.
    """

    subject: str
    metric: str
    unit: str
    higher_is_better: bool | None
    definition: str
    whole: Summary | None
    half: Summary | None
    floor: Summary | None
    rank: Summary | None
    generated: float | None
    listed: float | None
    reference: float | None
    needs: float | None
    half_wins: Summary | None = None
    seed_wins: Summary | None = None
    part: float | None = None
    checked: bool = True

    @property
    def value(self) -> float:
        """The value on all graphs; that of half-samples where there is no other."""
        known = self.whole or self.half
        return known.mean if known else math.nan

    @property
    def interval(self) -> tuple[float, float] | None:
        return interval(self.whole.mean, self.half) if self.whole else None

    @property
    def verdict(self) -> Verdict:
        if not self.checked:
            return Verdict("unknown", "not checked", "not checked")
        return verdict(self.half, self.floor, self.higher_is_better)

    @property
    def fewest(self) -> float:
        """Graphs in the smaller of the two sets; without end where it is not known."""
        return min(math.inf if n is None else n for n in (self.generated, self.reference))

    @property
    def warning(self) -> str:
        return enough(self.needs, self.fewest, self.fewest)


@dataclass(frozen=True)
class Block:
    """All that was compared with one reference under the same settings.

    `settings` names what differs from another block of the same reference, so that unlike runs are never
    averaged. Subjects and metrics stand in the order of their first row.
    """

    reference: str
    settings: str
    subjects: tuple[str, ...]
    metrics: tuple[str, ...]
    scores: Mapping[tuple[str, str], Score]

    def of(self, metric: str) -> list[Score]:
        """The scores of all subjects that have this metric."""
        return [self.scores[metric, s] for s in self.subjects if (metric, s) in self.scores]

    def about(self, subject: str) -> list[Score]:
        """The scores of one subject by all metrics that it has."""
        return [self.scores[m, subject] for m in self.metrics if (m, subject) in self.scores]

    @property
    def title(self) -> str:
        return ", ".join(part for part in (self.reference, self.settings) if part)


def make_blocks(rows: Iterable[Row]) -> list[Block]:
    """The rows of the generation instrument by reference, sorted by its name and settings."""
    by_reference: dict[str, list[Row]] = {}
    for row in distinct(rows):
        by_reference.setdefault(str(row.params.get("reference", "")), []).append(row)
    return [
        _block(reference, settings, part)
        for reference, group in sorted(by_reference.items())
        for settings, part in sorted(_by_settings(group).items())
    ]


def _by_settings(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Rows apart by all params that differ between rows of one subject, metric and split.

    What follows the subject (its size) or the metric (its number of neighbours) differs between groups only
    and parts nothing; what follows the seed is named so.
    """
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.subject, row.metric, row.split), []).append(row)
    names = sorted({name for row in rows for name in row.params if not name.endswith("seed")} - {*MINUTE})
    differs = [n for n in names if any(_differ(group, n) for group in groups.values())]
    if not differs and any(_differ(group, "data_hash") for group in groups.values()):
        differs = ["data_hash"]
    parts: dict[str, list[Row]] = {}
    for row in rows:
        label = ", ".join(f"{n} {_shown(look_up(row, n))}" for n in differs)
        parts.setdefault(label, []).append(row)
    return parts


def _differ(rows: Sequence[Row], name: str) -> bool:
    return len({token(look_up(row, name)) for row in rows}) > 1


def _shown(value: object) -> str:
    """A value in a title: of hashes the beginning."""
    text = str(value)
    return text[:8] if len(text) in (16, 64) and set(text) <= set("0123456789abcdef") else text


def _block(reference: str, settings: str, rows: Sequence[Row]) -> Block:
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((_metric(row), row.subject), []).append(row)
    return Block(
        reference,
        settings,
        tuple(dict.fromkeys(subject for _, subject in groups)),
        tuple(dict.fromkeys(metric for metric, _ in groups)),
        {key: _score(*key, group) for key, group in groups.items()},
    )


def _metric(row: Row) -> str:
    """A row of a split that we do not know is a metric of its own."""
    return row.metric if row.split in KINDS else f"{row.metric}, {row.split}"


def _score(metric: str, subject: str, rows: Sequence[Row]) -> Score:
    kinds: dict[str, list[Row]] = {}
    for row in rows:
        kinds.setdefault(row.split if row.split in KINDS else WHOLE, []).append(row)
    whole = kinds.get(WHOLE)
    first = (whole or rows)[0]
    if first.params.get("checked") is False:
        whole, kinds = None, {}
    return Score(
        subject=subject,
        metric=metric,
        unit=first.unit,
        higher_is_better=next((r.higher_is_better for r in rows if r.split not in RANKINGS), None),
        definition=first.definition,
        whole=summary({}, [row.value for row in whole]) if whole else None,
        half=_replicates(kinds.get(HALF)),
        floor=_replicates(kinds.get(FLOOR)),
        rank=_replicates(kinds.get(RANK)),
        half_wins=_replicates(kinds.get(HALF_WINS)),
        seed_wins=_replicates(kinds.get(SEED_WINS)),
        generated=_number(first, "generated_graphs"),
        listed=_number(first, "listed"),
        reference=_number(first, "reference_graphs"),
        needs=_number(first, "needs"),
        part=_number(first, "half_graphs"),
        checked=first.params.get("checked") is not False,
    )


def _replicates(rows: Sequence[Row] | None) -> Summary | None:
    """Rows whose value is a mean over replicates already, one for each seed of the descriptor or one in all.

    Several seeds: the mean of the means, the pooled deviation within a seed, √(Σ (nᵢ − 1) sᵢ² / Σ (nᵢ − 1)),
    and the replicates of one seed, since all seeds have seen the same halves.
    """
    if not rows:
        return None
    mean = mean_of([row.value for row in rows])
    n = min(row.n for row in rows)
    if len(rows) == 1:
        return Summary({}, mean, rows[0].spread, n, _number(rows[0], "lowest"), _number(rows[0], "highest"))
    known = [row for row in rows if row.spread is not None and row.n > 1]
    if len(known) < len(rows):
        return Summary({}, mean, None, n)
    weights = math.fsum(row.n - 1 for row in known)
    parts = [(row.spread or 0.0) * math.sqrt((row.n - 1) / weights) for row in known]
    return Summary({}, mean, math.hypot(*parts), n)


def _number(row: Row, name: str) -> float | None:
    found = row.params.get(name)
    return float(found) if isinstance(found, int | float) else None


def sizes(block: Block) -> str:
    """How many graphs each set has, in words; "" where no row tells."""
    parts = []
    reference = next((s.reference for s in block.scores.values() if s.reference is not None), None)
    if reference is not None:
        parts.append(f"{number(reference)} in {block.reference or 'the reference'}")
    for subject in block.subjects:
        known = next((s for s in block.about(subject) if s.generated is not None), None)
        if known is not None and known.generated is not None:
            parts.append(f"{number(known.generated)} in {subject}{_of_listed(known)}")
    return f"Graphs: {', '.join(parts)}." if parts else ""


def _of_listed(score: Score) -> str:
    """Graphs that were given but not scored are never hidden."""
    if score.listed is None or score.listed == score.generated:
        return ""
    return f" (of {number(score.listed)} given)"
