"""Laws of models over pairs of nodes: order, batch mates and blocks change nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from graphgauge.graphs import Feature, GraphSet
from graphgauge.models.dense import net as net_module
from graphgauge.models.dense import ppgn, ringgnn
from graphgauge.models.dense.net import DenseNet

BUILDERS = {"ringgnn": ringgnn, "ppgn": ppgn}
EVERY = pytest.mark.parametrize("name", BUILDERS)
NODE, EDGE = Feature("x", "number", 2), Feature("edge_attr", "category", 3)
OUTPUTS = {"graph": 3, "node": 2, "edge": 2}
# In float32 the square of a RingGNN cancels: a path of 12 nodes relabelled is 1e-4 apart, in float64 1e-13.
CLOSE = {torch.float32: 2e-3, torch.float64: 1e-10}


def build(name: str, dtype: torch.dtype = torch.float64, **options: Any) -> DenseNet:
    torch.manual_seed(0)
    return BUILDERS[name](NODE, EDGE, OUTPUTS, **{"width": 6, "layers": 2, **options}).to(dtype)


@st.composite
def graph_sets(draw: st.DrawFn, least: int = 0) -> GraphSet:
    """Random graphs, among them empty, one-node and edgeless ones."""
    counts = draw(st.lists(st.integers(0, 9), min_size=least, max_size=6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    edges = []
    for n in counts:
        u, v = np.triu(rng.random((n, n)) < rng.random(), 1).nonzero()
        edges.append(list(zip(u.tolist(), v.tolist(), strict=True)))
    graphs = GraphSet.from_edges(edges, counts)
    x = torch.from_numpy(rng.normal(size=(graphs.num_nodes, 2)))
    kind = torch.from_numpy(rng.integers(0, 3, graphs.num_edges))
    return graphs.with_columns(node={"x": x}, edge={"edge_attr": kind})


def close(a: dict[str, Tensor], b: dict[str, Tensor], dtype: torch.dtype = torch.float64) -> None:
    for level in OUTPUTS:
        scale = 1 + float(a[level].detach().abs().max()) if a[level].numel() else 1.0
        torch.testing.assert_close(a[level], b[level], rtol=0, atol=CLOSE[dtype] * scale)


def rows(ptr: Tensor, graphs: list[int]) -> Tensor:
    pieces = [torch.arange(int(ptr[g]), int(ptr[g + 1])) for g in graphs]
    return torch.cat([*pieces, torch.empty(0, dtype=torch.int64)])


@EVERY
@pytest.mark.parametrize("dtype", CLOSE, ids=str)
@settings(max_examples=15, deadline=None)
@given(graphs=graph_sets(), seed=st.integers(0, 2**31))
def test_the_order_of_nodes_changes_nothing(
    name: str, dtype: torch.dtype, graphs: GraphSet, seed: int
) -> None:
    rng = torch.Generator().manual_seed(seed)
    shuffled = torch.rand(graphs.num_nodes, generator=rng, dtype=torch.float64) + graphs.batch
    new_id = torch.empty_like(graphs.batch)
    new_id[shuffled.argsort()] = torch.arange(graphs.num_nodes)
    net = build(name, dtype)
    before, after = net(graphs), net(graphs.relabel(new_id))
    close(before, {**after, "node": after["node"][new_id]}, dtype)


@EVERY
@settings(max_examples=15, deadline=None)
@given(graphs=graph_sets(least=2), others=graph_sets(), data=st.data())
def test_batch_mates_and_their_order_change_nothing(
    name: str, graphs: GraphSet, others: GraphSet, data: st.DataObject
) -> None:
    net = build(name)
    alone = [net(graph) for graph in graphs]
    alone = {level: torch.cat([one[level] for one in alone]) for level in OUTPUTS}
    close(alone, net(graphs))
    order = data.draw(st.permutations(range(len(graphs))))
    found = net(GraphSet.concat([others, graphs[order], others]))
    start = {"graph": len(others), "node": others.num_nodes, "edge": others.num_edges}
    moved = {
        "graph": alone["graph"][order],
        "node": alone["node"][rows(graphs.node_ptr, order)],
        "edge": alone["edge"][rows(graphs.edge_ptr, order)],
    }
    close(moved, {k: v[start[k] : start[k] + len(moved[k])] for k, v in found.items()})


@EVERY
@settings(max_examples=10, deadline=None)
@given(graphs=graph_sets(least=2))
def test_gradients_of_a_batch_are_the_sum_of_those_of_its_graphs(name: str, graphs: GraphSet) -> None:
    net = build(name)

    def gradient(graphs: GraphSet) -> list[Tensor]:
        loss = sum(out.square().sum() for out in net(graphs).values())
        return list(torch.autograd.grad(loss, list(net.parameters()), materialize_grads=True))

    apart = [sum(parts) for parts in zip(*(gradient(graph) for graph in graphs), strict=True)]
    for one, other in zip(gradient(graphs), apart, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-8, atol=1e-8 * (1 + float(one.abs().max())))


@EVERY
@pytest.mark.parametrize("pairs", [1, 40, 10**6])
def test_blocks_change_nothing(name: str, pairs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    graphs = graph_of_sizes([5, 3, 0, 5, 4, 1, 3])
    net = build(name)
    usual = net(graphs)
    monkeypatch.setattr(net_module, "BLOCK_PAIRS", {"cpu": pairs})
    close(usual, net(graphs))


@EVERY
def test_blocks_that_are_computed_twice_give_the_same_gradients(name: str) -> None:
    graphs = graph_of_sizes([5, 3, 5, 4])
    net = build(name, dropout=0.3) if name == "ringgnn" else build(name)
    gradients = []
    for limit in (None, 25 * 8 * net.features_per_pair(True)):
        net.memory_limit = limit
        assert net._plan(graphs)[1] == (limit is not None)
        torch.manual_seed(1)
        loss = sum(out.square().sum() for out in net(graphs).values())
        gradients.append(torch.autograd.grad(loss, list(net.parameters())))
    for one, other in zip(*gradients, strict=True):
        torch.testing.assert_close(one, other)


@EVERY
@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
def test_gradients_are_those_of_finite_differences(name: str, directed: bool) -> None:
    graphs = graph_of_sizes([3, 1, 2], directed)
    net = build(name, width=2, layers=1, residual=True)
    for parameter in net.parameters():
        parameter.data += 0.2 * torch.randn_like(parameter)
    x = graphs.node["x"].clone().requires_grad_()
    some = [p for _, p in sorted(net.named_parameters()) if p.numel() < 60]

    def run(x: Tensor, *_: Tensor) -> tuple[Tensor, ...]:
        return tuple(net(graphs.with_columns(node={"x": x})).values())

    assert torch.autograd.gradcheck(run, (x, *some))


@EVERY
def test_no_gradient_crosses_graphs(name: str) -> None:
    graphs = graph_of_sizes([4, 5, 4])
    x = graphs.node["x"].clone().requires_grad_()
    out = build(name)(graphs.with_columns(node={"x": x}))["node"]
    (gradient,) = torch.autograd.grad(out[graphs.batch == 1].sum(), x)
    assert not gradient[graphs.batch != 1].any()
    assert gradient[graphs.batch == 1].any()


@EVERY
@pytest.mark.parametrize("training", [False, True], ids=["evaluation", "training"])
def test_smallest_graphs(name: str, training: bool) -> None:
    """One node, no edges, no nodes, no graphs: finite, with gradients."""
    net = build(name, torch.float32).train(training)
    for counts in ([1], [0], [0, 0], [], [3, 0, 1], [1, 1]):
        graphs = graph_of_sizes(counts, edgeless=True)
        found = net(graphs)
        assert found["graph"].shape == (len(counts), 3)
        assert found["node"].shape == (sum(counts), 2)
        assert found["edge"].shape == (0, 2)
        sum(out.sum() for out in found.values()).backward()
        assert all(out.isfinite().all() for out in found.values())
        assert all(p.grad is None or p.grad.isfinite().all() for p in net.parameters())


@EVERY
def test_half_precision_is_near(name: str) -> None:
    graphs = graph_of_sizes([6, 4, 6, 2])
    net = build(name, torch.float32)
    full = net(graphs)
    with torch.autocast("cpu", torch.bfloat16):
        half = net(graphs)
        loss = sum(out.float().square().mean() for out in half.values())
    loss.backward()
    for level in OUTPUTS:
        scale = float(full[level].detach().abs().max())
        torch.testing.assert_close(half[level].float(), full[level], rtol=0, atol=0.1 * scale)
    assert all(p.grad is not None and p.grad.dtype == torch.float32 for p in net.parameters())


@EVERY
def test_every_column_that_is_read_matters(name: str) -> None:
    graphs = graph_of_sizes([6, 4])
    net = build(name)
    usual = net(graphs)
    changed = (
        {"node": {"x": graphs.node["x"] + 1}},
        {"edge": {"edge_attr": (graphs.edge["edge_attr"] + 1) % 3}},
    )
    for columns in changed:
        other = net(graphs.with_columns(**columns))
        assert not any(torch.allclose(usual[level], other[level]) for level in OUTPUTS)
    assert net.columns == {"node": ("x",), "edge": ("edge_attr",)}


def graph_of_sizes(counts: list[int], directed: bool = False, edgeless: bool = False) -> GraphSet:
    rng = np.random.default_rng(1)
    edges: list[list[tuple[int, int]]] = []
    for n in counts:
        there = rng.random((n, n)) < (0 if edgeless else 0.6)
        there = there & ~np.eye(n, dtype=bool) if directed else np.triu(there, 1)
        edges.append([(int(u), int(v)) for u, v in np.argwhere(there)])
    graphs = GraphSet.from_edges(edges, counts, directed="keep" if directed else "error")
    return graphs.with_columns(
        node={"x": torch.from_numpy(rng.normal(size=(graphs.num_nodes, 2)))},
        edge={"edge_attr": torch.from_numpy(rng.integers(0, 3, graphs.num_edges))},
    )
