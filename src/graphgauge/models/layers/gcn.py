"""GCN: a sum over neighbours scaled by both degrees (Kipf and Welling, 2017)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from graphgauge.graphs.rounds import Round
from graphgauge.models.layers.finish import Finish


class GCNLayer(nn.Module):
    """z_i = W Σ_j h_j / sqrt(d_j d_i) + b; h′ = dropout(h + ReLU(BN(z))).

    The sum runs over in-neighbours j; d_j counts edges out of j, d_i edges into i, at least 1. No loop is
    added. Parameters: d² + 3 d. W starts Glorot-uniform, b at 0.
    """

    reads_degrees = True

    def __init__(self, width: int, *, residual: bool = True, dropout: float = 0.0) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(width, width))
        self.bias = nn.Parameter(torch.zeros(width))
        self.finish = Finish(width, "relu", residual, dropout)
        nn.init.xavier_uniform_(self.weight)

    def forward(self, h: Tensor, e: Tensor | None, step: Round) -> tuple[Tensor, Tensor | None]:
        return self.finish.of_sum(h, self.weight, self.bias, step.symmetric_weight, step), e
