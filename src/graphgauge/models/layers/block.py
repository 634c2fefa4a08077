"""What lies between two states in layers that sum: a linear map, the sum, batch norm and a residual."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from graphgauge.graphs.csr import CSR
from graphgauge.models.kernels import compiled
from graphgauge.models.kernels.block import Block
from graphgauge.models.layers.norm import ACTIVATIONS, BatchNorm
from graphgauge.models.propagate import propagate, propagate_with_own


def block(
    h: Tensor,
    linear: Tensor,
    shift: Tensor,
    norm: BatchNorm,
    *,
    csr: CSR | None = None,
    weight: Tensor | None = None,
    factor: Tensor | None = None,
    own: Tensor | None = None,
    count: Tensor | None = None,
    residual: Tensor | None = None,
) -> Tensor:
    """r_own + ReLU(BN(x)) with x_i = Σ_{j → i} w_ij W h_j + a W h_own(i) + b.

    Parameters
    ----------
    h : (n′, d)
    linear, shift : W and b
    csr : of the n rows after; None: x = W h + b
    weight : w (E,) in the order of `csr`; None: 1
    factor : a (1,); None: 0. Not together with `weight`
    own : (n,) the row before of each row; None: the same rows
    count : (n,) nodes that a row stands for; None: one each
    residual : r (n′, d); None: 0
    """
    fits = compiled(h) and h.dtype == linear.dtype and not torch.is_autocast_enabled(h.device.type)
    rows = h.shape[0] if csr is None else csr.num_rows
    if fits and rows > 1 and norm.training:
        fixed = None if weight is None else weight.float()
        again = residual is h
        out, mean, variance, total = Block.apply(  # type: ignore[no-untyped-call]
            h, linear, shift, factor, norm.weight, norm.bias, None if again else residual, again,
            csr, fixed, own, count, norm.eps, list(ACTIVATIONS).index("relu"),
        )  # fmt: skip
        norm.follow(mean, variance, total)
        finished: Tensor = out
        return finished
    if csr is None:
        x = F.linear(h, linear, shift)
    elif factor is not None:
        x = propagate_with_own(F.linear(h, linear), csr, own, factor, shift)
    else:
        x = propagate(F.linear(h, linear), csr, weight, shift)
    result: Tensor = norm(x, count, "relu", residual, own)
    return result
