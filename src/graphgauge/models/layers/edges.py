"""Numbers of an edge from its own row and those of its two ends."""

from __future__ import annotations

from torch import Tensor

from graphgauge.graphs.rounds import Round
from graphgauge.models.kernels import compiled
from graphgauge.models.kernels.functions import Ends
from graphgauge.models.propagate import take


def edge_sum(own: Tensor | None, source: Tensor, target: Tensor, step: Round) -> Tensor:
    """c_r + s_source(r) + t_target(r) for every edge r after the round: (R, d).

    Shapes: own (R′, d) or None for zeros, source and target (n′, d).
    """
    if not compiled(source):
        return edge_sum_plain(own, source, target, step)
    mine = None if own is None else own.float()
    out: Tensor = Ends.apply(mine, source.float(), target.float(), step.edge_own, step.ends)  # type: ignore
    return out


def edge_sum_plain(own: Tensor | None, source: Tensor, target: Tensor, step: Round) -> Tensor:
    """`edge_sum` in plain PyTorch."""
    ends = source[step.ends[0]] + target[step.ends[1]]
    return ends if own is None else take(own, step.edge_own) + ends
