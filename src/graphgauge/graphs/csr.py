"""Compressed rows of a graph set, computed once and shared by every layer that aggregates over neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from graphgauge.graphs.checks import check_ids
from graphgauge.graphs.segments import counts_to_ptr

if TYPE_CHECKING:
    from graphgauge.graphs.graphset import GraphSet


@dataclass(frozen=True, eq=False)
class CSR:
    """Edges sorted by target: node i receives from ``source[ptr[i]:ptr[i+1]]``.

    Parameters
    ----------
    ptr : (N+1,) int64
    source : (E,) int64, source node of each edge, rows one after another, ascending inside a row
    edge : (E,) int64, position of each of these edges in ``edge_index`` (to order edge columns)
    senders : how many nodes there are to receive from, where they are not those that receive; None: N
    """

    ptr: Tensor
    source: Tensor
    edge: Tensor
    senders: int | None = None

    @staticmethod
    def of(graphs: GraphSet) -> CSR:
        source, target = graphs.edge_index
        n = graphs.num_nodes
        check_ids(graphs)  # the compiled code below trusts its input
        return _by_target(source, target, n, n)

    @property
    def num_rows(self) -> int:
        """How many nodes receive."""
        return int(self.ptr.numel()) - 1

    @property
    def num_senders(self) -> int:
        """How many nodes there are to receive from."""
        return self.num_rows if self.senders is None else self.senders

    @cached_property
    def target(self) -> Tensor:
        """Target node of each edge in this order: (E,)."""
        rows = torch.arange(self.ptr.numel() - 1, device=self.ptr.device)
        return torch.repeat_interleave(rows, self.ptr.diff(), output_size=self.source.numel())

    @cached_property
    def transpose(self) -> CSR:
        """Edges sorted by source: node i sends to its ``source``; ``edge`` counts in this CSR's order."""
        return _by_target(self.target, self.source, self.num_senders, self.num_rows)

    @cached_property
    def with_loops(self) -> CSR:
        """The same rows with exactly one loop at every node; ``edge`` of a loop is -1."""
        n = self.ptr.numel() - 1
        nodes = torch.arange(n, device=self.ptr.device)
        keep = self.source != self.target
        source = torch.cat([self.source[keep], nodes])
        target = torch.cat([self.target[keep], nodes])
        edge = torch.cat([self.edge[keep], torch.full_like(nodes, -1)])
        rows = _by_target(source, target, n, n)
        return CSR(rows.ptr, rows.source, edge[rows.edge])

    @cached_property
    def symmetric_weight(self) -> Tensor:
        """1 / sqrt(d_i d_j) of every edge, d the number of incoming edges here: (E,) float64."""
        scale = self.ptr.diff().to(torch.float64).clamp(min=1).rsqrt()
        return scale[self.source] * scale[self.target]


def _by_target(source: Tensor, target: Tensor, n: int, senders: int) -> CSR:
    """Rows of any edges into n nodes: counting on the CPU, a sort elsewhere; the same result."""
    if source.device.type == "cpu" and not torch.compiler.is_compiling():
        from graphgauge.graphs.ordering import edge_order  # compiled: loaded when first needed

        order = torch.from_numpy(edge_order(source.numpy(), target.numpy(), max(n, senders)))
    else:
        order = torch.argsort(target * max(senders, 1) + source, stable=True)
    ptr = counts_to_ptr(torch.bincount(target, minlength=n))
    return CSR(ptr, source[order], order, None if senders == n else senders)
