"""GraphSet: one graph, a batch and a whole dataset are the same packed type."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from graphgauge.graphs import (
    convert_edges,
    convert_matrix,
    convert_networkx,
    convert_pyg,
    convert_rdkit,
    convert_smiles,
)
from graphgauge.graphs.checks import (
    LEVELS,
    Index,
    check_edges,
    check_ids,
    check_pointer,
    check_same_columns,
    describe,
    graph_ids,
)
from graphgauge.graphs.errors import GraphError
from graphgauge.graphs.segments import counts_to_ptr, gather_segments, segment_ids

if TYPE_CHECKING:
    from graphgauge.graphs.csr import CSR


@dataclass(frozen=True, eq=False)
class GraphSet:
    """A set of G graphs with N nodes and E ordered edges in all, as packed tensors.

    Graph g owns nodes ``node_ptr[g]:node_ptr[g+1]`` and edges ``edge_ptr[g]:edge_ptr[g+1]``. Node ids in
    ``edge_index`` are global (0 to N-1). An undirected edge is stored twice, once each way. Counts are
    carried by the pointers and never inferred from edges, so isolated nodes, empty graphs and a trailing
    empty graph keep their places.

    For reading it looks like a PyG batch: ``x``, ``edge_index``, ``edge_attr``, ``y``, ``pos``, ``batch``,
    ``ptr``, ``num_nodes``, ``num_edges``, ``num_graphs``; every other column is an attribute as well.

    Parameters
    ----------
    node_ptr : (G+1,) int64, non-decreasing, from 0 to N
    edge_index : (2, E) int64, source row and target row, global node ids
    edge_ptr : (G+1,) int64, non-decreasing, from 0 to E
    node, edge, graph : columns by name, first axis N, E and G
    directed : False promises that every edge is there both ways

    The constructor checks shapes, types and pointers; `check` also checks every edge. Users build sets with
    the converters (`from_edges`, `from_networkx`, `from_pyg`, …), which check everything.

    >>> g = GraphSet.from_edges([[(0, 1), (1, 2)], []], num_nodes=[3, 1])
    >>> len(g), g.num_nodes, g.num_edges
    (2, 4, 4)
    >>> g[1].num_nodes
    1
    """

    node_ptr: Tensor
    edge_index: Tensor
    edge_ptr: Tensor
    node: Mapping[str, Tensor] = field(default_factory=dict)
    edge: Mapping[str, Tensor] = field(default_factory=dict)
    graph: Mapping[str, Tensor] = field(default_factory=dict)
    directed: bool = False

    def __post_init__(self) -> None:
        for name in ("node_ptr", "edge_index", "edge_ptr"):
            value = getattr(self, name)
            if not isinstance(value, Tensor) or value.dtype != torch.int64:
                raise GraphError(f"{name} must be an int64 tensor, got {describe(value)}")
        if self.edge_index.dim() != 2 or self.edge_index.shape[0] != 2:
            raise GraphError(f"edge_index must have shape (2, E), got {tuple(self.edge_index.shape)}")
        check_pointer("node_ptr", self.node_ptr, None)
        check_pointer("edge_ptr", self.edge_ptr, self.edge_index.shape[1])
        if self.node_ptr.numel() != self.edge_ptr.numel():
            raise GraphError(
                f"node_ptr says {self.node_ptr.numel() - 1} graphs, edge_ptr {self.edge_ptr.numel() - 1}"
            )
        for level, size in zip(LEVELS, (self.num_nodes, self.num_edges, self.num_graphs), strict=True):
            for name, column in getattr(self, level).items():
                if not isinstance(column, Tensor) or column.dim() == 0 or column.shape[0] != size:
                    raise GraphError(
                        f"{level} column {name!r} must be a tensor with {size} rows, got {describe(column)}"
                    )

    # ── other forms, in and out (each converter documents itself; heavy libraries load when called) ─────────

    from_edges = staticmethod(convert_edges.from_edges)
    to_edges = convert_edges.to_edges
    from_networkx = staticmethod(convert_networkx.from_networkx)
    to_networkx = convert_networkx.to_networkx
    from_pyg = staticmethod(convert_pyg.from_pyg)
    to_pyg = convert_pyg.to_pyg
    from_adjacency = staticmethod(convert_matrix.from_adjacency)
    to_adjacency = convert_matrix.to_adjacency
    from_smiles = staticmethod(convert_smiles.from_smiles)
    to_smiles = convert_smiles.to_smiles
    from_rdkit = staticmethod(convert_rdkit.from_rdkit)
    to_rdkit = convert_rdkit.to_rdkit

    # ── sizes ──────────────────────────────────────────────────────────────────────────────────────────

    @property
    def num_graphs(self) -> int:
        return int(self.node_ptr.numel()) - 1

    @cached_property
    def num_nodes(self) -> int:
        return int(self.node_ptr[-1])

    @property
    def num_edges(self) -> int:
        """Ordered edges; an undirected edge counts twice."""
        return int(self.edge_index.shape[1])

    @property
    def num_node_features(self) -> int:
        return 0 if self.x is None else int(self.x.shape[1]) if self.x.dim() > 1 else 1

    num_features = num_node_features

    @property
    def num_edge_features(self) -> int:
        attr = self.edge_attr
        return 0 if attr is None else int(attr.shape[1]) if attr.dim() > 1 else 1

    @property
    def nodes_per_graph(self) -> Tensor:
        """Number of nodes of each graph: (G,)."""
        return self.node_ptr.diff()

    @property
    def edges_per_graph(self) -> Tensor:
        """Number of ordered edges of each graph: (G,)."""
        return self.edge_ptr.diff()

    @property
    def device(self) -> torch.device:
        return self.edge_index.device

    # ── what a PyG model reads ─────────────────────────────────────────────────────────────────────────

    @property
    def x(self) -> Tensor | None:
        return self.node.get("x")

    @property
    def edge_attr(self) -> Tensor | None:
        return self.edge.get("edge_attr")

    @property
    def edge_weight(self) -> Tensor | None:
        return self.edge.get("edge_weight")

    @property
    def y(self) -> Tensor | None:
        return self.graph.get("y", self.node.get("y"))

    @property
    def ptr(self) -> Tensor:
        return self.node_ptr

    @cached_property
    def batch(self) -> Tensor:
        """Graph number of every node: (N,)."""
        return segment_ids(self.node_ptr)

    @cached_property
    def edge_batch(self) -> Tensor:
        """Graph number of every edge: (E,)."""
        return segment_ids(self.edge_ptr)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_"):
            for level in LEVELS:
                columns = self.__dict__.get(level, {})
                if name in columns:
                    return columns[name]
        known = sorted(c for level in LEVELS for c in self.__dict__.get(level, {}))
        raise AttributeError(f"GraphSet has no attribute or column {name!r}; its columns are {known}")

    # ── structure in other forms ───────────────────────────────────────────────────────────────────────

    @cached_property
    def csr(self) -> CSR:
        """Incoming edges of every node, row by row (see `graphgauge.graphs.csr.CSR`)."""
        from graphgauge.graphs.csr import CSR

        return CSR.of(self)

    @cached_property
    def degree(self) -> Tensor:
        """Incoming edges of every node: (N,) int64; the degree, where the set is undirected."""
        check_ids(self)
        return torch.bincount(self.edge_index[1], minlength=self.num_nodes)

    # ── selection ──────────────────────────────────────────────────────────────────────────────────────

    def __len__(self) -> int:
        return self.num_graphs

    def __iter__(self) -> Iterator[GraphSet]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: Index) -> GraphSet:
        """Graphs by number, slice, list of numbers, mask or permutation; always a GraphSet.

        >>> g = GraphSet.from_edges([[(0, 1)], [(0, 1), (1, 2)], []], num_nodes=[2, 3, 0])
        >>> g[[2, 0]].nodes_per_graph.tolist()
        [0, 2]
        """
        if isinstance(index, slice) and index.step in (None, 1):
            start, stop, _ = index.indices(len(self))
            return self._range(start, max(start, stop))
        ids = graph_ids(index, len(self), self.device)
        if ids.numel() == 1:
            return self._range(int(ids[0]), int(ids[0]) + 1)
        return self._select(ids)

    def _range(self, start: int, stop: int) -> GraphSet:
        nodes = slice(int(self.node_ptr[start]), int(self.node_ptr[stop]))
        edges = slice(int(self.edge_ptr[start]), int(self.edge_ptr[stop]))
        return GraphSet(
            node_ptr=self.node_ptr[start : stop + 1] - nodes.start,
            edge_index=self.edge_index[:, edges] - nodes.start,
            edge_ptr=self.edge_ptr[start : stop + 1] - edges.start,
            node={k: v[nodes] for k, v in self.node.items()},
            edge={k: v[edges] for k, v in self.edge.items()},
            graph={k: v[start:stop] for k, v in self.graph.items()},
            directed=self.directed,
        )

    def _select(self, ids: Tensor) -> GraphSet:
        nodes, node_ptr = gather_segments(self.node_ptr, ids)
        edges, edge_ptr = gather_segments(self.edge_ptr, ids)
        shift = torch.repeat_interleave(
            node_ptr[:-1] - self.node_ptr[ids], edge_ptr.diff(), output_size=edges.numel()
        )
        return GraphSet(
            node_ptr=node_ptr,
            edge_index=self.edge_index[:, edges] + shift,
            edge_ptr=edge_ptr,
            node={k: v[nodes] for k, v in self.node.items()},
            edge={k: v[edges] for k, v in self.edge.items()},
            graph={k: v[ids] for k, v in self.graph.items()},
            directed=self.directed,
        )

    @staticmethod
    def concat(parts: Sequence[GraphSet]) -> GraphSet:
        """All graphs of several sets, in order. The sets must have the same columns and directedness."""
        if not parts:
            raise GraphError("concat needs at least one GraphSet")
        check_same_columns(parts)
        first = parts[0]
        node_offset = np.cumsum([0] + [p.num_nodes for p in parts[:-1]]).tolist()
        edge_offset = np.cumsum([0] + [p.num_edges for p in parts[:-1]]).tolist()

        def pointers(name: str, offsets: list[int]) -> Tensor:
            tails = [getattr(p, name)[1:] + o for p, o in zip(parts, offsets, strict=True)]
            return torch.cat([first.node_ptr.new_zeros(1), *tails])

        return GraphSet(
            node_ptr=pointers("node_ptr", node_offset),
            edge_index=torch.cat([p.edge_index + o for p, o in zip(parts, node_offset, strict=True)], dim=1),
            edge_ptr=pointers("edge_ptr", edge_offset),
            node={k: torch.cat([p.node[k] for p in parts]) for k in first.node},
            edge={k: torch.cat([p.edge[k] for p in parts]) for k in first.edge},
            graph={k: torch.cat([p.graph[k] for p in parts]) for k in first.graph},
            directed=first.directed,
        )

    # ── changes ────────────────────────────────────────────────────────────────────────────────────────

    def to(self, device: torch.device | str) -> GraphSet:
        """The same set on another device."""
        if torch.device(device) == self.device:
            return self

        def move(columns: Mapping[str, Tensor]) -> dict[str, Tensor]:
            return {k: v.to(device) for k, v in columns.items()}

        return replace(
            self,
            node_ptr=self.node_ptr.to(device),
            edge_index=self.edge_index.to(device),
            edge_ptr=self.edge_ptr.to(device),
            node=move(self.node),
            edge=move(self.edge),
            graph=move(self.graph),
        )

    def structure(self) -> GraphSet:
        """The same graphs without any column."""
        return replace(self, node={}, edge={}, graph={})

    def with_columns(
        self,
        node: Mapping[str, Tensor] | None = None,
        edge: Mapping[str, Tensor] | None = None,
        graph: Mapping[str, Tensor] | None = None,
    ) -> GraphSet:
        """The same graphs with columns added or replaced."""
        return replace(
            self,
            node={**self.node, **(node or {})},
            edge={**self.edge, **(edge or {})},
            graph={**self.graph, **(graph or {})},
        )

    def relabel(self, new_id: Tensor) -> GraphSet:
        """Renumber nodes inside their graphs: node i becomes node ``new_id[i]`` (global ids, (N,)).

        Node columns move with their nodes; edges keep their order and columns.

        >>> g = GraphSet.from_edges([[(0, 1)]], num_nodes=[3])
        >>> g.relabel(torch.tensor([2, 0, 1])).edge_index.tolist()
        [[2, 0], [0, 2]]
        """
        n = self.num_nodes
        fits = new_id.shape == (n,) and new_id.dtype == torch.int64
        if not fits or (n and (int(new_id.min()) < 0 or int(new_id.max()) >= n)):
            raise GraphError(f"relabel needs the {n} new node numbers 0 to {n - 1}, got {describe(new_id)}")
        if (torch.bincount(new_id, minlength=n) != 1).any():
            raise GraphError("relabel must give every node a number of its own")
        if not torch.equal(self.batch[new_id], self.batch):
            g = int(self.batch[(self.batch[new_id] != self.batch).nonzero()[0, 0]])
            raise GraphError(f"relabel must keep every node in its graph; a node of graph {g} leaves it")
        old_id = torch.empty_like(new_id)
        old_id[new_id] = torch.arange(n, device=self.device)
        return replace(
            self, edge_index=new_id[self.edge_index], node={k: v[old_id] for k, v in self.node.items()}
        )

    # ── checks and identity ────────────────────────────────────────────────────────────────────────────

    def check(self) -> GraphSet:
        """Raise `GraphError` naming graph and edge unless every edge joins nodes of its own graph and, in an
        undirected set, is there as often as its reverse."""
        check_edges(self)
        return self

    def same_as(self, other: GraphSet) -> bool:
        """Equal in every stored value (not up to isomorphism)."""
        return self.content_hash == other.content_hash

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 over all stored values, names and types: the identity of the data in every Row."""
        digest = hashlib.sha256(f"graphset-1 directed={self.directed}".encode())
        named: list[tuple[str, Tensor]] = [
            ("node_ptr", self.node_ptr),
            ("edge_index", self.edge_index),
            ("edge_ptr", self.edge_ptr),
        ]
        for level in LEVELS:
            named += [(f"{level}.{k}", v) for k, v in sorted(getattr(self, level).items())]
        for name, value in named:
            array = value.detach().cpu().contiguous()
            digest.update(f"|{name}:{array.dtype}:{tuple(array.shape)}|".encode())
            digest.update(array.view(torch.uint8).numpy().tobytes() if array.numel() else b"")
        return digest.hexdigest()

    def __repr__(self) -> str:
        columns = {level: sorted(getattr(self, level)) for level in LEVELS if getattr(self, level)}
        kind = "directed" if self.directed else "undirected"
        return (
            f"GraphSet({self.num_graphs} graphs, {self.num_nodes} nodes, {self.num_edges} ordered edges, "
            f"{kind}{', ' + str(columns) if columns else ''})"
        )


__all__ = ["GraphSet", "Index", "counts_to_ptr", "graph_ids"]
