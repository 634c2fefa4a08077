"""graphgauge measures graph learning.

>>> import graphgauge
>>> graphgauge.GraphSet.from_edges([[(0, 1), (1, 2)]]).num_nodes
3
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphgauge import (
        alignment,
        datasets,
        descriptors,
        distances,
        encodings,
        generation,
        models,
        report,
        supervised,
    )
    from graphgauge.graphs import GraphError, GraphSet, Pairs, Task
    from graphgauge.graphs.files import read, write
    from graphgauge.rows import Row
    from graphgauge.specs import Spec

__version__ = version("graphgauge")

# Public name → the module it lives in, and public modules. Loaded on first use: the import is fast.
_NAMES = {
    "GraphError": "graphgauge.graphs",
    "GraphSet": "graphgauge.graphs",
    "Pairs": "graphgauge.graphs",
    "Task": "graphgauge.graphs",
    "Row": "graphgauge.rows",
    "Spec": "graphgauge.specs",
    "read": "graphgauge.graphs.files",
    "write": "graphgauge.graphs.files",
}
_MODULES = (
    "alignment", "datasets", "descriptors", "distances", "encodings", "generation", "models", "report",
    "supervised",
)  # fmt: skip

__all__ = [
    "GraphError",
    "GraphSet",
    "Pairs",
    "Row",
    "Spec",
    "Task",
    "alignment",
    "datasets",
    "descriptors",
    "distances",
    "encodings",
    "generation",
    "models",
    "read",
    "report",
    "supervised",
    "write",
]


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        return getattr(import_module(_NAMES[name]), name)
    if name in _MODULES:
        return import_module(f"graphgauge.{name}")
    raise AttributeError(f"module 'graphgauge' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
