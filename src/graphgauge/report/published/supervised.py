"""What "Benchmarking Graph Neural Networks" (JMLR 24, 2023) prints for a model on a task.

`supervised.csv` holds its tables 3 to 16, shares as fractions. The lines of tables 13 to 15, which vary the
encoding and the layer, have a `variant` and are not matched.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

CLOSE = 0.005  # parameter counts that differ by this share are of one configuration
# Models that table 10 sums up in one line where they have no encoding.
MESSAGE_PASSING = ("gcn", "gcn_mean", "graphsage", "gat", "monet", "gatedgcn", "gin")


@dataclass(frozen=True)
class PublishedScore:
    """One printed line: test score with its standard deviation, or why there is none (`status`)."""

    table: int
    metric: str
    test: float | None
    test_sd: float | None
    parameters: int | None
    status: str = "ok"


def published_score(
    dataset: str,
    subject: str,
    *,
    budget: str | float | None = None,
    layers: int | None = None,
    edge_features: bool = False,
    encoding: str | None = None,
    parameters: float | None = None,
    train_samples: int | None = None,
) -> PublishedScore | None:
    """The paper's line for a model on a task, None where it has none.

    Budget and layers have to be the printed ones, if any. Where one of them is not known or is another, the
    printed number of parameters has to be ours, but for half a percent. The two runs of table 16 are one line
    here: the mean, and √(mean of sd²).

    Parameters
    ----------
    dataset, subject : our names
    budget : "100k", "500k", …, or a number
    encoding : "lap:8" and such

    Examples
    --------
    >>> published_score("zinc", "gin", budget="100k", layers=4)
    PublishedScore(table=3, metric='mae', test=0.387, test_sd=0.015, parameters=103079, status='ok')
    >>> published_score("zinc", "gin", budget="100k", layers=5) is None
    True
    """
    asked = {
        "edge_features": str(int(edge_features)),
        "encoding": encoding or "",
        "train_samples": "" if train_samples is None else str(train_samples),
    }
    alike = [
        line
        for line in _lines().get(dataset, [])
        if line["subject"] == subject and all(line[name] == value for name, value in asked.items())
    ]
    if not alike and dataset == "csl" and subject in MESSAGE_PASSING and not encoding:
        alike = [line for line in _lines()[dataset] if line["subject"] == "mp_gcns"]
    ours = {"budget": budget_name(budget), "layers": str(layers)}
    named = [x for x in alike if all(x[name] in ("", value) for name, value in ours.items())]
    if not named and parameters is not None:
        named = [
            x for x in alike if x["params"] and math.isclose(int(x["params"]), parameters, rel_tol=CLOSE)
        ]
    return _joined(named) if len({(x["budget"], x["layers"]) for x in named}) == 1 else None


def budget_name(budget: str | float | None) -> str:
    """
    >>> budget_name(100_000), budget_name("500k"), budget_name(None)
    ('100k', '500k', '')
    """
    if isinstance(budget, int | float):
        return f"{budget / 1000:g}k"
    return budget or ""


def _joined(lines: Sequence[Mapping[str, str]]) -> PublishedScore:
    """One line, or the runs of one."""
    first = lines[0]
    done = [line for line in lines if line["test_mean"]]
    spreads = [float(line["test_sd"]) for line in done if line["test_sd"]]
    return PublishedScore(
        table=int(first["table"]),
        metric=first["metric"],
        test=math.fsum(float(line["test_mean"]) for line in done) / len(done) if done else None,
        test_sd=math.hypot(*spreads) / math.sqrt(len(spreads)) if spreads else None,
        parameters=int(first["params"]) if first["params"] else None,
        status=first["status"],
    )


@cache
def _lines() -> dict[str, list[dict[str, str]]]:
    """The main tables by dataset."""
    text = files(__package__).joinpath("supervised.csv").read_text(encoding="utf-8")
    by_dataset: dict[str, list[dict[str, str]]] = {}
    for line in csv.DictReader(text.splitlines()):
        if not line["variant"] and line["output"] in ("", "average"):
            by_dataset.setdefault(line["dataset"], []).append(line)
    return by_dataset
