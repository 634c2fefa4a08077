"""The compiled loops against their twins in plain PyTorch: values and every gradient, odd sizes included."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor

from graphgauge import GraphSet
from graphgauge.compiling import loose_loop as loop
from graphgauge.graphs.rounds import Round
from graphgauge.models.gat import SLOPE, attend_plain
from graphgauge.models.gatedgcn import EPSILON, gate_plain, gated_mean_plain
from graphgauge.models.gatv2 import attend_v2_plain
from graphgauge.models.ggnn import gru_gates_plain
from graphgauge.models.kernels import simd
from graphgauge.models.kernels.block import Block
from graphgauge.models.kernels.functions import (
    Additive,
    Batch,
    Dynamic,
    EdgeGate,
    Ends,
    Gate,
    GatedEdges,
    Gru,
    Largest,
    LargestGated,
    Mixture,
    Norm,
    Propagate,
    Take,
)
from graphgauge.models.layers.edges import edge_sum_plain
from graphgauge.models.layers.graphsage import largest_plain
from graphgauge.models.layers.monet import mixture_plain
from graphgauge.models.layers.norm import ACTIVATIONS, batch_norm_plain
from graphgauge.models.norm import norm_plain
from graphgauge.models.propagate import propagate_plain, take

GRAPHS = GraphSet.from_edges(
    [
        [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (4, 0)],
        [],
        [(i, j) for i in range(11) for j in range(i) if (i * j) % 3 != 1],
        [],
        [(0, 1)],
        [],
    ],
    [6, 1, 11, 3, 2, 0],
)
N = GRAPHS.num_nodes
CSR = GRAPHS.csr.with_loops
E = CSR.source.numel()
Function = Callable[..., Tensor]


def compare(fast: Function, plain: Function, *shapes: tuple[int, ...], scale: float = 1.0) -> None:
    """Both in float32 on random inputs, against the plain one in float64."""
    torch.manual_seed(0)
    inputs = [torch.randn(s) * scale for s in shapes]
    exact, *_ = run(plain, [x.double() for x in inputs], None)
    direction = torch.randn_like(exact)
    wanted = run(plain, [x.double() for x in inputs], direction)
    for got in (run(fast, inputs, direction), run(fast, inputs, direction)):
        for a, b in zip(got, wanted, strict=True):
            bound = 4e-6 * (1 + float(b.abs().max())) * max(1.0, scale)
            torch.testing.assert_close(a.double(), b, rtol=0, atol=bound)


def run(function: Function, inputs: list[Tensor], direction: Tensor | None) -> list[Tensor]:
    leaves = [x.clone().requires_grad_() for x in inputs]
    out = function(*leaves)
    if direction is None:
        return [out.detach()]
    return [out.detach(), *torch.autograd.grad(out, leaves, direction.to(out.dtype))]


@pytest.mark.parametrize("width", [1, 7, 32])
def test_propagate(width: int) -> None:
    weight = torch.rand(E)
    compare(lambda x: Propagate.apply(x, CSR, weight), lambda x: propagate_plain(x, CSR, weight), (N, width))


@pytest.mark.parametrize("width", [1, 7, 32])
@pytest.mark.parametrize("own", [False, True])
def test_propagate_with_the_node_itself(width: int, own: bool) -> None:
    """Without weights, with a factor of the row before, from more rows or the same ones, and with a bias."""
    index = (torch.arange(N) * 5) % N if own else None
    compare(
        lambda x, a, b: Propagate.apply(x, CSR, None, index, a, b),
        lambda x, a, b: a * take(x, index) + propagate_plain(x, CSR) + b,
        (N, width),
        (1,),
        (width,),
    )


@pytest.mark.parametrize("width", [1, 7, 32])
@pytest.mark.parametrize("residual", [False, True])
def test_norm(width: int, residual: bool) -> None:
    none = torch.empty(0, 0)
    compare(
        lambda x, r, *p: Norm.apply(x, r if residual else none, GRAPHS.node_ptr, *p, 1e-5) + 0 * r,
        lambda x, r, *p: norm_plain(x, GRAPHS, *p, 1e-5) + (r if residual else 0 * r),
        *[(N, width)] * 2,
        *[(width,)] * 3,
    )


@pytest.mark.parametrize("scale", [1.0, 6.0])
@pytest.mark.parametrize(("heads", "size"), [(1, 5), (8, 2), (8, 16)])
def test_additive_attention(heads: int, size: int, scale: float) -> None:
    def plain(z: Tensor, bias: Tensor) -> Tensor:
        width = heads * size
        source, target = z[:, width : width + heads], z[:, width + heads :]
        eye = torch.zeros(heads, size, dtype=z.dtype)
        # carry the two parts of the score as two more features of every head
        wide = torch.cat([z[:, :width].reshape(-1, heads, size), source[..., None], target[..., None]], -1)
        one, two = (
            torch.cat([eye, eye[:, :1] + 1, eye[:, :1]], 1),
            torch.cat([eye, eye[:, :1], eye[:, :1] + 1], 1),
        )
        out = attend_plain(wide.flatten(1), one, two, CSR).view(-1, heads, size + 2)
        return out[..., :size].flatten(1) + bias

    compare(
        lambda z, bias: Additive.apply(z, bias, CSR, None, heads, size, SLOPE),
        plain,
        (N, heads * size + 2 * heads),
        (heads * size,),
        scale=scale,
    )


@pytest.mark.parametrize("scale", [1.0, 3.0])
@pytest.mark.parametrize(("heads", "size"), [(1, 5), (8, 2), (8, 12)])
def test_dynamic_attention(heads: int, size: int, scale: float) -> None:
    width = heads * size
    compare(
        lambda left, right, a, bias: Dynamic.apply(left, right, a, bias, CSR, None, SLOPE),
        lambda left, right, a, bias: attend_v2_plain(left, right, a, CSR) + bias,
        (N, width),
        (N, width),
        (heads, size),
        (width,),
        scale=scale,
    )


@pytest.mark.parametrize("width", [1, 7, 48])
@pytest.mark.parametrize("scale", [1.0, 10.0])
def test_gru_gates(width: int, scale: float) -> None:
    shapes = (N, 3 * width), (N, 3 * width), (3 * width,), (3 * width,), (N, width)
    compare(lambda a, b, *rest: Gru.apply(a.clone(), b.clone(), *rest), gru_gates_plain, *shapes, scale=scale)


@pytest.mark.parametrize("width", [1, 7, 67])
def test_gates(width: int) -> None:
    csr = GRAPHS.csr  # without loops: nodes without edges
    compare(
        lambda m, s, t: Gate.apply(m, s, t, csr, None, EPSILON),
        lambda m, s, t: gate_plain(m, s, t, csr),
        *[(N, width)] * 3,
    )


@pytest.mark.parametrize("width", [1, 7, 70])
def test_gates_of_states_of_edges(width: int) -> None:
    csr = GRAPHS.csr
    compare(
        lambda m, raw: EdgeGate.apply(m, raw, csr, EPSILON),
        lambda m, raw: gated_mean_plain(m, raw, csr, csr.edge),
        (N, width),
        (csr.edge.numel(), width),
    )


@pytest.mark.parametrize("width", [1, 7, 70])
def test_largest_of_the_neighbours(width: int) -> None:
    csr = GRAPHS.csr
    compare(lambda x: Largest.apply(x, csr), lambda x: largest_plain(x[csr.source], csr), (N, width))


@pytest.mark.parametrize("width", [1, 7, 70])
@pytest.mark.parametrize("kinds", [1, None], ids=str)
def test_largest_gated_message(width: int, kinds: int | None) -> None:
    """Edges with a state of their own, and with one that all share."""
    csr = GRAPHS.csr
    edge = csr.edge if kinds is None else csr.edge % kinds
    csr = type(csr)(csr.ptr, csr.source, edge)
    compare(
        lambda m, raw: LargestGated.apply(m, raw, csr),
        lambda m, raw: largest_plain(torch.sigmoid(raw)[edge] * m[csr.source], csr),
        (N, width),
        (kinds or csr.edge.numel(), width),
    )


@pytest.mark.parametrize("width", [1, 7, 70])
@pytest.mark.parametrize("kinds", [0, 1, 3, None], ids=str)
def test_sums_of_ends(width: int, kinds: int | None) -> None:
    """Edges with rows of their own, with shared ones, and with none (0)."""
    ends = GRAPHS.edge_index
    count = ends.shape[1]
    own = None if kinds is None else torch.arange(count) % max(kinds, 1)
    step = Round(GRAPHS.csr, None, ends, own)
    compare(
        lambda e, s, t: Ends.apply(e if kinds != 0 else None, s, t, own, ends) + 0 * e.sum(),
        lambda e, s, t: edge_sum_plain(e if kinds != 0 else None, s, t, step) + 0 * e.sum(),
        (count if kinds is None else max(kinds, 1), width),
        (N, width),
        (N, width),
    )


@pytest.mark.parametrize("width", [1, 7, 70])
def test_taking_rows(width: int) -> None:
    index = torch.arange(3 * N) % (N - 1)
    compare(lambda x: Take.apply(x, index), lambda x: x[index], (N, width))


@pytest.mark.parametrize("width", [1, 7, 30])
@pytest.mark.parametrize("kernels", [1, 3])
def test_mixtures(width: int, kernels: int) -> None:
    csr = GRAPHS.csr
    kind = torch.arange(csr.source.numel()) % 5
    compare(
        lambda x, w: Mixture.apply(x, w, kind, csr),
        lambda x, w: mixture_plain(x, w, kind, csr),
        (N, width),
        (5, kernels),
    )


@pytest.mark.parametrize("width", [1, 7, 33])
@pytest.mark.parametrize("activation", ["none", "relu", "elu"])
@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize("given", [False, True])
def test_batch_norm(width: int, activation: str, counted: bool, given: bool) -> None:
    """Over more rows than a block of the compiled loop, with and without a residual."""
    rows = 300
    count = 1.0 + torch.arange(rows) % 3 if counted else None
    fixed = (torch.linspace(-1, 1, width), torch.linspace(1, 2, width)) if given else None
    code = list(ACTIVATIONS).index(activation)

    def plain(x: Tensor, weight: Tensor, bias: Tensor, residual: Tensor) -> Tensor:
        if fixed is None:
            counts = torch.ones(rows) if count is None else count
            out = batch_norm_plain(x, weight, bias, counts.to(x.dtype), 1e-5)[0]
        else:
            mean, variance = (value.to(x.dtype) for value in fixed)
            out = (x - mean) * (variance + 1e-5).rsqrt() * weight + bias
        return residual + ACTIVATIONS[activation](out)

    compare(
        lambda x, w, b, r: Batch.apply(x, w, b, r, count, fixed, 1e-5, code)[0],
        plain,
        (rows, width),
        (width,),
        (width,),
        (rows, width),
    )
    own = torch.arange(rows) % 7  # rows before are fewer
    compare(
        lambda x, w, b, r: Batch.apply(x, w, b, r, count, fixed, 1e-5, code, own)[0],
        lambda x, w, b, r: plain(x, w, b, r[own]),
        (rows, width),
        (width,),
        (width,),
        (8, width),
    )
    compare(
        lambda x, w, b: Batch.apply(x, w, b, None, count, fixed, 1e-5, code)[0],
        lambda x, w, b: plain(x, w, b, torch.zeros(())),
        (rows, width),
        (width,),
        (width,),
    )


@pytest.mark.parametrize("width", [3, 7, 33])
@pytest.mark.parametrize("kind", ["weights", "factor", "map"])
@pytest.mark.parametrize("residual", ["none", "input", "other"])
@pytest.mark.parametrize("fewer", [False, True])
def test_blocks(width: int, kind: str, residual: str, fewer: bool) -> None:
    """A map, a sum and batch norm in one, from more rows than there are after or from the same."""
    own = torch.arange(N) * 3 % N if fewer else None
    count = 1.0 + torch.arange(N) % 3 if fewer else None
    csr = None if kind == "map" else CSR
    weight = torch.linspace(0.1, 1, E) if kind == "weights" else None

    def plain(h: Tensor, w: Tensor, b: Tensor, a: Tensor, *rest: Tensor) -> Tensor:
        scale, shift, other = rest
        x = h @ w.T + b
        if csr is not None:
            x = propagate_plain(h @ w.T, csr, weight) + b
        if kind == "factor":
            x = x + a * take(h @ w.T, own)
        counts = (torch.ones(N) if count is None else count).to(x.dtype)
        out = torch.relu(batch_norm_plain(x, scale, shift, counts, 1e-5)[0])
        added = {"none": 0, "input": take(h, own), "other": take(other, own)}[residual]
        return out + added + 0 * (a.sum() + other.sum())

    def fast(h: Tensor, w: Tensor, b: Tensor, a: Tensor, *rest: Tensor) -> Tensor:
        factor, other = (a if kind == "factor" else None), (rest[2] if residual == "other" else None)
        again, inputs = residual == "input", (csr, weight, own, count)
        out = Block.apply(h, w, b, factor, *rest[:2], other, again, *inputs, 1e-5, 1)[0]
        return out + 0 * (a.sum() + rest[2].sum())

    norm = [(width,), (width,), (N, width)]
    compare(fast, plain, (N, width), (width, width), (width,), (1,), *norm)


def test_moments_of_a_large_common_value_keep_their_digits() -> None:
    x = 1000 + torch.randn(1000, 3)
    _, mean, variance, total = Batch.apply(x, torch.ones(3), torch.zeros(3), None, None, None, 1e-5, 0)
    torch.testing.assert_close(mean.double(), x.double().mean(0), rtol=1e-6, atol=0)
    torch.testing.assert_close(variance.double(), x.double().var(0, correction=0), rtol=1e-5, atol=0)
    assert total == 1000


@pytest.mark.parametrize("width", [1, 7, 70])
@pytest.mark.parametrize("residual", [False, True])
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("given", [False, True])
def test_edges_of_gatedgcn(width: int, residual: bool, last: bool, given: bool) -> None:
    csr, step = GRAPHS.csr, Round(GRAPHS.csr, None, GRAPHS.edge_index)
    fixed = (torch.linspace(-1, 1, width), torch.linspace(1, 2, width)) if given else None

    def plain(e: Tensor, c: Tensor, b: Tensor, *rest: Tensor) -> Tensor:
        source, target, message, weight, bias = rest
        raw = edge_sum_plain(e @ c.T + b, source, target, step)
        out = gated_mean_plain(message, raw, csr, csr.edge)
        ones = torch.ones(raw.shape[0], dtype=raw.dtype)
        if fixed is None:
            new = batch_norm_plain(raw, weight, bias, ones, 1e-5)[0]
        else:
            mean, variance = (value.to(raw.dtype) for value in fixed)
            new = (raw - mean) * (variance + 1e-5).rsqrt() * weight + bias
        new = e + torch.relu(new) if residual else torch.relu(new)
        return joined(out, new, weight, bias)

    def fast(*inputs: Tensor) -> Tensor:
        out, new, *_ = GatedEdges.apply(*inputs, csr, fixed, (EPSILON, 1e-5), residual, last)
        return joined(out, new, *inputs[-2:])

    def joined(out: Tensor, new: Tensor | None, weight: Tensor, bias: Tensor) -> Tensor:
        """Both results in one; all inputs are in it, since gradients of all are asked for."""
        unused = 0 * (weight.sum() + bias.sum())
        return out + unused if last or new is None else torch.cat([out, new]) + unused

    count = GRAPHS.num_edges
    nodes = [(N, width)] * 3
    compare(fast, plain, (count, width), (width, width), (width,), *nodes, (width,), (width,))


@pytest.mark.parametrize("name", ["propagate", "norm", "additive", "dynamic", "gru", "gate"])
def test_gradients_of_the_plain_ones(name: str) -> None:
    def real(*shape: int) -> Tensor:
        return torch.randn(*shape, dtype=torch.float64, requires_grad=True)

    torch.manual_seed(5)
    cases: dict[str, tuple[Function, tuple[Tensor, ...]]] = {
        "propagate": (lambda x: propagate_plain(x, CSR, torch.arange(E) / E), (real(N, 2),)),
        "norm": (
            lambda x, *p: norm_plain(x, GRAPHS, *p, 1e-2),
            (real(N, 2), real(2), real(2), real(2)),
        ),
        "additive": (lambda z, a, b: attend_plain(z, a, b, CSR), (real(N, 4), real(2, 2), real(2, 2))),
        "dynamic": (
            lambda x, y, a: attend_v2_plain(x, y, a, CSR),
            (real(N, 4), real(N, 4), real(2, 2)),
        ),
        "gru": (gru_gates_plain, (real(N, 6), real(N, 6), real(6), real(6), real(N, 2))),
        "gate": (lambda m, s, t: gate_plain(m, s, t, GRAPHS.csr), (real(N, 2), real(N, 2), real(N, 2))),
    }
    function, inputs = cases[name]
    assert torch.autograd.gradcheck(function, inputs)


def test_exponential() -> None:
    @loop
    def over(x: np.ndarray, out: np.ndarray) -> None:
        for i in range(x.size):
            out[i] = simd.exponential(x[i])

    x = np.concatenate([np.linspace(-87, 88, 100_001), [-1e30, 1e30, 0.0]]).astype(np.float32)
    out = np.empty_like(x)
    over(x, out)
    np.testing.assert_allclose(out, np.exp(np.clip(x, -87, 88).astype(np.float64)), rtol=4e-7)
