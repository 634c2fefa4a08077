"""Greedy assignment: the cheap comparison for the exact one."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from graphgauge.matching.lap import check_similarity


def greedy(similarity: Tensor) -> Tensor:
    """One-to-one assignment that takes the largest remaining entry again and again.

    Its total is at least half of the best one where similarities are not negative. O(nm log nm).

    Parameters
    ----------
    similarity : (n, m) with n ≤ m, finite; larger is more alike

    Returns
    -------
    (n,) int64 : column of every row

    >>> greedy(torch.tensor([[1.0, 3.0], [2.0, 5.0]])).tolist()
    [0, 1]
    """
    check_similarity(similarity)
    n, m = similarity.shape
    order = torch.argsort(similarity.reshape(-1), descending=True, stable=True).cpu().numpy()
    columns = np.full(n, -1, dtype=np.int64)
    taken = np.zeros(m, dtype=bool)
    left = n
    for entry in order:
        row, column = divmod(int(entry), m)
        if columns[row] < 0 and not taken[column]:
            columns[row] = column
            taken[column] = True
            left -= 1
            if not left:
                break
    return torch.from_numpy(columns).to(similarity.device)
