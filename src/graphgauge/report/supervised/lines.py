"""Rows → the lines of the supervised table: one for each model on a task, best first, best marked."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from graphgauge.report.alignment.lines import within_noise
from graphgauge.report.formats import BEST, TIED
from graphgauge.report.published.supervised import PublishedScore, budget_name, published_score
from graphgauge.report.summary import distinct, sortable, token
from graphgauge.report.supervised.comparable import Comparable, compare, option
from graphgauge.report.supervised.runs import Measured, measured
from graphgauge.rows import Row

LAST, BEST_VAL, NONE = "last epoch", "best validation", "none"
# Metrics that are the score of a task, before any other metric of its test part.
SCORES = ("mae", "accuracy", "class_accuracy", "f1", "hits@50", "log10_mse")
KEY = ("dataset", "baseline", "edge_features", "encoding", "budget", "layers", "size", "train_samples")
APART = ("fold", "folds", "notes", "published", "recipe")  # differ between runs of one line, or tell nothing
MINUTE = ("task_options size", "task_options train_samples")  # are in KEY

Run = list[Row]


@dataclass(frozen=True, order=True)
class Key:
    """Which number: a metric of a part of the split, of the model that `selection` names."""

    metric: str
    split: str = "test"
    selection: str = LAST


@dataclass(frozen=True)
class Line:
    """What is known of one model on one task.

    `params` are those of KEY. `settings` names what else differs between runs that would share the line, so
    that unlike runs are never averaged. `score` is the metric that the task is judged by, `selection` the
    rule by which the shown model was chosen.
    """

    subject: str
    params: Mapping[str, Any]
    settings: str
    values: Mapping[Key, Measured]
    score: str
    selection: str
    unit: str
    higher_is_better: bool
    definition: str = ""
    notes: tuple[str, ...] = ()
    published: PublishedScore | None = None
    comparable: Comparable = field(default_factory=Comparable)
    data: str = ""
    mark: str = ""

    @property
    def dataset(self) -> str:
        return str(self.params.get("dataset") or "")

    @property
    def is_baseline(self) -> bool:
        return bool(self.params.get("baseline"))

    @property
    def name(self) -> str:
        """As the paper writes it: -E with edge features, -PE with an encoding.

        >>> Line("gin", {"edge_features": True, "encoding": "lap:8"}, "", {}, "mae", LAST, "", False).name
        'gin-E-PE'
        """
        if self.is_baseline:
            return self.subject
        edges = "-E" if self.params.get("edge_features") else ""
        return self.subject + edges + ("-PE" if self.params.get("encoding") else "")

    @property
    def test(self) -> Measured | None:
        return self.values.get(Key(self.score, "test", self.selection))

    @property
    def mean(self) -> float:
        """The test score; NaN where there is none."""
        return math.nan if self.test is None else self.test.mean

    def of(self, metric: str, split: str, selection: str = "") -> Measured | None:
        return self.values.get(Key(metric, split, selection or self.selection))

    def count(self, metric: str) -> Measured | None:
        """A number of the whole run, such as its epochs."""
        return self.of(metric, "train", LAST) or self.of(metric, "train")


def make_lines(rows: Iterable[Row]) -> list[Line]:
    """All lines, task by task, the models best first and the baselines after them."""
    groups: dict[str, list[Run]] = {}
    for run in _runs(rows):
        groups.setdefault(token([run[0].subject, *_key(run[0]).values()]), []).append(run)
    lines = [line for group in groups.values() for line in _split(group)]
    lines.sort(key=lambda line: (*_place(line), *_badness(line), line.name, line.settings))
    return [line for _, block in groupby(lines, _place) for line in _marked(list(block))]


def _runs(rows: Iterable[Row]) -> list[Run]:
    """Rows of one Spec together: there are few runs and many rows, and params are compared by run."""
    found: dict[tuple[str, str, str], list[Run]] = {}
    for row in distinct(rows):
        alike = found.setdefault((row.spec_id, row.subject, row.data_hash), [])
        own = next((run for run in alike if run[0].params == row.params), None)
        if own is None:
            alike.append([row])
        else:
            own.append(row)
    return [run for alike in found.values() for run in alike]


def _key(row: Row) -> dict[str, Any]:
    """The params of KEY; what is not told is not so."""
    found = {name: option(row, name) for name in KEY}
    return found | {name: found[name] is True for name in ("baseline", "edge_features")}


def blocks(lines: Sequence[Line]) -> list[list[Line]]:
    """The lines of each task: a dataset in one size, by one score."""
    return [list(block) for _, block in groupby(lines, _place)]


def _place(line: Line) -> tuple[Any, ...]:
    sizes = (sortable(line.params.get(name)) for name in ("size", "train_samples"))
    return line.dataset, *sizes, line.score


def _badness(line: Line) -> tuple[bool, bool, float]:
    sign = -1.0 if line.higher_is_better else 1.0
    nothing = math.isnan(line.mean)
    return line.is_baseline, nothing, 0.0 if nothing else sign * line.mean


def _split(group: Sequence[Run]) -> list[Line]:
    """One line for each combination of settings in runs of one model on one task."""
    told = [_told(run[0]) for run in group]
    tokens = {name: [token(own.get(name)) for own in told] for name in sorted(set().union(*told))}
    names = [name for name, found in tokens.items() if len(set(found)) > 1]
    plain = [name for name in names if not _is_digest(name)]
    if _kinds(tokens, plain) == _kinds(tokens, names):  # hashes are shown only where nothing else differs
        names = plain
    parts: dict[str, list[Row]] = {}
    for run, own in zip(group, told, strict=True):
        parts.setdefault(", ".join(f"{name} {_shown(own.get(name))}" for name in names), []).extend(run)
    return [_line(settings, part) for settings, part in parts.items()]


def _told(row: Row) -> dict[str, Any]:
    """All that may set a run apart, mappings opened; a seed may not, but of the data."""
    found: dict[str, Any] = {"data_hash": row.data_hash}
    for name, value in row.params.items():
        if isinstance(value, Mapping):
            found |= {f"{name} {inner}": v for inner, v in value.items()}
        elif name not in (*APART, *KEY) and not name.endswith("seed"):
            found[name] = value
    return {name: value for name, value in found.items() if name not in MINUTE}


def _kinds(tokens: Mapping[str, Sequence[str]], names: Sequence[str]) -> int:
    return len(set(zip(*(tokens[name] for name in names), strict=True))) if names else 1


def _is_digest(name: str) -> bool:
    return name.endswith("_hash") or name.startswith("model ")


def _shown(value: Any) -> str:
    """A value in a line of the table: of hashes, the beginning."""
    text = str(value)
    return text[:8] if len(text) in (16, 64) and set(text) <= set("0123456789abcdef") else text


def _line(settings: str, rows: Sequence[Row]) -> Line:
    found: dict[Key, list[Row]] = {}
    for row in rows:
        found.setdefault(Key(row.metric, row.split, row.selection), []).append(row)
    score = _score(rows)
    told = [row for row in rows if row.metric == score and row.split == "test"] or rows
    first = min(told, key=lambda row: (row.selection != LAST, row.metric, row.split, row.selection))
    dataset = str(first.params.get("dataset") or "")
    line = Line(
        subject=first.subject,
        params=_key(first),
        settings=settings,
        values={key: measured(part, dataset) for key, part in sorted(found.items())},
        score=score,
        selection=_selection(found, score),
        unit=first.unit,
        higher_is_better=first.higher_is_better is not False,
        definition=first.definition,
        notes=tuple(sorted({note for row in rows for note in _notes(row)})),
        data=str(first.params.get("task_hash") or first.data_hash),
    )
    return _beside_published(line, rows)


def _notes(row: Row) -> list[str]:
    found = row.params.get("notes") or ()
    return [found] if isinstance(found, str) else [str(note) for note in found]


def _score(rows: Sequence[Row]) -> str:
    """The metric that the task is judged by; of metrics we do not know the first one of the test part."""
    named = {row.metric for row in rows if row.split == "test"} or {row.metric for row in rows}
    known = [metric for metric in SCORES if metric in named]
    others = sorted(m for m in named if m != "loss" and " of " not in m) or sorted(named)
    return [*known, *others][0]


def _selection(found: Mapping[Key, object], score: str) -> str:
    """The published rule where there are rows of it."""
    rules = {key.selection for key in found if (key.metric, key.split) == (score, "test")}
    return next((rule for rule in (LAST, BEST_VAL, NONE) if rule in rules), min(rules, default=LAST))


def _beside_published(line: Line, rows: Sequence[Row]) -> Line:
    count = line.count("parameters")
    layers, budget = line.params["layers"], line.params["budget"]
    found = published_score(
        line.dataset,
        line.subject,
        budget=budget if isinstance(budget, str | int | float) else None,
        layers=layers if isinstance(layers, int) else None,
        edge_features=line.params["edge_features"],
        encoding=line.params["encoding"],
        parameters=None if count is None else count.mean,
        train_samples=line.params["train_samples"],
    )
    if found is None or found.metric != line.score:
        return line
    comparable = compare(rows, line.notes)
    return replace(line, published=None if comparable.smaller else found, comparable=comparable)


def _marked(block: Sequence[Line]) -> list[Line]:
    """The first line is the best model; mark it and all within noise of it."""
    models = [line for line in block if not line.is_baseline]
    if len(models) < 2 or math.isnan(models[0].mean):
        return list(block)
    best = models[0].test
    assert best is not None
    marks = [_close(best, line.test) for line in models]
    first = [replace(x, mark=(TIED if i else BEST) if marks[i] else "") for i, x in enumerate(models)]
    return [*first, *(line for line in block if line.is_baseline)]


def _close(a: Measured, b: Measured | None) -> bool:
    return b is not None and within_noise(a.summary, b.summary)


def labels(block: Sequence[Line]) -> list[str]:
    """A name for each line that no other line of the block has.

    >>> make = lambda budget, layers: Line(
    ...     "gin", {"budget": budget, "layers": layers}, "", {}, "mae", LAST, "", False
    ... )
    >>> labels([make("100k", 4)]), labels([make("100k", 4), make("500k", 16)])
    (['gin'], ['gin 100k', 'gin 500k'])
    """
    return [_label(line, block) for line in block]


def _label(line: Line, block: Sequence[Line]) -> str:
    """The name and as many details as it takes."""
    alike = [other for other in block if other.name == line.name]
    parts = [line.name]
    for place, detail in enumerate(_details(line)):
        same = [other for other in alike if _details(other)[place] == detail]
        if len(same) < len(alike):
            parts.append(detail)
            alike = same
    return " ".join(filter(None, parts))


def _details(line: Line) -> tuple[str, ...]:
    layers = line.params.get("layers")
    return (
        budget_name(line.params.get("budget")),
        "" if layers is None else f"L={layers}",
        str(line.params.get("encoding") or ""),
        line.settings,
    )
