"""The convolution of Kipf and Welling, which is also the first layer of every model here."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from graphgauge.graphs import GraphSet
from graphgauge.models.propagate import propagate


class GCNConv(nn.Module):
    """out_i = W Σ_j x_j / sqrt(d_i d_j) + b over the in-neighbours j and i itself; d counts the loop.

    Shapes: x (N, in), result (N, out). Parameters: in · out + out. W starts Glorot-uniform, b at 0.
    """

    def __init__(self, in_features: int, out_features: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(out_features, in_features))
        self.bias = nn.Parameter(torch.zeros(out_features))
        nn.init.xavier_uniform_(self.weight)

    def forward(self, x: Tensor, graphs: GraphSet) -> Tensor:
        csr = graphs.csr.with_loops
        if self.weight.shape[0] >= self.weight.shape[1]:  # aggregate where the rows are narrower
            return F.linear(propagate(x, csr, csr.symmetric_weight), self.weight, self.bias)
        return propagate(x @ self.weight.T, csr, csr.symmetric_weight) + self.bias
