"""GIN: as strong as the 1-WL test on countable features (Xu et al., 2019)."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from graphgauge.graphs.rounds import Round
from graphgauge.models.layers.finish import Finish
from graphgauge.models.layers.norm import BatchNorm
from graphgauge.models.propagate import propagate_with_own


class GINLayer(nn.Module):
    """z_i = MLP((1 + ε) h_i + Σ_j h_j), MLP = Linear, BN, ReLU, Linear; h′ = dropout(h + ReLU(BN(z))).

    ε is learned and starts at 0. The sum runs over in-neighbours j. As in the published code no ReLU stands
    between the last linear map and the outer BN (the text has one). Parameters: 2 d² + 6 d + 1. Starts as
    `nn.Linear` does.
    """

    def __init__(self, width: int, *, residual: bool = True, dropout: float = 0.0) -> None:
        super().__init__()
        self.eps = nn.Parameter(torch.zeros(1))
        self.first = nn.Linear(width, width)
        self.norm = BatchNorm(width)
        self.second = nn.Linear(width, width)
        self.finish = Finish(width, "relu", residual, dropout)

    def forward(self, h: Tensor, e: Tensor | None, step: Round) -> tuple[Tensor, Tensor | None]:
        # the first map comes before the sum, where rows are fewer
        x = F.linear(h, self.first.weight)
        x = propagate_with_own(x, step.csr, step.own, 1 + self.eps, self.first.bias)
        z = self.second(self.norm(x, step.nodes, "relu"))
        return self.finish(z, h, step.own, step.nodes), e
