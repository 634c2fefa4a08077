"""A linear map, a sum over neighbours, batch norm and a residual as one differentiable function.

Small batches spend as much time between operations as in them; here all between two states is one operation.
"""

# mypy: disable-error-code="no-untyped-call, override"
from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from graphgauge.graphs.csr import CSR
from graphgauge.models.kernels import batch_norm, rows
from graphgauge.models.kernels.functions import NO_NUMBERS, NO_ROW, NOTHING, empty, view, views


class Block(Function):
    """x = Σ_e w_e (W h)_source(e) + a (W h)_own + b; out = r_own + activation(BN(x)), BN over these rows.

    Inputs: h (n′, d), W, b, a (1,) or None, weight and bias of BN, r (n′, d) or None, whether r is h, then
    numbers without gradient: csr, or None for x = W h + b, weights w (E,) or None for 1, own (n,) or None for
    the same rows, counts of BN (n,) or None, its ε, and the code of the activation. Returns out (n, d), mean
    and variance of x, and the sum of counts.
    """

    @staticmethod
    def forward(
        ctx: Any,
        h: Tensor,
        linear: Tensor,
        shift: Tensor,
        factor: Tensor | None,
        weight: Tensor,
        bias: Tensor,
        residual: Tensor | None,
        add_input: bool,
        csr: CSR | None,
        scale: Tensor | None,
        own: Tensor | None,
        count: Tensor | None,
        eps: float,
        activation: int,
    ) -> tuple[Tensor, Tensor, Tensor, float]:
        h, stats = h.contiguous(), np.empty((4, linear.shape[0]), np.float32)
        ctx.own = NO_NUMBERS if own is None else view(own)
        ctx.counts = NO_ROW if count is None else view(count)
        mapped, ctx.rows = None, None
        if csr is None:
            x = torch.addmm(shift, h, linear.T)
        else:
            mapped, x = h @ linear.T, empty(csr.num_rows, linear.shape[0])
            lists = (NO_ROW if t is None else view(t) for t in (scale, factor))
            ctx.rows = *views(csr.ptr, csr.source), *lists, ctx.own
            rows.gather(view(mapped), *ctx.rows, view(shift), view(x))
        out, added = torch.empty_like(x), h if add_input else residual
        inputs = view(x), NOTHING if added is None else view(added), ctx.own, ctx.counts, *views(weight, bias)
        total = batch_norm.forward(*inputs, eps, activation, True, stats, view(out))
        ctx.stats, ctx.activation, ctx.total, ctx.add_input = stats, activation, total, add_input
        ctx.residual = None if residual is None else residual.shape
        ctx.save_for_backward(h, linear, x, bias, None if factor is None else mapped)
        mean, variance = torch.from_numpy(stats[0]), torch.from_numpy(stats[1])
        ctx.mark_non_differentiable(mean, variance)
        return out, mean, variance, total

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dout: Tensor, *_: Any) -> tuple[Tensor | None, ...]:
        h, linear, x, bias, mapped = ctx.saved_tensors
        dout, dx, grads = dout.contiguous(), torch.empty_like(x), np.empty((2, x.shape[1]), np.float32)
        inputs = view(dout), view(x), ctx.counts, view(bias), ctx.stats
        batch_norm.gradients(*inputs, ctx.activation, ctx.total, grads, view(dx))
        dweight, dbias = torch.from_numpy(grads)
        down, dfactor = dx, None
        if ctx.rows is not None:
            down = empty(h.shape[0], x.shape[1])
            rows.scatter(view(dx), *ctx.rows, view(down))
        if mapped is not None:
            dfactor = torch.from_numpy(rows.dots(view(dx), view(mapped), ctx.own))
        dh, added = down @ linear, None
        if ctx.add_input:
            rows.add_to_rows(view(dout), ctx.own, view(dh))
        elif ctx.residual is not None:
            added = torch.zeros(ctx.residual) if ctx.own.size else dout
            if ctx.own.size:
                rows.add_to_rows(view(dout), ctx.own, view(added))
        dshift = torch.zeros_like(bias)  # what is added to all rows, BN takes out again
        return dh, down.T @ h, dshift, dfactor, dweight, dbias, added, *[None] * 7
