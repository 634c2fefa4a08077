"""Layers of supervised nets against torch_geometric, and against their formulas written edge by edge.

With copied weights, on directed and undirected graphs, in training: values and gradients of all parameters.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch_geometric import nn as pyg

from graphgauge import GraphSet
from graphgauge.graphs.rounds import Round, Rounds
from graphgauge.models.layers.gat import EdgeGATLayer, GATLayer
from graphgauge.models.layers.gatedgcn import GatedGCNLayer
from graphgauge.models.layers.gatv2 import GATv2Layer
from graphgauge.models.layers.gcn import GCNLayer
from graphgauge.models.layers.gcn_mean import MeanGCNLayer
from graphgauge.models.layers.ggnn import GGNNLayer
from graphgauge.models.layers.gin import GINLayer
from graphgauge.models.layers.graphsage import GraphSageLayer
from graphgauge.models.layers.mlp import MLPLayer
from graphgauge.models.layers.monet import MoNetLayer
from graphgauge.models.layers.norm import BatchNorm
from graphgauge.models.pooling import Set2Set

WIDTH, HEADS = 6, 3
Reference = Callable[[Tensor, Tensor, GraphSet], tuple[Tensor, Tensor]]


def graph_set(directed: bool) -> GraphSet:
    """Graphs of several sizes, an edgeless one, one of one node, an empty one at the end."""
    rng = np.random.default_rng(7)
    edges, counts = [], [7, 12, 1, 4, 9, 0]
    for n, density in zip(counts, (0.4, 0.2, 0, 0, 0.9, 0), strict=True):
        there = rng.random((n, n)) < density
        there = there & ~np.eye(n, dtype=bool) if directed else np.triu(there, 1)
        edges.append(list(zip(*(a.tolist() for a in there.nonzero()), strict=True)))
    return GraphSet.from_edges(edges, counts, directed="keep" if directed else "error")


def bn(ours: BatchNorm) -> Callable[[Tensor], Tensor]:
    """PyTorch's own batch norm over a batch, with the parameters of ours."""
    return lambda x: F.batch_norm(x, None, None, ours.weight, ours.bias, training=True, eps=ours.eps)


def incoming(graphs: GraphSet, node: int) -> list[tuple[int, int]]:
    """(position, source) of the edges into a node."""
    source, target = graphs.edge_index.tolist()
    return [(k, source[k]) for k in range(len(source)) if target[k] == node]


def by_node(graphs: GraphSet, like: Tensor, rule: Callable[[int, list[tuple[int, int]]], Tensor]) -> Tensor:
    """A row for every node from its incoming edges; zeros without any."""
    rows = []
    for node in range(graphs.num_nodes):
        edges = incoming(graphs, node)
        rows.append(rule(node, edges) if edges else torch.zeros_like(like[0]))
    return torch.stack(rows)


# ── references ─────────────────────────────────────────────────────────────────────────────────────────────


def mlp(ours: MLPLayer) -> Reference:
    return lambda h, e, graphs: (F.relu(ours.map(h)), e)


def gcn(ours: GCNLayer) -> Reference:
    def layer(h: Tensor, e: Tensor, graphs: GraphSet) -> tuple[Tensor, Tensor]:
        a = torch.zeros(graphs.num_nodes, graphs.num_nodes, dtype=h.dtype)
        a[graphs.edge_index[1], graphs.edge_index[0]] = 1
        out, into = a.sum(0).clamp(min=1), a.sum(1).clamp(min=1)
        z = (a / (out[None] * into[:, None]).sqrt()) @ h @ ours.weight.T + ours.bias
        return h + F.relu(bn(ours.finish.norm)(z)), e

    return layer


def gcn_mean(ours: MeanGCNLayer) -> Reference:
    mean = pyg.SimpleConv(aggr="mean")

    def layer(h: Tensor, e: Tensor, graphs: GraphSet) -> tuple[Tensor, Tensor]:
        z = ours.map(mean(h, graphs.edge_index))
        return h + F.relu(bn(ours.finish.norm)(z)), e

    return layer


