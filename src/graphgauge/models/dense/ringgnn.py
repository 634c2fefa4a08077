"""RingGNN (Chen, Villar, Chen and Bruna, 2019): linear maps of pairs of nodes that do not see their order.

All linear maps from functions of pairs to functions of pairs that commute with every renumbering of the nodes
are combinations of 15 operators (Maron and others, 2019). A layer has three such maps and multiplies two of
them as matrices. The definitions, among them what is divided by n, are those of the published benchmark code.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from graphgauge.graphs import Feature
from graphgauge.models.dense.entries import Channels, Entries
from graphgauge.models.dense.net import PAIRED, DenseNet
from graphgauge.models.dense.pooling import graph_totals
from graphgauge.models.dense.squares import Squares, filled, product, spread, sums, transposed
from graphgauge.models.heads import Chain, mlp_readout

OPERATORS = (
    "diagonal to diagonal",
    "trace / n to diagonal",
    "row sums / n to diagonal",
    "column sums / n to diagonal",
    "total / n² to diagonal",
    "column sums / n to rows",
    "row sums / n to rows",
    "column sums / n to columns",
    "row sums / n to columns",
    "identity",
    "transpose",
    "diagonal to rows",
    "diagonal to columns",
    "trace / n to all",
    "total / n² to all",
)
# Which operators end where, in the order diagonal, row sums, column sums of what they start from.
TO_ROWS, TO_COLUMNS, TO_DIAGONAL = (11, 6, 5), (12, 8, 7), (0, 2, 3)
TRACE_AND_TOTAL_TO_DIAGONAL, TRACE_AND_TOTAL_TO_ALL = (1, 4), (13, 14)
IDENTITY, TRANSPOSE = 9, 10

Sums3 = tuple[Tensor, Tensor, Tensor]


class RingLayer(nn.Module):
    """out = dropout(ReLU(s₀ L₀x + s₁ (L₂x)(L₁x) + b) [+ W x + c]), with matrix products per feature.

    L_k x = Σ_p C_k[:, :, p] (operator p of x) + diagonal bias, with the 15 `OPERATORS`; L₂ adds no bias,
    though its bias is there and counts. Of the operators only identity and transpose are made for every pair:
    the others need row sums, column sums and diagonals, are combined for every node, and are added to rows,
    to columns and to the diagonal once.

    Parameters
    ----------
    inputs, width : features of a pair before and after
    square : s₁ at the start; s₀ starts as 1
    residual : add a linear map of the input (published nets of 8 layers do)
    dropout : share of the outputs set to 0 in training

    Parameters to be learned: 45 inputs width + 4 width + 2 (+ inputs width + width).
    """

    def __init__(self, inputs: int, width: int, square: float, residual: bool, dropout: float) -> None:
        super().__init__()
        scale = math.sqrt(2 / (inputs + width))
        self.coefficients = nn.Parameter(torch.randn(3, inputs, width, len(OPERATORS)) * scale)
        self.diagonal_bias = nn.Parameter(torch.zeros(3, width))
        self.bias = nn.Parameter(torch.zeros(width))
        self.scales = nn.Parameter(torch.tensor([1.0, square]))
        self.residual = nn.Linear(inputs, width) if residual else None
        self.dropout = dropout

    def forward(self, x: Tensor, of_nodes: Sums3, squares: Squares, at: Entries | None = None) -> Tensor:
        """x (inputs, P) and its `sums`; or x (inputs, K) at entries that are all of it: (width, P)."""
        weights = self._scaled()
        mirrored = transposed(x, squares) if at is None else x[:, at.mirror]
        both = torch.cat([_columns(weights, (IDENTITY,)), _columns(weights, (TRANSPOSE,))], 1)
        maps = both @ torch.cat([x, mirrored])
        own = None if self.residual is None else F.linear(x.T, self.residual.weight).T
        if at is not None:
            maps = filled(maps, maps.new_zeros(maps.shape[0], 1), at.where, squares.pairs)
            own = (
                None if own is None else filled(own, own.new_zeros(own.shape[0], 1), at.where, squares.pairs)
            )
        maps = spread(maps, *self._to_nodes(weights, of_nodes, squares), squares)
        plain, right, left = maps.chunk(3)
        out = F.relu(plain + product(left, right, squares))
        if own is not None and self.residual is not None:
            out = out + own + self.residual.bias[:, None]
        return F.dropout(out, self.dropout, self.training)

    def _scaled(self) -> Tensor:
        """Coefficients with s₀ and s₁ inside, as maps: (15, 3 width, inputs)."""
        one = torch.ones_like(self.scales[0])
        scales = torch.stack([self.scales[0], one, self.scales[1]])
        return (self.coefficients * scales[:, None, None, None]).permute(3, 0, 2, 1).flatten(1, 2)

    def _to_nodes(self, weights: Tensor, of_nodes: Sums3, squares: Squares) -> Sums3:
        """What is added to rows, to columns and to the diagonal: each (3 width, N)."""
        rows, columns, diagonal = (x.to(weights.dtype) for x in of_nodes)
        size = squares.count.to(rows.dtype).clamp(min=1)
        per_node = size[squares.graph]
        local = torch.cat([diagonal, rows / per_node, columns / per_node])
        trace, total = graph_totals(diagonal, squares) / size, graph_totals(rows, squares) / size**2
        whole = torch.cat([trace, total])[:, squares.graph]
        to_rows = _columns(weights, TO_ROWS) @ local + _columns(weights, TRACE_AND_TOTAL_TO_ALL) @ whole
        to_columns = _columns(weights, TO_COLUMNS) @ local
        to_diagonal = (
            _columns(weights, TO_DIAGONAL) @ local + _columns(weights, TRACE_AND_TOTAL_TO_DIAGONAL) @ whole
        )
        nothing = torch.zeros_like(self.bias)
        everywhere = torch.cat([self.bias, nothing, nothing])
        on_diagonal = torch.cat([self.scales[0] * self.diagonal_bias[0], self.diagonal_bias[1], nothing])
        return to_rows + everywhere[:, None], to_columns, to_diagonal + on_diagonal[:, None]


def _columns(weights: Tensor, operators: tuple[int, ...]) -> Tensor:
    """The maps of some operators side by side: (3 width, len(operators) inputs)."""
    return torch.cat([weights[p] for p in operators], 1)


class RingGNN(DenseNet):
    """Layers of `RingLayer` over all pairs of nodes; readout from the input and every layer.

    A graph has the sum over all entries of the input and of every layer's output, one after the other, a node
    the sums over its column, an edge those of its source and of its target. A readout makes the outputs of
    each. Memory and time grow with n² of every graph.

    Parameters
    ----------
    channels, outputs, memory_limit : see `DenseNet`
    width, layers : features of a pair, and how many layers
    mean_nodes : mean number of nodes of the training graphs; s₁ starts as 0.5 / ⌈mean_nodes⌉. None: s₁ = 0.1
    residual, dropout : of the layers
    """

    name = "ringgnn"

    def __init__(
        self,
        channels: Channels,
        outputs: Mapping[str, int],
        *,
        width: int,
        layers: int,
        mean_nodes: float | None = None,
        residual: bool = False,
        dropout: float = 0.0,
        memory_limit: int | None = None,
    ) -> None:
        super().__init__(channels, outputs, width, layers, memory_limit)
        square = 0.1 if mean_nodes is None else 0.5 / math.ceil(mean_nodes)
        sizes = [channels.size, *[width] * layers]
        self.layers = nn.ModuleList(RingLayer(a, width, square, residual, dropout) for a in sizes[:-1])
        self.heads = nn.ModuleDict(
            {k: mlp_readout(sum(sizes) * (2 if k in PAIRED else 1), c) for k, c in outputs.items()}
        )

    def features_per_pair(self, keep: bool) -> int:
        # Measured at 500 nodes and width 24: 16 and 80 widths with gradients of 2 and 8 layers, 15 without.
        return self.width * (12 + 9 * len(self.layers) if keep else 16)

    def compute(self, entries: Entries, levels: Collection[str]) -> dict[str, Tensor]:
        squares, of_nodes = entries.squares, entries.sums()
        columns = [of_nodes[1]]
        at: Entries | None = entries
        x = entries.values
        for layer in self.layers:
            x = layer(x, of_nodes, squares, at)
            at, of_nodes = None, sums(x, squares)
            columns.append(of_nodes[1])
        nodes = torch.cat(columns)
        found = {"states": nodes.T}
        if "node" in levels:
            found["node"] = self.heads["node"](nodes.T)
        if "graph" in levels:
            found["graph"] = self.heads["graph"](graph_totals(nodes, squares).T)
        return found

    def pair_outputs(self, level: str, states: Tensor, pairs: Tensor) -> Tensor:
        head = self.heads[level]
        assert isinstance(head, Chain)
        return head.pairs(states, pairs)


def ringgnn(
    node: Feature | None,
    edge: Feature | None,
    outputs: Mapping[str, int],
    *,
    width: int,
    layers: int,
    mean_nodes: float | None = None,
    residual: bool = False,
    dropout: float = 0.0,
    pe: int = 0,
    pe_mode: str = "add",
    memory_limit: int | None = None,
) -> RingGNN:
    """A `RingGNN` for a task: what is read of nodes and edges, and what is predicted.

    With `pe` the node column "pe" of that many numbers is read after the node's own, or with
    ``pe_mode="replace"`` in its place.

    >>> from graphgauge.graphs import GraphSet
    >>> net = ringgnn(None, None, {"graph": 2}, width=8, layers=2)
    >>> net(GraphSet.from_edges([[(0, 1), (1, 2)], [(0, 1)]]))["graph"].shape
    torch.Size([2, 2])
    """
    return RingGNN(
        Channels.of(node, edge, pe, pe_mode),
        outputs,
        width=width,
        layers=layers,
        mean_nodes=mean_nodes,
        residual=residual,
        dropout=dropout,
        memory_limit=memory_limit,
    )
