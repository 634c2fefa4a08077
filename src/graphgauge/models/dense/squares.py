"""Functions of all ordered pairs of nodes, of many graphs at once and without padding.

A graph of n nodes has n² pairs. The squares of all graphs stand one after the other, row by row, in one
tensor (d, P) with P = Σ n²: one row for each feature, so that a linear map is one matrix product over all
graphs, and the pairs of graphs of the same size, which are neighbours, are seen as (d, g, n, n) without a
copy. Nothing is padded, so nothing can depend on padding.
"""

# mypy: disable-error-code="no-untyped-call, override"
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable


@dataclass(frozen=True)
class Squares:
    """Where the pairs of every graph stand.

    Parameters
    ----------
    sizes : nodes of every graph, in ascending order
    device : of the tensors made here

    >>> squares = Squares((1, 2, 2))
    >>> squares.nodes, squares.pairs, squares.runs
    (5, 9, [(1, 1), (2, 2)])
    """

    sizes: tuple[int, ...]
    device: torch.device | str = "cpu"

    @cached_property
    def runs(self) -> list[tuple[int, int]]:
        """(nodes n, how many graphs g) for every size."""
        return [(n, len(list(same))) for n, same in groupby(self.sizes)]

    @cached_property
    def nodes(self) -> int:
        return sum(self.sizes)

    @cached_property
    def pairs(self) -> int:
        return sum(n * n for n in self.sizes)

    @cached_property
    def count(self) -> Tensor:
        """Nodes of every graph: (G,) int64."""
        return torch.tensor(self.sizes, dtype=torch.int64, device=self.device)

    @cached_property
    def graph(self) -> Tensor:
        """Graph of every node: (N,)."""
        return torch.repeat_interleave(self.count, output_size=self.nodes)

    def of_pairs(self, x: Tensor) -> Iterator[Tensor]:
        """Views (d, g, n, n) of x (d, P), one for every size."""
        start = 0
        for n, g in self.runs:
            yield x[:, start : start + g * n * n].unflatten(1, (g, n, n))
            start += g * n * n

    def of_nodes(self, x: Tensor) -> Iterator[Tensor]:
        """Views (d, g, n) of x (d, N), one for every size."""
        start = 0
        for n, g in self.runs:
            yield x[:, start : start + g * n].unflatten(1, (g, n))
            start += g * n


def sums(x: Tensor, squares: Squares) -> tuple[Tensor, Tensor, Tensor]:
    """Σ_j x_ij, Σ_i x_ij and x_ii of x (d, P): each (d, N), of bfloat16 in float32.

    >>> rows, columns, diagonal = sums(torch.tensor([[1., 2., 3., 4.]]), Squares((2,)))
    >>> rows.tolist(), columns.tolist(), diagonal.tolist()
    ([[3.0, 7.0]], [[4.0, 6.0]], [[1.0, 4.0]])
    """
    found: tuple[Tensor, Tensor, Tensor] = Sums.apply(x, squares)
    return found


def spread(y: Tensor, rows: Tensor, columns: Tensor, diagonal: Tensor, squares: Squares) -> Tensor:
    """y_ij + rows_i + columns_j + [i = j] diagonal_i; y (d, P) is overwritten, the others are (d, N)."""
    out: Tensor = Spread.apply(y, rows, columns, diagonal, squares)
    return out


def transposed(x: Tensor, squares: Squares) -> Tensor:
    """x_ji of x (d, P)."""
    out: Tensor = Transposed.apply(x, squares)
    return out


def product(a: Tensor, b: Tensor, squares: Squares) -> Tensor:
    """Σ_k a_ik b_kj for every feature, of a and b (d, P): (d, P).

    >>> product(torch.tensor([[1., 2., 3., 4.]]), torch.tensor([[1., 0., 1., 1.]]), Squares((2,))).tolist()
    [[3.0, 2.0, 7.0, 4.0]]
    """
    out: Tensor = Product.apply(a, b, squares)
    return out


def filled(entries: Tensor, rest: Tensor, where: Tensor, pairs: int) -> Tensor:
    """(d, P) with the columns of `entries` (d, K) at the pairs `where` (K,), `rest` (d, 1) elsewhere.

    >>> filled(torch.tensor([[5.]]), torch.tensor([[1.]]), torch.tensor([2]), 4).tolist()
    [[1.0, 1.0, 5.0, 1.0]]
    """
    out: Tensor = Filled.apply(entries, rest, where, pairs)
    return out


