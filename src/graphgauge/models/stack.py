"""The layer plan that all message-passing models share: only the convolution differs."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from graphgauge.graphs import GraphError, GraphSet
from graphgauge.models.gcn_conv import GCNConv
from graphgauge.models.norm import GraphNorm, widen


class Stack(nn.Module):
    """x₁ = norm(GCN(x₀)); x_{l+1} = x_l + norm(GELU(conv_l(x_l))); out = W x_L + b.

    Parameters
    ----------
    conv : width → the convolution of layers 2 to `layers`, called with (x, graphs)
    in_features : columns of ``graphs.x``; with no x the input is the constant 1
    width, layers, out_features : sizes; `layers` counts the first, GCN layer
    multiple_of : compute on rows filled up with zeros to a multiple of this, which changes no result

    Call with a GraphSet of N nodes; returns (N, out_features). New weights are drawn from PyTorch's global
    generator: call `torch.manual_seed` first for a model that can be made again.
    """

    def __init__(
        self,
        conv: Callable[[int], nn.Module],
        in_features: int,
        width: int,
        layers: int,
        out_features: int,
        multiple_of: int = 1,
    ) -> None:
        super().__init__()
        sizes = {"in_features": in_features, "width": width, "layers": layers, "out_features": out_features}
        for name, value in sizes.items():
            if value < 1:
                raise ValueError(f"{name} must be at least 1, got {value}")
        self.in_features = in_features
        self.row = -(-width // multiple_of) * multiple_of
        self.first = GCNConv(in_features, width)
        self.first_norm = GraphNorm(width)
        self.convs = nn.ModuleList(conv(width) for _ in range(layers - 1))
        self.norms = nn.ModuleList(GraphNorm(width) for _ in range(layers - 1))
        self.last = nn.Linear(width, out_features)

    def forward(self, graphs: GraphSet) -> Tensor:
        x = node_input(graphs, self.in_features, self.last.weight)
        x = widen(self.first_norm(self.first(x, graphs), graphs), self.row)
        for conv, norm in zip(self.convs, self.norms, strict=True):
            x = norm(F.gelu(conv(x, graphs)), graphs, residual=x)
        return F.linear(x, widen(self.last.weight, self.row), self.last.bias)


def node_input(graphs: GraphSet, in_features: int, like: Tensor) -> Tensor:
    """The node column x (N, in_features) in the type of `like`; the constant 1 where there is none."""
    x = graphs.x
    if x is None:
        return torch.ones(graphs.num_nodes, in_features, dtype=like.dtype, device=graphs.device)
    x = x[:, None] if x.dim() == 1 else x
    if x.dim() != 2 or x.shape[1] != in_features:
        raise GraphError(
            f"node column 'x' has shape {tuple(x.shape)}, the model was built for in_features={in_features}"
        )
    return x.to(like.dtype)


def head_size(width: int, heads: int) -> int:
    """Features of one attention head; `width` must be a multiple of `heads`."""
    if heads < 1 or width % heads:
        raise ValueError(f"width {width} is not a multiple of heads={heads}")
    return width // heads
