"""Vanilla GCN: the mean over neighbours, then a linear map."""

from __future__ import annotations

from torch import Tensor, nn

from graphgauge.graphs.rounds import Round
from graphgauge.models.layers.finish import Finish


class MeanGCNLayer(nn.Module):
    """z_i = W mean_j h_j + b; h′ = dropout(h + ReLU(BN(z))).

    The mean runs over in-neighbours j; without any it is 0. No loop is added. Parameters: d² + 3 d. Starts as
    `nn.Linear` does.
    """

    def __init__(self, width: int, *, residual: bool = True, dropout: float = 0.0) -> None:
        super().__init__()
        self.map = nn.Linear(width, width)
        self.finish = Finish(width, "relu", residual, dropout)

    def forward(self, h: Tensor, e: Tensor | None, step: Round) -> tuple[Tensor, Tensor | None]:
        return self.finish.of_sum(h, self.map.weight, self.map.bias, step.mean_weight, step), e
