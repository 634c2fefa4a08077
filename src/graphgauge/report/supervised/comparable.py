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
STAND_IN = "stand-in"  # a note with this word is of data that are not the published


@dataclass(frozen=True)
class Comparable:
    """Reasons against a comparison: other data (nothing to compare with), other training (with care).

    >>> bool(Comparable()), bool(Comparable(other_data=("300 graphs",)))
    (True, False)
    """

    other_data: tuple[str, ...] = ()
    other_training: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return not self.reasons

    @property
    def reasons(self) -> tuple[str, ...]:
        return self.other_data + self.other_training


def compare(rows: Sequence[Row], notes: Sequence[str]) -> Comparable:
    """What sets these runs of one model apart from the published ones."""
    params = rows[0].params
    data = []
    if params.get("size") is not None:
        data.append(f"reduced size {_size(params['size'])}")
    if any(STAND_IN in note.lower() for note in notes):
        data.append("stand-in data")
    training = []
    if any(row.params.get("published") is False for row in rows):
        training.append("not the published configuration")
    training += [*_stopped(rows), *_folds(rows)]
    return Comparable(tuple(data), tuple(training))


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


def _folds(rows: Sequence[Row]) -> list[str]:
    """Folds that have not been run."""
    wanted = rows[0].params.get("folds")
    found = {row.params.get("fold") for row in rows}
    if not isinstance(wanted, int) or len(found) >= wanted:
        return []
    return [f"{len(found)} of {wanted} folds"]
