"""Laws of nets for supervised tasks, for every architecture and every treatment of edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from graphgauge import GraphSet
from graphgauge.graphs.csr import CSR
from graphgauge.graphs.quotient import Histories
from graphgauge.graphs.rounds import Round, Rounds
from graphgauge.graphs.task import Feature
from graphgauge.models import ARCHITECTURES, build_network
from graphgauge.models.layers.norm import BatchNorm

KINDS, WIDTH, DEPTH = 3, 6, 2
NODE, EDGE = Feature("kind", "category", KINDS), Feature("kind", "category", KINDS)
OUTPUTS = {"graph": 2, "node": 2, "edge": 1}
VARIANTS = [
    (name, edges)
    for name, plan in ARCHITECTURES.items()
    for edges in plan.variants
    if not plan.order_only  # a vector for every node: neither histories nor relabelling mean anything
]
EVERY = pytest.mark.parametrize(("name", "edges"), VARIANTS)
LAW = settings(max_examples=15, deadline=None)


def made(name: str, edges: str, dtype: torch.dtype = torch.float64, **options: Any) -> nn.Module:
    """A net whose batch norms do not turn rounding into numbers where a column has no variance.

    Every parameter has moved from its start, where biases of 0 put such columns on the kink of ReLU.
    """
    torch.manual_seed(0)
    heads = {"heads": 2} if name in ("gat", "gatv2") else {}
    options = {"node": NODE, "edge": EDGE, "layers": DEPTH, **heads, **options}
    net = build_network(
        name, options.pop("node"), options.pop("edge"), OUTPUTS, width=WIDTH, edges=edges, **options
    )
    for module in net.modules():
        if isinstance(module, BatchNorm):
            module.eps = 0.1
    with torch.no_grad():
        for parameter in net.parameters():
            parameter += 0.2 * torch.randn_like(parameter)
    return net.to(dtype)


def random_graph(rng: np.random.Generator, n: int, m: int, directed: bool) -> GraphSet:
    edges = torch.from_numpy(rng.integers(0, n, (2, m))) if n else torch.zeros(2, 0, dtype=torch.int64)
    marks = torch.from_numpy(rng.integers(0, KINDS, edges.shape[1]))
    if not directed:
        edges, marks = torch.cat([edges, edges.flip(0)], 1), torch.cat([marks, marks])
    columns = {"kind": torch.from_numpy(rng.integers(0, KINDS, n))}
    ptr = torch.tensor([0, n]), torch.tensor([0, edges.shape[1]])
    return GraphSet(ptr[0], edges, ptr[1], columns, {"kind": marks}, {}, directed)


@st.composite
def graph_sets(draw: st.DrawFn) -> GraphSet:
    """Sets with empty and edgeless graphs, lone nodes, loops, several edges and twins."""
    directed = draw(st.booleans())
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    sizes = draw(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 8)), min_size=1, max_size=4))
    parts = [random_graph(rng, n, m, directed) for n, m in sizes]
    again = draw(st.lists(st.sampled_from(range(len(parts))), max_size=3))
    return GraphSet.concat(parts + [parts[i] for i in again])


def loss_of(outputs: dict[str, Tensor]) -> Tensor:
    """A number that weighs every output differently."""
    total = torch.zeros((), dtype=torch.float64)
    for value in outputs.values():
        weight = torch.linspace(-1, 1, max(value.numel(), 1), dtype=torch.float64)[: value.numel()]
        total = total + (value.double().flatten() * weight).sum()
    return total


def everything(net: nn.Module, graphs: GraphSet, rounds: Rounds | None) -> dict[str, Tensor]:
    """Outputs, gradients and running statistics after one training step's forward and backward."""
    net.zero_grad()
    outputs = net(graphs, rounds)
    loss_of(outputs).backward()
    found = {f"output {k}": v.detach() for k, v in outputs.items()}
    found |= {f"gradient {k}": p.grad for k, p in net.named_parameters() if p.grad is not None}
    return found | {f"buffer {k}": b.clone() for k, b in net.named_buffers()}


def assert_close(got: dict[str, Tensor], want: dict[str, Tensor], bound: float) -> None:
    assert got.keys() == want.keys()
    for name, value in want.items():
        scale = 1 + float(value.detach().abs().max()) if value.numel() else 1.0
        torch.testing.assert_close(
            got[name].double(), value.double(), rtol=0, atol=bound * scale, msg=lambda m, n=name: f"{n}: {m}"
        )


def small_rounds(net: nn.Module, graphs: GraphSet, edge: bool) -> Rounds:
    column = graphs.edge["kind"] if edge else None
    return Histories.of(graphs, DEPTH, node=graphs.node["kind"], edge=column, **net.needs).batch()


@EVERY
@LAW
@given(graphs=graph_sets(), edge=st.booleans())
def test_equal_histories_computed_once_change_nothing(
    name: str, edges: str, graphs: GraphSet, edge: bool
) -> None:
    """Neither outputs nor gradients nor running statistics."""
    feature = EDGE if edge else None
    net, other = made(name, edges, edge=feature), made(name, edges, edge=feature)
    rounds = small_rounds(net, graphs, edge and bool(net.columns["edge"]))
    assert_close(everything(net, graphs, rounds), everything(other, graphs, None), 1e-9)


