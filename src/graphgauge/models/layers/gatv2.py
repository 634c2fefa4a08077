"""GATv2: attention whose ranking of neighbours depends on the node that asks (Brody et al., 2022)."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from graphgauge.graphs.rounds import Round
from graphgauge.models.gatv2 import attend_v2, attend_v2_plain
from graphgauge.models.layers.finish import Finish
from graphgauge.models.stack import head_size


class GATv2Layer(nn.Module):
    """l = W_l x + b_l, r = W_r x + b_r, x = dropout(h); α_ij = softmax_j a·LeakyReLU₀.₂(l_j + r_i);
    z_i = Σ_j α_ij l_j + b, by heads; h′ = h + ELU(BN(z)).

    The layer plan is that of GAT: in-neighbours j only, dropout of α, one wide head in a last layer. The
    paper has no such net. Parameters: 2 d² + 6 d. Weights start Glorot-uniform, biases at 0.
    """

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
        self.left, self.right = nn.Linear(width, width), nn.Linear(width, width)
        self.attention = nn.Parameter(torch.empty(heads, head_size(width, heads)))
        self.bias = nn.Parameter(torch.zeros(width))
        self.dropout = dropout
        self.finish = Finish(width, "elu", residual)
        for weight in (self.left.weight, self.right.weight, self.attention):
            nn.init.xavier_uniform_(weight)
        for bias in (self.left.bias, self.right.bias):
            nn.init.zeros_(bias)

    def forward(self, h: Tensor, e: Tensor | None, step: Round) -> tuple[Tensor, Tensor | None]:
        x = F.dropout(h, self.dropout, self.training) if self.dropout else h
        left, right = self.left(x), self.right(x)
        if self.dropout and self.training:
            z = attend_v2_plain(left, right, self.attention, step.csr, step.own, self.dropout) + self.bias
        else:
            z = attend_v2(left, right, self.attention, self.bias, step.csr, step.own)
        return self.finish(z, h, step.own, step.nodes), e
