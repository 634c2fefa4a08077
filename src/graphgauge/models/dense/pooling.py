"""From pairs of nodes to nodes and graphs."""

# mypy: disable-error-code="no-untyped-call, override"
from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from graphgauge.models.dense.squares import Squares


def graph_totals(of_nodes: Tensor, squares: Squares) -> Tensor:
    """Sums (d, G) over the nodes of every graph, of (d, N)."""
    nothing = of_nodes.new_zeros(of_nodes.shape[0], len(squares.sizes))
    return nothing.index_add(1, squares.graph, of_nodes)


def largest(x: Tensor, squares: Squares) -> Tensor:
    """Largest entry on the diagonal, and off it, of every graph: (2 d, G) of x (d, P).

    0 where there is none: off the diagonal of one node, and anywhere in no nodes. Of entries that tie, the
    first has the gradient.
    """
    out: Tensor = Largest.apply(x, squares)
    return out


class Largest(Function):
    """Remembers where the largest entries are."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, squares: Squares) -> Tensor:
        d = x.shape[0]
        out = x.new_zeros(2 * d, len(squares.sizes))
        place = torch.full_like(out, -1, dtype=torch.int64)
        graph = start = 0
        for part, (n, g) in zip(squares.of_pairs(x), squares.runs, strict=True):
            mine = slice(graph, graph + g)
            first = start + n * n * torch.arange(g, device=x.device)
            if n > 0:
                out[:d, mine], on = part.diagonal(dim1=-2, dim2=-1).max(-1)
                place[:d, mine] = first + on * (n + 1)
            if n > 1:
                out[d:, mine], off = _off_diagonal(part).flatten(-2).max(-1)
                place[d:, mine] = first + 1 + off // n * (n + 1) + off % n
            graph, start = graph + g, start + g * n * n
        ctx.save_for_backward(place)
        ctx.shape = x.shape
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dout: Tensor) -> tuple[Tensor, None]:
        (place,) = ctx.saved_tensors
        dout, place = dout.masked_fill(place < 0, 0), place.clamp(min=0)
        dx = dout.new_zeros(ctx.shape)
        if dx.numel():
            for half, where in zip(dout.chunk(2), place.chunk(2), strict=True):
                dx.scatter_add_(1, where, half)
        return dx, None


def _off_diagonal(x: Tensor) -> Tensor:
    """Views (…, n - 1, n) of the entries off the diagonal of (…, n, n).

    From the second entry on, every stretch of n + 1 entries ends with one of the diagonal.
    """
    n = x.shape[-1]
    return torch.unflatten(x.flatten(-2)[..., 1:], -1, (n - 1, n + 1))[..., :n]


def column_sums(x: Tensor, squares: Squares) -> Tensor:
    """Σ_i x_ij of x (d, P): (d, N)."""
    dtype = torch.float32 if x.dtype in (torch.bfloat16, torch.float16) else x.dtype
    parts = [part.sum(2, dtype=dtype).flatten(1) for part in squares.of_pairs(x)]
    return torch.cat([*parts, x.new_zeros(x.shape[0], 0, dtype=dtype)], 1)
