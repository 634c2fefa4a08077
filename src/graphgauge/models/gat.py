"""GAT: attention over neighbours, the score additive in both ends (Veličković et al., 2018)."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from graphgauge.graphs import GraphSet
from graphgauge.graphs.csr import CSR
from graphgauge.models.kernels import compiled
from graphgauge.models.kernels.functions import Additive
from graphgauge.models.propagate import take
from graphgauge.models.softmax import edge_softmax, weighted_sum
from graphgauge.models.stack import Stack, head_size

SLOPE = 0.2


class GATConv(nn.Module):
    """z = W x; α_ij = softmax_j LeakyReLU₀.₂(a_src·z_j + a_dst·z_i); out_i = Σ_j α_ij z_j + b, by heads.

    Sum and softmax run over the in-neighbours j and i itself. Shapes: x (N, w), result (N, w), heads side by
    side. Parameters: w² + 3 w. W and both a start Glorot-uniform, b at 0.
    """

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        size = head_size(width, heads)
        self.weight = nn.Parameter(torch.empty(width, width))
        self.source = nn.Parameter(torch.empty(heads, size))
        self.target = nn.Parameter(torch.empty(heads, size))
        self.bias = nn.Parameter(torch.zeros(width))
        for parameter in (self.weight, self.source, self.target):
            nn.init.xavier_uniform_(parameter)

    def forward(self, x: Tensor, graphs: GraphSet) -> Tensor:
        return attend(x, self.weight, self.source, self.target, self.bias, graphs.csr.with_loops)


def attend(
    x: Tensor,
    weight: Tensor,
    source: Tensor,
    target: Tensor,
    bias: Tensor,
    csr: CSR,
    own: Tensor | None = None,
    slope: float = SLOPE,
) -> Tensor:
    """Additive attention of W x over the rows of `csr`, as in `GATConv`.

    Shapes: x (N, w), weight (heads · c, w), source and target (heads, c), bias (heads · c), own the row of x
    of the node itself for every row of `csr`, None for the same; result (rows, heads · c).
    """
    if not compiled(x):
        return attend_plain(x @ weight.T, source, target, csr, own, slope) + bias
    by_head = weight.view(*source.shape, -1)
    # a·(W x) = (aᵀ W) x: the scores' parts come out of the same matrix product as z
    scores = [torch.einsum("hc,hcw->hw", a, by_head) for a in (source, target)]
    z = F.linear(x, torch.cat([weight, *scores])).float()
    out: Tensor = Additive.apply(z, bias, csr, own, *source.shape, slope)  # type: ignore
    return out


def attend_plain(
    z: Tensor,
    source: Tensor,
    target: Tensor,
    csr: CSR,
    own: Tensor | None = None,
    slope: float = SLOPE,
    dropout: float = 0.0,
) -> Tensor:
    """Additive attention in plain PyTorch, with dropout of weights: z (N, heads · c), source (heads, c)."""
    by_head = z.view(-1, *source.shape)
    from_source, from_target = (by_head * source).sum(-1), take((by_head * target).sum(-1), own)
    score = F.leaky_relu(from_source[csr.source] + from_target[csr.target], slope)
    alpha = F.dropout(edge_softmax(score, csr), dropout)
    return weighted_sum(alpha, by_head, csr).reshape(csr.num_rows, z.shape[1])


class GAT(Stack):
    """The shared stack with `GATConv` layers; 60,352 parameters as it is.

    >>> from graphgauge.graphs import GraphSet
    >>> GAT()(GraphSet.from_edges([[(0, 1), (1, 2)]])).shape
    torch.Size([3, 64])
    """

    def __init__(
        self,
        *,
        in_features: int = 1,
        width: int = 128,
        heads: int = 8,
        layers: int = 4,
        out_features: int = 64,
    ) -> None:
        super().__init__(lambda w: GATConv(w, heads), in_features, width, layers, out_features)
