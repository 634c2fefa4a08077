"""First states of nodes and edges, from their columns."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from graphgauge.graphs import GraphError, GraphSet
from graphgauge.graphs.task import Feature
from graphgauge.models.propagate import take
from graphgauge.models.table import ModelError

EMPTY = ("type", "ones", "none")
PE_MODES = ("add", "replace")
PE, ORDER = "pe", "order"


class ColumnInput(nn.Module):
    """A column to vectors: an embedding of categories (v · d), or a linear map of k numbers (k · d + d).

    Without a feature every node (edge) gets the same vector: the embedding of a single type (d, empty="type")
    or a linear map of `ones` ones (ones · d + d, empty="ones"). `constant` says that one row serves all.
    """

    def __init__(self, feature: Feature | None, width: int, empty: str = "ones", ones: int = 1) -> None:
        super().__init__()
        self.feature, self.ones, self.constant = feature, ones, feature is None
        kind, size = ("number", ones) if feature is None else (feature.kind, feature.size)
        if feature is None and empty == "type":
            kind, size = "category", 1
        self.map: nn.Module = nn.Embedding(size, width) if kind == "category" else nn.Linear(size, width)

    def forward(self, column: Tensor | None) -> Tensor:
        """(rows, d) of a column; (1, d) where there is none."""
        if isinstance(self.map, nn.Embedding):
            index = torch.zeros(1, dtype=torch.int64, device=self.map.weight.device)
            return F.embedding(index if column is None else column, self.map.weight)
        assert isinstance(self.map, nn.Linear)
        if column is None:
            column = self.map.weight.new_ones(1, self.ones)
        column = column[:, None] if column.dim() == 1 else column
        return F.linear(column.to(self.map.weight.dtype), self.map.weight, self.map.bias)


class NodeInput(nn.Module):
    """h = dropout(column) + W pe + embedding(order): what a net knows of a node before the first layer.

    Parameters
    ----------
    feature : the column; None: the same for every node, see `empty`
    empty : without a feature "type", the embedding of one type, "ones", a linear map of a one, or "none",
        nothing but positions
    pe : width of the positional encoding in the node column "pe"; 0: none
    pe_mode : "add", or "replace": the encoding instead of the column
    order : size of an embedding of the whole numbers in the node column "order"; 0: none
    dropout : of the column's vectors
    activate : ReLU of all, where this map counts as the first layer of an MLP
    """

    def __init__(
        self,
        feature: Feature | None,
        width: int,
        *,
        empty: str = "ones",
        pe: int = 0,
        pe_mode: str = "add",
        order: int = 0,
        dropout: float = 0.0,
        activate: bool = False,
    ) -> None:
        super().__init__()
        self.feature, self.pe, self.order, self.dropout = feature, pe, order, dropout
        self.activate = activate
        check_choice("node_empty", empty, EMPTY)
        check_choice("pe_mode", pe_mode, PE_MODES)
        replaced = (pe > 0 and pe_mode == "replace") or (feature is None and empty == "none")
        self.column = None if replaced else ColumnInput(feature, width, empty)
        if pe:
            self.position = nn.Linear(pe, width)
        if order:
            self.number = nn.Embedding(order, width)
        if replaced and not pe and not order:
            raise ModelError("nodes without a column need node_empty 'type' or 'ones', pe or order")

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the node columns that are read."""
        feature = () if self.column is None or self.feature is None else (self.feature.column,)
        return (*feature, *([PE] if self.pe else []), *([ORDER] if self.order else []))

    def forward(self, graphs: GraphSet, rows: Tensor | None) -> Tensor:
        """States (n, d) of the nodes `rows`, of all of them where that is None."""
        count = graphs.num_nodes if rows is None else rows.numel()
        parts = []
        if self.column is not None:
            column = None if self.feature is None else self._read(graphs, self.feature.column, rows)
            vectors = self.column(column).expand(count, -1)
            parts.append(F.dropout(vectors, self.dropout, self.training) if self.dropout else vectors)
        if self.pe:
            parts.append(self.position(self._positions(graphs, rows)))
        if self.order:
            parts.append(self.number(self._read(graphs, ORDER, rows)))
        total: Tensor = sum(parts[1:], parts[0])
        return F.relu(total) if self.activate else total

    def _positions(self, graphs: GraphSet, rows: Tensor | None) -> Tensor:
        column = self._read(graphs, PE, rows).to(self.position.weight.dtype)
        if column.dim() != 2 or column.shape[1] != self.pe:
            raise GraphError(
                f"node column {PE!r} has shape {tuple(column.shape)}, the net reads pe={self.pe}"
            )
        return column

    def _read(self, graphs: GraphSet, name: str, rows: Tensor | None) -> Tensor:
        return take(read("node", graphs, name), rows)


class EdgeInput(nn.Module):
    """First states of edges; see `ColumnInput`."""

    def __init__(self, feature: Feature | None, width: int, *, empty: str = "ones", ones: int = 1) -> None:
        super().__init__()
        check_choice("edge_empty", empty, EMPTY[:2])
        self.feature = feature
        self.column = ColumnInput(feature, width, empty, ones)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the edge columns that are read."""
        return () if self.feature is None else (self.feature.column,)

    def forward(self, graphs: GraphSet, rows: Tensor | None) -> Tensor:
        """States (R, d) of the edges `rows`, of all where that is None; a single row if all are the same."""
        column = None if self.feature is None else take(read("edge", graphs, self.feature.column), rows)
        states: Tensor = self.column(column)
        return states


def read(level: str, graphs: GraphSet, name: str) -> Tensor:
    columns: dict[str, Tensor] = getattr(graphs, level)
    if name not in columns:
        raise GraphError(f"the net reads {level} column {name!r}; there are {sorted(columns)}")
    return columns[name]


def check_choice(option: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise ModelError(f"{option} must be one of {', '.join(known)}, got {value!r}")
