"""Numbers of edges and of pairs from rows of their own and of their two ends."""

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


def pair_sum(left: Tensor, right: Tensor, pairs: Tensor) -> Tensor:
    """left_a + right_b for every pair (a, b): left and right (n, d), pairs (2, P), result (P, d)."""
    if not compiled(left):
        return left[pairs[0]] + right[pairs[1]]
    out: Tensor = Ends.apply(None, left.float(), right.float(), None, pairs)  # type: ignore
    return out


def edge_sum_plain(own: Tensor | None, source: Tensor, target: Tensor, step: Round) -> Tensor:
    """`edge_sum` in plain PyTorch."""
    ends = source[step.ends[0]] + target[step.ends[1]]
    return ends if own is None else take(own, step.edge_own) + ends
