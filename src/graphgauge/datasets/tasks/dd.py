"""DD: whether a protein is an enzyme."""

from __future__ import annotations

from graphgauge.datasets.tasks.entry import Request, TaskEntry
from graphgauge.datasets.tasks.tu import proteins_of
from graphgauge.datasets.tu import DD as DATA
from graphgauge.graphs import Task

WIDTH = 89


def dd(request: Request) -> Task:
    """Node column ``x``: 89 columns, one for each kind of amino acid; ten folds of index files."""
    return proteins_of("dd", "DD", request, WIDTH, "labels")


DD = TaskEntry(
    make=dd,
    kind="stored",
    about="enzymes or not: amino acids",
    licence=DATA.licence,
    source=DATA.source,
    citation=DATA.citation + "; Dwivedi et al. Benchmarking Graph Neural Networks. JMLR 24, 2023",
    sizes={"train": 941, "val": 118, "test": 119},
    loss="cross_entropy",
    score="accuracy",
    slack=2,
    folds=10,
    graphs=1178,
    nodes=None,
    edges=None,
)
