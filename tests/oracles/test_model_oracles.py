"""Layers and stacks against torch_geometric and dense formulas, with copied weights: values and gradients."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch_geometric import nn as pyg

from graphgauge import GraphSet
from graphgauge.models import build
from graphgauge.models.gat import GATConv
from graphgauge.models.gatedgcn import GatedGCNConv
from graphgauge.models.gatv2 import GATv2Conv
from graphgauge.models.gcn_conv import GCNConv
from graphgauge.models.ggnn import GGNNConv
from graphgauge.models.gin import GINConv
from graphgauge.models.norm import GraphNorm

TOLERANCE = {torch.float64: 1e-10, torch.float32: 1e-5}
HEADS = 8


def graph_set(directed: bool) -> GraphSet:
    """Random graphs of several sizes, an edgeless one, one of one node, an empty one at the end."""
    rng = np.random.default_rng(7)
    edges, counts = [], [9, 20, 1, 4, 13, 0]
    for n, density in zip(counts, (0.4, 0.2, 0, 0, 0.9, 0), strict=True):
        there = rng.random((n, n)) < density
        there = there & ~np.eye(n, dtype=bool) if directed else np.triu(there, 1)
        edges.append(list(zip(*(a.tolist() for a in there.nonzero()), strict=True)))
    return GraphSet.from_edges(edges, counts, directed="keep" if directed else "error")


def gcn(width: int) -> tuple[nn.Module, nn.Module]:
    ours, theirs = GCNConv(width, width), pyg.GCNConv(width, width)
    theirs.lin.weight, theirs.bias = ours.weight, ours.bias
    return ours, theirs


def gin(width: int) -> tuple[nn.Module, nn.Module]:
    ours = GINConv(width)
    return ours, pyg.GINConv(ours.mlp)


def gat(width: int) -> tuple[nn.Module, nn.Module]:
    ours, theirs = GATConv(width, HEADS), pyg.GATConv(width, width // HEADS, heads=HEADS)
    theirs.lin.weight, theirs.bias = ours.weight, ours.bias
    copy(theirs.att_src, ours.source)
    copy(theirs.att_dst, ours.target)
    return ours, theirs


def gatv2(width: int) -> tuple[nn.Module, nn.Module]:
    ours, theirs = GATv2Conv(width, HEADS), pyg.GATv2Conv(width, width // HEADS, heads=HEADS)
    theirs.lin_l.load_state_dict(ours.left.state_dict())
    theirs.lin_r.load_state_dict(ours.right.state_dict())
    theirs.bias = ours.bias
    copy(theirs.att, ours.attention)
    return ours, theirs


def ggnn(width: int) -> tuple[nn.Module, nn.Module]:
    ours, theirs = GGNNConv(width, 2), pyg.GatedGraphConv(width, 2)
    theirs.weight, theirs.rnn = ours.weight, ours.gru
    return ours, theirs


def copy(to: nn.Parameter, values: Tensor) -> None:
    to.data = values.detach().reshape(to.shape).clone()


LAYERS: dict[str, Callable[[int], tuple[nn.Module, nn.Module]]] = {
    "gcn": gcn,
    "gin": gin,
    "gat": gat,
    "gatv2": gatv2,
    "ggnn": ggnn,
}


def vary(module: nn.Module) -> None:
    """Weights that no initial value makes special."""
    for p in module.parameters():
        p.data = torch.randn_like(p) * 0.5


def assert_equal(
    ours: Callable[[Tensor], Tensor], theirs: Callable[[Tensor], Tensor], x: Tensor, tolerance: float
) -> None:
    """Same values, and same gradient with respect to the input for a random direction."""
    results = []
    direction = None
    for function in (ours, theirs):
        leaf = x.clone().requires_grad_()
        out = function(leaf)
        direction = torch.randn_like(out) if direction is None else direction
        (gradient,) = torch.autograd.grad(out, leaf, direction)
        results.append((out, gradient))
    for a, b in zip(*results, strict=True):
        torch.testing.assert_close(a, b, rtol=tolerance, atol=tolerance * (1 + float(b.detach().abs().max())))


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("name", LAYERS)
def test_layers_equal_pyg(name: str, dtype: torch.dtype, directed: bool) -> None:
    torch.manual_seed(1)
    graphs = graph_set(directed)
    ours, theirs = (m.to(dtype) for m in LAYERS[name](16))
    vary(ours)
    if name in ("gat", "gatv2"):  # parameters of other shapes there: copy the new values
        make = {"gat": [("att_src", "source"), ("att_dst", "target")], "gatv2": [("att", "attention")]}
        for a, b in make[name]:
            copy(getattr(theirs, a), getattr(ours, b))
        if name == "gatv2":
            theirs.lin_l.load_state_dict(ours.left.state_dict())
            theirs.lin_r.load_state_dict(ours.right.state_dict())
    x = torch.randn(graphs.num_nodes, 16, dtype=dtype)
    assert_equal(lambda v: ours(v, graphs), lambda v: theirs(v, graphs.edge_index), x, TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_graph_norm_equals_pyg(dtype: torch.dtype) -> None:
    torch.manual_seed(2)
    graphs = graph_set(False)
    ours, theirs = GraphNorm(5).to(dtype), pyg.GraphNorm(5).to(dtype)
    vary(ours)
    theirs.load_state_dict(ours.state_dict())
    x = torch.randn(graphs.num_nodes, 5, dtype=dtype) + 3
    assert_equal(lambda v: ours(v, graphs), lambda v: theirs(v, graphs.batch), x, TOLERANCE[dtype])
    assert_equal(
        lambda v: ours(v, graphs, residual=v), lambda v: v + theirs(v, graphs.batch), x, TOLERANCE[dtype]
    )


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_gated_gcn_equals_a_dense_formula(dtype: torch.dtype) -> None:
    torch.manual_seed(3)
    graphs = graph_set(False)
    conv = GatedGCNConv(6).to(dtype)
    vary(conv)
    adjacency = torch.zeros(graphs.num_nodes, graphs.num_nodes, dtype=dtype)
    adjacency[graphs.edge_index[1], graphs.edge_index[0]] = 1

    def dense(x: Tensor) -> Tensor:
        edge = conv.gate_target(x)[:, None, :] + conv.gate_source(x)[None, :, :]
        gate = adjacency[:, :, None] * torch.sigmoid(edge)
        return conv.own(x) + (gate * conv.message(x)[None]).sum(1) / (gate.sum(1) + 1e-6)

    x = torch.randn(graphs.num_nodes, 6, dtype=dtype)
    assert_equal(lambda v: conv(v, graphs), dense, x, TOLERANCE[dtype])


class PygStack(nn.Module):
    """The published layer plan from parts of torch_geometric."""

    def __init__(self, conv: Callable[[], nn.Module], width: int) -> None:
        super().__init__()
        self.first, self.first_norm = pyg.GCNConv(1, width), pyg.GraphNorm(width)
        self.convs = nn.ModuleList(conv() for _ in range(3))
        self.norms = nn.ModuleList(pyg.GraphNorm(width) for _ in range(3))
        self.last = nn.Linear(width, 64)

    def forward(self, graphs: GraphSet) -> Tensor:
        x = torch.ones(graphs.num_nodes, 1, dtype=self.last.weight.dtype)
        x = self.first_norm(self.first(x, graphs.edge_index), graphs.batch)
        for conv, norm in zip(self.convs, self.norms, strict=True):
            x = x + norm(nn.functional.gelu(conv(x, graphs.edge_index)), graphs.batch)
        out: Tensor = self.last(x)
        return out


def mlp(width: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, width))


STACKS: dict[str, tuple[int, Callable[[], nn.Module]]] = {
    "gcn": (128, lambda: pyg.GCNConv(128, 128)),
    "gin": (93, lambda: pyg.GINConv(mlp(93))),
    "ggnn": (48, lambda: pyg.GatedGraphConv(48, 2)),
    "gat": (128, lambda: pyg.GATConv(128, 16, heads=8)),
    "gatv2": (96, lambda: pyg.GATv2Conv(96, 12, heads=8)),
}


def stacks(name: str, dtype: torch.dtype) -> list[list[Tensor]]:
    """Outputs and parameter gradients of our stack and theirs, from the same weights and direction."""
    torch.manual_seed(4)
    width, conv = STACKS[name]
    theirs, ours = PygStack(conv, width), build(name)
    for p in theirs.parameters():
        p.data += torch.randn_like(p) * 0.1
    for a, b in zip(ours.parameters(), in_our_order(name, theirs), strict=True):
        a.data = b.detach().reshape(a.shape).clone()
    graphs = graph_set(False)
    direction = torch.randn(graphs.num_nodes, 64)
    results = []
    for net in (ours.to(dtype), theirs.to(dtype)):
        out = net(graphs)
        out.backward(direction.to(dtype))
        order = list(net.parameters()) if net is ours else in_our_order(name, theirs)
        gradients = [p.grad.double() for p in order if p.grad is not None]
        assert len(gradients) == len(order)
        results.append([out.detach().double(), *gradients])
    return results


@pytest.mark.parametrize("name", STACKS)
def test_whole_stacks_equal_pyg(name: str) -> None:
    """Equal in float64; in float32 no further from that than PyG's own float32 is, up to a small factor."""
    exact_ours, exact = stacks(name, torch.float64)
    for a, b in zip(exact_ours, exact, strict=True):
        torch.testing.assert_close(a.reshape(b.shape), b, rtol=0, atol=1e-10 * (1 + float(b.abs().max())))
    for ours, theirs, truth in zip(*stacks(name, torch.float32), exact, strict=True):
        scale = 1 + float(truth.abs().max())
        error, usual = (float((v.reshape(truth.shape) - truth).abs().max()) / scale for v in (ours, theirs))
        assert error <= 1e-5 + 10 * usual


def in_our_order(name: str, theirs: PygStack) -> list[nn.Parameter]:
    """The parameters of the other stack in the order of `Stack.parameters()`."""
    found = [theirs.first.lin.weight, theirs.first.bias, *theirs.first_norm.parameters()]
    for c in theirs.convs:
        found += {
            "gcn": lambda c: [c.lin.weight, c.bias],
            "gin": lambda c: list(c.nn.parameters()),
            "ggnn": lambda c: [c.weight, *c.rnn.parameters()],
            "gat": lambda c: [c.lin.weight, c.att_src, c.att_dst, c.bias],
            "gatv2": lambda c: [c.att, c.bias, *c.lin_l.parameters(), *c.lin_r.parameters()],
        }[name](c)
    return [*found, *theirs.norms.parameters(), *theirs.last.parameters()]
