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
    from graphgauge.graphs import GraphError, GraphSet, Pairs
    from graphgauge.graphs.files import read, write
    from graphgauge.instruments import alignment
    from graphgauge.rows import Row
    from graphgauge.specs import Spec

__version__ = version("graphgauge")

# Public name → where it lives. Loaded on first use, so that `import graphgauge` is fast.
_PUBLIC = {
    "GraphError": "graphgauge.graphs",
    "GraphSet": "graphgauge.graphs",
    "Pairs": "graphgauge.graphs",
    "Row": "graphgauge.rows",
    "Spec": "graphgauge.specs",
    "read": "graphgauge.graphs.files",
    "write": "graphgauge.graphs.files",
    "alignment": "graphgauge.instruments",
}

__all__ = ["GraphError", "GraphSet", "Pairs", "Row", "Spec", "alignment", "read", "write"]


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        module = import_module(_PUBLIC[name])
        return import_module(f"{_PUBLIC[name]}.{name}") if name == "alignment" else getattr(module, name)
    raise AttributeError(f"module 'graphgauge' has no attribute {name!r}")
