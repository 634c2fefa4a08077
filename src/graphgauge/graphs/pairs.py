"""Pairs: two graph sets of equal length and the hidden node matching between them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from graphgauge.graphs.errors import GraphError
from graphgauge.graphs.graphset import GraphSet, Index, graph_ids
from graphgauge.graphs.segments import gather_segments


@dataclass(frozen=True, eq=False)
class Pairs:
    """P graph pairs with a planted matching (paper A, section 3).

    Parameters
    ----------
    left, right : GraphSet, P graphs each; graph p of both have the same number of nodes
    truth : (N,) int64, right node of every left node, global ids
    meta : JSON values that say how the pairs were made (noise model, η, seed)
    """

    left: GraphSet
    right: GraphSet
    truth: Tensor
    meta: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.left) != len(self.right):
            raise GraphError(f"{len(self.left)} left graphs but {len(self.right)} right graphs")
        differ = self.left.nodes_per_graph != self.right.nodes_per_graph
        if differ.any():
            p = int(differ.nonzero()[0, 0])
            left, right = int(self.left.nodes_per_graph[p]), int(self.right.nodes_per_graph[p])
            raise GraphError(f"pair {p}: {left} left nodes but {right} right nodes")
        if self.truth.dtype != torch.int64 or self.truth.shape != (self.left.num_nodes,):
            raise GraphError(
                f"truth must be int64 of shape ({self.left.num_nodes},), "
                f"got {self.truth.dtype} {tuple(self.truth.shape)}"
            )

    def check(self) -> Pairs:
        """Raise `GraphError` unless truth maps every left graph one to one onto its right graph."""
        self.left.check()
        self.right.check()
        n = self.left.num_nodes
        outside = (self.truth < 0) | (self.truth >= n)
        if not outside.any():
            outside = self.right.batch[self.truth] != self.left.batch
        if outside.any():
            p = int(self.left.batch[outside.nonzero()[0, 0]])
            raise GraphError(f"pair {p}: truth leaves the right graph")
        twice = torch.bincount(self.truth, minlength=n) != 1
        if twice.any():
            p = int(self.right.batch[twice.nonzero()[0, 0]])
            raise GraphError(f"pair {p}: truth is not one to one")
        return self

    def __len__(self) -> int:
        return len(self.left)

    def __iter__(self) -> Iterator[Pairs]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: Index) -> Pairs:
        """Pairs by number, slice, list, mask or permutation; always Pairs."""
        ids = graph_ids(index, len(self), self.left.device)
        nodes, ptr = gather_segments(self.left.node_ptr, ids)
        shift = torch.repeat_interleave(ptr[:-1] - self.left.node_ptr[ids], ptr.diff())
        return Pairs(self.left[ids], self.right[ids], self.truth[nodes] + shift, self.meta)

    def to(self, device: torch.device | str) -> Pairs:
        return Pairs(self.left.to(device), self.right.to(device), self.truth.to(device), self.meta)

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 over both sets and the matching."""
        digest = hashlib.sha256(b"pairs-1")
        digest.update((self.left.content_hash + self.right.content_hash).encode())
        digest.update(self.truth.cpu().numpy().tobytes())
        return digest.hexdigest()

    def __repr__(self) -> str:
        return f"Pairs({len(self)} pairs, {self.left.num_nodes} nodes a side, {dict(self.meta)})"
