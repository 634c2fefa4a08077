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
from graphgauge.models.kernels import attention, batch_norm, gate, gated_edges, gru, mixture, norm, rows


def view(tensor: Tensor) -> np.ndarray[Any, Any]:
    if tensor.requires_grad:
        tensor = tensor.detach()
    return tensor.numpy() if tensor.is_contiguous() else tensor.contiguous().numpy()


def views(*tensors: Tensor) -> list[np.ndarray[Any, Any]]:
    return [view(t) for t in tensors]


# In place of floats and numbers that are not there.
NOTHING, NO_ROW = np.empty((0, 0), np.float32), np.empty(0, np.float32)
NO_NUMBERS = np.empty(0, np.int64)


def empty(*shape: int) -> Tensor:
    return torch.empty(shape, dtype=torch.float32)


def numbers(csr: CSR, own: Tensor | None) -> Tensor:
    """The row before of every row of `csr`: its own number where `own` is None."""
    return torch.arange(csr.num_rows) if own is None else own


class Propagate(Function):
    """x (N, d) → Σ_e w_e x_source(e) + a x_own + b (rows of csr, d).

    weight (E,) has no gradient and is 1 where it is None; the factor a (1,) and b (d,) may be None. own is
    None where rows after are those before.
    """

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        csr: CSR,
        weight: Tensor | None,
        own: Tensor | None = None,
        factor: Tensor | None = None,
        bias: Tensor | None = None,
    ) -> Tensor:
        x = x.contiguous()
        ctx.rows = *views(csr.ptr, csr.source), *(NO_ROW if t is None else view(t) for t in (weight, factor))
        ctx.own = NO_NUMBERS if own is None else view(own)
        ctx.shape, ctx.has_bias = x.shape, bias is not None
        if factor is not None:
            ctx.save_for_backward(x)
        out = empty(csr.num_rows, x.shape[1])
        rows.gather(view(x), *ctx.rows, ctx.own, NO_ROW if bias is None else view(bias), view(out))
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dout: Tensor) -> tuple[Tensor | None, ...]:
        dx, dfactor = empty(*ctx.shape), None
        dout = dout.contiguous()
        rows.scatter(view(dout), *ctx.rows, ctx.own, view(dx))
        if ctx.saved_tensors:
            dfactor = torch.from_numpy(rows.dots(view(dout), view(ctx.saved_tensors[0]), ctx.own))
        return dx, None, None, None, dfactor, dout.sum(0) if ctx.has_bias else None


