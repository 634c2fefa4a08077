"""Columns of a set as rows of numbers or of labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from torch import Tensor

from graphgauge.graphs import GraphError, GraphSet

Array = np.ndarray[Any, Any]


def column_rows(graphs: GraphSet, level: str, name: str) -> Tensor:
    """A named column of nodes or edges, one row each: (N, k) or (E, k), in its own type."""
    columns = getattr(graphs, level)
    if name not in columns:
        raise GraphError(f"there is no {level} column {name!r}; its {level} columns are {sorted(columns)}")
    column: Tensor = columns[name]
    return column.flatten(1) if column.dim() > 1 else column[:, None]


def label_rows(graphs: GraphSet, labels: str | None, level: str = "node") -> Array:
    """Whole-number labels of nodes or edges, one row each: (N, k) or (E, k) int64.

    A column of one-hot or other rows is one label a row. Without a name, nodes have their degree (incoming
    edges), edges nothing that tells them apart.
    """
    if labels is None:
        nothing = np.zeros((graphs.num_edges, 1), dtype=np.int64)
        return graphs.degree.cpu().numpy()[:, None] if level == "node" else nothing
    values = column_rows(graphs, level, labels).detach().cpu().numpy()
    with np.errstate(invalid="ignore"):  # NaN is told below
        whole = values.astype(np.int64)
    if not np.array_equal(whole, values):
        row, k = np.argwhere(whole != values)[0]
        raise GraphError(f"{level} {row} has {values[row, k]} in {labels!r}, and labels are whole numbers")
    return whole
