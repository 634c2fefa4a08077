"""The compiled loops against their twins in plain PyTorch: values and every gradient, odd sizes included."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor

from graphgauge import GraphSet
from graphgauge.compiling import loose_loop as loop
from graphgauge.models.gat import SLOPE, attend_plain
from graphgauge.models.gatedgcn import EPSILON, gate_plain
from graphgauge.models.gatv2 import attend_v2_plain
from graphgauge.models.ggnn import gru_gates_plain
from graphgauge.models.kernels import simd
from graphgauge.models.kernels.functions import Additive, Dynamic, Gate, Gru, Norm, Propagate
from graphgauge.models.norm import norm_plain
from graphgauge.models.propagate import propagate_plain

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