class Take(Function):
    """x (n, d), rows (m,) → those rows (m, d)."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, index: Tensor) -> Tensor:
        ctx.index, ctx.shape = index, x.shape
        return x.index_select(0, index)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dout: Tensor) -> tuple[Tensor, None]:
        dx = empty(*ctx.shape)
        rows.add_rows(*views(dout, ctx.index, dx))
        return dx, None


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
    """z (N, heads · size + 2 · heads), bias → attention of GAT (rows of csr, heads · size)."""

    @staticmethod
    def forward(
        ctx: Any,
        z: Tensor,
        bias: Tensor,
        csr: CSR,
        own: Tensor | None,
        heads: int,
        size: int,
        slope: float,
    ) -> Tensor:
        ctx.loops = attention.additive(heads, size, slope)
        ctx.rows, z = (csr.ptr, csr.source, numbers(csr, own)), z.contiguous()
        alpha, out = empty(csr.source.numel(), heads), empty(csr.num_rows, heads * size)
        ctx.loops[0](*views(z, bias, *ctx.rows, alpha, out))
        ctx.save_for_backward(z, bias, alpha, out)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dout: Tensor) -> tuple[Tensor | None, ...]:
        z, bias, alpha, out = ctx.saved_tensors
        dz = torch.empty_like(z)
        ctx.loops[1](*views(dout, z, bias, *ctx.rows, alpha, out, dz))
        return dz, dout.sum(0), None, None, None, None, None


class Dynamic(Function):
    """left, right (N, heads · size), attention (heads, size), bias → attention of GATv2 (rows of csr, …)."""

    @staticmethod
    def forward(
        ctx: Any,
        left: Tensor,
        right: Tensor,
        score: Tensor,
        bias: Tensor,
        csr: CSR,
        own: Tensor | None,
        slope: float,
    ) -> Tensor:
        ctx.loops = attention.dynamic(*score.shape, slope)
        left, right = left.contiguous(), right.contiguous()
        ctx.rows = csr.ptr, csr.source, numbers(csr, own)
        alpha, out = empty(csr.source.numel(), score.shape[0]), empty(csr.num_rows, left.shape[1])
        ctx.loops[0](*views(left, right, score, bias, *ctx.rows, alpha, out))
        ctx.save_for_backward(left, right, score, bias, alpha, out)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dout: Tensor) -> tuple[Tensor | None, ...]:
        left, right, score, bias, alpha, out = ctx.saved_tensors
        grads = torch.empty_like(left), torch.empty_like(right), empty(*score.shape)
        ctx.loops[1](*views(dout, left, right, score, bias, *ctx.rows, alpha, out, *grads))
        return *grads, dout.sum(0), None, None, None


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
    """message, source, target (N, w) → gated mean of the messages of in-neighbours (rows of csr, w)."""

    @staticmethod
    def forward(
        ctx: Any, message: Tensor, source: Tensor, target: Tensor, csr: CSR, own: Tensor | None, eps: float
    ) -> Tensor:
        message, source, target = message.contiguous(), source.contiguous(), target.contiguous()
        total, out = empty(csr.num_rows, message.shape[1]), empty(csr.num_rows, message.shape[1])
        ctx.rows = csr.ptr, csr.source, numbers(csr, own)
        gate.forward(*views(message, source, target, *ctx.rows), np.float32(eps), *views(total, out))
        ctx.save_for_backward(message, source, target, total, out)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dout: Tensor) -> tuple[Tensor | None, ...]:
        message, source, target, total, out = ctx.saved_tensors
        grads = empty(*message.shape), empty(*source.shape), empty(*target.shape)
        gate.backward(*views(dout, message, source, target, *ctx.rows, total, out, *grads))
        return *grads, None, None, None


class EdgeGate(Function):
    """message (N, w), states of edges (R, w) → mean of messages gated by the states (rows of csr, w)."""

    @staticmethod
    def forward(ctx: Any, message: Tensor, raw: Tensor, csr: CSR, eps: float) -> Tensor:
        message, raw = message.contiguous(), raw.contiguous()
        total, out = empty(csr.num_rows, message.shape[1]), empty(csr.num_rows, message.shape[1])
        ctx.rows = csr.ptr, csr.source, csr.edge
        gate.edge_forward(*views(message, raw, *ctx.rows), np.float32(eps), *views(total, out))
        ctx.save_for_backward(message, raw, total, out)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dout: Tensor) -> tuple[Tensor | None, ...]:
        message, raw, total, out = ctx.saved_tensors
        grads = empty(*message.shape), empty(*raw.shape)
        gate.edge_backward(*views(dout, message, raw, *ctx.rows, total, out, *grads))
        return *grads, None, None


class Largest(Function):
    """x (N, d) → the largest value of every feature among in-neighbours, at least 0 (rows of csr, d)."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, csr: CSR) -> Tensor:
        ctx.shape, out = x.shape, empty(csr.num_rows, x.shape[1])
        ctx.winner = torch.empty(out.shape, dtype=torch.int32)
        rows.largest(*views(x, csr.ptr, csr.source, out, ctx.winner))
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dout: Tensor) -> tuple[Tensor, None]:
        dx = empty(*ctx.shape)
        rows.largest_backward(*views(dout, ctx.winner, dx))
        return dx, None


class LargestGated(Function):
    """message (N, d), states of edges (R, d) → largest gated message, at least 0 (rows of csr, d)."""

    @staticmethod
    def forward(ctx: Any, message: Tensor, raw: Tensor, csr: CSR) -> Tensor:
        message, raw, out = message.contiguous(), raw.contiguous(), empty(csr.num_rows, message.shape[1])
        winner = torch.empty(out.shape, dtype=torch.int32)
        gate.largest(*views(message, raw, csr.ptr, csr.source, csr.edge, out, winner))
        ctx.csr = csr
        ctx.save_for_backward(message, raw, winner)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dout: Tensor) -> tuple[Tensor, Tensor, None]:
        message, raw, winner = ctx.saved_tensors
        grads = empty(*message.shape), empty(*raw.shape)
        gate.largest_backward(*views(dout, message, raw, ctx.csr.source, ctx.csr.edge, winner, *grads))
        return *grads, None


