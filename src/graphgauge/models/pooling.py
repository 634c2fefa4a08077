"""From states of nodes to one vector of every graph."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from graphgauge.graphs.csr import CSR
from graphgauge.models.propagate import propagate
from graphgauge.models.softmax import edge_softmax

POOLINGS = ("mean", "sum", "max", "set2set")


class Pooling(nn.Module):
    """The rows of h (n, d) that belong to each graph, to one vector (G, factor · d); of an empty graph 0.

    Parameters
    ----------
    how : "mean", "sum" or "max" of every feature, or "set2set" (`Set2Set`, twice as wide)
    """

    def __init__(self, how: str, width: int) -> None:
        super().__init__()
        self.how, self.factor = how, 2 if how == "set2set" else 1
        if how == "set2set":
            self.attention = Set2Set(width)

    def forward(self, h: Tensor, members: CSR) -> Tensor:
        if self.how == "set2set":
            pooled: Tensor = self.attention(h, members)
            return pooled
        if self.how == "max":
            return pool_max(h, members)
        total = propagate(h, members)
        if self.how == "sum":
            return total
        return total / members.ptr.diff().clamp(min=1).to(h.dtype)[:, None]


def pool_max(h: Tensor, members: CSR) -> Tensor:
    """The largest value of every feature over the members of each graph, 0 for an empty graph."""
    rows = h[members.source]
    index = members.target[:, None].expand_as(rows)
    zero = h.new_zeros(members.num_rows, h.shape[1])
    return zero.scatter_reduce(0, index, rows, "amax", include_self=False)


class Set2Set(nn.Module):
    """Attention over the members of a graph (Vinyals et al., 2016), one step of an LSTM.

    q = LSTM(0); a_i = softmax_i(q·h_i) in every graph; out = [q, Σ_i a_i h_i]. Shapes: h (n, d), result
    (G, 2d). Parameters: 12 d² + 8 d.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.lstm = nn.LSTMCell(2 * width, width)

    def forward(self, h: Tensor, members: CSR) -> Tensor:
        q, _ = self.lstm(h.new_zeros(members.num_rows, self.lstm.input_size))
        rows = h[members.source]
        share = edge_softmax((rows * q[members.target]).sum(1, keepdim=True), members)
        read = torch.zeros_like(q).index_add_(0, members.target, share * rows)
        return torch.cat([q, read], 1)
