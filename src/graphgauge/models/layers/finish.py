"""What follows the sum over neighbours in most layers."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn
from torch.nn import functional as F

from graphgauge.graphs.rounds import Round
from graphgauge.models.layers.block import block
from graphgauge.models.layers.norm import BatchNorm
from graphgauge.models.propagate import propagate, take


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

    def of_sum(self, h: Tensor, linear: Tensor, shift: Tensor, weight: Tensor | None, step: Round) -> Tensor:
        """`forward` of z_i = Σ_j w_ij W h_j + b and x = h, in fewer operations."""
        if self.simple:
            return self._block(h, linear, shift, h, step, csr=step.csr, weight=weight)
        finished: Tensor = self(
            propagate(F.linear(h, linear), step.csr, weight, shift), h, step.own, step.nodes
        )
        return finished

    def of_map(self, y: Tensor, linear: Tensor, shift: Tensor, x: Tensor, step: Round) -> Tensor:
        """`forward` of z = W y + b, in fewer operations."""
        if self.simple:
            return self._block(y, linear, shift, x, step)
        finished: Tensor = self(F.linear(y, linear, shift), x, step.own, step.nodes)
        return finished

    @property
    def simple(self) -> bool:
        return self.activation == "relu" and not self.dropout

    def _block(self, y: Tensor, linear: Tensor, shift: Tensor, x: Tensor, step: Round, **of: Any) -> Tensor:
        residual = x if self.residual else None
        rows = {"own": step.own, "count": step.nodes, "residual": residual}
        return block(y, linear, shift, self.norm, **rows, **of)  # type: ignore[arg-type]

    def forward(self, z: Tensor, x: Tensor, own: Tensor | None, count: Tensor | None) -> Tensor:
        if not self.dropout:
            finished: Tensor = self.norm(z, count, self.activation, x if self.residual else None, own)
            return finished
        before = take(x, own) if self.residual else None
        out = self.norm(z, count, self.activation, None if self.inside else before)
        out = F.dropout(out, self.dropout, self.training)
        return out if before is None or not self.inside else before + out
