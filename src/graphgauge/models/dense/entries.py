"""What dense models read: a function of pairs of nodes that is zero but at edges and on the diagonal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from graphgauge.graphs import Feature, GraphSet
from graphgauge.graphs.task import check_feature
from graphgauge.models.dense.squares import Squares, filled
from graphgauge.models.inputs import PE, PE_MODES, check_choice


@dataclass(frozen=True)
class Channels:
    """The channels of the input, in this order: the adjacency matrix, then node features, then edge features.

    Channel 0 is A_uv / sqrt(d_u d_v) with in-degrees d; an edge that is there twice counts twice. Features of
    node u stand at (u, u), those of an edge at (source, target): categories as one-hot channels, numbers as
    they are. Without node features there is one channel of zeros in their place.

    Parameters
    ----------
    node : features that are read of nodes, one after the other
    edge : feature that is read of edges; None for none

    >>> Channels((Feature("x", "category", 28),), None).size
    29
    """

    node: tuple[Feature, ...]
    edge: Feature | None

    @staticmethod
    def of(node: Feature | None, edge: Feature | None, pe: int = 0, pe_mode: str = "add") -> Channels:
        """A node feature, `pe` columns of the node column "pe" after it or in its place, an edge feature."""
        check_choice("pe_mode", pe_mode, PE_MODES)
        own = () if node is None or (pe and pe_mode == "replace") else (node,)
        return Channels((*own, Feature(PE, "number", pe)) if pe else own, edge)

    @property
    def size(self) -> int:
        nodes = sum(feature.size for feature in self.node) or 1
        return 1 + nodes + (self.edge.size if self.edge is not None else 0)

    @property
    def columns(self) -> dict[str, tuple[str, ...]]:
        """Names of the columns that are read."""
        edge = () if self.edge is None else (self.edge.column,)
        return {"node": tuple(feature.column for feature in self.node), "edge": edge}

    def read(self, graphs: GraphSet) -> GraphSet:
        """The graphs with the columns that are read, checked, and no others."""
        for feature in self.node:
            check_feature(feature, graphs.node, "dense model", "node")
        if self.edge is not None:
            check_feature(self.edge, graphs.edge, "dense model", "edge")
        node = {name: graphs.node[name] for name in self.columns["node"]}
        edge = {name: graphs.edge[name] for name in self.columns["edge"]}
        return graphs.structure().with_columns(node=node, edge=edge)


@dataclass(frozen=True)
class Entries:
    """The input at the K pairs where it is not zero.

    Parameters
    ----------
    values : (channels, K)
    where : (K,) ascending places among the pairs
    row, column : (K,) nodes of each pair
    mirror : (K,) the entry of the pair the other way round, which is always there
    squares : where the pairs of every graph stand
    """

    values: Tensor
    where: Tensor
    row: Tensor
    column: Tensor
    mirror: Tensor
    squares: Squares

    @staticmethod
    def of(graphs: GraphSet, channels: Channels, dtype: torch.dtype) -> Entries:
        """Those of a set of graphs in ascending order of their sizes."""
        squares = Squares(tuple(graphs.nodes_per_graph.tolist()), graphs.device)
        nodes = torch.arange(graphs.num_nodes, device=graphs.device)
        source, target = graphs.edge_index
        back = (target, source) if graphs.directed else (target[:0], source[:0])
        row, column = torch.cat([nodes, source, back[0]]), torch.cat([nodes, target, back[1]])
        where, slot = torch.unique(_place(graphs, row, column), return_inverse=True)
        of_node, of_edge, _ = slot.split([graphs.num_nodes, graphs.num_edges, back[0].numel()])
        size = where.numel()
        weight = _adjacency(graphs, dtype)
        edge = () if channels.edge is None else (channels.edge,)
        parts = [
            weight.new_zeros(1, size).index_add(1, of_edge, weight),
            *_features(channels.node, graphs.node, of_node, size, dtype),
            *([] if channels.node else [weight.new_zeros(1, size)]),
            *_features(edge, graphs.edge, of_edge, size, dtype),
        ]
        row, column = (torch.empty_like(where).index_copy(0, slot, x) for x in (row, column))
        mirror = torch.searchsorted(where, _place(graphs, column, row))
        return Entries(torch.cat(parts), where, row, column, mirror, squares)

    def sums(self) -> tuple[Tensor, Tensor, Tensor]:
        """Sums over rows and columns and the diagonal, each (channels, N)."""
        nothing = self.values.new_zeros(self.values.shape[0], self.squares.nodes)
        rows = nothing.index_add(1, self.row, self.values)
        columns = nothing.index_add(1, self.column, self.values)
        diagonal = self.values[:, self.row == self.column]  # ascending, so in the order of the nodes
        return rows, columns, diagonal

    def dense(self) -> Tensor:
        """The input as it is: (channels, P)."""
        rest = self.values.new_zeros(self.values.shape[0], 1)
        return filled(self.values, rest, self.where, self.squares.pairs)


def _place(graphs: GraphSet, row: Tensor, column: Tensor) -> Tensor:
    """Places of pairs of nodes."""
    size = graphs.nodes_per_graph
    start = (size * size).cumsum(0) - size * size
    graph = graphs.batch[row]
    first = graphs.node_ptr[graph]
    return start[graph] + (row - first) * size[graph] + (column - first)


def _adjacency(graphs: GraphSet, dtype: torch.dtype) -> Tensor:
    """1 / sqrt(d_source d_target) of every edge: (1, E). A node without incoming edges has weight 0."""
    degree = graphs.degree.to(dtype)
    scale = torch.where(degree > 0, degree.clamp(min=1).rsqrt(), 0.0)
    source, target = graphs.edge_index
    return (scale[source] * scale[target])[None]


def _features(
    features: Sequence[Feature], columns: Mapping[str, Tensor], slot: Tensor, size: int, dtype: torch.dtype
) -> list[Tensor]:
    """Channels (feature.size, K) of every feature, at the entries `slot` of its rows."""
    found = []
    for feature in features:
        column = columns[feature.column]
        if feature.kind == "category":
            column = F.one_hot(column.long(), feature.size)
        column = column.reshape(column.shape[0], feature.size).to(dtype)
        found.append(column.new_zeros(feature.size, size).index_add(1, slot, column.T))
    return found
