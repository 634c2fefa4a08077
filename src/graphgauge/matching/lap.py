"""The linear assignment problem (paper A, equation 2)."""

from __future__ import annotations

import torch
from scipy.optimize import linear_sum_assignment
from torch import Tensor

# SciPy's solver counts entries in 32 bits and ends the process beyond.
MAX_ENTRIES = 2**31 - 1


def linear_assignment(similarity: Tensor) -> Tensor:
    """One-to-one assignment of rows to columns with the largest total similarity (Hungarian method).

    π* = argmax over one-to-one maps π of Σ_i S[i, π(i)], in O(n² m).

    Ties are broken by the solver and favour low column numbers: where rows are tied, a matrix in which the
    true partner of row i is column i scores too high. Relabel one side at random first, as `make_pairs`
    does.

    Parameters
    ----------
    similarity : (n, m) with n ≤ m, finite; larger is more alike

    Returns
    -------
    (n,) int64 : column of every row. A matching of rows to columns, not of nodes to each other.

    Raises
    ------
    ValueError : naming the row, if a value is not finite; if n > m; or if n·m is 2³¹ or more

    >>> linear_assignment(torch.tensor([[1.0, 3.0], [2.0, 5.0]])).tolist()
    [0, 1]
    """
    check_similarity(similarity)
    _, columns = linear_sum_assignment(similarity.detach().cpu().numpy(), maximize=True)
    return torch.from_numpy(columns).to(device=similarity.device, dtype=torch.int64)


def check_similarity(similarity: Tensor) -> None:
    """Raise ValueError unless `similarity` is finite, (n, m) with n ≤ m, and of fewer than 2³¹ entries."""
    if similarity.dim() != 2:
        raise ValueError(f"a similarity matrix has two dimensions, got shape {tuple(similarity.shape)}")
    n, m = similarity.shape
    if n > m:
        raise ValueError(f"{n} rows cannot be assigned one to one to {m} columns")
    if n * m > MAX_ENTRIES:
        raise ValueError(
            f"a {n} × {m} similarity has {n * m} entries; the solver takes at most {MAX_ENTRIES}"
        )
    if torch.isfinite(similarity.sum()):  # the cheap test settles nearly all cases
        return
    finite = torch.isfinite(similarity).all(dim=1)
    if not finite.all():
        raise ValueError(f"row {int((~finite).nonzero()[0, 0])} of the similarity is not finite")
