"""GIN: as strong as the 1-WL test on countable features (Xu et al., 2019)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from graphgauge.graphs.rounds import Round
from graphgauge.models.layers.block import block
from graphgauge.models.layers.finish import Finish
from graphgauge.models.layers.norm import BatchNorm


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
        first, second, rows = self.first, self.second, {"own": step.own, "count": step.nodes}
        # the first map comes before the sum, where rows are fewer
        x = block(h, first.weight, first.bias, self.norm, csr=step.csr, factor=1 + self.eps, **rows)
        return self.finish.of_map(x, second.weight, second.bias, h, step), e
