"""Softmax over the incoming edges of every node."""

from __future__ import annotations

import torch
from torch import Tensor

from graphgauge.graphs.csr import CSR


def edge_softmax(score: Tensor, csr: CSR) -> Tensor:
    """α_e = exp(s_e) / Σ exp(s) over the edges with the same target, each column apart.

    Shapes: score (E, heads) in the order of `csr`, result the same. In [0, 1], summing to 1 at every node
    with an edge.
    """
    n, target = csr.ptr.numel() - 1, csr.target
    index = target[:, None].expand_as(score)
    top = score.new_full((n, score.shape[1]), -torch.inf).scatter_reduce(0, index, score.detach(), "amax")
    power = (score - top[target]).exp()
    total = score.new_zeros(n, score.shape[1]).index_add_(0, target, power)
    return power / total[target]


def weighted_sum(alpha: Tensor, x: Tensor, csr: CSR) -> Tensor:
    """out_i = Σ_{j → i} α_ij x_j for every head: alpha (E, heads), x (N, heads, c), result the same."""
    zero = x.new_zeros(csr.num_rows, *x.shape[1:])
    return zero.index_add_(0, csr.target, alpha[:, :, None] * x[csr.source])
