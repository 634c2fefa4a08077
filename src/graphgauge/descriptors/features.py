"""What goes into an encoder: node and edge columns of a set as rows of numbers, or the degree."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from graphgauge.descriptors.columns import column_rows
from graphgauge.graphs import GraphError, GraphSet


@dataclass(frozen=True)
class Features:
    """Node and edge rows of a set.

    Parameters
    ----------
    node, edge : names of the columns; "x" and "edge_attr" are taken where they are there and are no error
        where they are not. Without a node column the feature is `degree_factor` times the degree (incoming
        edges); without an edge column there are no edge features.
    node_types, edge_types : number of categories of a column that holds one whole number a row; it becomes
        one-hot. The number must be given, since two sets may not show the same categories.

    >>> path = GraphSet.from_edges([[(0, 1), (1, 2)]])
    >>> Features().node_rows(path, torch.float32).tolist()
    [[1.0], [2.0], [1.0]]
    """

    node: str | None = "x"
    edge: str | None = "edge_attr"
    node_types: int | None = None
    edge_types: int | None = None
    degree_factor: float = 1.0

    def node_rows(self, graphs: GraphSet, dtype: torch.dtype) -> Tensor:
        """(N, f) numbers of every node."""
        if self.node is None or (self.node == "x" and "x" not in graphs.node):
            return (self.degree_factor * graphs.degree[:, None]).to(dtype)
        return _rows(graphs, "node", self.node, self.node_types, dtype)

    def edge_rows(self, graphs: GraphSet, dtype: torch.dtype) -> Tensor | None:
        """(E, k) numbers of every edge in the order of `edge_index`, or None."""
        if self.edge is None or (self.edge == "edge_attr" and "edge_attr" not in graphs.edge):
            return None
        return _rows(graphs, "edge", self.edge, self.edge_types, dtype)


def _rows(graphs: GraphSet, level: str, name: str, types: int | None, dtype: torch.dtype) -> Tensor:
    rows = column_rows(graphs, level, name)
    if rows.is_floating_point() or rows.shape[1] > 1:
        return rows.to(dtype)
    return _one_hot(rows[:, 0].to(torch.int64), level, name, types).to(dtype)


def _one_hot(kind: Tensor, level: str, name: str, types: int | None) -> Tensor:
    if types is None:
        raise GraphError(
            f"{level} column {name!r} holds categories: say with {level}_types how many there are, the same "
            f"for every set, or leave it out with {level}=None"
        )
    bad = ((kind < 0) | (kind >= types)).nonzero()
    if len(bad):
        i = int(bad[0, 0])
        raise GraphError(f"{level} {i} has category {int(kind[i])} in {name!r}, outside 0 to {types - 1}")
    return F.one_hot(kind, types)
