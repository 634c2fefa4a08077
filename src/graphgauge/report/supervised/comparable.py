"""Whether runs may stand beside a published number, and why not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphgauge.report.numbers import number
from graphgauge.rows import Row

HOUR = 3600.0
# How long the paper trains at most: what ends there was trained as published.
EPOCHS, EPOCHS_OF = 1000, {"tsp": 500, "ogbl-collab": 500}
SECONDS, SECONDS_OF = 12 * HOUR, dict.fromkeys(("csl", "enzymes", "dd", "proteins", "wikics"), 1.2 * HOUR)
DENSE = ("ringgnn", "ppgn")


@dataclass(frozen=True)
class Comparable:
    """Reasons against a comparison: `smaller` data have no published value, what is `otherwise` dims it.

    >>> bool(Comparable()), bool(Comparable(smaller=("size 300",)))
    (True, False)
    """

    smaller: tuple[str, ...] = ()
    otherwise: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return not self.reasons

    @property
    def reasons(self) -> tuple[str, ...]:
        return self.smaller + self.otherwise


def compare(rows: Sequence[Row], notes: Sequence[str]) -> Comparable:
    """What sets these runs of one model apart from the published ones."""
    size = option(rows[0], "size")
    otherwise = ["other data, see above"] if notes else []
    baseline = rows[0].params.get("baseline") is True  # has no configuration
    if not baseline and any(row.params.get("published") is False for row in rows):
        otherwise.append("not the published configuration")
    return Comparable(
        smaller=() if size is None else (f"size {_size(size)}",),
        otherwise=(*otherwise, *_stopped(rows), *_folds(rows), *_otherwise(rows[0])),
    )


def option(row: Row, name: str) -> Any:
    """One of the params, or of the options that the task was made with."""
    options = row.params.get("task_options")
    return row.params.get(name, options.get(name) if isinstance(options, Mapping) else None)


def _size(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_size(v)}" for name, v in value.items())
    return number(value) if isinstance(value, int | float) else str(value)


def _stopped(rows: Sequence[Row]) -> list[str]:
    """Runs that a limit below the paper's has ended."""
    dataset = str(rows[0].params.get("dataset") or "")
    limits = (
        ("epochs", "max_epochs", EPOCHS_OF.get(dataset, EPOCHS), "epochs"),
        ("total_seconds", "max_seconds", SECONDS_OF.get(dataset, SECONDS), "s"),
    )
    reasons = []
    for metric, name, published, unit in limits:
        runs = [(row.value, setting(row.params, name)) for row in rows if row.metric == metric]
        own = [limit for value, limit in runs if limit is not None and value >= limit and limit < published]
        if own:
            reasons.append(f"stopped early, after {number(min(own))} {unit}")
    return reasons


def setting(params: Mapping[str, Any], name: str) -> float | None:
    """A number among the params or in their settings."""
    inner = params.get("settings")
    found = params.get(name, inner.get(name) if isinstance(inner, Mapping) else None)
    return float(found) if isinstance(found, int | float) else None


def _otherwise(row: Row) -> list[str]:
    """Settings that the published code does not have."""
    found = []
    if row.params.get("precision", "float32") != "float32":
        found.append(f"precision {row.params['precision']}")
    if row.subject in DENSE and row.params.get("dense_batches", "published") != "published":
        found.append("batches of graphs, where the paper sums gradients of single ones")
    return found


def _folds(rows: Sequence[Row]) -> list[str]:
    """Folds that have not been run."""
    wanted = rows[0].params.get("folds")
    found = {row.params.get("fold") for row in rows}
    if not isinstance(wanted, int) or len(found) >= wanted:
        return []
    return [f"{len(found)} of {wanted} folds"]
