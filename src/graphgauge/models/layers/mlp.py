"""MLP: the baseline that sees no edges."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional as F

from graphgauge.graphs.rounds import Round
from graphgauge.models.propagate import take


class MLPLayer(nn.Module):
    """h′ = dropout(ReLU(W h + b)); no normalisation, no residual. Parameters: d² + d."""

    reads_neighbours = False

    def __init__(self, width: int, *, dropout: float = 0.0) -> None:
        super().__init__()
        self.map = nn.Linear(width, width)
        self.dropout = dropout

    def forward(self, h: Tensor, e: Tensor | None, step: Round) -> tuple[Tensor, Tensor | None]:
        h = F.relu(self.map(h))
        return F.dropout(take(h, step.own), self.dropout, self.training), e
