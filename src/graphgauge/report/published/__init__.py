"""Published values, to stand beside ours.

`alignment.csv` is Table D.3 of "Graph Alignment for Benchmarking Graph Neural Networks and Learning
Positional Encodings", in fractions. Its accuracies solve the assignment on the row softmax with the nodes in
identity order, so that ties fall to the true matching: they can exceed the ceiling.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True)
class Published:
    """One published number: a fraction, its standard deviation where given, and how its pairs were made."""

    value: float
    sd: float | None
    metric: str
    noise_model: str


def published(dataset: str, subject: str, noise: float) -> Published | None:
    """The paper's value for a model on an alignment dataset, None where it has none.

    >>> published("er", "gcn", 0.08)
    Published(value=0.789, sd=0.009, metric='accuracy_softmax', noise_model='add-remove')
    >>> published("er", "gcn", 0.5) is None
    True
    """
    return _alignment().get((dataset, subject, round(noise, 6)))


@cache
def _alignment() -> dict[tuple[str, str, float], Published]:
    text = files(__package__).joinpath("alignment.csv").read_text(encoding="utf-8")
    return {
        (row["dataset"], row["subject"], round(float(row["noise"]), 6)): Published(
            float(row["value"]), float(row["std"]) if row["std"] else None, row["metric"], row["noise_model"]
        )
        for row in csv.DictReader(text.splitlines())
    }
