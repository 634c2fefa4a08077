"""The one exception for bad graph input: it always names the culprit."""

from __future__ import annotations


class GraphError(ValueError):
    """Bad graph input. The message names the graph, and the edge, node or column at fault."""
