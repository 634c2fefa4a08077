"""The supervised nets written with layers of torch_geometric, and how weights are copied from ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch_geometric import nn as pyg
from torch_geometric.data import Batch, Data
from torch_geometric.utils import scatter

from graphgauge.graphs import Feature, GraphSet, Task


class GatedGCN(pyg.MessagePassing):
    """The layer with states of edges as a plain MessagePassing: gates and sums one edge at a time."""

    def __init__(self, width: int) -> None:
        super().__init__(aggr="add")
        self.own, self.message_map, self.source, self.target, self.edge = (
            nn.Linear(width, width) for _ in range(5)
        )
        self.norm, self.edge_norm = nn.BatchNorm1d(width), nn.BatchNorm1d(width)

    def forward(self, h: Tensor, e: Tensor, edge_index: Tensor) -> tuple[Tensor, Tensor]:
        raw = self.edge_updater(edge_index, s=self.source(h), t=self.target(h), e=self.edge(e))
        gate = torch.sigmoid(raw)
        n = h.shape[0]
        above = self.propagate(edge_index, x=self.message_map(h), gate=gate)
        below = scatter(gate, edge_index[1], 0, n, reduce="sum")
        z = self.own(h) + above / (below + 1e-6)
        return h + F.relu(self.norm(z)), e + F.relu(self.edge_norm(raw))

    def edge_update(self, s_j: Tensor, t_i: Tensor, e: Tensor) -> Tensor:
        return s_j + t_i + e

    def message(self, x_j: Tensor, gate: Tensor) -> Tensor:
        return gate * x_j


class Block(nn.Module):
    """h′ = h + activation(BN(conv(h)))."""

    def __init__(
        self, conv: nn.Module, width: int, activation: Callable[[Tensor], Tensor], after: bool = False
    ) -> None:
        super().__init__()
        self.conv, self.norm, self.activation, self.after = conv, nn.BatchNorm1d(width), activation, after

    def forward(self, h: Tensor, e: Tensor | None, edge_index: Tensor) -> tuple[Tensor, Tensor | None]:
        z = self.conv(h, edge_index)
        z = self.norm(self.activation(z)) if self.after else self.activation(self.norm(z))
        return h + z, e


class MoNet(nn.Module):
    """`GMMConv` fed with both degrees, as the published net does, and its bias after the residual."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.conv = pyg.GMMConv(width, width, dim=2, kernel_size=3, aggr="sum", root_weight=False, bias=False)
        self.conv.root = None  # it reads this, and does not set it
        self.pseudo, self.norm = nn.Linear(2, 2), nn.BatchNorm1d(width)
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, h: Tensor, e: Tensor | None, edge_index: Tensor) -> tuple[Tensor, Tensor | None]:
        source, target = edge_index
        degree = (torch.bincount(target, minlength=h.shape[0]).to(h.dtype) + 1).rsqrt()
        u = torch.tanh(self.pseudo(torch.stack([degree[source], degree[target]], 1)))
        return h + F.relu(self.norm(self.conv(h, edge_index, u))) + self.bias, e


