"""The columns of the supervised table: how a cell is shown, and which ones a table gets."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from graphgauge.report.formats import Head
from graphgauge.report.numbers import number
from graphgauge.report.published.supervised import budget_name
from graphgauge.report.supervised.lines import BEST_VAL, LAST, Key, Line
from graphgauge.report.supervised.runs import Measured

ABSENT = "–"
PARTS = ("test", "train", "val")
TITLES = {
    "mae": "MAE",
    "accuracy": "accuracy",
    "class_accuracy": "accuracy, mean of classes",
    "f1": "F1",
    "hits@50": "Hits@50",
    "log10_mse": "log10 MSE",
}
RANGED = ("csl",)  # the paper prints the extremes of its runs
COUNTS = ("parameters", "epochs", "best_epoch", "epoch_seconds", "total_seconds", "peak_memory")
STATUS = {"oom": "out of memory"}
Record = Mapping[str, object]


@dataclass(frozen=True)
class Column:
    """`show` makes a cell for people, `fields` are those of CSV; `varies`: shown where lines differ in it."""

    name: str
    head: Head
    show: Callable[[Line], str]
    fields: Callable[[Line], Record]
    varies: bool = False

    def in_use(self, lines: Sequence[Line]) -> bool:
        shown = {self.show(line) for line in lines} - {"", ABSENT}
        return len(shown) > self.varies


def score(value: float, unit: str) -> str:
    """A share in percent; others with three decimals where these tell enough.

    >>> score(0.85498, "fraction"), score(0.3871, ""), score(12345.6, ""), score(1e-5, "")
    ('85.50', '0.387', '12,346', '1.000e-05')
    """
    if math.isnan(value):
        return "nan"
    if unit == "fraction":
        return f"{100 * value:.2f}"
    return f"{value:.3f}" if value == 0 or 0.01 <= abs(value) < 1000 else number(value)


def _deviation(value: float, unit: str) -> str:
    """To the last place of its mean."""
    return f"{100 * value:.2f}" if unit == "fraction" else f"{value:.3f}" if value < 1000 else number(value)


def spread(mean: float, sd: float | None, unit: str) -> str:
    """
    >>> spread(0.387, 0.015, ""), spread(0.5, None, "fraction")
    ('0.387 ± 0.015', '50.00')
    """
    if sd is None or math.isnan(mean):
        return score(mean, unit)
    return f"{score(mean, unit)} ± {_deviation(sd, unit)}"


def duration(seconds: float) -> str:
    """
    >>> duration(0.0123), duration(12.34), duration(600), duration(43_200)
    ('12ms', '12s', '10min', '12h')
    """
    units = ((0.1, 0.001, "ms"), (90, 1, "s"), (5400, 60, "min"), (math.inf, 3600, "h"))
    for limit, divisor, unit in units:
        if abs(seconds) < limit:
            value = seconds / divisor
            return f"{value:.1f}{unit}" if abs(value) < 9.95 else f"{value:,.0f}{unit}"
    return str(seconds)


def _fields(name: str, found: Measured | None, *details: str) -> Record:
    """Mean, deviation and number of runs; `details` are further ones."""
    values = {
        "mean": found and found.mean,
        "sd": found and found.sd,
        "n": found and found.summary.n,
        "min": found and found.low,
        "max": found and found.high,
        "folds": found and found.folds,
        "seeds": found and found.seeds,
    }
    return {f"{name}_{detail}": values[detail] for detail in ("mean", "sd", "n", *details)}


def _key(name: str, text: str, show: Callable[[Line], str], *, varies: bool, is_text: bool = True) -> Column:
    head = Head(text, is_text, folds=name in ("subject", "settings"))
    return Column(name, head, show, lambda line: {name: line.params.get(name)}, varies)


def _part(split: str, selection: str = "") -> Column:
    """The task's score on a part of the split."""
    name = split if not selection else f"best_{split}"

    def show(line: Line) -> str:
        found = line.of(line.score, split, selection)
        if found is None or (selection and line.is_baseline):
            return ABSENT
        count = f" ({found.summary.n})" if split == "test" else ""
        return spread(found.mean, found.sd, line.unit) + count

    def fields(line: Line) -> Record:
        return _fields(name, line.of(line.score, split, selection), "min", "max", "folds", "seeds")

    rule = "\nbest val ± sd" if selection else "\n± sd (n)" if split == "test" else "\n± sd"
    return Column(name, Head(f"{split}{rule}"), show, fields)


