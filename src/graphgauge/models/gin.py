"""GIN: as strong as the 1-WL test on countable features (Xu et al., 2019)."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional as F

from graphgauge.graphs import GraphSet
from graphgauge.models.norm import widen
from graphgauge.models.propagate import propagate
from graphgauge.models.stack import Stack


class GINConv(nn.Module):
    """out_i = MLP(x_i + Σ_{j → i} x_j), MLP = Linear, GELU, Linear; ε fixed at 0, no added loops.

    Shapes: x (N, w), result (N, w); more columns of zeros, which stay zeros, are welcome.
    Parameters: 2 w² + 2 w. Starts as `nn.Linear` does.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, width))

    def forward(self, x: Tensor, graphs: GraphSet) -> Tensor:
        first, _, second = self.mlp
        x = x + propagate(x, graphs.csr)
        hidden = F.gelu(F.linear(x, *widened(first, x.shape[1])))
        return F.linear(hidden, *widened(second, x.shape[1]))


def widened(layer: nn.Module, width: int) -> tuple[Tensor, Tensor]:
    """Weight and bias of a square linear layer, filled up with zeros to `width`."""
    assert isinstance(layer, nn.Linear)
    return widen(widen(layer.weight, width).T, width).T, widen(layer.bias, width)


class GIN(Stack):
    """The shared stack with `GINConv` layers; 59,770 parameters as it is.

    >>> from graphgauge.graphs import GraphSet
    >>> GIN()(GraphSet.from_edges([[(0, 1), (1, 2)]])).shape
    torch.Size([3, 64])
    """

    def __init__(
        self, *, in_features: int = 1, width: int = 93, layers: int = 4, out_features: int = 64
    ) -> None:
        # 93 is an awkward width for matrix products: 96 with three columns of zeros is a fifth faster
        super().__init__(GINConv, in_features, width, layers, out_features, multiple_of=16)
