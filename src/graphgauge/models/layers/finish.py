"""What follows the sum over neighbours in every layer, and the small things that layers share."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor, nn
from torch.nn import functional as F

from graphgauge.models.layers.norm import BatchNorm

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"relu": F.relu, "elu": F.elu}


def take(rows: Tensor, index: Tensor | None) -> Tensor:
    """The rows numbered by `index`; all of them, as they are, where that is None."""
    return rows if index is None else rows[index]


class Finish(nn.Module):
    """out = dropout(x + activation(BatchNorm(z))), x the layer's input, left out with residual=False.

    Shapes: z (n, d), x (n′, d) with the row `own` of each z, count (n,) nodes that a row stands for.
    Parameters: 2 d.
    """

    def __init__(
        self, width: int, activation: str = "relu", residual: bool = True, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.norm = BatchNorm(width)
        self.activation = ACTIVATIONS[activation]
        self.residual, self.dropout = residual, dropout

    def forward(self, z: Tensor, x: Tensor, own: Tensor | None, count: Tensor | None) -> Tensor:
        out = self.activation(self.norm(z, count))
        if self.residual:
            out = take(x, own) + out
        return F.dropout(out, self.dropout, self.training) if self.dropout else out