def _range(line: Line) -> str:
    found = line.test
    if found is None or found.summary.n < 2 or math.isnan(found.low) or line.dataset not in RANGED:
        return ABSENT
    if line.unit == "fraction":
        return f"{100 * found.low:.1f}–{100 * found.high:.1f}"
    return f"{score(found.low, line.unit)}–{score(found.high, line.unit)}"


def _count(name: str, text: str, shown: Callable[[float], str] = number) -> Column:
    def show(line: Line) -> str:
        found = line.count(name)
        return ABSENT if found is None else shown(found.mean)

    return Column(name, Head(text), show, lambda line: _fields(name, line.count(name)))


def _rounded(value: float) -> str:
    return f"{value:,.0f}" if math.isfinite(value) else str(value)


def _epochs(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0") if math.isfinite(value) else str(value)


def _megabytes(value: float) -> str:
    return _rounded(value / 1e6)


def _times(line: Line) -> str:
    found = (line.count("epoch_seconds"), line.count("total_seconds"))
    return "/".join(ABSENT if x is None else duration(x.mean) for x in found) if any(found) else ABSENT


def _times_fields(line: Line) -> Record:
    names = ("epoch_seconds", "total_seconds")
    return {key: v for name in names for key, v in _fields(name, line.count(name)).items()}


def _published(line: Line) -> str:
    found = line.published
    if found is None:
        return ABSENT
    if found.test is None:
        return STATUS.get(found.status, found.status)
    return spread(found.test, found.test_sd, line.unit) + ("" if line.comparable else "†")


def _published_fields(line: Line) -> Record:
    found = line.published
    values = (found.test, found.test_sd, found.status, found.table) if found else (None,) * 4
    names = ("published", "published_sd", "published_status", "published_table")
    against = "; ".join(line.comparable.reasons)
    return {**dict(zip(names, values, strict=True)), "not_comparable": against}


def _published_parameters(line: Line) -> int | None:
    return line.published.parameters if line.published else None


def _show_published_parameters(line: Line) -> str:
    found = _published_parameters(line)
    return ABSENT if found is None else f"{found:,}"


def difference(line: Line) -> float | None:
    """(ours − paper) / √((sd² + sd²) / 2); None where one is not known or they are not comparable."""
    found, test = line.published, line.test
    if found is None or found.test is None or found.test_sd is None or not line.comparable:
        return None
    if test is None or test.sd is None or math.isnan(test.mean):
        return None
    pooled = math.hypot(test.sd, found.test_sd) / math.sqrt(2)
    apart = test.mean - found.test
    return apart / pooled if pooled else (0.0 if apart == 0 else math.copysign(math.inf, apart))


def _difference(line: Line) -> str:
    found = difference(line)
    if found is None:
        return ABSENT
    return f"{found:+.1f}" if math.isfinite(found) else "+∞" if found > 0 else "−∞"


def _layers(line: Line) -> str:
    return str(line.params.get("layers") or ABSENT)


def _text(name: str) -> Callable[[Line], str]:
    return lambda line: str(line.params.get(name) or "")


# What tells lines apart: columns of the table where it differs, always fields of CSV.
KEYS = {
    "dataset": _key("dataset", "dataset", lambda line: line.dataset, varies=False),
    "size": _key("size", "size", _text("size"), varies=True),
    "train_samples": _key("train_samples", "training\ngraphs", _text("train_samples"), varies=True),
    "subject": Column(
        "subject",
        Head("model", is_text=True, folds=True),
        lambda line: line.name,
        lambda line: {
            "model": line.name,
            "subject": line.subject,
            "baseline": line.is_baseline,
            "edge_features": line.params["edge_features"],
            "mark": line.mark,
            "metric": line.score,
            "unit": line.unit,
            "higher_is_better": line.higher_is_better,
            "selection": line.selection,
            "definition": line.definition,
            "notes": "; ".join(line.notes),
        },
    ),
    "encoding": _key("encoding", "encoding", _text("encoding"), varies=True),
    "budget": _key("budget", "budget", lambda x: budget_name(x.params.get("budget")) or ABSENT, varies=True),
    "settings": Column(
        "settings",
        Head("settings", is_text=True, folds=True),
        lambda line: line.settings,
        lambda line: {"settings": line.settings},
    ),
    "layers": _key("layers", "L", _layers, varies=False, is_text=False),
}

COLUMNS = {
    "parameters": _count("parameters", "#param", _rounded),
    "test": _part("test"),
    "range": Column("range", Head("test\nmin–max"), _range, lambda line: {}),
    "train": _part("train"),
    "val": _part("val"),
    "best_test": _part("test", BEST_VAL),
    "best_train": _part("train", BEST_VAL),
    "best_val": _part("val", BEST_VAL),
    "epochs": _count("epochs", "#epoch", _epochs),
    "best_epoch": _count("best_epoch", "best\nepoch", _epochs),
    "times": Column("times", Head("time:\nepoch/total"), _times, _times_fields),
    "peak_memory": _count("peak_memory", "memory\nMB", _megabytes),
    "published": Column("published", Head("paper\n± sd"), _published, _published_fields),
    "difference": Column(
        "difference", Head("diff.\nin sd"), _difference, lambda line: {"difference": difference(line)}
    ),
    "published_parameters": Column(
        "published_parameters",
        Head("paper\n#param"),
        _show_published_parameters,
        lambda line: {"published_parameters": _published_parameters(line)},
    ),
}
MAIN = (
    "parameters", "test", "range", "train", "epochs", "times", "published", "difference",
    "published_parameters",
)  # fmt: skip


def _foreign(key: Key, unit: str) -> Column:
    """A column of any other metric, named by it and by what is not usual about its part and its model."""
    unusual = ("" if key.split == "test" else key.split, "" if key.selection == LAST else key.selection)
    name = " ".join(filter(None, (key.metric, *unusual)))
    below = " ".join(filter(None, (*unusual, "%" if unit == "fraction" else "")))

    def show(line: Line) -> str:
        found = line.values.get(key)
        return ABSENT if found is None else spread(found.mean, found.sd, found.unit)

    head = Head("\n".join(filter(None, (key.metric, below))))
    own = name if name not in COLUMNS else f"metric {name}"
    return Column(own, head, show, lambda line: _fields(own, line.values.get(key)))


def offered(lines: Sequence[Line]) -> dict[str, Column]:
    """Every column that these lines have; further metrics after the known ones."""
    keys = {
        key: found.unit
        for line in lines
        for key, found in line.values.items()
        if key.metric not in COUNTS and key not in _known(line)
    }
    foreign = [_foreign(key, keys[key]) for key in sorted(keys)]
    return COLUMNS | {column.name: column for column in foreign}


def _known(line: Line) -> set[Key]:
    """What COLUMNS show of a line."""
    rules = (line.selection, LAST, BEST_VAL)
    return {Key(line.score, split, rule) for split in PARTS for rule in rules}


def choose(lines: Sequence[Line], columns: str | Sequence[str]) -> list[Column]:
    """The columns asked for: "main", "all", names or "a,b"."""
    known = offered(lines)
    if isinstance(columns, str) and columns not in ("main", "all"):
        columns = [name.strip() for name in columns.split(",")]
    names = MAIN if columns == "main" else tuple(known) if columns == "all" else tuple(columns)
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"no column {unknown[0]!r}; there are main, all, {', '.join(known)}")
    return [known[name] for name in names]


