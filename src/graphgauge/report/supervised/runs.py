"""Runs of one model → one number: over folds and seeds as the paper averages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from graphgauge.report.summary import Summary, mean_of, summary
from graphgauge.rows import Row

# Cross-validated tasks whose table 16 has, for each seed, mean and deviation over folds.
FOLDS_FIRST = ("enzymes", "dd", "proteins")


@dataclass(frozen=True)
class Measured:
    """One number over runs: its summary, its extremes, and how many folds and seeds there are."""

    summary: Summary
    low: float
    high: float
    folds: int
    seeds: int
    unit: str = ""

    @property
    def mean(self) -> float:
        return self.summary.mean

    @property
    def sd(self) -> float | None:
        return self.summary.sd


def measured(rows: Sequence[Row], dataset: str) -> Measured:
    """Mean and standard deviation over all runs, folds × seeds.

    Of FOLDS_FIRST the mean over seeds of the mean over folds, and √(mean over seeds of s²), s the standard
    deviation over the folds of a seed. One NaN makes the mean NaN.

    >>> make = lambda seed, fold, value: Row(
    ...     "1", "supervised", "gin", "accuracy", value, "fraction", True, "", 60, seed, "test",
    ...     params={"fold": fold},
    ... )
    >>> runs = [make(0, 0, 0.5), make(0, 1, 0.7), make(1, 0, 0.7), make(1, 1, 0.9)]
    >>> round(measured(runs, "enzymes").sd, 4), round(measured(runs, "csl").sd, 4)
    (0.1414, 0.1633)
    """
    values = [row.value for row in rows]
    known = [value for value in values if not math.isnan(value)]
    return Measured(
        summary=_folds_first(rows) if dataset in FOLDS_FIRST else summary({}, values),
        low=min(known, default=math.nan),
        high=max(known, default=math.nan),
        folds=len({row.params.get("fold") for row in rows}),
        seeds=len({row.seed for row in rows}),
        unit=rows[0].unit,
    )


def _folds_first(rows: Sequence[Row]) -> Summary:
    by_seed: dict[int, list[float]] = {}
    for row in rows:
        by_seed.setdefault(row.seed, []).append(row.value)
    seeds = [summary({}, values) for _, values in sorted(by_seed.items())]
    spreads = [seed.sd for seed in seeds if seed.sd is not None]
    if not spreads:  # one fold: only seeds can differ
        return summary({}, [seed.mean for seed in seeds])
    sd = math.hypot(*(spread / math.sqrt(len(spreads)) for spread in spreads))
    return Summary({}, mean_of([seed.mean for seed in seeds]), sd, len(rows))