def gin(ours: GINLayer) -> Reference:
    def inner(x: Tensor) -> Tensor:
        return ours.second(F.relu(bn(ours.norm)(ours.first(x))))

    def layer(h: Tensor, e: Tensor, graphs: GraphSet) -> tuple[Tensor, Tensor]:
        conv = pyg.GINConv(nn.Identity(), train_eps=True)
        conv.eps = ours.eps
        return h + F.relu(bn(ours.finish.norm)(inner(conv(h, graphs.edge_index)))), e

    return layer


def graphsage(ours: GraphSageLayer) -> Reference:
    def layer(h: Tensor, e: Tensor, graphs: GraphSet) -> tuple[Tensor, Tensor]:
        m = F.relu(ours.message(h))
        around = by_node(graphs, h, lambda i, edges: torch.stack([m[j] for _, j in edges]).amax(0))
        z = F.normalize(ours.map(torch.cat([h, around], 1)), dim=1)
        return h + bn(ours.norm)(F.relu(z)), e

    return layer


def graphsage_edges(ours: GraphSageLayer) -> Reference:
    def layer(h: Tensor, e: Tensor, graphs: GraphSet) -> tuple[Tensor, Tensor]:
        source, target = graphs.edge_index
        raw = ours.gate(h)[source] + ours.gate(h)[target]
        if ours.edges == "representations":
            raw = raw + ours.edge(e)
        m = F.relu(torch.sigmoid(raw) * ours.message(h)[source])
        around = by_node(graphs, h, lambda i, edges: torch.stack([m[k] for k, _ in edges]).amax(0))
        z = F.normalize(ours.map(torch.cat([h, around], 1)), dim=1)
        if ours.edges == "representations":
            e = e + bn(ours.edge_norm)(F.relu(raw))
        return h + bn(ours.norm)(F.relu(z)), e

    return layer


def gat(ours: GATLayer) -> Reference:
    plain = ours.edges == "none"
    conv = pyg.GATConv(
        WIDTH,
        WIDTH // HEADS,
        heads=HEADS,
        add_self_loops=False,
        bias=ours.bias is not None,
        negative_slope=0.2 if plain else 0.01,
    )
    conv.lin.weight = ours.weight
    conv.bias = ours.bias

    def layer(h: Tensor, e: Tensor, graphs: GraphSet) -> tuple[Tensor, Tensor]:
        del conv.att_src, conv.att_dst
        conv.att_src, conv.att_dst = ours.source[None], ours.target[None]
        return h + F.elu(bn(ours.finish.norm)(conv(h, graphs.edge_index))), e

    return layer


def gat_isotropic(ours: GATLayer) -> Reference:
    def layer(h: Tensor, e: Tensor, graphs: GraphSet) -> tuple[Tensor, Tensor]:
        x = h @ ours.weight.T
        z = by_node(graphs, h, lambda i, edges: torch.stack([x[j] for _, j in edges]).sum(0))
        return h + F.elu(bn(ours.finish.norm)(z)), e

    return layer


def gat_edges(ours: EdgeGATLayer) -> Reference:
    """Head by head, as the published layer is."""
    size = WIDTH // HEADS

    def layer(h: Tensor, e: Tensor, graphs: GraphSet) -> tuple[Tensor, Tensor]:
        source, target = graphs.edge_index
        nodes, edges = [], []
        for k in range(HEADS):
            part = slice(k * size, (k + 1) * size)
            x, y = h @ ours.node[part].T, e @ ours.edge[part].T
            q = torch.cat([y, x[source], x[target]], 1)
            score = F.leaky_relu(q @ ours.attention[:, k].flatten(), 0.01)
            new = q @ torch.cat(list(ours.map[:, k]), 1).T + ours.bias[part]

            def attended(i: int, into: list[tuple[int, int]], x: Tensor = x, score: Tensor = score) -> Tensor:
                alpha = torch.softmax(torch.stack([score[r] for r, _ in into]), 0)
                return (alpha[:, None] * torch.stack([x[j] for _, j in into])).sum(0)

            nodes.append(by_node(graphs, x, attended))
            edges.append(new)
        z, raw = torch.cat(nodes, 1), torch.cat(edges, 1)
        return h + F.elu(bn(ours.finish.norm)(z)), e + F.elu(bn(ours.edge_finish.norm)(raw))

    return layer


