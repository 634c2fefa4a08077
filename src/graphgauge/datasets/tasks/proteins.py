"""PROTEINS: whether a protein is an enzyme."""

from __future__ import annotations

from graphgauge.datasets.tasks.entry import Request, TaskEntry
from graphgauge.datasets.tasks.tu import proteins_of
from graphgauge.datasets.tu import PROTEINS as DATA
from graphgauge.graphs import Task

WIDTH = 29


def proteins(request: Request) -> Task:
    """Node column ``x``: 29 numbers of each part of the secondary structure; ten folds of index files."""
    return proteins_of("proteins", "PROTEINS_full", request, WIDTH, "attributes")


PROTEINS = TaskEntry(
    make=proteins,
    kind="stored",
    about="enzymes or not: parts of the secondary structure",
    licence=DATA.licence,
    source=DATA.source,
    citation=DATA.citation + "; Dwivedi et al. Benchmarking Graph Neural Networks. JMLR 24, 2023",
    sizes={"train": 889, "val": 112, "test": 112},
    loss="cross_entropy",
    score="accuracy",
    slack=1,
    folds=10,
    graphs=1113,
    nodes=43471,
    edges=162088,
)
