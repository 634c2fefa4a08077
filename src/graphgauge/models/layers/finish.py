"""What follows the sum over neighbours in most layers."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor, nn
from torch.nn import functional as F

from graphgauge.models.layers.norm import BatchNorm
from graphgauge.models.propagate import take

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"relu": F.relu, "elu": F.elu}


class Finish(nn.Module):
    """out = dropout(x + activation(BatchNorm(z))), x the layer's input, left out with residual=False.

    With inside=True dropout comes before x is added.
    Shapes: z (n, d), x (n′, d) with the row `own` of each z, count (n,) nodes that a row stands for.
    Parameters: 2 d.
    """

    def __init__(
        self,
        width: int,
        activation: str = "relu",
        residual: bool = True,
        dropout: float = 0.0,
        inside: bool = False,
    ) -> None:
        super().__init__()
        self.norm = BatchNorm(width)
        self.activation = ACTIVATIONS[activation]
        self.residual, self.dropout, self.inside = residual, dropout, inside

    def forward(self, z: Tensor, x: Tensor, own: Tensor | None, count: Tensor | None) -> Tensor:
        out = self.activation(self.norm(z, count))
        if self.dropout and self.inside:
            out = F.dropout(out, self.dropout, self.training)
        if self.residual:
            out = take(x, own) + out
        if self.dropout and not self.inside:
            out = F.dropout(out, self.dropout, self.training)
        return out
