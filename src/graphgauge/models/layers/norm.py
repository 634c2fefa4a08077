"""Batch normalisation where a row can stand for several nodes or edges."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class BatchNorm(nn.Module):
    """Normalise every feature over all rows of a batch (Ioffe and Szegedy, 2015).

    out = γ (x - μ) / sqrt(σ² + ε) + β, where in training μ and σ² are the mean and the (biased) variance over
    the batch, and otherwise running averages of them: running ← 0.9 running + 0.1 batch, with the unbiased
    variance n/(n-1) σ². A row that stands for c nodes counts c times. A batch of fewer than two nodes has no
    variance: the running averages serve, and stay.

    Shapes: x (n, d), count (n,) or None for one each, result (n, d). Parameters: 2 d.

    >>> norm = BatchNorm(1)
    >>> once = norm(torch.tensor([[1.0], [4.0]]), torch.tensor([2.0, 1.0]))
    >>> plain = BatchNorm(1)(torch.tensor([[1.0], [1.0], [4.0]]))
    >>> torch.allclose(once, plain[1:]), round(norm.running_var.item(), 6)
    (True, 1.2)
    """

    running_mean: Tensor
    running_var: Tensor

    def __init__(self, width: int, eps: float = 1e-5, momentum: float = 0.1) -> None:
        super().__init__()
        self.eps, self.momentum = eps, momentum
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))
        self.register_buffer("running_mean", torch.zeros(width))
        self.register_buffer("running_var", torch.ones(width))

    def forward(self, x: Tensor, count: Tensor | None = None) -> Tensor:
        training = self.training and (x.shape[0] > 1 or (x.shape[0] == 1 and _several(count)))
        if count is None or not training:
            running = self.running_mean, self.running_var
            return F.batch_norm(x, *running, self.weight, self.bias, training, self.momentum, self.eps)
        count = count.to(x.dtype)
        total = count.sum()
        share = (count / total)[:, None]
        mean = (share * x).sum(0)
        centred = x - mean
        variance = (share * centred * centred).sum(0)
        self._follow(mean.detach(), variance.detach() * (total / (total - 1)))
        return centred * ((variance + self.eps).rsqrt() * self.weight) + self.bias

    def _follow(self, mean: Tensor, variance: Tensor) -> None:
        self.running_mean.lerp_(mean, self.momentum)
        self.running_var.lerp_(variance, self.momentum)


def _several(count: Tensor | None) -> bool:
    return count is not None and float(count.sum()) > 1
