"""Rounds of message passing over a batch: which states are computed, and from which.

A round takes states of nodes and edges and makes new ones. In the plain case every node and every edge of
the batch has a row of its own. Where many have the same history (`graphgauge.graphs.quotient`), one row
stands for all of them, and rows before and after a round differ in number; layers are written once for both.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from graphgauge.graphs.csr import CSR

if TYPE_CHECKING:
    from graphgauge.graphs.graphset import GraphSet


@dataclass(frozen=True, eq=False)
class Round:
    """One round: n rows of nodes after it are made of n′ rows before it, R rows of edges of R′.

    Parameters
    ----------
    csr : row i after receives from the rows ``csr.source`` before, along the edges ``csr.edge`` (rows after)
    own : (n,) the row before of the node itself; None: the same rows as before
    ends : (2, R) rows before of the source and of the target of every edge
    edge_own : (R,) the row before of the edge itself; None: the same rows as before
    nodes, edges : (n,), (R,) how many nodes or edges of the batch a row stands for, floats; None: one each
    degree : (2, n′) incoming and outgoing edges, in the graphs, of the nodes of the rows before; None: not
        asked for, so nodes of one row may differ in them (``csr`` tells incoming edges of rows after only)
    """

    csr: CSR
    own: Tensor | None
    ends: Tensor
    edge_own: Tensor | None = None
    nodes: Tensor | None = None
    edges: Tensor | None = None
    degree: Tensor | None = None

    @cached_property
    def mean_weight(self) -> Tensor:
        """1 / d_i for every entry of `csr`, d_i the edges into its row: float64."""
        return self.csr.ptr.diff().to(torch.float64).clamp(min=1).reciprocal()[self.csr.target]

    @cached_property
    def symmetric_weight(self) -> Tensor:
        """1 / sqrt(d_j d_i) of every entry of `csr`, edges out of its source and into its row: float64."""
        assert self.degree is not None, "rounds without degrees"
        if self.degree.device.type == "cpu" and not torch.compiler.is_compiling():
            from graphgauge.graphs.scaling import symmetric  # compiled: loaded when first needed

            arrays = (part.numpy() for part in (self.csr.ptr, self.csr.source, self.degree[1]))
            return torch.from_numpy(symmetric(*arrays))
        return self.symmetric_weight_plain()

    def symmetric_weight_plain(self) -> Tensor:
        """`symmetric_weight` in plain PyTorch."""
        assert self.degree is not None, "rounds without degrees"
        sent = self.degree[1].to(torch.float64).clamp(min=1).rsqrt()
        received = self.csr.ptr.diff().to(torch.float64).clamp(min=1).rsqrt()
        return sent[self.csr.source] * received[self.csr.target]

    @cached_property
    def degree_pairs(self) -> tuple[Tensor, Tensor]:
        """The P pairs of in-degrees (source, row) that edges have, (P, 2), and which one every entry has."""
        assert self.degree is not None, "rounds without degrees"
        sent, received = self.degree[0][self.csr.source], self.csr.ptr.diff()[self.csr.target]
        base = int(received.max()) + 1 if received.numel() else 1
        codes, index = torch.unique(sent * base + received, return_inverse=True)
        return torch.stack([codes // base, codes % base], 1), index


@dataclass(frozen=True, eq=False)
class Rounds:
    """All rounds of one batch.

    Parameters
    ----------
    graphs : the batch
    rounds : one for every layer
    node : (n₀,) a node of the batch that has the input of row i; None: every node has a row
    edge : (R₀,) the same for edges, positions in ``edge_index``; None: every edge has a row, in that order
    place : for depth 0 to L the row of every node of the batch, (N,); None: its own
    weight : for depth 0 to L how many nodes a row stands for; None: one each
    """

    graphs: GraphSet
    rounds: tuple[Round, ...]
    node: Tensor | None = None
    edge: Tensor | None = None
    place: tuple[Tensor | None, ...] = ()
    weight: tuple[Tensor | None, ...] = ()

    @staticmethod
    def plain(graphs: GraphSet, layers: int, *, neighbours: bool = True, degree: bool = True) -> Rounds:
        """Every node and edge for itself.

        Parameters
        ----------
        neighbours, degree : False where no layer reads `Round.csr`, which is then empty, or degrees

        >>> from graphgauge.graphs import GraphSet
        >>> rounds = Rounds.plain(GraphSet.from_edges([[(0, 1)]]), 2)
        >>> len(rounds.rounds), rounds.rounds[0].ends.tolist(), rounds.place
        (2, [[0, 1], [1, 0]], (None, None, None))
        """
        nobody = torch.zeros(graphs.num_nodes + 1, dtype=torch.int64, device=graphs.device)
        csr = graphs.csr if neighbours else CSR(nobody, nobody[:0], nobody[:0])
        one = Round(csr, None, graphs.edge_index, degree=degrees(graphs) if degree else None)
        nothing = (None,) * (layers + 1)
        return Rounds(graphs, (one,) * layers, None, None, nothing, nothing)

    def pool(self, depth: int) -> CSR:
        """Rows of states at a depth that belong to each graph, once for each of its nodes (to sum over)."""
        place = self.place[depth]
        n = self.graphs.num_nodes
        rows = torch.arange(n, device=self.graphs.device) if place is None else place
        width = self.weight[depth]
        return CSR(self.graphs.node_ptr, rows, rows, n if width is None else width.numel())


def degrees(graphs: GraphSet) -> Tensor:
    """Incoming and outgoing edges of every node: (2, N) int64.

    >>> from graphgauge.graphs import GraphSet
    >>> degrees(GraphSet.from_edges([[(0, 1), (2, 1)]], directed="keep")).tolist()
    [[0, 2, 0], [1, 0, 1]]
    """
    incoming = graphs.csr.ptr.diff()
    if not graphs.directed:
        return torch.stack([incoming, incoming])
    return torch.stack([incoming, torch.bincount(graphs.edge_index[0], minlength=graphs.num_nodes)])