def used(columns: Iterable[Column], block: Sequence[Line]) -> list[Column]:
    """The columns of the table of one task: those with something in them. Its title has the dataset, and
    parameters tell the budget, as in the paper's tables."""
    told = {"dataset"} | ({"budget"} if all(x.is_baseline or x.count("parameters") for x in block) else set())
    return [c for c in columns if c.name == "subject" or (c.name not in told and c.in_use(block))]


def place(line: Line) -> str:
    """The task of a line: the dataset and what part of it.

    >>> place(Line("gin", {"dataset": "zinc", "size": 500}, "", {}, "mae", LAST, "", False))
    'zinc, size 500'
    """
    parts = {"size": "size", "train_samples": "training graphs"}
    shown = (f"{text} {KEYS[name].show(line)}" for name, text in parts.items() if KEYS[name].show(line))
    return ", ".join(filter(None, (line.dataset, *shown)))


def title(block: Sequence[Line]) -> str:
    """The task, the budget that its models share, and what they are judged by.

    >>> line = Line("gin", {"dataset": "csl", "budget": "100k"}, "", {}, "accuracy", LAST, "fraction", True)
    >>> title([line])
    'csl, budget 100k: accuracy in % ↑'
    """
    first = block[0]
    models = [line for line in block if not line.is_baseline]
    budgets = {budget_name(line.params.get("budget")) for line in models} or {""}
    shared = f"budget {min(budgets)}" if len(budgets) == 1 and min(budgets) else ""
    unit = " in %" if first.unit == "fraction" else ""
    arrow = "↑" if first.higher_is_better else "↓"
    measured = f"{TITLES.get(first.score, first.score)}{unit} {arrow}"
    return ": ".join(filter(None, (", ".join(filter(None, (place(first), shared))), measured)))
