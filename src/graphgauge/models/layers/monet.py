"""MoNet: neighbours weighted by Gaussians of both degrees (Monti et al., 2017)."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from graphgauge.graphs.csr import CSR
from graphgauge.graphs.rounds import Round
from graphgauge.models.kernels import compiled
from graphgauge.models.kernels.functions import Mixture
from graphgauge.models.layers.finish import Finish


class MoNetLayer(nn.Module):
    """u_ij = tanh(P (1/sqrt(d_j + 1), 1/sqrt(d_i + 1)) + p); w_k = exp(-½ ‖s_k ⊙ (u - μ_k)‖²);
    z_i = Σ_k W_k Σ_j w_k(u_ij) h_j; h′ = dropout(h + ReLU(BN(z)) + b).

    d counts incoming edges, and k runs over the K = `kernels` Gaussians. As in the published code degrees
    count one more, and b comes after the residual. Parameters: K d² + 3 d + 4 K + 6. W starts Glorot-normal
    with the gain of ReLU, μ normal with deviation 0.1, s at 1, b at 0, P and p as `nn.Linear` does.
    """

    reads_degrees = True

    def __init__(self, width: int, *, kernels: int = 3, residual: bool = True, dropout: float = 0.0) -> None:
        super().__init__()
        self.kernels, self.dropout = kernels, dropout
        self.pseudo = nn.Linear(2, 2)
        self.weight = nn.Parameter(torch.empty(kernels * width, width))
        self.mean = nn.Parameter(torch.empty(kernels, 2).normal_(0, 0.1))
        self.scale = nn.Parameter(torch.ones(kernels, 2))
        self.bias = nn.Parameter(torch.zeros(width))
        self.finish = Finish(width, "relu", residual)
        nn.init.xavier_normal_(self.weight, nn.init.calculate_gain("relu"))

    def forward(self, h: Tensor, e: Tensor | None, step: Round) -> tuple[Tensor, Tensor | None]:
        degrees, pair = step.degree_pairs
        u = torch.tanh(self.pseudo((degrees.to(h.dtype) + 1).rsqrt()))
        weight = torch.exp(-0.5 * ((u[:, None] - self.mean) * self.scale).square().sum(-1))
        around = mixture(h, weight, pair, step.csr)
        # W_1 … W_K beside each other, (d, K · d): one product with the sums of all kernels
        beside = self.weight.view(self.kernels, -1, h.shape[1]).transpose(0, 1).flatten(1)
        out = self.finish(F.linear(around, beside), h, step.own, step.nodes) + self.bias
        return (F.dropout(out, self.dropout, self.training) if self.dropout else out), e


def mixture(x: Tensor, weight: Tensor, pair: Tensor, csr: CSR) -> Tensor:
    """Σ_j w_k x_j for every kernel k, side by side.

    Shapes: x (n′, d), weight (P, K) for kinds of edges, pair (E,) the kind of every entry of `csr`, result
    (n, K · d).
    """
    if compiled(x):
        out: Tensor = Mixture.apply(x.float(), weight.float(), pair, csr)  # type: ignore
        return out
    return mixture_plain(x, weight, pair, csr)


def mixture_plain(x: Tensor, weight: Tensor, pair: Tensor, csr: CSR) -> Tensor:
    """`mixture` in plain PyTorch."""
    sent = weight[pair][:, :, None] * x[csr.source][:, None]
    out = x.new_zeros(csr.num_rows, *sent.shape[1:]).index_add_(0, csr.target, sent)
    return out.flatten(1)
