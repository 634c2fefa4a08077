"""Batch normalisation where a row can stand for several nodes or edges."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from graphgauge.models.kernels import batch_norm as loops
from graphgauge.models.kernels import compiled
from graphgauge.models.kernels.functions import Batch, views
from graphgauge.models.propagate import take

# In the order of the compiled loop's codes.
ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"none": lambda x: x, "relu": F.relu, "elu": F.elu}


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

    def forward(
        self,
        x: Tensor,
        count: Tensor | None = None,
        activation: str = "none",
        residual: Tensor | None = None,
        own: Tensor | None = None,
    ) -> Tensor:
        """activation(normalised x), "none", "relu" or "elu", plus a row of `residual` (n′, d) if given.

        The row is named by `own` (n,); where it is None both have the same rows.
        """
        training = self.uses_batch(x, count)
        count = None if count is None else count.to(x.dtype)
        if compiled(x) and x.shape[0]:
            return self._compiled(x.float(), count, activation, residual, own, training)
        if count is None or not training:
            running = self.running_mean, self.running_var
            out = F.batch_norm(x, *running, self.weight, self.bias, training, self.momentum, self.eps)
        else:
            out, mean, variance, total = batch_norm_plain(x, self.weight, self.bias, count, self.eps)
            self.follow(mean, variance, total)
        out = ACTIVATIONS[activation](out)
        return out if residual is None else take(residual, own) + out

    def _compiled(
        self,
        x: Tensor,
        count: Tensor | None,
        activation: str,
        residual: Tensor | None,
        own: Tensor | None,
        training: bool,
    ) -> Tensor:
        added = None if residual is None else residual.float()
        given = None if training else (self.running_mean, self.running_var)
        code = list(ACTIVATIONS).index(activation)
        out, mean, variance, total = Batch.apply(  # type: ignore
            x, self.weight, self.bias, added, count, given, self.eps, code, own
        )
        if training:
            self.follow(mean, variance, total)
        result: Tensor = out
        return result

    def uses_batch(self, x: Tensor, count: Tensor | None = None) -> bool:
        """Whether the statistics of these rows serve: in training, with two nodes at least."""
        enough = x.shape[0] > 1 or (x.shape[0] == 1 and count is not None and float(count.sum()) > 1)
        return self.training and enough

    def follow(self, mean: Tensor, variance: Tensor, total: Tensor | float) -> None:
        """Move the running averages towards those of a batch of `total` nodes."""
        if compiled(mean) and isinstance(total, float):
            loops.follow(*views(self.running_mean, self.running_var, mean, variance), total, self.momentum)
            return
        self.running_mean.lerp_(mean.detach(), self.momentum)
        self.running_var.lerp_(variance.detach() * (total / (total - 1)), self.momentum)


def batch_norm_plain(
    x: Tensor, weight: Tensor, bias: Tensor, count: Tensor, eps: float
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Normalised x, mean and variance over the batch, and the sum of counts, in plain PyTorch."""
    total = count.sum()
    share = (count / total)[:, None]
    mean = (share * x).sum(0)
    centred = x - mean
    variance = (share * centred.square()).sum(0)
    return centred * ((variance + eps).rsqrt() * weight) + bias, mean, variance, total
