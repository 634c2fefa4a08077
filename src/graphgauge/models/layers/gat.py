"""GAT: attention over neighbours, the score additive in both ends (Veličković et al., 2018)."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from graphgauge.graphs.rounds import Round
from graphgauge.models.gat import SLOPE, attend, attend_plain
from graphgauge.models.layers.edges import edge_sum
from graphgauge.models.layers.finish import Finish
from graphgauge.models.propagate import propagate
from graphgauge.models.softmax import edge_softmax, weighted_sum
from graphgauge.models.stack import head_size

EDGE_SLOPE = 0.01


class GATLayer(nn.Module):
    """x = W dropout(h); α_ij = softmax_j LeakyReLU(a·x_j + a′·x_i); z_i = Σ_j α_ij x_j + b, by heads;
    h′ = h + ELU(BN(z)).

    Sum and softmax run over the in-neighbours j; no loop is added. The slope is 0.2, and α has dropout.
    A last layer has one head, as wide as all together.

    Parameters
    ----------
    edges : "none" as above; "features": slope 0.01, no b, dropout after ELU instead of before W;
        "isotropic": the same with z_i = Σ_j x_j
    bias : whether there is a b. The published code has it; most of its printed counts come from a version
        without

    Numbers: d² + 5 d (4 d without b); d² + 4 d; d² + 2 d. Weights start Glorot-normal with the gain of ReLU,
    b at 0.
    """

    def __init__(
        self,
        width: int,
        *,
        heads: int = 8,
        edges: str = "none",
        bias: bool = True,
        residual: bool = True,
        dropout: float = 0.0,
        last: bool = False,
    ) -> None:
        super().__init__()
        heads = 1 if last else heads
        size = head_size(width, heads)
        self.edges, self.dropout = edges, dropout
        self.weight = start(torch.empty(width, width), width, size if edges != "none" else width)
        if edges != "isotropic":
            fans = (width, size) if edges == "none" else (2 * size, 1)
            self.source, self.target = (start(torch.empty(heads, size), *fans) for _ in range(2))
        self.bias = nn.Parameter(torch.zeros(width)) if bias and edges == "none" else None
        after = dropout if edges != "none" else 0.0
        self.finish = Finish(width, "elu", residual, after, inside=True)

    def forward(self, h: Tensor, e: Tensor | None, step: Round) -> tuple[Tensor, Tensor | None]:
        return self.finish(self._sum(h, step), h, step.own, step.nodes), e

    def _sum(self, h: Tensor, step: Round) -> Tensor:
        if self.edges == "isotropic":
            return propagate(h @ self.weight.T, step.csr)
        slope = SLOPE if self.edges == "none" else EDGE_SLOPE
        bias = h.new_zeros(h.shape[1]) if self.bias is None else self.bias
        if not (self.dropout and self.training):
            return attend(h, self.weight, self.source, self.target, bias, step.csr, step.own, slope)
        x = F.dropout(h, self.dropout) if self.edges == "none" else h
        vectors = self.source, self.target
        return attend_plain(x @ self.weight.T, *vectors, step.csr, step.own, slope, self.dropout) + bias


class EdgeGATLayer(nn.Module):
    """GAT with states of edges: q_ij = [V e_ij, W h_j, W h_i] in every head;
    α_ij = softmax_j LeakyReLU₀.₀₁(a·q_ij), with dropout; z_i = Σ_j α_ij W h_j; e″_ij = U q_ij + u;
    h′ = h + dropout(ELU(BN(z))), e′ = e + dropout(ELU(BN(e″))).

    A last layer has one head, as wide as all together. Numbers with heads of c = d / heads:
    2 d² + 3 d c + 8 d. Weights start Glorot-normal with the gain of ReLU, U and u as `nn.Linear` does.
    """

    reads_ends = True

    def __init__(
        self,
        width: int,
        *,
        heads: int = 8,
        residual: bool = True,
        dropout: float = 0.0,
        last: bool = False,
    ) -> None:
        super().__init__()
        heads = 1 if last else heads
        size = head_size(width, heads)
        self.shape, self.dropout, self.last = (heads, size), dropout, last
        self.node, self.edge = (start(torch.empty(width, width), width, size) for _ in range(2))
        self.attention = start(torch.empty(3, heads, size), 3 * size, 1)
        bound = (3 * size) ** -0.5
        self.map = nn.Parameter(torch.empty(3, heads, size, size).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.empty(width).uniform_(-bound, bound))
        self.finish = Finish(width, "elu", residual, dropout, inside=True)
        self.edge_finish = Finish(width, "elu", residual, dropout, inside=True)

    def forward(self, h: Tensor, e: Tensor | None, step: Round) -> tuple[Tensor, Tensor | None]:
        assert e is not None, "this GAT reads states of edges"
        width, heads = h.shape[1], self.shape[0]
        weights = self.edge.view(*self.shape, -1), self.node.view(*self.shape, -1)
        # U (W h) = (U W) h, and the same of a: all linear maps of h and of e are one matrix product each
        maps = [torch.einsum("hoc,hcw->how", u, weights[k > 0]).flatten(0, 1) for k, u in enumerate(self.map)]
        scores = [torch.einsum("hc,hcw->hw", a, weights[k > 0]) for k, a in enumerate(self.attention)]
        of_edge = F.linear(e, torch.cat([maps[0], scores[0]]))
        of_node = F.linear(h, torch.cat([self.node, maps[1], maps[2], scores[1], scores[2]]))
        sizes = [width] * 3 + [heads] * 2
        x, source, target, from_source, from_target = torch.split(of_node, sizes, dim=1)
        score = F.leaky_relu(edge_sum(of_edge[:, width:], from_source, from_target, step), EDGE_SLOPE)
        alpha = F.dropout(edge_softmax(score[step.csr.edge], step.csr), self.dropout, self.training)
        z = weighted_sum(alpha, x.reshape(-1, *self.shape), step.csr).reshape(-1, width)
        if not self.last:
            raw = edge_sum(of_edge[:, :width] + self.bias, source, target, step)
            e = self.edge_finish(raw, e, step.edge_own, step.edges)
        return self.finish(z, h, step.own, step.nodes), e


def start(weight: Tensor, inputs: int, outputs: int) -> nn.Parameter:
    """Glorot-normal with the gain of ReLU for a map of so many inputs and outputs."""
    return nn.Parameter(nn.init.normal_(weight, std=(2 * 2 / (inputs + outputs)) ** 0.5))
