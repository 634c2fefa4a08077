"""The exceptions for graph input that cannot be worked with: they always name the culprit."""

from __future__ import annotations


class GraphError(ValueError):
    """Bad graph input. The message names the graph, and the edge, node or column at fault."""


class TooLargeError(GraphError):
    """Graphs of which something would take too much time or memory; nothing is wrong with them."""
