"""GGNN: messages into a gated recurrent unit (Li et al., 2016)."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from graphgauge.graphs.rounds import Round
from graphgauge.models.ggnn import gru_gates
from graphgauge.models.layers.finish import Finish
from graphgauge.models.propagate import propagate, take


class GGNNLayer(nn.Module):
    """z_i = GRU(input Σ_j W h_j, state h_i); h′ = dropout(h + ReLU(BN(z))).

    The sum runs over in-neighbours j; every layer has its own W and GRU. The paper has no such net: what
    follows the unit is what its other layers have. Parameters: 7 d² + 8 d. All start uniform in ±1/sqrt(d).
    """

    def __init__(self, width: int, *, residual: bool = True, dropout: float = 0.0) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(width, width))
        self.gru = nn.GRUCell(width, width)
        self.finish = Finish(width, "relu", residual, dropout)
        nn.init.uniform_(self.weight, -(width**-0.5), width**-0.5)

    def forward(self, h: Tensor, e: Tensor | None, step: Round) -> tuple[Tensor, Tensor | None]:
        gru, own = self.gru, take(h, step.own)
        # (A h Wᵀ) Uᵀ = (A h) (U W)ᵀ: the message map and the GRU's input map are one matrix product
        a = F.linear(propagate(h, step.csr), gru.weight_ih @ self.weight)
        b = F.linear(own, gru.weight_hh.roll(h.shape[1], 0))
        z = gru_gates(a, b, gru.bias_ih, gru.bias_hh, own)
        return self.finish(z, h, step.own, step.nodes), e
