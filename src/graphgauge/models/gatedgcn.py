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
from graphgauge.models.kernels.functions import Gate
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
        if compiled(x):
            gated: Tensor = Gate.apply(*(p.float() for p in parts), graphs.csr, EPSILON)  # type: ignore
        else:
            gated = gate_plain(*parts, graphs.csr)
        out: Tensor = self.own(x) + gated
        return out


def gate_plain(message: Tensor, source: Tensor, target: Tensor, csr: CSR) -> Tensor:
    """Σ_j σ(s_j + t_i) ⊙ m_j / (Σ_j σ(s_j + t_i) + ε) in plain PyTorch; all (N, w)."""
    gate = torch.sigmoid(source[csr.source] + target[csr.target])
    zero = torch.zeros_like(message)
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
