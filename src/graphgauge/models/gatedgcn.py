"""GatedGCN: residual gated graph network (Bresson and Laurent, 2018).

The gates are those of the published benchmark code: normalised over the neighbours, and made from the raw
edge map of the same layer (the benchmark's text makes them from the normalised edge state of the layer
before). Graphs here have no edge features and a model keeps states of nodes only, so in every layer the edge
state is a learned constant.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from graphgauge.graphs import GraphSet
from graphgauge.graphs.csr import CSR
from graphgauge.models.kernels import compiled
from graphgauge.models.kernels.functions import EdgeGate, Gate
from graphgauge.models.propagate import take
from graphgauge.models.stack import Stack

EPSILON = 1e-6


class GatedGCNConv(nn.Module):
    """e_ij = D x_j + E x_i + c; σ = sigmoid(e); out_i = A x_i + Σ_j σ_ij ⊙ B x_j / (Σ_j σ_ij + 10⁻⁶).

    c, the constant edge state after its map, is the bias of E. The sums run over in-neighbours j; no added
    loops. Shapes: x (N, w), result (N, w). Parameters: 4 w² + 3 w. Starts as `nn.Linear` does.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.own = nn.Linear(width, width)
        self.message = nn.Linear(width, width)
        self.gate_source = nn.Linear(width, width, bias=False)
        self.gate_target = nn.Linear(width, width)

    def forward(self, x: Tensor, graphs: GraphSet) -> Tensor:
        parts = self.message(x), self.gate_source(x), self.gate_target(x)
        out: Tensor = self.own(x) + gated(*parts, graphs.csr)
        return out


def gated(message: Tensor, source: Tensor, target: Tensor, csr: CSR, own: Tensor | None = None) -> Tensor:
    """Σ_j σ(s_j + t_i) ⊙ m_j / (Σ_j σ(s_j + t_i) + ε) over the rows of `csr`: all (N, w), result (rows, w).

    `own` is the row of t of the node itself for every row of `csr`, None for the same.
    """
    if not compiled(message):
        return gate_plain(message, source, target, csr, own)
    parts = message.float(), source.float(), target.float()
    out: Tensor = Gate.apply(*parts, csr, own, EPSILON)  # type: ignore
    return out


def gate_plain(
    message: Tensor, source: Tensor, target: Tensor, csr: CSR, own: Tensor | None = None
) -> Tensor:
    """`gated` in plain PyTorch."""
    return gated_mean_plain(message, source[csr.source] + take(target, own)[csr.target], csr, None)


def gated_mean(message: Tensor, raw: Tensor, csr: CSR) -> Tensor:
    """Σ_j σ(e_ij) ⊙ m_j / (Σ_j σ(e_ij) + ε): message (N, w), raw (R, w) of edges, result (rows, w)."""
    if not compiled(message):
        return gated_mean_plain(message, raw, csr, csr.edge)
    out: Tensor = EdgeGate.apply(message.float(), raw.float(), csr, EPSILON)  # type: ignore
    return out


def gated_mean_plain(message: Tensor, raw: Tensor, csr: CSR, edge: Tensor | None) -> Tensor:
    """`gated_mean` in plain PyTorch; raw in the order of `csr` where `edge` is None."""
    gate = take(torch.sigmoid(raw), edge)
    zero = message.new_zeros(csr.num_rows, message.shape[1])
    top = zero.index_add(0, csr.target, gate * message[csr.source])
    return top / (zero.index_add(0, csr.target, gate) + EPSILON)


class GatedGCN(Stack):
    """The shared stack with `GatedGCNConv` layers; 59,761 parameters as it is.

    >>> from graphgauge.graphs import GraphSet
    >>> GatedGCN()(GraphSet.from_edges([[(0, 1), (1, 2)]])).shape
    torch.Size([3, 64])
    """

    def __init__(
        self, *, in_features: int = 1, width: int = 67, layers: int = 4, out_features: int = 64
    ) -> None:
        super().__init__(GatedGCNConv, in_features, width, layers, out_features)