@EVERY
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("training", [False, True])
def test_compiled_loops_are_their_plain_twins(name: str, edges: str, shared: bool, training: bool) -> None:
    """In float32 with compiled loops what plain PyTorch gives in float64, also with fewer rows than nodes."""
    rng = np.random.default_rng(5)
    parts = [random_graph(rng, int(n), int(2 * n), directed=True) for n in rng.integers(1, 12, 12)]
    graphs = GraphSet.concat(parts + parts[:5])
    fast, exact = made(name, edges, torch.float32).train(training), made(name, edges).train(training)
    rounds = small_rounds(fast, graphs, bool(fast.columns["edge"])) if shared else None
    assert_close(everything(fast, graphs, rounds), everything(exact, graphs, rounds), 1e-5)


@EVERY
@LAW
@given(graphs=graph_sets(), data=st.data())
def test_relabelling_moves_outputs_along(
    name: str, edges: str, graphs: GraphSet, data: st.DataObject
) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    pieces = [
        torch.from_numpy(rng.permutation(np.arange(int(a), int(b))))
        for a, b in zip(graphs.node_ptr[:-1], graphs.node_ptr[1:], strict=True)
    ]
    new_id = torch.cat([*pieces, graphs.node_ptr[:0]])
    net = made(name, edges)
    before, after = net(graphs), net(graphs.relabel(new_id))
    expected = {k: v[torch.argsort(new_id)] if k == "node" else v for k, v in before.items()}
    assert_close(after, expected, 1e-9)


@EVERY
@LAW
@given(graphs=graph_sets())
def test_graphs_of_a_batch_do_not_see_each_other_in_evaluation(
    name: str, edges: str, graphs: GraphSet
) -> None:
    net = made(name, edges)
    net(graphs)  # running statistics that are not those of the start
    net.eval()
    parts = [net(graphs[torch.tensor([g])]) for g in range(len(graphs))]
    alone = {k: torch.cat([part[k] for part in parts]) for k in OUTPUTS}
    assert_close(net(graphs), alone, 1e-9)


@EVERY
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_lone_nodes_and_empty_graphs_give_finite_numbers(name: str, edges: str, dtype: torch.dtype) -> None:
    rng = np.random.default_rng(0)
    sets = [
        random_graph(rng, 1, 0, False),
        random_graph(rng, 0, 0, False),
        random_graph(rng, 1, 1, True),
        random_graph(rng, 5, 0, False),
        GraphSet.concat([random_graph(rng, 0, 0, True)] * 3),
    ]
    for graphs in sets:
        for training in (True, False):
            found = everything(made(name, edges, dtype).train(training), graphs, None)
            assert all(torch.isfinite(value).all() for value in found.values())


@EVERY
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_rows_before_may_be_other_and_more_than_rows_after(name: str, edges: str, dtype: torch.dtype) -> None:
    """A layer finds nodes, ends and edges through the round alone, also among rows that nobody reads."""
    rng = np.random.default_rng(3)
    graphs = GraphSet.concat([random_graph(rng, n, 2 * n, True) for n in (5, 1, 8)])
    layer = made(name, edges, dtype).layers[0]
    plain = Rounds.plain(graphs, 1).rounds[0]
    n, m = graphs.num_nodes, graphs.num_edges
    h, e = torch.randn(n, WIDTH, dtype=dtype), torch.randn(m, WIDTH, dtype=dtype)
    place, line = torch.randperm(n + 4)[:n], torch.randperm(m + 3)[:m]
    wide_h, wide_e = torch.randn(n + 4, WIDTH, dtype=dtype), torch.randn(m + 3, WIDTH, dtype=dtype)
    wide_h[place], wide_e[line] = h, e
    degree = torch.zeros(2, n + 4, dtype=torch.int64)
    degree[:, place] = plain.degree
    csr = CSR(plain.csr.ptr, place[plain.csr.source], plain.csr.edge, n + 4)
    moved = Round(csr, place, place[plain.ends], line, degree=degree)
    leaves = [(h, e, plain), (wide_h, wide_e, moved)]
    found = []
    for states, lines, step in leaves:
        states.requires_grad_()
        out, new = layer(states, lines, step)
        (slope,) = torch.autograd.grad((out * torch.linspace(-1, 1, WIDTH)).square().sum(), [states])
        found.append((out, new if new.shape[0] == m and new is not lines else None, slope))
    (out, new, slope), (out_moved, new_moved, slope_moved) = found
    close = {"rtol": 0, "atol": 1e-4 if dtype == torch.float32 else 1e-10}
    torch.testing.assert_close(out_moved, out, **close)
    torch.testing.assert_close(slope_moved[place], slope, **close)
    if new is not None and new_moved is not None:
        torch.testing.assert_close(new_moved, new, **close)
    assert slope_moved.abs().sum() == pytest.approx(float(slope.abs().sum()), rel=1e-4)


@pytest.mark.parametrize("option", [{"pooling": p} for p in ("mean", "sum", "max", "set2set")], ids=str)
@pytest.mark.parametrize("more", [{}, {"gru": True}, {"readout": "levels"}], ids=str)
@LAW
@given(graphs=graph_sets())
def test_readouts_on_fewer_rows(option: dict[str, Any], more: dict[str, Any], graphs: GraphSet) -> None:
    nets = [made("gatedgcn", "representations", **option, **more) for _ in range(2)]
    rounds = small_rounds(nets[0], graphs, True)
    assert_close(everything(nets[0], graphs, rounds), everything(nets[1], graphs, None), 1e-9)
