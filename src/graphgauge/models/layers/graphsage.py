"""GraphSage: the largest of every feature among neighbours, and the node itself (Hamilton et al., 2017)."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from graphgauge.graphs.csr import CSR
from graphgauge.graphs.rounds import Round
from graphgauge.models.kernels import compiled
from graphgauge.models.kernels.functions import Largest, LargestGated
from graphgauge.models.layers.edges import edge_sum
from graphgauge.models.layers.norm import BatchNorm
from graphgauge.models.propagate import take


class GraphSageLayer(nn.Module):
    """x = dropout(h); c_i = max_j ReLU(A x_j + a); z_i = W [x_i, c_i] + b; h′ = h + BN(ReLU(z / ‖z‖)).

    The maximum runs over in-neighbours j and is 0 without any. As in the published code the row goes to the
    unit ball before ReLU, and BN comes last (the text has both the other way round).

    Parameters
    ----------
    edges : "none" as above; "features": c_i = max_j ReLU(σ(B x_i + B x_j) ⊙ A x_j); "representations":
        e″ = B x_i + B x_j + C e_ij is the argument of σ, and e′ = e + BN(ReLU(e″))

    Numbers: 3 d² + 4 d; 4 d² + 5 d; 5 d² + 8 d. Starts as `nn.Linear` does.
    """

    def __init__(
        self,
        width: int,
        *,
        edges: str = "none",
        residual: bool = True,
        dropout: float = 0.0,
        last: bool = False,
    ) -> None:
        super().__init__()
        self.message, self.map = nn.Linear(width, width), nn.Linear(2 * width, width)
        self.norm = BatchNorm(width)
        self.edges, self.last, self.residual, self.dropout = edges, last, residual, dropout
        self.reads_ends = edges != "none"
        if edges != "none":
            self.gate = nn.Linear(width, width)
        if edges == "representations":
            self.edge, self.edge_norm = nn.Linear(width, width), BatchNorm(width)

    def forward(self, h: Tensor, e: Tensor | None, step: Round) -> tuple[Tensor, Tensor | None]:
        x = F.dropout(h, self.dropout, self.training) if self.dropout else h
        around, e = self._around(x, e, step)
        left, right = self.map.weight[:, : h.shape[1]], self.map.weight[:, h.shape[1] :]
        z = torch.addmm(F.linear(take(x, step.own), left, self.map.bias), around, right.T)
        before = h if self.residual else None
        return self.norm(F.relu(F.normalize(z, dim=1)), step.nodes, residual=before, own=step.own), e

    def _around(self, x: Tensor, e: Tensor | None, step: Round) -> tuple[Tensor, Tensor | None]:
        """What the neighbours say (n, d), and the next states of edges."""
        if self.edges == "none":
            return largest(self.message(x), step.csr), e
        gate, own = self.gate(x), None
        if self.edges == "representations":
            assert e is not None, "this GraphSage reads states of edges"
            own = self.edge(e)
        raw = edge_sum(own, gate, gate, step)
        around = largest_gated(self.message(x), raw, step.csr)
        if e is not None and own is not None and not self.last:
            before = e if self.residual else None
            e = self.edge_norm(F.relu(raw), step.edges, residual=before, own=step.edge_own)
        return around, e


def largest(x: Tensor, csr: CSR) -> Tensor:
    """max(0, max_j x_j) of every feature over in-neighbours j: x (n′, d), result (n, d)."""
    if compiled(x):
        out: Tensor = Largest.apply(x.float(), csr)  # type: ignore
        return out
    return largest_plain(x[csr.source], csr)


def largest_gated(message: Tensor, raw: Tensor, csr: CSR) -> Tensor:
    """max(0, max_j σ(e_ij) ⊙ m_j): message (n′, d), raw (R, d) of edges, result (n, d)."""
    if compiled(message):
        out: Tensor = LargestGated.apply(message.float(), raw.float(), csr)  # type: ignore
        return out
    return largest_plain(torch.sigmoid(raw)[csr.edge] * message[csr.source], csr)


def largest_plain(sent: Tensor, csr: CSR) -> Tensor:
    """The largest of 0 and of what is sent along the entries of `csr` (E, d), in plain PyTorch."""
    zero = sent.new_zeros(csr.num_rows, sent.shape[1])
    return zero.scatter_reduce(0, csr.target[:, None].expand_as(sent), sent, "amax")
