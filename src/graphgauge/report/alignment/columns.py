"""The columns of the alignment table: header, how a cell is shown, and which ones a table gets."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from graphgauge.report.alignment.lines import Line
from graphgauge.report.formats import BEST, MARKS, TIED

ABSENT = "–"


@dataclass(frozen=True)
class Column:
    """`header` has its unit on the second line; `show` makes a cell for people, `fields` one for CSV."""

    name: str
    header: str
    show: Callable[[Line], str]
    fields: Callable[[Line], Mapping[str, object]]
    is_text: bool = False

    def in_use(self, lines: Sequence[Line]) -> bool:
        """Whether any line has something to show here."""
        return any(self.show(line) not in ("", ABSENT) for line in lines)


def percent(fraction: float) -> str:
    """
    >>> percent(0.8966)
    '89.7'
    """
    return "nan" if math.isnan(fraction) else f"{100 * fraction:.1f}"


def _count(value: float) -> str:
    return "nan" if math.isnan(value) else f"{value:,.0f}"


def _seconds(value: float) -> str:
    return f"{value:.1f}" if abs(value) < 10 else _count(value)


def _plain(value: float) -> str:
    return f"{value:.4g}"


def _metric(name: str, header: str, text: Callable[[float], str] = percent, detail: str = "") -> Column:
    """A column of a metric; `detail` is "sd" for mean ± sd, "n" for the number of seeds as well."""

    def show(line: Line) -> str:
        if name not in line.values:
            return ABSENT
        found = line.values[name]
        spread = f" ± {text(found.sd)}" if detail and found.sd is not None else ""
        return text(found.mean) + spread + (f" ({found.n})" if detail == "n" else "")

    def fields(line: Line) -> dict[str, object]:
        found = line.values.get(name)
        values = (found.mean, found.sd, found.n) if found else (None, None, None)
        return dict(zip((f"{name}_mean", f"{name}_sd", f"{name}_n"), values, strict=True))

    return Column(name, header, show, fields)


def _show_published(line: Line) -> str:
    if line.published is None:
        return ABSENT
    spread = "" if line.published.sd is None else f" ± {percent(line.published.sd)}"
    return percent(line.published.value) + spread + ("" if line.same_noise_model else "†")


def _published_fields(line: Line) -> dict[str, object]:
    found = line.published
    values = (found.value, found.sd, found.metric) if found else (None, None, None)
    return dict(zip(("published", "published_sd", "published_metric"), values, strict=True))


def _show_noise(line: Line) -> str:
    return ABSENT if line.noise is None else f"{100 * line.noise:g}"


KEYS = {
    "dataset": Column("dataset", "dataset", lambda s: s.dataset, lambda s: {"dataset": s.dataset}, True),
    "noise": Column("noise", "noise\n%", _show_noise, lambda s: {"noise": s.noise}),
    "subject": Column(
        "subject", "model", lambda s: s.subject, lambda s: {"subject": s.subject, "mark": s.mark}, True
    ),
    "settings": Column(
        "settings", "settings", lambda s: s.settings, lambda s: {"settings": s.settings}, True
    ),
}

COLUMNS = {
    "accuracy": _metric("accuracy", "accuracy\n% ± sd (n)", detail="n"),
    "accuracy_softmax": _metric("accuracy_softmax", "softmax\n%"),
    "published": Column("published", "paper\n% ± sd", _show_published, _published_fields),
    "accuracy_expected": _metric("accuracy_expected", "expected\n%"),
    "accuracy_up_to_automorphism": _metric("accuracy_up_to_automorphism", "up to\naut. %"),
    "top1": _metric("top1", "top 1\n%"),
    "top3": _metric("top3", "top 3\n%"),
    "top5": _metric("top5", "top 5\n%"),
    "edge_overlap": _metric("edge_overlap", "edge\noverlap %"),
    "ceiling_automorphism": _metric("ceiling_automorphism", "ceiling\naut. %"),
    "ceiling_wl1": _metric("ceiling_wl1", "ceiling\n1-WL %"),
    "parameters": _metric("parameters", "params", _count),
    "seconds": _metric("seconds", "time\ns", _seconds),
}

MAIN = (
    "accuracy",
    "accuracy_softmax",
    "published",
    "accuracy_expected",
    "accuracy_up_to_automorphism",
    "ceiling_automorphism",
    "ceiling_wl1",
    "parameters",
    "seconds",
)


def choose(lines: Sequence[Line], columns: str | Sequence[str]) -> list[Column]:
    """The key columns, then those asked for that have something in them ("main", "all", names or "a,b")."""
    foreign = sorted({name for line in lines for name in line.values} - set(COLUMNS))
    offered = COLUMNS | {name: _metric(name, name.replace("_", " "), _plain) for name in foreign}
    if isinstance(columns, str) and columns not in ("main", "all"):
        columns = [name.strip() for name in columns.split(",")]
    names = MAIN if columns == "main" else tuple(offered) if columns == "all" else tuple(columns)
    unknown = [name for name in names if name not in offered]
    if unknown:
        raise ValueError(f"no column {unknown[0]!r}; there are main, all, {', '.join(offered)}")
    keys = [column for column in KEYS.values() if column.name == "subject" or column.in_use(lines)]
    return keys + [offered[name] for name in names if offered[name].in_use(lines)]


# What a reader has to know to understand a column.
NOTES = {
    "accuracy": "accuracy: share of right nodes in the assignment on the similarities; mean ± standard "
    "deviation over n seeds.",
    "accuracy_softmax": "softmax: the same with the assignment on the row softmax, as in the paper's code.",
    "published": "paper: its Table D.3, by the row softmax with nodes in identity order; ties then fall to "
    "the true matching, so it can exceed the ceiling. Its counterpart here is softmax.",
    "accuracy_expected": "expected: a node counts as [same orbit] / orbit size, accuracy without luck.",
    "accuracy_up_to_automorphism": "up to aut.: a node is right anywhere in its automorphism orbit.",
    "ceiling_automorphism": "ceiling aut.: the most that any model can reach on average (orbits / nodes).",
    "ceiling_wl1": "ceiling 1-WL: the same for models that see no more than 1-WL does (colours / nodes).",
}


def notes(lines: Sequence[Line], columns: Sequence[Column]) -> list[str]:
    """The notes under a table with these lines and columns."""
    names = {column.name for column in columns}
    texts = [text for name, text in NOTES.items() if name in names]
    if "published" in names and not all(line.same_noise_model for line in lines):
        texts.append("†: the paper made these pairs with another noise model.")
    if any(line.mark for line in lines):
        near = "within one pooled standard deviation of it"
        texts.append(f"{MARKS[BEST]} best accuracy at this dataset and noise; {MARKS[TIED]} {near}.")
    return texts