class MLP(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.map = nn.Linear(width, width)

    def forward(self, h: Tensor, e: Tensor | None, edge_index: Tensor) -> tuple[Tensor, Tensor | None]:
        return F.relu(self.map(h)), e


def layer(model: str, width: int, last: bool, bias: bool) -> nn.Module:
    heads = 1 if last else 8
    if model == "gin":
        inner = nn.Sequential(
            nn.Linear(width, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Linear(width, width)
        )
        return Block(pyg.GINConv(inner, train_eps=True), width, F.relu)
    if model == "gcn":
        return Block(pyg.GCNConv(width, width, add_self_loops=False), width, F.relu)
    if model == "gcn_mean":
        return Block(pyg.SAGEConv(width, width, root_weight=False), width, F.relu)
    if model == "graphsage":
        conv = pyg.SAGEConv(width, width, aggr="max", project=True, normalize=True)
        return Block(conv, width, F.relu, after=True)
    if model == "gat":
        conv = pyg.GATConv(width, width // heads, heads=heads, add_self_loops=False, bias=bias)
        return Block(conv, width, F.elu)
    return {"gatedgcn": GatedGCN, "monet": MoNet, "mlp": MLP}[model](width)


class Input(nn.Module):
    """An embedding of categories, a linear map of numbers, or of ones where there is no column."""

    def __init__(self, feature: Feature | None, width: int, ones: int = 1) -> None:
        super().__init__()
        category = feature is not None and feature.kind == "category"
        self.size = ones if feature is None else feature.size
        self.map = nn.Embedding(self.size, width) if category else nn.Linear(self.size, width)

    def forward(self, column: Tensor | None, count: int) -> Tensor:
        if column is None:
            column = torch.ones(count, self.size)
        vectors: Tensor = self.map(column)
        return vectors


def readout(width: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(width, width // 2), nn.ReLU(), nn.Linear(width // 2, width // 4), nn.ReLU(),
        nn.Linear(width // 4, outputs),
    )  # fmt: skip


class Net(nn.Module):
    """Inputs, layers, readout: for graphs, nodes or edges; "gin" reads the states of all depths."""

    def __init__(
        self, task: Task, model: str, width: int, layers: int, edge_features: bool, options: Mapping[str, Any]
    ) -> None:
        super().__init__()
        ((self.level, outputs),) = task.outputs.items()
        self.bare = bare = bool(options.get("input_layer", False))
        bias, ones = bool(options.get("bias", True)), int(options.get("edge_ones", 1))
        self.node = Input(task.node, width)
        self.edge = Input(task.edge if edge_features else None, width, ones) if model == "gatedgcn" else None
        count = layers - bare
        self.layers = nn.ModuleList(layer(model, width, i == count - 1, bias) for i in range(count))
        wide = 2 * width if self.level == "edge" else width
        self.every = model == "gin"
        if not self.every:
            heads = [readout(wide, outputs)]
        elif self.level == "edge":
            heads = [
                nn.Sequential(nn.Linear(wide, width), nn.ReLU(), nn.Linear(width, outputs))
                for _ in range(layers + 1)
            ]
        else:
            heads = [nn.Linear(wide, outputs) for _ in range(layers + 1)]
        self.heads = nn.ModuleList(heads)

    def forward(self, batch: Batch) -> Tensor:
        h = self.node(batch.x if "x" in batch else None, batch.num_nodes)
        h = F.relu(h) if self.bare else h
        e = None
        if self.edge is not None:
            e = self.edge(batch.edge_attr if "edge_attr" in batch else None, batch.num_edges)
        states = [h]
        for one in self.layers:
            h, e = one(h, e, batch.edge_index)
            states.append(h)
        if not self.every:
            return self._read(self.heads[0], h, batch)
        return sum(self._read(head, state, batch) for head, state in zip(self.heads, states, strict=True))

    def _read(self, head: nn.Module, h: Tensor, batch: Batch) -> Tensor:
        if self.level == "graph":
            pool = pyg.global_add_pool if self.every else pyg.global_mean_pool
            h = pool(h, batch.batch, batch.num_graphs)
        elif self.level == "edge":
            source, target = batch.edge_index
            h = torch.cat([h[source], h[target]], 1)
        answer: Tensor = head(h)
        return answer


def as_data(task: Task, graphs: GraphSet, edge_features: bool) -> list[Data]:
    """One `Data` for every graph, with the columns that are read, and the targets as "y"."""
    found = []
    for one in graphs:
        data = Data(edge_index=one.edge_index.clone(), num_nodes=one.num_nodes)
        if task.node is not None:
            data.x = one.node[task.node.column].clone()
        if edge_features and task.edge is not None:
            values = one.edge[task.edge.column].clone()
            data.edge_attr = values[:, None] if task.edge.kind == "number" and values.dim() == 1 else values
        (level,) = task.outputs
        data.y = getattr(one, level)["y"].clone()
        found.append(data)
    return found


# ── weights: theirs ← ours, by names ───────────────────────────────────────────────────────────────────────

NORM = {"norm": "finish.norm"}
NAMES: dict[str, Mapping[str, str]] = {
    "gin": {"conv.eps": "eps", "conv.nn.0": "first", "conv.nn.1": "norm", "conv.nn.3": "second", **NORM},
    "gcn": {"conv.lin.weight": "weight", "conv.bias": "bias", **NORM},
    "gcn_mean": {"conv.lin_l": "map", **NORM},
    "gat": {
        "conv.lin.weight": "weight", "conv.att_src": "source", "conv.att_dst": "target",
        "conv.bias": "bias", **NORM,
    },
    "gatedgcn": {
        "own": "own", "message_map": "message", "source": "source", "target": "target", "edge": "edge",
        "edge_norm": "edge_finish.norm", **NORM,
    },
    "mlp": {"map": "map"},
}  # fmt: skip


def copy_weights(ours: nn.Module, theirs: Net, model: str) -> None:
    """Make both nets the same function."""
    mine = dict(ours.named_parameters())
    pairs = []
    for name, parameter in theirs.named_parameters():
        head, _, rest = name.partition(".")
        if head == "node":
            pairs.append((parameter, mine[f"node.column.{rest}"]))
        elif head == "edge":
            pairs.append((parameter, mine[f"edge.column.{rest}"]))
        elif head == "layers":
            number, _, inner = rest.partition(".")
            pairs += _of_layer(parameter, inner, mine, f"layers.{number}.", model)
    _of_heads(theirs, mine, pairs)
    with torch.no_grad():
        for target, source in pairs:
            target.copy_(source.reshape(target.shape))


def _of_layer(
    parameter: Tensor, inner: str, mine: Mapping[str, Tensor], prefix: str, model: str
) -> list[tuple[Tensor, Tensor]]:
    if model == "monet":
        return _of_monet(parameter, inner, mine, prefix)
    if model == "graphsage":
        return _of_sage(parameter, inner, mine, prefix)
    for theirs, ours in NAMES[model].items():
        if inner == theirs or inner.startswith(theirs + "."):
            return [(parameter, mine[prefix + ours + inner[len(theirs) :]])]
    raise KeyError(inner)


def _of_sage(
    parameter: Tensor, inner: str, mine: Mapping[str, Tensor], prefix: str
) -> list[tuple[Tensor, Tensor]]:
    both, width = mine[prefix + "map.weight"], parameter.shape[0]
    found = {
        "conv.lin.weight": "message.weight", "conv.lin.bias": "message.bias", "conv.lin_l.bias": "map.bias",
        "norm.weight": "norm.weight", "norm.bias": "norm.bias",
    }  # fmt: skip
    if inner == "conv.lin_l.weight":
        return [(parameter, both[:, width:])]
    if inner == "conv.lin_r.weight":
        return [(parameter, both[:, :width])]
    return [(parameter, mine[prefix + found[inner]])]


def _of_monet(
    parameter: Tensor, inner: str, mine: Mapping[str, Tensor], prefix: str
) -> list[tuple[Tensor, Tensor]]:
    if inner == "conv.g":
        return [(parameter, mine[prefix + "weight"].T)]
    if inner == "conv.sigma":
        return [(parameter, 1 / mine[prefix + "scale"])]
    name = {"conv.mu": "mean"}.get(inner, inner)
    name = f"finish.{name}" if name.startswith("norm") else name
    return [(parameter, mine[prefix + name])]


def _of_heads(theirs: Net, mine: Mapping[str, Tensor], pairs: list[tuple[Tensor, Tensor]]) -> None:
    """Readouts come in the same order in both."""
    of_theirs: Sequence[Tensor] = list(theirs.heads.parameters())
    of_ours = [p for name, p in mine.items() if name.startswith("readout.heads")]
    pairs += zip(of_theirs, of_ours, strict=True)
