"""GGNN: messages into a gated recurrent unit (Li et al., 2016).

What paper A prints as "GatedGCN" is this network: its code stacks the GRU-based layer, although the text
cites the residual gated graph network, which is `gatedgcn` here.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from graphgauge.graphs import GraphSet
from graphgauge.models.propagate import propagate
from graphgauge.models.stack import Stack


class GGNNConv(nn.Module):
    """Repeat `rounds` times: m_i = Σ_{j → i} W_k x_j; x = GRU(input m, state x). No added loops.

    Shapes: x (N, w), result (N, w). Parameters: rounds · w² + 6 w² + 6 w; the rounds share the GRU and have a
    W_k each. All start uniform in ±1/sqrt(w).
    """

    def __init__(self, width: int, rounds: int) -> None:
        super().__init__()
        if rounds < 1:
            raise ValueError(f"rounds must be at least 1, got {rounds}")
        self.weight = nn.Parameter(torch.empty(rounds, width, width))
        self.gru = nn.GRUCell(width, width)
        nn.init.uniform_(self.weight, -(width**-0.5), width**-0.5)

    def forward(self, x: Tensor, graphs: GraphSet) -> Tensor:
        for weight in self.weight:
            x = self.gru(propagate(x @ weight, graphs.csr), x)
        return x


class GGNN(Stack):
    """The shared stack with `GGNNConv` layers of two rounds; 59,968 parameters as it is.

    >>> from graphgauge.graphs import GraphSet
    >>> GGNN()(GraphSet.from_edges([[(0, 1), (1, 2)]])).shape
    torch.Size([3, 64])
    """

    def __init__(
        self,
        *,
        in_features: int = 1,
        width: int = 48,
        rounds: int = 2,
        layers: int = 4,
        out_features: int = 64,
    ) -> None:
        super().__init__(lambda w: GGNNConv(w, rounds), in_features, width, layers, out_features)