class Sums(Function):
    """The adjoint of `Spread`."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, squares: Squares) -> tuple[Tensor, Tensor, Tensor]:
        ctx.squares, ctx.dtype = squares, x.dtype
        return sums_plain(x, squares)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, rows: Tensor, columns: Tensor, diagonal: Tensor) -> tuple[Tensor, None]:
        out = torch.empty(rows.shape[0], ctx.squares.pairs, dtype=ctx.dtype, device=rows.device)
        views = zip(*(ctx.squares.of_nodes(x.to(ctx.dtype)) for x in (rows, columns, diagonal)), strict=True)
        for y, (r, c, d) in zip(ctx.squares.of_pairs(out), views, strict=True):
            torch.add(r[..., None], c[..., None, :], out=y)
            y.diagonal(dim1=-2, dim2=-1).add_(d)
        return out, None


class Spread(Function):
    """The adjoint of `Sums`, added to y in place."""

    @staticmethod
    def forward(
        ctx: Any, y: Tensor, rows: Tensor, columns: Tensor, diagonal: Tensor, squares: Squares
    ) -> Tensor:
        ctx.squares, ctx.dtype = squares, rows.dtype
        ctx.mark_dirty(y)
        views = zip(*(squares.of_nodes(x.to(y.dtype)) for x in (rows, columns, diagonal)), strict=True)
        for part, (r, c, d) in zip(squares.of_pairs(y), views, strict=True):
            part.add_(r[..., None]).add_(c[..., None, :])
            part.diagonal(dim1=-2, dim2=-1).add_(d)
        return y

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dout: Tensor) -> tuple[Tensor | None, ...]:
        return dout, *(x.to(ctx.dtype) for x in sums_plain(dout, ctx.squares)), None


def sums_plain(x: Tensor, squares: Squares) -> tuple[Tensor, Tensor, Tensor]:
    dtype = torch.float32 if x.dtype in (torch.bfloat16, torch.float16) else x.dtype
    rows, columns, diagonal = (
        torch.empty(x.shape[0], squares.nodes, dtype=dtype, device=x.device) for _ in range(3)
    )
    views = zip(*(squares.of_nodes(y) for y in (rows, columns, diagonal)), strict=True)
    for part, (r, c, d) in zip(squares.of_pairs(x), views, strict=True):
        r.copy_(part.sum(3, dtype=dtype))
        c.copy_(part.sum(2, dtype=dtype))
        d.copy_(part.diagonal(dim1=-2, dim2=-1))
    return rows, columns, diagonal


class Transposed(Function):
    """Its own adjoint."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, squares: Squares) -> Tensor:
        ctx.squares = squares
        return transposed_plain(x, squares)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dout: Tensor) -> tuple[Tensor, None]:
        return transposed_plain(dout, ctx.squares), None


def transposed_plain(x: Tensor, squares: Squares) -> Tensor:
    out = torch.empty_like(x, memory_format=torch.contiguous_format)
    for to, part in zip(squares.of_pairs(out), squares.of_pairs(x), strict=True):
        to.copy_(part.transpose(2, 3))
    return out


class Product(Function):
    """c = a b; da = dc bᵀ, db = aᵀ dc."""

    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor, squares: Squares) -> Tensor:
        ctx.save_for_backward(a, b)
        ctx.squares = squares
        return product_plain(a, b, squares)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dc: Tensor) -> tuple[Tensor | None, Tensor | None, None]:
        a, b = ctx.saved_tensors
        da = product_plain(dc, b, ctx.squares, right_transposed=True) if ctx.needs_input_grad[0] else None
        db = product_plain(a, dc, ctx.squares, left_transposed=True) if ctx.needs_input_grad[1] else None
        return da, db, None


def product_plain(
    a: Tensor, b: Tensor, squares: Squares, left_transposed: bool = False, right_transposed: bool = False
) -> Tensor:
    out = torch.empty_like(b, memory_format=torch.contiguous_format)
    for to, left, right in zip(*(squares.of_pairs(x) for x in (out, a, b)), strict=True):
        one, other = left.flatten(0, 1), right.flatten(0, 1)  # a copy where sizes differ and g > 1
        one = one.transpose(1, 2) if left_transposed else one
        other = other.transpose(1, 2) if right_transposed else other
        if to.is_contiguous():
            torch.bmm(one, other, out=to.flatten(0, 1))
        else:
            to.copy_(torch.bmm(one, other).unflatten(0, to.shape[:2]))
    return out


class Filled(Function):
    """Columns of entries, and one column for all the rest."""

    @staticmethod
    def forward(ctx: Any, entries: Tensor, rest: Tensor, where: Tensor, pairs: int) -> Tensor:
        ctx.save_for_backward(where)
        return filled_plain(entries, rest, where, pairs)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dout: Tensor) -> tuple[Tensor, Tensor, None, None]:
        return *unfilled_plain(dout, ctx.saved_tensors[0]), None, None


def filled_plain(entries: Tensor, rest: Tensor, where: Tensor, pairs: int) -> Tensor:
    out = rest.new_empty(rest.shape[0], pairs)
    return out.copy_(rest.expand(-1, pairs)).index_copy_(1, where, entries)


def unfilled_plain(dout: Tensor, where: Tensor) -> tuple[Tensor, Tensor]:
    """The adjoint of `filled_plain`."""
    entries = dout.index_select(1, where)
    return entries, dout.sum(1, keepdim=True) - entries.sum(1, keepdim=True)
