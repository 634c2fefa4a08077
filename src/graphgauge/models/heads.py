"""Readouts: from the states of all depths to predictions for nodes, edges, graphs and pairs of nodes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from graphgauge.graphs.csr import CSR
from graphgauge.graphs.rounds import Rounds
from graphgauge.models.inputs import check_choice
from graphgauge.models.layers.edges import pair_sum
from graphgauge.models.pooling import POOLINGS, Pooling
from graphgauge.models.propagate import take

READOUTS = ("mlp", "levels")


class Chain(nn.Module):
    """Linear maps with biases and ReLU between them, from `widths[0]` to `widths[-1]` numbers."""

    def __init__(self, *widths: int) -> None:
        super().__init__()
        self.maps = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(widths))

    def forward(self, x: Tensor) -> Tensor:
        return self._from(0, x)

    def pairs(self, h: Tensor, pairs: Tensor) -> Tensor:
        """The chain on [h_a, h_b] of every pair (a, b): h (n, d), pairs (2, P), result (P, C).

        Where pairs outnumber rows the first map is applied to rows, and added up for pairs.
        """
        first = self.maps[0]
        assert isinstance(first, nn.Linear)
        if pairs.shape[1] < h.shape[0]:
            return self._from(0, torch.cat([take(h, pairs[0]), take(h, pairs[1])], 1))
        left, right = first.weight[:, : h.shape[1]], first.weight[:, h.shape[1] :]
        return self._from(1, pair_sum(F.linear(h, left), F.linear(h, right, first.bias), pairs))

    def _from(self, start: int, x: Tensor) -> Tensor:
        for number in range(start, len(self.maps)):
            x = self.maps[number](F.relu(x) if number else x)
        return x


def mlp_readout(width: int, outputs: int) -> Chain:
    """d → d // 2 → d // 4 → C, as the published code has it (the text says two maps of width d)."""
    return Chain(width, width // 2, width // 4, outputs)


class Head(nn.Module):
    """Predictions for one level: the sum over some depths of a readout of the states there.

    Parameters
    ----------
    level : "graph" reads pooled states (G, C), "node" each state (N, C), "edge" both ends of every edge
        (E, C) in the order of ``edge_index``, "link" both nodes of a pair, through `pairs`
    readout : "mlp", one `mlp_readout` of the last states; "levels", a linear map for every depth from the
        input on, for edges two maps with ReLU between, and for links as "mlp" (the published code; its text
        says all depths there too)
    """

    def __init__(
        self,
        level: str,
        width: int,
        outputs: int,
        *,
        depth: int,
        readout: str,
        pooling: Pooling | None = None,
    ) -> None:
        super().__init__()
        check_choice("readout", readout, READOUTS)
        self.level, self.pooling = level, pooling
        wide = {"graph": 1 if pooling is None else pooling.factor, "node": 1, "edge": 2, "link": 2}[
            level
        ] * width
        every = readout == "levels" and level != "link"
        self.depths = range(depth + 1) if every else range(depth, depth + 1)
        inner = (width,) if level == "edge" else ()
        self.readouts = nn.ModuleList(
            Chain(wide, *inner, outputs) if every else mlp_readout(wide, outputs) for _ in self.depths
        )

    def forward(self, states: Sequence[Tensor], rounds: Rounds) -> Tensor:
        parts = [
            self._read(readout, states[depth], rounds, depth)
            for depth, readout in zip(self.depths, self.readouts, strict=True)
        ]
        total: Tensor = sum(parts[1:], parts[0])
        return total

    def pairs(self, h: Tensor, pairs: Tensor) -> Tensor:
        """Scores of pairs (2, P) of rows of h: (P, C)."""
        (readout,) = self.readouts
        assert isinstance(readout, Chain)
        return readout.pairs(h, pairs)

    def _read(self, readout: nn.Module, h: Tensor, rounds: Rounds, depth: int) -> Tensor:
        assert isinstance(readout, Chain)
        place = rounds.place[depth]
        if self.level == "graph":
            assert self.pooling is not None
            pooled: Tensor = self._of_graphs(readout, h, rounds.pool(depth))
            return pooled
        if self.level == "node":
            return take(readout(h), place)
        ends = rounds.graphs.edge_index
        return readout.pairs(h, ends if place is None else place[ends])

    def _of_graphs(self, readout: Chain, h: Tensor, members: CSR) -> Tensor:
        """readout(pooling(h)); a single linear map to few numbers comes before a sum or a mean."""
        assert self.pooling is not None
        first = readout.maps[0]
        assert isinstance(first, nn.Linear)
        early = len(readout.maps) == 1 and self.pooling.how in ("sum", "mean")
        if early and 4 * first.out_features <= first.in_features:
            return torch.add(self.pooling(F.linear(h, first.weight), members), first.bias)
        out: Tensor = readout(self.pooling(h, members))
        return out


__all__ = ["POOLINGS", "READOUTS", "Chain", "Head", "mlp_readout"]
