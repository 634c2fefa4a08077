"""What dense models share: graphs in order of size, in blocks, with results back in their places."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from graphgauge.graphs import GraphSet
from graphgauge.graphs.segments import gather_segments
from graphgauge.models.dense.entries import Channels, Entries
from graphgauge.models.dense.room import DenseMemoryError, available_memory
from graphgauge.models.table import ModelError

# Pairs of a block: as few as keep its features in the cache, as many as make calls pay (measured at widths of
# 26 to 82; 1,500 to 12,000 differ by a tenth).
BLOCK_PAIRS = {"cpu": 4096, "others": 2**18}
UNCHECKED_BYTES = 2**26  # less than this is not worth asking the system
LEVELS = ("graph", "node", "edge", "link")
PAIRED = ("edge", "link")  # predicted from what is known of two nodes


class DenseNet(nn.Module):
    """A network over all ordered pairs of nodes; a subclass says what is done with them.

    Called with a GraphSet it returns the outputs of every level: graph (G, C), node (N, C), edge (E, C) in
    the order of ``edge_index``. Links: `states`, then `pair_scores` of the pairs that matter. Graphs of like
    size are worked on together, in blocks of pairs that fit the cache; no result depends on what else is in
    the batch. If the batch does not fit into memory but each block does, blocks are computed once more for
    their gradients instead of being kept.

    Parameters
    ----------
    channels : what is read
    outputs : level → columns
    width, layers : features of a pair, and how many layers
    memory_limit : bytes that may be used; None: what the system has left at the time of the call

    Raises `DenseMemoryError`, before anything is allocated, where one graph needs more than the limit.
    """

    name: str

    def __init__(
        self,
        channels: Channels,
        outputs: Mapping[str, int],
        width: int,
        layers: int,
        memory_limit: int | None,
    ) -> None:
        super().__init__()
        for label, value in {"width": width, "layers": layers}.items():
            if value < 1:
                raise ModelError(f"{self.name} needs {label} of at least 1, got {value}")
        unknown = [level for level in outputs if level not in LEVELS]
        if unknown or not outputs:
            given = ", ".join(unknown) or "none"
            raise ModelError(f"{self.name} has outputs of the levels {', '.join(LEVELS)}, not {given}")
        self.channels = channels
        self.outputs = dict(outputs)
        self.width = width
        self.memory_limit = memory_limit

    def features_per_pair(self, keep: bool) -> int:
        """Numbers held for every pair of nodes at the peak; `keep`: with all that gradients need."""
        raise NotImplementedError

    def compute(self, entries: Entries, levels: Collection[str]) -> dict[str, Tensor]:
        """Outputs "graph" (G, C) and "node" (N, C), and "states" of nodes (N, d), whichever are asked for."""
        raise NotImplementedError

    def pair_outputs(self, level: str, states: Tensor, pairs: Tensor) -> Tensor:
        """Outputs (P, C) of pairs (2, P) of nodes from their states (N, d)."""
        raise NotImplementedError

    @property
    def columns(self) -> dict[str, tuple[str, ...]]:
        """Names of the columns of nodes and edges that a prediction depends on."""
        return self.channels.columns

    def forward(self, graphs: GraphSet) -> dict[str, Tensor]:
        single = [level for level in self.outputs if level not in PAIRED]
        found = self._run(graphs, [*single, *(["states"] if "edge" in self.outputs else [])])
        if "edge" in self.outputs:
            found["edge"] = self.pair_outputs("edge", found.pop("states"), graphs.edge_index)
        return {level: found[level] for level in self.outputs if level != "link"}

    def states(self, graphs: GraphSet) -> Tensor:
        """What is known of every node: (N, d)."""
        return self._run(graphs, ["states"])["states"]

    def pair_scores(self, states: Tensor, pairs: Tensor) -> Tensor:
        """Scores (P,) of pairs (P, 2) of nodes, before any sigmoid, from `states` (N, d)."""
        if "link" not in self.outputs:
            raise ModelError(f"the net predicts {', '.join(self.outputs)}, not links")
        return self.pair_outputs("link", states, pairs.T).squeeze(1)

    def _run(self, graphs: GraphSet, levels: Collection[str]) -> dict[str, Tensor]:
        if not levels:
            return {}
        blocks, again = self._plan(graphs)
        read = self.channels.read(graphs)
        parts = [self._block(read[block], levels, again) for block in blocks]
        order = torch.cat(blocks)
        nodes, _ = gather_segments(graphs.node_ptr, order)
        found = {}
        for level in levels:
            rows = torch.cat([part[level] for part in parts])
            found[level] = torch.empty_like(rows).index_copy(0, order if level == "graph" else nodes, rows)
        return found

    def _block(self, graphs: GraphSet, levels: Collection[str], again: bool) -> dict[str, Tensor]:
        def run() -> dict[str, Tensor]:
            return self.compute(Entries.of(graphs, self.channels, self._weight.dtype), levels)

        if not again:
            return run()
        found: dict[str, Tensor] = checkpoint(run, use_reentrant=False)
        return found

    @property
    def _weight(self) -> Tensor:
        return next(self.parameters())

    def _plan(self, graphs: GraphSet) -> tuple[list[Tensor], bool]:
        """Numbers of the graphs of every block, in order of size, and whether to compute blocks twice."""
        keep = torch.is_grad_enabled()
        sizes, order = graphs.nodes_per_graph.sort(stable=True)
        pairs = (sizes * sizes).tolist()
        item = self._weight.element_size()
        most, all_of_them = (
            item * self.features_per_pair(keep) * n for n in (max(pairs, default=0), sum(pairs))
        )
        again = False
        if self.memory_limit is not None or all_of_them > UNCHECKED_BYTES:
            limit = available_memory(graphs.device) if self.memory_limit is None else self.memory_limit
            if most > limit:
                raise DenseMemoryError(self.name, int(order[-1]), int(sizes[-1]), most, limit)
            again = keep and all_of_them > limit
        share = BLOCK_PAIRS["cpu" if graphs.device.type == "cpu" else "others"]
        return list(torch.split(order, _block_lengths(pairs, share))), again


def _block_lengths(pairs: list[int], share: int) -> list[int]:
    """How many graphs each block has: as many as have `share` pairs together, and at least one.

    >>> _block_lengths([1, 4, 4, 9, 100], 10)
    [3, 1, 1]
    """
    lengths, room = [0], share
    for count in pairs:
        if count > room and lengths[-1]:
            lengths.append(0)
            room = share
        lengths[-1] += 1
        room -= count
    return lengths
