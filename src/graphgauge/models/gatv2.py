"""GATv2: attention whose ranking of neighbours depends on the node that asks (Brody et al., 2022)."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from graphgauge.graphs import GraphSet
from graphgauge.graphs.csr import CSR
from graphgauge.models.gat import SLOPE
from graphgauge.models.kernels import compiled
from graphgauge.models.kernels.functions import Dynamic
from graphgauge.models.propagate import take
from graphgauge.models.softmax import edge_softmax, weighted_sum
from graphgauge.models.stack import Stack, head_size


class GATv2Conv(nn.Module):
    """l = W_l x + b_l, r = W_r x + b_r; α_ij = softmax_j a·LeakyReLU₀.₂(l_j + r_i); out_i = Σ_j α_ij l_j + b.

    Sum and softmax run over the in-neighbours j and i itself. Shapes: x (N, w), result (N, w), heads side by
    side. Parameters: 2 w² + 4 w. Both W and a start Glorot-uniform, the biases at 0.
    """

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        size = head_size(width, heads)
        self.left = nn.Linear(width, width)
        self.right = nn.Linear(width, width)
        self.attention = nn.Parameter(torch.empty(heads, size))
        self.bias = nn.Parameter(torch.zeros(width))
        for weight in (self.left.weight, self.right.weight, self.attention):
            nn.init.xavier_uniform_(weight)
        for bias in (self.left.bias, self.right.bias):
            nn.init.zeros_(bias)

    def forward(self, x: Tensor, graphs: GraphSet) -> Tensor:
        return attend_v2(self.left(x), self.right(x), self.attention, self.bias, graphs.csr.with_loops)


def attend_v2(
    left: Tensor, right: Tensor, attention: Tensor, bias: Tensor, csr: CSR, own: Tensor | None = None
) -> Tensor:
    """Attention of `GATv2Conv` over the rows of `csr`, from l and r (N, heads · c): (rows, heads · c).

    `own` is the row of r of the node itself for every row of `csr`, None for the same.
    """
    if not compiled(left):
        return attend_v2_plain(left, right, attention, csr, own) + bias
    out: Tensor = Dynamic.apply(  # type: ignore
        left.float(), right.float(), attention, bias, csr, own, SLOPE
    )
    return out


def attend_v2_plain(
    left: Tensor,
    right: Tensor,
    attention: Tensor,
    csr: CSR,
    own: Tensor | None = None,
    dropout: float = 0.0,
) -> Tensor:
    """`attend_v2` in plain PyTorch, without its bias and with dropout of weights."""
    by_head = left.view(-1, *attention.shape)
    pair = by_head[csr.source] + take(right, own).view(-1, *attention.shape)[csr.target]
    score = (F.leaky_relu(pair, SLOPE) * attention).sum(-1)
    alpha = F.dropout(edge_softmax(score, csr), dropout)
    return weighted_sum(alpha, by_head, csr).reshape(csr.num_rows, left.shape[1])


class GATv2(Stack):
    """The shared stack with `GATv2Conv` layers; 64,000 parameters as it is.

    >>> from graphgauge.graphs import GraphSet
    >>> GATv2()(GraphSet.from_edges([[(0, 1), (1, 2)]])).shape
    torch.Size([3, 64])
    """

    def __init__(
        self,
        *,
        in_features: int = 1,
        width: int = 96,
        heads: int = 8,
        layers: int = 4,
        out_features: int = 64,
    ) -> None:
        super().__init__(lambda w: GATv2Conv(w, heads), in_features, width, layers, out_features)