def gatv2(ours: GATv2Layer) -> Reference:
    conv = pyg.GATv2Conv(WIDTH, WIDTH // HEADS, heads=HEADS, add_self_loops=False)
    conv.lin_l, conv.lin_r, conv.bias = ours.left, ours.right, ours.bias

    def layer(h: Tensor, e: Tensor, graphs: GraphSet) -> tuple[Tensor, Tensor]:
        del conv.att
        conv.att = ours.attention[None]
        return h + F.elu(bn(ours.finish.norm)(conv(h, graphs.edge_index))), e

    return layer


def monet(ours: MoNetLayer) -> Reference:
    conv = pyg.GMMConv(
        WIDTH, WIDTH, dim=2, kernel_size=ours.kernels, aggr="sum", root_weight=False, bias=False
    )
    conv.root = None  # it reads this, and does not set it

    def layer(h: Tensor, e: Tensor, graphs: GraphSet) -> tuple[Tensor, Tensor]:
        source, target = graphs.edge_index
        degree = (torch.bincount(target, minlength=graphs.num_nodes).to(h.dtype) + 1).rsqrt()
        u = torch.tanh(ours.pseudo(torch.stack([degree[source], degree[target]], 1)))
        for name in ("g", "mu", "sigma"):
            conv._parameters.pop(name, None)
        conv.g, conv.mu, conv.sigma = ours.weight.T, ours.mean, 1 / ours.scale
        z = conv(h, graphs.edge_index, u)
        return h + F.relu(bn(ours.finish.norm)(z)) + ours.bias, e

    return layer


def gatedgcn(ours: GatedGCNLayer) -> Reference:
    def layer(h: Tensor, e: Tensor, graphs: GraphSet) -> tuple[Tensor, Tensor]:
        source, target = graphs.edge_index
        message = ours.message(h)
        if ours.edges == "isotropic":
            around = by_node(graphs, h, lambda i, edges: torch.stack([message[j] for _, j in edges]).sum(0))
        else:
            raw = ours.source(h)[source] + ours.target(h)[target]
            raw = raw + ours.edge(e) if ours.edges == "representations" else raw

            def gated(i: int, edges: list[tuple[int, int]]) -> Tensor:
                gates = torch.stack([torch.sigmoid(raw[k]) for k, _ in edges])
                sent = torch.stack([message[j] for _, j in edges])
                return (gates * sent).sum(0) / (gates.sum(0) + 1e-6)

            around = by_node(graphs, h, gated)
        if ours.edges == "representations":
            e = e + F.relu(bn(ours.edge_finish.norm)(raw))
        return h + F.relu(bn(ours.finish.norm)(ours.own(h) + around)), e

    return layer


def ggnn(ours: GGNNLayer) -> Reference:
    conv = pyg.GatedGraphConv(WIDTH, 1)
    conv.rnn = ours.gru

    def layer(h: Tensor, e: Tensor, graphs: GraphSet) -> tuple[Tensor, Tensor]:
        conv._parameters.pop("weight", None)
        conv.weight = ours.weight.T[None]
        return h + F.relu(bn(ours.finish.norm)(conv(h, graphs.edge_index))), e

    return layer


CASES: dict[str, tuple[Callable[[], nn.Module], Callable[..., Reference]]] = {
    "mlp": (lambda: MLPLayer(WIDTH), mlp),
    "gcn": (lambda: GCNLayer(WIDTH), gcn),
    "gcn_mean": (lambda: MeanGCNLayer(WIDTH), gcn_mean),
    "gin": (lambda: GINLayer(WIDTH), gin),
    "graphsage": (lambda: GraphSageLayer(WIDTH), graphsage),
    "graphsage-features": (lambda: GraphSageLayer(WIDTH, edges="features"), graphsage_edges),
    "graphsage-representations": (lambda: GraphSageLayer(WIDTH, edges="representations"), graphsage_edges),
    "gat": (lambda: GATLayer(WIDTH, heads=HEADS), gat),
    "gat-without-bias": (lambda: GATLayer(WIDTH, heads=HEADS, bias=False), gat),
    "gat-features": (lambda: GATLayer(WIDTH, heads=HEADS, edges="features"), gat),
    "gat-isotropic": (lambda: GATLayer(WIDTH, heads=HEADS, edges="isotropic"), gat_isotropic),
    "gat-representations": (lambda: EdgeGATLayer(WIDTH, heads=HEADS), gat_edges),
    "gatv2": (lambda: GATv2Layer(WIDTH, heads=HEADS), gatv2),
    "monet": (lambda: MoNetLayer(WIDTH), monet),
    "gatedgcn": (lambda: GatedGCNLayer(WIDTH), gatedgcn),
    "gatedgcn-features": (lambda: GatedGCNLayer(WIDTH, edges="features"), gatedgcn),
    "gatedgcn-isotropic": (lambda: GatedGCNLayer(WIDTH, edges="isotropic"), gatedgcn),
    "ggnn": (lambda: GGNNLayer(WIDTH), ggnn),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("directed", [False, True])
def test_layer(name: str, directed: bool) -> None:
    torch.manual_seed(0)
    make, reference = CASES[name]
    ours = make().double()
    with torch.no_grad():  # away from the start, where biases are 0
        for parameter in ours.parameters():
            parameter += 0.3 * torch.randn_like(parameter)
    graphs = graph_set(directed)
    step: Round = Rounds.plain(graphs, 1).rounds[0]
    h = torch.randn(graphs.num_nodes, WIDTH, dtype=torch.float64, requires_grad=True)
    e = torch.randn(graphs.num_edges, WIDTH, dtype=torch.float64, requires_grad=True)
    got, want = ours(h, e, step), reference(ours)(h, e, graphs)
    leaves = [h, e, *ours.parameters()]
    weights = [torch.randn_like(value) for value in want]
    slopes = [
        torch.autograd.grad(sum((w * v).sum() for w, v in zip(weights, pair, strict=True)), leaves)
        for pair in (got, want)
    ]
    for a, b in zip([*got, *slopes[0]], [*want, *slopes[1]], strict=True):
        torch.testing.assert_close(a, b, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("rows", [2, 50])
def test_batch_norm_follows_as_pytorchs_does(rows: int) -> None:
    torch.manual_seed(0)
    ours, theirs = BatchNorm(3), nn.BatchNorm1d(3)
    for _ in range(4):
        x = torch.randn(rows, 3) * 2 + 5
        torch.testing.assert_close(ours(x), theirs(x), rtol=0, atol=1e-5)
    for name in ("running_mean", "running_var"):
        torch.testing.assert_close(getattr(ours, name), getattr(theirs, name), rtol=1e-5, atol=1e-5)
    x = torch.randn(rows, 3)
    torch.testing.assert_close(ours.eval()(x), theirs.eval()(x), rtol=0, atol=1e-5)


def test_set2set_of_one_step() -> None:
    graphs = graph_set(False)
    ours, theirs = Set2Set(WIDTH).double(), pyg.Set2Set(WIDTH, 1).double()
    theirs.lstm.load_state_dict({f"{k}_l0": v for k, v in ours.lstm.state_dict().items()})
    h = torch.randn(graphs.num_nodes, WIDTH, dtype=torch.float64)
    got = ours(h, Rounds.plain(graphs, 0).pool(0))
    torch.testing.assert_close(got, theirs(h, graphs.batch, dim_size=len(graphs)))