class Ends(Function):
    """own (R′, d) or None, source and target (N, d), rows of own (R,) or None, pairs (2, R) → sums (R, d)."""

    @staticmethod
    def forward(
        ctx: Any, own: Tensor | None, source: Tensor, target: Tensor, edge_own: Tensor | None, pairs: Tensor
    ) -> Tensor:
        ctx.pairs, ctx.edge_own, ctx.shape = pairs, edge_own, source.shape
        ctx.own_shape = None if own is None else own.shape
        out = empty(pairs.shape[1], source.shape[1])
        nothing, none = empty(0, 0), pairs.new_empty(0)
        mine = views(nothing if own is None else own, none if edge_own is None else edge_own)
        rows.ends(*mine, *views(source, target, pairs, out))
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dout: Tensor) -> tuple[Tensor | None, ...]:
        dsource, dtarget = empty(*ctx.shape), empty(*ctx.shape)
        rows.ends_backward(*views(dout, ctx.pairs, dsource, dtarget))
        down = None if ctx.own_shape is None else dout
        if down is not None and ctx.edge_own is not None:
            down = empty(*ctx.own_shape)
            rows.add_rows(*views(dout, ctx.edge_own, down))
        return down, dsource, dtarget, None, None


class Mixture(Function):
    """x (N, d), weight (P, K), kind (E,) of csr's entries → K weighted sums of neighbours (rows, K · d)."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, kind: Tensor, csr: CSR) -> Tensor:
        x, weight, ctx.rows = x.contiguous(), weight.contiguous(), (csr.ptr, csr.source, kind)
        out = empty(csr.num_rows, weight.shape[1] * x.shape[1])
        mixture.forward(*views(x, weight, *ctx.rows, out))
        ctx.save_for_backward(x, weight)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dout: Tensor) -> tuple[Tensor | None, ...]:
        x, weight = ctx.saved_tensors
        dx, dweight = torch.empty_like(x), torch.empty_like(weight)
        mixture.backward(*views(dout, x, weight, *ctx.rows, dx, dweight))
        return dx, dweight, None, None


class Batch(Function):
    """Batch normalisation of x (n, d), weight and bias (d,), then an activation, then + residual or None.

    The residual has n rows, or others of which `own` (n,) names one for each row of x. count (n,) tells
    how many a row stands for. With mean and variance given those serve, as numbers without gradient;
    without, they are the batch's, and are returned after the result with the sum of counts.
    """

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        weight: Tensor,
        bias: Tensor,
        residual: Tensor | None,
        count: Tensor | None,
        given: tuple[Tensor, Tensor] | None,
        eps: float,
        activation: int,
        own: Tensor | None = None,
    ) -> tuple[Tensor, Tensor, Tensor, float]:
        x, stats, out = x.contiguous(), np.empty((4, x.shape[1]), np.float32), empty(*x.shape)
        if given is not None:
            stats[0], stats[1] = views(*given)
        counts = NO_ROW if count is None else view(count)
        added = NOTHING if residual is None else view(residual)
        ctx.own = NO_NUMBERS if own is None else view(own)
        inputs = view(x), added, ctx.own, counts, *views(weight, bias)
        total = batch_norm.forward(*inputs, eps, activation, given is None, stats, view(out))
        ctx.activation, ctx.total = activation, total
        ctx.residual = None if residual is None else residual.shape
        ctx.counts, ctx.stats = counts, stats
        ctx.save_for_backward(x, bias)
        mean, variance = torch.from_numpy(stats[0]), torch.from_numpy(stats[1])
        ctx.mark_non_differentiable(mean, variance)
        return out, mean, variance, total

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dout: Tensor, *_: Any) -> tuple[Tensor | None, ...]:
        x, bias = ctx.saved_tensors
        dout, dx, grads = dout.contiguous(), empty(*x.shape), np.empty((2, x.shape[1]), np.float32)
        inputs = view(dout), view(x), ctx.counts, view(bias), ctx.stats
        batch_norm.gradients(*inputs, ctx.activation, ctx.total, grads, view(dx))
        dweight, dbias = torch.from_numpy(grads)
        added = dout if ctx.residual is not None else None
        if ctx.residual is not None and ctx.own.size:
            added = empty(*ctx.residual)
            rows.add_rows(view(dout), ctx.own, view(added))
        return dx, dweight, dbias, added, None, None, None, None, None


class GatedEdges(Function):
    """The part of a GatedGCN layer that deals with edges, where every entry of csr is an edge of its own.

    raw = C e + c + source_j + target_i; out = mean of messages gated by σ(raw); new = [e +] ReLU(BN(raw)).

    Inputs: e (E, d), C and c, source, target and message (N, d), weight and bias of BN, csr, mean and
    variance to use or None for those of the batch, ε of gates and of BN, whether e is added, and whether
    there is no new e. Returns out (N, d), new (E, d) or None, mean and variance.
    """

    @staticmethod
    def forward(
        ctx: Any,
        e: Tensor,
        linear: Tensor,
        linear_bias: Tensor,
        source: Tensor,
        target: Tensor,
        message: Tensor,
        weight: Tensor,
        bias: Tensor,
        csr: CSR,
        given: tuple[Tensor, Tensor] | None,
        eps: tuple[float, float],
        residual: bool,
        last: bool,
    ) -> tuple[Tensor, Tensor | None, Tensor, Tensor]:
        raw, e = torch.addmm(linear_bias, e, linear.T), e.contiguous()
        source, target, message = source.contiguous(), target.contiguous(), message.contiguous()
        out, total = empty(*message.shape), empty(*message.shape)
        found = given is None and not last
        size = weight.numel() if found else 0
        mean, variance = empty(size), empty(size)
        ctx.rows = csr.ptr, csr.source, csr.edge
        inputs = views(raw, source, target, message, *ctx.rows)
        gated_edges.forward(*inputs, np.float32(eps[0]), *views(total, out, mean, variance))
        if given is not None:
            mean, variance = given[0].clone(), given[1].clone()
        new, scale, slope = None, mean, mean
        if not last:
            scale = (variance + eps[1]).rsqrt()
            slope, new = weight * scale, empty(*raw.shape)
            added = e if residual else empty(0, 0)
            state = *views(raw, added), NO_NUMBERS, *views(mean, slope, bias)
            batch_norm.apply(*state, batch_norm.RELU, view(new))
        ctx.per, ctx.residual = 1 / raw.shape[0] if found else 0.0, residual
        ctx.save_for_backward(e, linear, raw, message, total, out, bias, mean, scale, slope)
        ctx.mark_non_differentiable(mean, variance)
        return out, new, mean, variance

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dout: Tensor, dnew: Tensor | None, *_: Any) -> tuple[Tensor | None, ...]:
        e, linear, raw, message, total, out, bias, mean, scale, slope = ctx.saved_tensors
        dweight = dbias = None
        share, cut, dstate = empty(0), empty(0), empty(0, 0)
        if dnew is not None:
            dstate = dnew.contiguous()
            dbias, product = torch.empty_like(bias), torch.empty_like(bias)
            inputs = views(dstate, raw, mean, slope, bias)
            batch_norm.sums(*inputs, batch_norm.RELU, *views(dbias, product))
            dweight = product * scale
            share, cut = dbias * ctx.per, product * scale * scale * ctx.per
        draw, dlinear_bias = empty(*raw.shape), empty(raw.shape[1])
        ends = tuple(empty(*message.shape) for _ in range(3))
        gated_edges.backward(
            *views(dout, dstate, raw, message, *ctx.rows, total, out, mean, slope, bias, share, cut),
            *views(draw, *ends, dlinear_bias),
        )
        added = ctx.residual and dnew is not None
        de = torch.addmm(dstate, draw, linear) if added else draw @ linear
        return de, draw.T @ e, dlinear_bias, *ends, dweight, dbias, None, None, None, None, None
