"""Index arithmetic on packed segments: whole sets of graphs are handled without a loop over graphs."""

from __future__ import annotations

import torch
from torch import Tensor


def counts_to_ptr(counts: Tensor) -> Tensor:
    """Offsets (G+1,) of segments with the given sizes (G,).

    >>> counts_to_ptr(torch.tensor([2, 0, 3])).tolist()
    [0, 2, 2, 5]
    """
    ptr = torch.zeros(counts.numel() + 1, dtype=torch.int64, device=counts.device)
    torch.cumsum(counts, 0, out=ptr[1:])
    return ptr


def segment_ids(ptr: Tensor) -> Tensor:
    """Segment number of every element: (ptr[-1],).

    >>> segment_ids(torch.tensor([0, 2, 2, 5])).tolist()
    [0, 0, 2, 2, 2]
    """
    ids = torch.arange(ptr.numel() - 1, device=ptr.device)
    return torch.repeat_interleave(ids, ptr.diff(), output_size=int(ptr[-1]))


def gather_segments(ptr: Tensor, ids: Tensor) -> tuple[Tensor, Tensor]:
    """Positions of all elements of the segments `ids`, in that order, and the offsets of the result.

    >>> positions, new_ptr = gather_segments(torch.tensor([0, 2, 2, 5]), torch.tensor([2, 0]))
    >>> positions.tolist(), new_ptr.tolist()
    ([2, 3, 4, 0, 1], [0, 3, 5])
    """
    new_ptr = counts_to_ptr(ptr.diff()[ids])
    shift = torch.repeat_interleave(ptr[ids] - new_ptr[:-1], new_ptr.diff(), output_size=int(new_ptr[-1]))
    return torch.arange(int(new_ptr[-1]), device=ptr.device) + shift, new_ptr


def segment_sum(values: Tensor, ptr: Tensor) -> Tensor:
    """Sum of `values` (n, …) over each segment: (G, …); an empty segment sums to 0.

    >>> segment_sum(torch.tensor([1., 2., 3.]), torch.tensor([0, 2, 2, 3])).tolist()
    [3.0, 0.0, 3.0]
    """
    out = values.new_zeros((ptr.numel() - 1, *values.shape[1:]))
    return out.index_add_(0, segment_ids(ptr), values)
