"""Similarity matrices of many pairs at once, without padding small graphs to the size of large ones."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from graphgauge.graphs import Pairs

# Pairs whose sizes fall into the same bin of this width share a block.
BIN = 8
# Largest number of similarities in a block of more than one pair: bounds memory on large graphs.
MAX_ENTRIES = 2**22


@dataclass(frozen=True)
class Block:
    """B pairs of about the same size, padded to the largest, n nodes a side.

    Parameters
    ----------
    pairs : (B,) pair numbers
    left, right : (B, n) global node ids; padding repeats the first node of the graph
    target : (B, n) column of the planted partner of each row
    real : (B, n) False on padding; None where there is none
    """

    pairs: Tensor
    left: Tensor
    right: Tensor
    target: Tensor
    real: Tensor | None

    @property
    def rows(self) -> int:
        """Number of real rows."""
        return int(self.left.numel() if self.real is None else self.real.sum())


def blocks(pairs: Pairs) -> list[Block]:
    """Group pairs by size; pairs without nodes are in no block."""
    sizes = pairs.left.nodes_per_graph
    if sizes.numel() == 0:
        return []
    all_equal = int(sizes.min()) == int(sizes.max())
    bins = torch.zeros_like(sizes) if all_equal else (sizes + BIN - 1) // BIN
    found = []
    for b in torch.unique(bins).tolist():
        ids = (bins == b).nonzero()[:, 0]
        largest = int(sizes[ids].max())
        if largest > 0:
            found += [_block(pairs, part, sizes[part]) for part in torch.split(ids, _at_once(largest))]
    return found


def _at_once(n: int) -> int:
    """How many pairs of n nodes share a block."""
    return max(1, MAX_ENTRIES // n**2)


def _block(pairs: Pairs, ids: Tensor, sizes: Tensor) -> Block:
    n = int(sizes.max())
    position = torch.arange(n, device=ids.device)
    real = position < sizes.unsqueeze(1)
    inside = torch.where(real, position, 0)
    left = pairs.left.node_ptr[ids].unsqueeze(1) + inside
    start = pairs.right.node_ptr[ids].unsqueeze(1)
    return Block(
        pairs=ids,
        left=left,
        right=start + inside,
        target=pairs.truth[left] - start,
        real=None if bool(real.all()) else real,
    )


def similarity(left: Tensor, right: Tensor, block: Block) -> Tensor:
    """Σ = X X̃ᵀ of every pair of a block: (B, n, n); padded columns are −∞ (paper A, section 3).

    Parameters
    ----------
    left, right : (N, d) node embeddings of both sides
    """
    x, y = _rows(left, block.left, block), _rows(right, block.right, block)
    sigma = torch.bmm(x, y.transpose(1, 2))
    if block.real is None:
        return sigma
    return sigma.masked_fill(~block.real.unsqueeze(1), float("-inf"))


def _rows(embedding: Tensor, ids: Tensor, block: Block) -> Tensor:
    """Rows `ids` (B, n) of an embedding; a view where the block is the whole set, since a gather costs."""
    if block.real is None and ids.numel() == embedding.shape[0]:
        return embedding.view(*ids.shape, -1)
    return embedding.index_select(0, ids.reshape(-1)).view(*ids.shape, -1)
