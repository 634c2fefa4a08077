"""ENZYMES: which of six classes an enzyme is of."""

from __future__ import annotations

from graphgauge.datasets.tasks.entry import Request, TaskEntry
from graphgauge.datasets.tasks.tu import proteins_of
from graphgauge.datasets.tu import ENZYMES as DATA
from graphgauge.graphs import Task

WIDTH = 18


def enzymes(request: Request) -> Task:
    """Node column ``x``: 18 numbers of each part of the secondary structure; ten folds of index files."""
    return proteins_of("enzymes", "ENZYMES", request, WIDTH, "attributes")


ENZYMES = TaskEntry(
    make=enzymes,
    kind="stored",
    about="six classes of enzymes",
    licence=DATA.licence,
    source=DATA.source,
    citation=DATA.citation + "; Dwivedi et al. Benchmarking Graph Neural Networks. JMLR 24, 2023",
    sizes={"train": 480, "val": 60, "test": 60},
    loss="cross_entropy",
    score="accuracy",
    slack=0,
    folds=10,
    graphs=600,
    nodes=19580,
    edges=74564,
)
