"""ZINC: the penalised log P of a molecule."""

from __future__ import annotations

from graphgauge.datasets.tasks.entry import Request, TaskEntry
from graphgauge.datasets.tasks.molecules import molecules
from graphgauge.datasets.zinc import ZINC as DATA
from graphgauge.graphs import Task

ATOMS, BONDS = 28, 4
STAND_IN = (
    "trained on zinc/train_standin: 10,000 other molecules of the same source, not the official training "
    "split; not comparable with published numbers"
)


def zinc(request: Request) -> Task:
    """Atom types (28), bond types (4), target log P less synthetic accessibility and long cycles."""
    return molecules("zinc", request, ATOMS, BONDS, {"train_standin": STAND_IN})


ZINC = TaskEntry(
    make=zinc,
    kind="stored",
    about="regression of a molecule's penalised log P",
    licence=DATA.licence,
    source=DATA.source,
    citation=DATA.citation,
    sizes={"train": 10000, "val": 1000, "test": 1000},
    loss="l1",
    score="mae",
    graphs=12000,
)
