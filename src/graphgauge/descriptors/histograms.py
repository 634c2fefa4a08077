"""Counting into one row of bins for each graph."""

from __future__ import annotations

import torch
from torch import Tensor


def count_rows(graph: Tensor, bin_: Tensor, shape: tuple[int, int], weight: Tensor | None = None) -> Tensor:
    """How many values (or what weight) fall in each bin of each graph: (G, bins) float64.

    Parameters
    ----------
    graph, bin_ : (n,) int64, graph and bin of every value

    >>> count_rows(torch.tensor([0, 0, 2]), torch.tensor([1, 1, 0]), (3, 2)).tolist()
    [[0.0, 2.0], [0.0, 0.0], [1.0, 0.0]]
    """
    flat = torch.bincount(graph * shape[1] + bin_, weights=weight, minlength=shape[0] * shape[1])
    return flat.to(torch.float64).view(shape)


def shares(counts: Tensor) -> Tensor:
    """Rows that sum to 1; a row of nothing stays 0.

    >>> shares(torch.tensor([[1.0, 3.0], [0.0, 0.0]])).tolist()
    [[0.25, 0.75], [0.0, 0.0]]
    """
    return counts / counts.sum(1, keepdim=True).clamp(min=1)
