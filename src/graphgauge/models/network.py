"""Nets for supervised tasks: inputs, layers of message passing, and a readout for every level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import torch
from torch import Tensor, nn

from graphgauge.graphs import GraphError, GraphSet
from graphgauge.graphs.rounds import Rounds
from graphgauge.models.heads import Head
from graphgauge.models.inputs import EdgeInput, NodeInput, check_choice
from graphgauge.models.pooling import POOLINGS, Pooling
from graphgauge.models.propagate import take
from graphgauge.models.table import ModelError


class Readout(nn.Module):
    """A `Head` for every level that is to be predicted; all graph heads share one pooling."""

    def __init__(
        self,
        outputs: Mapping[str, int],
        width: int,
        *,
        depth: int,
        readout: str = "mlp",
        pooling: str = "mean",
    ) -> None:
        super().__init__()
        check_choice("pooling", pooling, POOLINGS)
        pool = Pooling(pooling, width) if "graph" in outputs else None
        self.heads = nn.ModuleDict(
            {k: Head(k, width, c, depth=depth, readout=readout, pooling=pool) for k, c in outputs.items()}
        )

    def forward(self, states: Sequence[Tensor], rounds: Rounds) -> dict[str, Tensor]:
        return {level: head(states, rounds) for level, head in self.heads.items() if level != "link"}

    def pair_scores(self, states: Tensor, pairs: Tensor) -> Tensor:
        """Scores (P,) of pairs (P, 2) of nodes, before any sigmoid: states (N, d)."""
        if "link" not in self.heads:
            raise ModelError(f"the net predicts {', '.join(self.heads)}, not links")
        head = self.heads["link"]
        assert isinstance(head, Head)
        return head.pairs(states, pairs.T).squeeze(1)


class Network(nn.Module):
    """h₀, e₀ = inputs; (h, e) = layer(h, e) for every layer; outputs = readout(h₀, …, h_L).

    Call with a GraphSet: a dict from level to predictions, "node" (N, C), "edge" (E, C) in the order of
    ``edge_index``, "graph" (G, C). Links: `states`, then `pair_scores` of the pairs that matter.

    Parameters
    ----------
    node, edge : first states; edge None for nets without states of edges
    layers : called as ``layer(h, e, step)``, see `graphgauge.models.layers`
    readout : states of all depths and rounds → predictions
    gru : after every layer h = GRU(input: the layer's input, state: its output), one unit for all layers
    reads_edges : False: the map of `edge` is there, as in the published nets, but no layer reads it
    """

    def __init__(
        self,
        node: NodeInput,
        edge: EdgeInput | None,
        layers: Sequence[nn.Module],
        readout: Readout,
        *,
        gru: nn.GRUCell | None = None,
        reads_edges: bool = True,
    ) -> None:
        super().__init__()
        self.node, self.edge, self.layers, self.readout = node, edge, nn.ModuleList(layers), readout
        self.gru, self.reads_edges = gru, reads_edges and edge is not None

    @property
    def columns(self) -> dict[str, tuple[str, ...]]:
        """Names of the columns of nodes and edges that a prediction depends on."""
        read = self.edge is not None and self.reads_edges
        return {"node": self.node.columns, "edge": self.edge.columns if read and self.edge else ()}

    @property
    def needs(self) -> dict[str, bool]:
        """What rounds must hold for the layers: new rows of edges in every round, and degrees of nodes."""
        return {
            "edge_states": any(getattr(layer, "reads_ends", False) for layer in self.layers),
            "degrees": any(getattr(layer, "reads_degrees", False) for layer in self.layers),
        }

    def forward(self, graphs: GraphSet, rounds: Rounds | None = None) -> dict[str, Tensor]:
        """Predictions; `rounds` of these graphs where some histories are known to be equal."""
        rounds = self._rounds(graphs, rounds)
        outputs: dict[str, Tensor] = self.readout(self._run(rounds), rounds)
        return outputs

    def states(self, graphs: GraphSet, rounds: Rounds | None = None) -> Tensor:
        """States of all nodes after the last layer: (N, d)."""
        rounds = self._rounds(graphs, rounds)
        return take(self._run(rounds)[-1], rounds.place[-1])

    def pair_scores(self, states: Tensor, pairs: Tensor) -> Tensor:
        """Scores (P,) of pairs (P, 2) of nodes, before any sigmoid, from `states` (N, d)."""
        return self.readout.pair_scores(states, pairs)

    def _rounds(self, graphs: GraphSet, rounds: Rounds | None) -> Rounds:
        if rounds is None:
            around = any(getattr(layer, "reads_neighbours", True) for layer in self.layers)
            return Rounds.plain(graphs, len(self.layers), neighbours=around, degree=self.needs["degrees"])
        if rounds.graphs is not graphs or len(rounds.rounds) != len(self.layers):
            raise GraphError(f"rounds must be {len(self.layers)}, one for each layer, of the same graphs")
        return rounds

    def _run(self, rounds: Rounds) -> list[Tensor]:
        """States of nodes at every depth, 0 to L."""
        h, e, steps = self.node(rounds.graphs, rounds.node), None, rounds.rounds
        if self.edge is not None and self.reads_edges and steps:
            e = self.edge(rounds.graphs, rounds.edge)
            if self.edge.column.constant:  # one row for all edges
                same = torch.zeros(steps[0].ends.shape[1], dtype=torch.int64, device=h.device)
                steps = (replace(steps[0], edge_own=same), *steps[1:])
        states = [h]
        for layer, step in zip(self.layers, steps, strict=True):
            before = h
            h, e = layer(h, e, step)
            if self.gru is not None:
                h = self.gru(take(before, step.own), h)
            states.append(h)
        return states


class WithReadout(nn.Module):
    """An encoder, GraphSet → (N, width), and a readout of what it returns; called as `Network` is."""

    def __init__(self, encoder: nn.Module, readout: Readout, width: int) -> None:
        super().__init__()
        self.encoder, self.readout, self.width = encoder, readout, width

    def forward(self, graphs: GraphSet) -> dict[str, Tensor]:
        outputs: dict[str, Tensor] = self.readout([self.states(graphs)], Rounds.plain(graphs, 0))
        return outputs

    def states(self, graphs: GraphSet) -> Tensor:
        """What the encoder makes of all nodes: (N, width)."""
        states = self.encoder(graphs)
        wanted = (graphs.num_nodes, self.width)
        if not isinstance(states, Tensor) or states.shape != wanted:
            found = tuple(states.shape) if isinstance(states, Tensor) else f"a {type(states).__name__}"
            raise ModelError(
                f"{type(self.encoder).__name__} returned {found}; for these graphs states of all nodes are "
                f"{wanted}, the second number the width"
            )
        return states

    def pair_scores(self, states: Tensor, pairs: Tensor) -> Tensor:
        """Scores (P,) of pairs (P, 2) of nodes, before any sigmoid, from `states` (N, width)."""
        return self.readout.pair_scores(states, pairs)
