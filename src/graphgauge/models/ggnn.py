"""GGNN: messages into a gated recurrent unit (Li et al., 2016).

What paper A prints as "GatedGCN" is this network: its code stacks the GRU-based layer, although the text
cites the residual gated graph network, which is `gatedgcn` here.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from graphgauge.graphs import GraphSet
from graphgauge.models.kernels import compiled
from graphgauge.models.kernels.functions import Gru
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
        gru, width = self.gru, self.gru.hidden_size
        for weight in self.weight:
            # (A x W) Uᵀ = (A x) (U Wᵀ)ᵀ: the message map and the GRU's input map are one matrix product
            a = F.linear(propagate(x, graphs.csr), gru.weight_ih @ weight.T)
            b = F.linear(x, gru.weight_hh.roll(width, 0))
            x = gru_gates(a, b, gru.bias_ih, gru.bias_hh, x)
        return x


def gru_gates(a: Tensor, b: Tensor, bias_a: Tensor, bias_b: Tensor, x: Tensor) -> Tensor:
    """The GRU's next state (N, w) from its products a with the input and b with the state x, both (N, 3w).

    a holds (r, z, n), b holds (n, r, z), without their biases (3w,), which hold (r, z, n). Both may be
    overwritten.
    """
    if compiled(x):
        out: Tensor = Gru.apply(a.float(), b.float(), bias_a, bias_b, x.float())  # type: ignore
        return out
    return gru_gates_plain(a, b, bias_a, bias_b, x)


def gru_gates_plain(a: Tensor, b: Tensor, bias_a: Tensor, bias_b: Tensor, x: Tensor) -> Tensor:
    """`gru_gates` in plain PyTorch."""
    ar, az, an = (a + bias_a).chunk(3, -1)
    bn, br, bz = (b + bias_b.roll(x.shape[1], 0)).chunk(3, -1)
    n = torch.tanh(an + torch.sigmoid(ar + br) * bn)
    return torch.lerp(n, x, torch.sigmoid(az + bz))


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
