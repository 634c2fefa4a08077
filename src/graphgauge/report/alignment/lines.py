"""Rows → the lines of the alignment table: one for each dataset, noise and model, best first, best marked."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from graphgauge.report.formats import BEST, TIED
from graphgauge.report.published import Published, published
from graphgauge.report.summary import Summary, distinct, look_up, sortable, summary, token
from graphgauge.rows import Row

RANKED = "accuracy"
PAPER_ORDER = 100  # nodes of the paper's generated graphs and samples: others are another task


@dataclass(frozen=True)
class Line:
    """What is known of one model at one noise on one dataset.

    `settings` names what else differs between runs that would share the line (a preset, a split), so that
    unlike runs are never averaged. `values` maps a metric to its summary over seeds.
    """

    dataset: str
    noise: float | None
    subject: str
    settings: str
    noise_model: str | None
    values: Mapping[str, Summary]
    published: Published | None
    mark: str = ""

    def mean(self, metric: str) -> float:
        return self.values[metric].mean if metric in self.values else math.nan

    @property
    def same_noise_model(self) -> bool:
        """Whether the published pairs were made with the noise ours were (or ours is not known)."""
        return self.published is None or self.noise_model in (None, self.published.noise_model)


def make_lines(rows: Iterable[Row], ranked: str = RANKED) -> list[Line]:
    """All lines, sorted by dataset and noise, then best first by the mean of `ranked`."""
    groups: dict[str, list[Row]] = {}
    for row in distinct(rows):
        key = [row.params.get("dataset"), row.params.get("noise"), row.subject]
        groups.setdefault(token(key), []).append(row)
    lines = [line for group in groups.values() for line in _split(group, ranked)]
    lines.sort(key=lambda line: (*_place(line), *_badness(line, ranked), line.subject, line.settings))
    return [line for _, block in groupby(lines, _place) for line in _marked(list(block), ranked)]


def blocks(lines: Sequence[Line]) -> list[list[Line]]:
    """The lines of each dataset and noise."""
    return [list(block) for _, block in groupby(lines, _place)]


def within_noise(a: Summary, b: Summary) -> bool:
    """Whether two means differ by at most one pooled standard deviation, √((sd_a² + sd_b²) / 2).

    With one seed on one side the other's deviation stands for both; with one seed on both, only equal means
    are within noise.

    >>> within_noise(Summary({}, 0.897, 0.003, 3), Summary({}, 0.895, 0.001, 3))
    True
    """
    known = [s.sd for s in (a, b) if s.sd is not None]
    pooled = math.sqrt(sum(sd * sd for sd in known) / len(known)) if known else 0.0
    return abs(a.mean - b.mean) <= pooled


def _place(line: Line) -> tuple[str, tuple[int, float, str]]:
    return line.dataset, sortable(line.noise)


def _badness(line: Line, ranked: str) -> tuple[bool, float]:
    mean = line.mean(ranked)
    return math.isnan(mean), 0.0 if math.isnan(mean) else -mean


def _split(group: Sequence[Row], ranked: str) -> list[Line]:
    """One line for each combination of settings in rows of the same dataset, noise and model."""
    candidates = sorted({name for row in group for name in row.params if not name.endswith("seed")})
    names = [n for n in (*candidates, "split", "selection") if len({token(look_up(r, n)) for r in group}) > 1]
    kinds = {token([look_up(r, n) for n in names]) for r in group}
    telling = [n for n in names if not _is_digest(n)]  # hashes are shown only where nothing else differs
    if len({token([look_up(r, n) for n in telling]) for r in group}) == len(kinds):
        names = telling
    parts: dict[str, list[Row]] = {}
    for row in group:
        parts.setdefault(", ".join(f"{n} {_shown(look_up(row, n))}" for n in names), []).append(row)
    return [_line(settings, part, ranked) for settings, part in parts.items()]


def _is_digest(name: str) -> bool:
    return name.endswith("_hash") or name == "model"


def _shown(value: Any) -> str:
    """A value in a line of the table: of hashes, the beginning; of a mapping, its values."""
    if isinstance(value, Mapping):
        return " ".join(_shown(v) for v in value.values())
    text = str(value)
    return text[:8] if len(text) in (16, 64) and set(text) <= set("0123456789abcdef") else text


def _line(settings: str, rows: Sequence[Row], ranked: str) -> Line:
    params, subject = rows[0].params, rows[0].subject
    dataset, noise = str(params.get("dataset", "")), params.get("noise")
    if not isinstance(noise, int | float):
        noise = None
    as_large = params.get("order", PAPER_ORDER) == PAPER_ORDER
    model = params.get("model")
    of_table = not isinstance(model, Mapping) or bool(model.get("of_table", True))
    comparable = as_large and of_table
    values: dict[str, list[float]] = {}
    for row in rows:
        values.setdefault(row.metric, []).append(row.value)
    seconds = [row.seconds for row in rows if row.metric == ranked and row.seconds is not None]
    if seconds:
        values.setdefault("seconds", seconds)
    return Line(
        dataset=dataset,
        noise=noise,
        subject=subject,
        settings=settings,
        noise_model=params.get("noise_model"),
        values={metric: summary({"metric": metric}, found) for metric, found in values.items()},
        published=published(dataset, subject, float(noise)) if noise is not None and comparable else None,
    )


def _marked(block: Sequence[Line], ranked: str) -> list[Line]:
    """The first line is the best; mark it and all within noise of it."""
    if len(block) < 2 or math.isnan(block[0].mean(ranked)):
        return list(block)
    best = block[0].values[ranked]
    close = [ranked in line.values and within_noise(best, line.values[ranked]) for line in block]
    return [replace(line, mark=(TIED if i else BEST) if close[i] else "") for i, line in enumerate(block)]
