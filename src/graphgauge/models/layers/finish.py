"""What follows the sum over neighbours in most layers."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional as F

from graphgauge.models.layers.norm import BatchNorm
from graphgauge.models.propagate import take


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
        self.activation, self.residual, self.dropout, self.inside = activation, residual, dropout, inside

    def forward(self, z: Tensor, x: Tensor, own: Tensor | None, count: Tensor | None) -> Tensor:
        if not self.dropout:
            finished: Tensor = self.norm(z, count, self.activation, x if self.residual else None, own)
            return finished
        before = take(x, own) if self.residual else None
        out = self.norm(z, count, self.activation, None if self.inside else before)
        out = F.dropout(out, self.dropout, self.training)
        return out if before is None or not self.inside else before + out
