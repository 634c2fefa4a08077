"""GraphNorm with the statistics of each graph, never of the batch."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from graphgauge.graphs import GraphSet
from graphgauge.graphs.segments import segment_sum
from graphgauge.models.kernels import compiled
from graphgauge.models.kernels.functions import Norm


class GraphNorm(nn.Module):
    """Normalise every feature over the nodes of each graph (Cai et al., 2021).

    With the mean μ over the nodes of the graph, y = x - α μ and the mean σ² of y²:
    out = γ y / sqrt(σ² + ε) + β, where α (`mean_scale`), γ (`weight`) and β (`bias`) are learned, one number
    a feature: 3 w parameters. Shapes: x (N, w), result (N, w); further columns of x must be, and stay, zero.

    >>> from graphgauge.graphs import GraphSet
    >>> two = GraphSet.from_edges([[], []], num_nodes=[2, 1])
    >>> GraphNorm(1)(torch.tensor([[1.0], [3.0], [9.0]]), two).round().flatten().tolist()
    [-1.0, 1.0, 0.0]
    """

    def __init__(self, width: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))
        self.mean_scale = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor, graphs: GraphSet, residual: Tensor | None = None) -> Tensor:
        """The normalised x, added to `residual` (N, w) where one is given."""
        width = x.shape[1]  # any columns beyond the parameters are zeros, and stay zeros
        weight, bias, scale = (widen(p, width) for p in (self.weight, self.bias, self.mean_scale))
        if compiled(x):
            added = x.new_empty(0, 0, dtype=torch.float32) if residual is None else residual.float()
            out: Tensor = Norm.apply(x.float(), added, graphs.node_ptr, weight, bias, scale, self.eps)  # type: ignore
            return out
        out = norm_plain(x, graphs, weight, bias, scale, self.eps)
        return out if residual is None else residual + out


def widen(x: Tensor, width: int) -> Tensor:
    """The columns of x, and zeros up to `width` of them."""
    return x if x.shape[-1] == width else F.pad(x, (0, width - x.shape[-1]))


def norm_plain(
    x: Tensor, graphs: GraphSet, weight: Tensor, bias: Tensor, mean_scale: Tensor, eps: float
) -> Tensor:
    """GraphNorm in plain PyTorch."""
    count = graphs.nodes_per_graph.clamp(min=1).to(x.dtype)[:, None]
    mean = segment_sum(x, graphs.node_ptr) / count
    y = x - (mean * mean_scale)[graphs.batch]
    variance = segment_sum(y * y, graphs.node_ptr) / count
    return y * ((variance + eps).rsqrt() * weight)[graphs.batch] + bias
