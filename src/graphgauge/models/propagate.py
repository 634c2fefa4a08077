"""What every message-passing layer shares: sums over incoming edges, and the rows of nodes themselves."""

from __future__ import annotations

from torch import Tensor

from graphgauge.graphs.csr import CSR
from graphgauge.models.kernels import compiled
from graphgauge.models.kernels.functions import Propagate, Take


def propagate(x: Tensor, csr: CSR, weight: Tensor | None = None, bias: Tensor | None = None) -> Tensor:
    """out_i = Σ_{j → i} w_ij x_j + b, with w = 1 and b = 0 where they are not given.

    Shapes: x (N, d), weight (E,) in the order of `csr`, bias (d,), result (N, d), or (n, d) where `csr` has
    n rows that receive from N. A node without edges gets b.

    >>> import torch
    >>> from graphgauge.graphs import GraphSet
    >>> path = GraphSet.from_edges([[(0, 1), (1, 2)]])
    >>> propagate(torch.tensor([[1.0], [2.0], [4.0]]), path.csr).flatten().tolist()
    [2.0, 5.0, 2.0]
    """
    if compiled(x):
        added = None if bias is None else bias.float()
        scale = None if weight is None else weight.float()
        return Propagate.apply(x.float(), csr, scale, None, None, added)  # type: ignore
    out = propagate_plain(x, csr, weight)
    return out if bias is None else out + bias


def propagate_with_own(x: Tensor, csr: CSR, own: Tensor | None, factor: Tensor, bias: Tensor) -> Tensor:
    """out_i = a x_own(i) + Σ_{j → i} x_j + b.

    Shapes: x (n′, d), own (n,) or None for the same rows, factor a (1,), bias b (d,), result (n, d).
    """
    if compiled(x):
        out: Tensor = Propagate.apply(x.float(), csr, None, own, factor.float(), bias.float())  # type: ignore
        return out
    return factor * take(x, own) + propagate_plain(x, csr) + bias


def take(rows: Tensor, index: Tensor | None) -> Tensor:
    """The rows numbered by `index`; all of them, as they are, where that is None."""
    if index is None:
        return rows
    if rows.dim() == 2 and rows.requires_grad and compiled(rows):
        taken: Tensor = Take.apply(rows.float(), index)  # type: ignore
        return taken
    return rows.index_select(0, index)


def propagate_plain(x: Tensor, csr: CSR, weight: Tensor | None = None) -> Tensor:
    """`propagate` in plain PyTorch: any device, any type, differentiable any number of times."""
    message = x[csr.source]
    if weight is not None:
        message = message * weight.to(x.dtype)[:, None]
    return x.new_zeros(csr.num_rows, x.shape[1]).index_add_(0, csr.target, message)
