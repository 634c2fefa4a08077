"""Dense models against their definitions written out: one graph, one tensor, all 15 operators."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from graphgauge.graphs import Feature, GraphSet
from graphgauge.models.dense import PPGN, RingGNN, ppgn, ringgnn
from graphgauge.models.heads import Chain

NODE = Feature("x", "category", 3)
EDGE = Feature("edge_attr", "number", 2)
OUTPUTS = {"graph": 3, "node": 2, "edge": 4}

# Entry (i, j) of every operator is the sum of entries (k, m) of what it is applied to over all (k, m) for
# which this holds, divided by this power of the number of nodes.
OPERATORS: list[tuple[Callable[[int, int, int, int], bool], int]] = [
    (lambda i, j, k, m: i == j == k == m, 0),
    (lambda i, j, k, m: i == j and k == m, 1),
    (lambda i, j, k, m: i == j == k, 1),
    (lambda i, j, k, m: i == j == m, 1),
    (lambda i, j, k, m: i == j, 2),
    (lambda i, j, k, m: i == m, 1),
    (lambda i, j, k, m: i == k, 1),
    (lambda i, j, k, m: j == m, 1),
    (lambda i, j, k, m: j == k, 1),
    (lambda i, j, k, m: i == k and j == m, 0),
    (lambda i, j, k, m: i == m and j == k, 0),
    (lambda i, j, k, m: i == k == m, 0),
    (lambda i, j, k, m: j == k == m, 0),
    (lambda i, j, k, m: k == m, 1),
    (lambda i, j, k, m: True, 2),
]


def random_graphs(directed: bool) -> GraphSet:
    rng = torch.Generator().manual_seed(3)
    edges, counts = [], [4, 1, 6, 4, 2]
    for n in counts:
        there = torch.rand(n, n, generator=rng) < 0.5
        there = there.fill_diagonal_(False) if directed else there.triu(1)
        edges.append(list(map(tuple, there.nonzero().tolist())))
    edges[4] = []
    graphs = GraphSet.from_edges(edges, counts, directed="keep" if directed else "error")
    return graphs.with_columns(
        node={
            "x": torch.randint(3, (graphs.num_nodes,), generator=rng),
            "pe": torch.randn(graphs.num_nodes, 2, generator=rng, dtype=torch.float64),
        },
        edge={"edge_attr": torch.randn(graphs.num_edges, 2, generator=rng, dtype=torch.float64)},
    )


def dense_input(graph: GraphSet) -> Tensor:
    """The input (1 + 3 + 2 + 2, n, n) of one graph, entry by entry."""
    n = graph.num_nodes
    x = torch.zeros(8, n, n, dtype=torch.float64)
    degree = [sum(t == v for t in graph.edge_index[1].tolist()) for v in range(n)]
    for e, (u, v) in enumerate(graph.edge_index.T.tolist()):
        x[0, u, v] = 0 if degree[u] == 0 else (degree[u] * degree[v]) ** -0.5
        x[6:, u, v] = graph.edge["edge_attr"][e]
    for v in range(n):
        x[1 + int(graph.node["x"][v]), v, v] = 1
        x[4:6, v, v] = graph.node["pe"][v]
    return x


def operated(x: Tensor) -> Tensor:
    """The 15 operators of x (d, n, n): (d, 15, n, n)."""
    n = x.shape[-1]
    weights = [
        [[f(i, j, k, m) / n**power for k in range(n) for m in range(n)] for i in range(n) for j in range(n)]
        for f, power in OPERATORS
    ]
    table = torch.tensor(weights, dtype=x.dtype).view(len(OPERATORS), n, n, n, n)
    return torch.einsum("pijkl,dkl->dpij", table, x)


def ring_states(net: RingGNN, x: Tensor) -> list[Tensor]:
    states = [x]
    for layer in net.layers:
        x, n = states[-1], x.shape[-1]
        maps = torch.einsum("qdop,dpij->qoij", layer.coefficients, operated(x))
        bias = [b[:, None, None] * torch.eye(n, dtype=x.dtype) for b in layer.diagonal_bias]
        square = torch.einsum("oij,ojk->oik", maps[2], maps[1] + bias[1])
        out = layer.scales[0] * (maps[0] + bias[0]) + layer.scales[1] * square
        out = F.relu(out + layer.bias[:, None, None])
        if layer.residual is not None:
            out = out + layer.residual(x.permute(1, 2, 0)).permute(2, 0, 1)
        states.append(out)
    return states


def chain(head: nn.Module, x: Tensor) -> Tensor:
    assert isinstance(head, Chain)
    for number, linear in enumerate(head.maps):
        x = linear(F.relu(x) if number else x)
    return x


def ring_literal(net: RingGNN, graph: GraphSet) -> dict[str, Tensor]:
    states = torch.cat(ring_states(net, dense_input(graph)))
    nodes = states.sum(1).T
    source, target = graph.edge_index
    return {
        "graph": chain(net.heads["graph"], states.sum((1, 2)))[None],
        "node": chain(net.heads["node"], nodes),
        "edge": chain(net.heads["edge"], torch.cat([nodes[source], nodes[target]], 1)),
    }


def ppgn_states(net: PPGN, x: Tensor) -> list[Tensor]:
    def each(linear: nn.Module, x: Tensor) -> Tensor:
        return linear(x.permute(1, 2, 0)).permute(2, 0, 1)

    states = [x]
    for block in net.blocks:
        x = states[-1]
        left, right = (F.relu(each(m.second, F.relu(each(m.first, x)))) for m in (block.left, block.right))
        out = each(block.join, torch.cat([x, torch.einsum("oij,ojk->oik", left, right)]))
        if block.residual is not None:
            out = out + each(block.residual, x)
        states.append(out)
    return states


def ppgn_literal(net: PPGN, graph: GraphSet) -> dict[str, Tensor]:
    states = ppgn_states(net, dense_input(graph))
    n = graph.num_nodes
    eye = torch.eye(n, dtype=torch.bool)
    extremes = [
        torch.cat([x[:, eye].amax(1), x[:, ~eye].amax(1) if n > 1 else torch.zeros(net.width).double()])
        for x in states[1:]
    ]
    columns = [x.sum(1).T for x in states]
    source, target = graph.edge_index
    if net.linear_edges:
        pairs = [torch.cat([c[source], c[target]], 1) for c in columns[1:]]
        edge = sum(head(x) for head, x in zip(net.heads["edge"], pairs, strict=True))
    else:
        nodes = torch.cat(columns, 1)
        edge = chain(net.heads["edge"], torch.cat([nodes[source], nodes[target]], 1))
    return {
        "graph": sum(head(x) for head, x in zip(net.heads["graph"], extremes, strict=True))[None],
        "node": sum(head(x) for head, x in zip(net.heads["node"], columns[1:], strict=True)),
        "edge": edge,
    }


@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
@pytest.mark.parametrize("residual", [False, True], ids=["plain", "residual"])
@pytest.mark.parametrize("kind", ["ringgnn", "ppgn", "ppgn, linear edges"])
def test_outputs_and_gradients_are_those_of_the_definition(kind: str, residual: bool, directed: bool) -> None:
    torch.manual_seed(0)
    options = {"width": 5, "layers": 3, "residual": residual, "pe": 2}
    if kind == "ringgnn":
        net, literal = ringgnn(NODE, EDGE, OUTPUTS, mean_nodes=3.4, **options).double(), ring_literal
    else:
        net = ppgn(NODE, EDGE, OUTPUTS, linear_edges="linear" in kind, **options).double()
        literal = ppgn_literal
    for parameter in net.parameters():  # biases that are not zero, scales that are not their start
        parameter.data += 0.1 * torch.randn_like(parameter)
    graphs = random_graphs(directed)
    found, parts = net(graphs), [literal(net, graph) for graph in graphs]
    weights = {level: torch.randn_like(value) for level, value in found.items()}
    gradients = []
    for outputs in (found, {level: torch.cat([p[level] for p in parts]) for level in OUTPUTS}):
        for level in OUTPUTS:
            torch.testing.assert_close(outputs[level], found[level], rtol=1e-11, atol=1e-11)
        loss = sum((outputs[level] * weights[level]).sum() for level in OUTPUTS)
        gradients.append(torch.autograd.grad(loss, list(net.parameters()), materialize_grads=True))
    for (name, _), one, other in zip(net.named_parameters(), *gradients, strict=True):
        scale = float(other.abs().max())
        torch.testing.assert_close(
            one, other, rtol=0, atol=1e-10 * (1 + scale), msg=lambda m, n=name: f"{n}: {m}"
        )


def test_the_start_of_the_scales() -> None:
    """s₁ = 0.5 / ⌈mean nodes⌉, and 0.1 where the mean is not given."""
    for mean, start in ((17.2, 0.5 / 18), (18.0, 0.5 / 18), (None, 0.1)):
        net = ringgnn(None, None, {"graph": 1}, width=2, layers=1, mean_nodes=mean)
        torch.testing.assert_close(net.layers[0].scales.data, torch.tensor([1.0, start]))
