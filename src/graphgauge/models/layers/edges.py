"""Numbers of an edge from its own row and those of its two ends."""

from __future__ import annotations

from torch import Tensor

from graphgauge.graphs.rounds import Round
from graphgauge.models.layers.finish import take


def edge_sum(own: Tensor | None, source: Tensor, target: Tensor, step: Round) -> Tensor:
    """c_r + s_source(r) + t_target(r) for every edge r after the round: (R, d).

    Shapes: own (R′, d) or None for zeros, source and target (n′, d).
    """
    ends = source[step.ends[0]] + target[step.ends[1]]
    return ends if own is None else take(own, step.edge_own) + ends
