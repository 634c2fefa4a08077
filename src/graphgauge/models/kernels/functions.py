"""The compiled loops as differentiable functions of tensors (first derivatives only).

Tensors become NumPy views here, without a copy unless one is not contiguous.
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
from graphgauge.models.kernels import attention, gate, gru, norm, rows


def view(tensor: Tensor) -> np.ndarray[Any, Any]:
    return tensor.detach().contiguous().numpy()


def views(*tensors: Tensor) -> list[np.ndarray[Any, Any]]:
    return [view(t) for t in tensors]


def empty(*shape: int) -> Tensor:
    return torch.empty(shape, dtype=torch.float32)


class Propagate(Function):
    """x (N, d), weight (E,) without gradient → Σ_e w_e x_source(e) (rows of csr, d)."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, csr: CSR, weight: Tensor) -> Tensor:
        ctx.csr, ctx.weight, ctx.shape = csr, weight, x.shape
        out = empty(csr.num_rows, x.shape[1])
        rows.gather(*views(x, csr.ptr, csr.source, weight, out))
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dout: Tensor) -> tuple[Tensor, None, None]:
        dx = empty(*ctx.shape)
        rows.scatter(*views(dout, ctx.csr.ptr, ctx.csr.source, ctx.weight, dx))
        return dx, None, None


class Norm(Function):
    """x and residual (N, w), an empty residual for none, node_ptr, three parameters (w,) → (N, w)."""

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        residual: Tensor,
        ptr: Tensor,
        weight: Tensor,
        bias: Tensor,
        mean_scale: Tensor,
        eps: float,
    ) -> Tensor:
        x = x.contiguous()
        graphs, width = ptr.numel() - 1, x.shape[1]
        mean, scale, out = empty(graphs, width), empty(graphs, width), empty(*x.shape)
        inputs = views(x, residual, ptr, weight, bias, mean_scale)
        norm.forward(*inputs, np.float32(eps), *views(out, mean, scale))
        ctx.save_for_backward(x, ptr, weight, mean_scale, mean, scale)
        ctx.has_residual = residual.numel() > 0
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dout: Tensor) -> tuple[Tensor | None, ...]:
        width = dout.shape[1]
        grads = empty(*dout.shape), empty(width), empty(width), empty(width)
        norm.backward(*views(dout, *ctx.saved_tensors, *grads))
        dx, dweight, dbias, dmean_scale = grads
        return dx, dout if ctx.has_residual else None, None, dweight, dbias, dmean_scale, None


class Additive(Function):
    """z (N, heads · size + 2 · heads), bias → attention of GAT (N, heads · size)."""

    @staticmethod
    def forward(ctx: Any, z: Tensor, bias: Tensor, csr: CSR, heads: int, size: int, slope: float) -> Tensor:
        ctx.loops = attention.additive(heads, size, slope)
        ctx.csr, z = csr, z.contiguous()
        alpha, out = empty(csr.source.numel(), heads), empty(z.shape[0], heads * size)
        ctx.loops[0](*views(z, bias, csr.ptr, csr.source, alpha, out))
        ctx.save_for_backward(z, bias, alpha, out)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dout: Tensor) -> tuple[Tensor | None, ...]:
        z, bias, alpha, out = ctx.saved_tensors
        dz = torch.empty_like(z)
        ctx.loops[1](*views(dout, z, bias, ctx.csr.ptr, ctx.csr.source, alpha, out, dz))
        return dz, dout.sum(0), None, None, None, None


class Dynamic(Function):
    """left, right (N, heads · size), attention (heads, size), bias → attention of GATv2 (N, heads · size)."""

    @staticmethod
    def forward(
        ctx: Any, left: Tensor, right: Tensor, score: Tensor, bias: Tensor, csr: CSR, slope: float
    ) -> Tensor:
        ctx.loops = attention.dynamic(*score.shape, slope)
        ctx.csr, left, right = csr, left.contiguous(), right.contiguous()
        alpha, out = empty(csr.source.numel(), score.shape[0]), empty(*left.shape)
        ctx.loops[0](*views(left, right, score, bias, csr.ptr, csr.source, alpha, out))
        ctx.save_for_backward(left, right, score, bias, alpha, out)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dout: Tensor) -> tuple[Tensor | None, ...]:
        left, right, score, bias, alpha, out = ctx.saved_tensors
        grads = torch.empty_like(left), torch.empty_like(right), empty(*score.shape)
        rows_of = views(ctx.csr.ptr, ctx.csr.source)
        ctx.loops[1](*views(dout, left, right, score, bias), *rows_of, *views(alpha, out, *grads))
        return *grads, dout.sum(0), None, None


class Gru(Function):
    """a = (r, z, n), b = (n, r, z) (N, 3w), biases of r, z, n (3w,), state x (N, w) → the next state (N, w).

    Overwrites a and b, which must be results that nobody else reads.
    """

    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor, bias_a: Tensor, bias_b: Tensor, x: Tensor) -> Tensor:
        a, b, x, rest = a.contiguous(), b.contiguous(), x.contiguous(), 2 * x.shape[1]
        bias = torch.cat([bias_a[:rest] + bias_b[:rest], bias_a[rest:], bias_b[rest:]])
        out = empty(*x.shape)
        gru.forward(*views(a, b, bias, x, out))
        ctx.gates, ctx.b = a, b  # not save_for_backward: its check of versions would see the overwriting
        ctx.save_for_backward(x)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dout: Tensor) -> tuple[Tensor, ...]:
        (x,) = ctx.saved_tensors
        n_rows, width = x.shape
        grad, dx = empty(n_rows, 4 * width), empty(n_rows, width)
        gru.backward(*views(dout, ctx.gates, ctx.b, x, grad, dx))
        total = grad.sum(0)
        dbias_b = torch.cat([total[width : 3 * width], total[:width]])
        return grad[:, width:], grad[:, : 3 * width], total[width:], dbias_b, dx


class Gate(Function):
    """message, source, target (N, w) → gated mean of the messages of in-neighbours (N, w)."""

    @staticmethod
    def forward(ctx: Any, message: Tensor, source: Tensor, target: Tensor, csr: CSR, eps: float) -> Tensor:
        message, source, target = message.contiguous(), source.contiguous(), target.contiguous()
        total, out = empty(*message.shape), empty(*message.shape)
        inputs = views(message, source, target, csr.ptr, csr.source)
        gate.forward(*inputs, np.float32(eps), *views(total, out))
        ctx.csr = csr
        ctx.save_for_backward(message, source, target, total, out)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dout: Tensor) -> tuple[Tensor | None, ...]:
        message, source, target, total, out = ctx.saved_tensors
        grads = empty(*out.shape), empty(*out.shape), empty(*out.shape)
        rows_of = views(ctx.csr.ptr, ctx.csr.source)
        gate.backward(*views(dout, message, source, target), *rows_of, *views(total, out, *grads))
        return *grads, None, None
