"""GatedGCN: every edge gates every feature of its message (Bresson and Laurent, 2018)."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from graphgauge.graphs.rounds import Round
from graphgauge.models.gatedgcn import EPSILON, gated, gated_mean
from graphgauge.models.kernels import compiled
from graphgauge.models.kernels.functions import GatedEdges
from graphgauge.models.layers.edges import edge_sum
from graphgauge.models.layers.finish import Finish
from graphgauge.models.propagate import propagate, take


class GatedGCNLayer(nn.Module):
    """e′_ij = C e_ij + D h_j + E h_i; σ = sigmoid(e′); z_i = A h_i + Σ_j σ_ij ⊙ B h_j / (Σ_j σ_ij + 10⁻⁶);
    h′ = dropout(h + ReLU(BN(z))), e′ = dropout(e + ReLU(BN(e′))).

    Sums run over in-neighbours j; A to E are linear maps with biases. As in the published code the gates are
    made from the raw e′ (the text makes them from the normalised edge state of the layer before).

    Parameters
    ----------
    edges : "representations" as above; "features": e′ without C e, and e passes as it is; "isotropic":
        z_i = A h_i + Σ_j B h_j, and e passes as it is

    Numbers: 5 d² + 9 d; 4 d² + 6 d; 2 d² + 4 d. Starts as `nn.Linear` does.
    """

    def __init__(
        self,
        width: int,
        *,
        edges: str = "representations",
        residual: bool = True,
        dropout: float = 0.0,
        last: bool = False,
    ) -> None:
        super().__init__()
        self.own, self.message = nn.Linear(width, width), nn.Linear(width, width)
        self.finish = Finish(width, "relu", residual, dropout)
        self.edges, self.last = edges, last
        self.reads_ends = edges == "representations"
        if edges != "isotropic":
            self.source, self.target = nn.Linear(width, width), nn.Linear(width, width)
        if edges == "representations":
            self.edge = nn.Linear(width, width)
            self.edge_finish = Finish(width, "relu", residual, dropout)

    def forward(self, h: Tensor, e: Tensor | None, step: Round) -> tuple[Tensor, Tensor | None]:
        if self.edges == "isotropic":
            own, message = together(h, self.own, self.message)
            z = take(own, step.own) + propagate(message, step.csr)
            return self.finish(z, h, step.own, step.nodes), e
        own, message, source, target = together(h, self.own, self.message, self.source, self.target)
        if self.edges == "features":
            z = take(own, step.own) + gated(message, source, target, step.csr, step.own)
            return self.finish(z, h, step.own, step.nodes), e
        assert e is not None, "GatedGCN reads states of edges"
        plain = step.own is None and step.edge_own is None and step.edges is None
        if plain and compiled(h) and e.shape[0]:
            around, e = self._compiled(e, source, target, message, step)
        else:
            raw = edge_sum(self.edge(e), source, target, step)
            around = gated_mean(message, raw, step.csr)
            if not self.last:
                e = self.edge_finish(raw, e, step.edge_own, step.edges)
        return self.finish(take(own, step.own) + around, h, step.own, step.nodes), e

    def _compiled(
        self, e: Tensor, source: Tensor, target: Tensor, message: Tensor, step: Round
    ) -> tuple[Tensor, Tensor]:
        """What neighbours say, and the next states of edges, in the plain case in fewer passes over edges."""
        finish = self.edge_finish
        norm = finish.norm
        training = norm.uses_batch(e)
        given = None if training else (norm.running_mean, norm.running_var)
        around, new, mean, variance = GatedEdges.apply(  # type: ignore
            e.float(),
            self.edge.weight,
            self.edge.bias,
            source.float(),
            target.float(),
            message.float(),
            norm.weight,
            norm.bias,
            step.csr,
            given,
            (EPSILON, norm.eps),
            finish.residual,
            self.last,
        )
        if self.last:
            return around, e
        if training:
            norm.follow(mean, variance, e.shape[0])
        return around, F.dropout(new, finish.dropout, self.training) if finish.dropout else new


def together(x: Tensor, *maps: nn.Linear) -> tuple[Tensor, ...]:
    """Several linear maps of the same rows as one matrix product."""
    weight, bias = torch.cat([m.weight for m in maps]), torch.cat([m.bias for m in maps])
    return torch.split(F.linear(x, weight, bias), [m.out_features for m in maps], dim=1)
