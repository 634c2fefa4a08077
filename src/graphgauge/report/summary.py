"""Rows of several seeds → mean, standard deviation and how many."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from graphgauge.rows import Row
from graphgauge.specs import canonical_json

BY = ("dataset", "noise", "subject", "metric")
_FIELDS = {f.name for f in fields(Row)}


@dataclass(frozen=True)
class Summary:
    """Mean of `n` values that share `key`, their standard deviation (n − 1 below; None for n = 1), and the
    lowest and the highest of them (None where they are not known)."""

    key: Mapping[str, Any]
    mean: float
    sd: float | None
    n: int
    low: float | None = None
    high: float | None = None


def summarise(rows: Iterable[Row], by: Sequence[str] = BY) -> list[Summary]:
    """Mean and standard deviation over all rows that agree in `by`.

    mean = Σ v / n, sd = √(Σ (v − mean)² / (n − 1)). A row that is there twice (same spec, metric, split and
    selection) counts once. NaN is not dropped: a seed that failed makes the mean NaN. The result does not
    depend on the order of `rows`.

    Parameters
    ----------
    rows : rows of any instrument
    by : names of fields of a Row or of its params; a name a row lacks counts as None

    Returns
    -------
    list of Summary, sorted by key

    Examples
    --------
    >>> make = lambda seed, v: Row(
    ...     str(seed), "a", "gcn", "accuracy", v, "fraction", True, "", 1, seed, "val", params={"noise": 0.1}
    ... )
    >>> (one,) = summarise([make(0, 0.5), make(1, 0.7)], by=("subject", "noise"))
    >>> one.key, round(one.mean, 3), round(one.sd, 3), one.n
    ({'subject': 'gcn', 'noise': 0.1}, 0.6, 0.141, 2)
    """
    groups: dict[str, tuple[dict[str, Any], list[float]]] = {}
    for row in distinct(rows):
        key = {name: look_up(row, name) for name in by}
        groups.setdefault(token(list(key.values())), (key, []))[1].append(row.value)
    ordered = sorted(groups.values(), key=lambda group: [sortable(v) for v in group[0].values()])
    return [summary(key, values) for key, values in ordered]


def summary(key: Mapping[str, Any], values: Sequence[float]) -> Summary:
    """Exactly rounded sums (`fsum`), so that the order of the values does not matter."""
    n, mean = len(values), mean_of(values)
    return Summary(key, mean, None if n < 2 else _deviation(values, mean), n)


def mean_of(values: Sequence[float]) -> float:
    """Σ v / n; numbers whose sum is too large are divided first, infinities of both signs are NaN.

    >>> mean_of([0.5, 0.7]), mean_of([1e308, 1e308])
    (0.6, 1e+308)
    """
    try:
        return math.fsum(values) / len(values)
    except OverflowError:
        return math.fsum(v / len(values) for v in values)
    except ValueError:
        return math.nan


def _deviation(values: Sequence[float], mean: float) -> float:
    try:
        return math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (len(values) - 1))
    except OverflowError:  # squares that are too large
        return math.hypot(
            *(v / math.sqrt(len(values) - 1) - mean / math.sqrt(len(values) - 1) for v in values)
        )


def distinct(rows: Iterable[Row]) -> list[Row]:
    """Each measurement once, where files that overlap were put together."""
    return list({(r.spec_id, r.subject, r.metric, r.seed, r.split, r.selection): r for r in rows}.values())


def look_up(row: Row, name: str) -> Any:
    """A field of the row or one of its params."""
    return getattr(row, name) if name in _FIELDS else row.params.get(name)


def token(value: Any) -> str:
    """Text that is equal for equal values: 0 and 0.0 are one noise."""
    if isinstance(value, list | tuple):
        return "[" + ",".join(token(v) for v in value) + "]"
    if isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    return canonical_json(value)


def sortable(value: Any) -> tuple[int, float, str]:
    """A sort key for mixed values: missing ones, then numbers, then text."""
    if value is None:
        return 0, 0.0, ""
    if isinstance(value, int | float):
        return 1, float(value), ""
    return 2, 0.0, value if isinstance(value, str) else canonical_json(value)
