"""AQSOL: the solubility of a molecule."""

from __future__ import annotations

from graphgauge.datasets.aqsol import AQSOL as DATA
from graphgauge.datasets.tasks.entry import Request, TaskEntry
from graphgauge.datasets.tasks.molecules import molecules
from graphgauge.graphs import Task

ATOMS, BONDS = 65, 5


def aqsol(request: Request) -> Task:
    """Atom types (65), bond types (5), target log S in log mol/L."""
    return molecules("aqsol", request, ATOMS, BONDS, {})


AQSOL = TaskEntry(
    make=aqsol,
    kind="stored",
    about="regression of a molecule's solubility",
    licence=DATA.licence,
    source=DATA.source,
    citation=DATA.citation,
    sizes={"train": 7831, "val": 996, "test": 996},
    loss="l1",
    score="mae",
    graphs=9823,
    nodes=172556,
    edges=351310,
)
