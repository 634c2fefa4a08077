"""From pairs of nodes to nodes and graphs."""

from __future__ import annotations

import torch
from torch import Tensor

from graphgauge.models.dense.squares import Squares


def graph_totals(of_nodes: Tensor, squares: Squares) -> Tensor:
    """Sums (d, G) over the nodes of every graph, of (d, N)."""
    nothing = of_nodes.new_zeros(of_nodes.shape[0], len(squares.sizes))
    return nothing.index_add(1, squares.graph, of_nodes)


def largest(x: Tensor, squares: Squares) -> Tensor:
    """Largest entry on the diagonal, and off it, of every graph: (2 d, G) of x (d, P).

    0 where there is none: off the diagonal of one node, and anywhere in no nodes. Entries that tie for the
    largest share its gradient.
    """
    found = []
    for part in squares.of_pairs(x):
        d, g, n, _ = part.shape
        on = part.diagonal(dim1=-2, dim2=-1).amax(-1) if n > 0 else x.new_zeros(d, g)
        off = _off_diagonal(part).amax((-2, -1)) if n > 1 else x.new_zeros(d, g)
        found.append(torch.cat([on, off]))
    return torch.cat([*found, x.new_zeros(2 * x.shape[0], 0)], 1)


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
