"""PPGN, the benchmark's 3WLGNN (Maron, Ben-Hamu, Serviansky and Lipman, 2019): products of pairs of nodes.

A matrix product of two functions of pairs sees triples of nodes, which tells as much as the three-dimensional
Weisfeiler–Lehman test. The block is that of the published benchmark code: the product is joined by the
block's input and mapped linearly (the text joins the product and a third perceptron).
"""

# mypy: disable-error-code="no-untyped-call, override"
from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable
from torch.nn import functional as F

from graphgauge.graphs import Feature
from graphgauge.models.dense.entries import Channels, Entries
from graphgauge.models.dense.net import PAIRED, DenseNet
from graphgauge.models.dense.pooling import column_sums, largest
from graphgauge.models.dense.squares import Squares, filled_plain, product_plain, unfilled_plain
from graphgauge.models.heads import Chain, mlp_readout


class PPGNBlock(nn.Module):
    """out = W [x, m₁(x) m₂(x)] + b [+ V x + c], with matrix products per feature.

    m₁ and m₂ are perceptrons of two maps, each with bias and ReLU, of every pair by itself. Weights start
    Xavier-uniform, biases at 0 (V, c as `nn.Linear`).

    Parameters
    ----------
    inputs, width : features of a pair before and after
    residual : add a linear map of the input (published nets of 8 blocks do)

    Parameters to be learned, with L(i, o) = i o + o: 2 (L(inputs, width) + L(width, width)) +
    L(inputs + width, width) (+ L(inputs, width)).
    """

    def __init__(self, inputs: int, width: int, residual: bool) -> None:
        super().__init__()
        self.inputs, self.width = inputs, width
        self.left, self.right = Perceptron(inputs, width), Perceptron(inputs, width)
        self.join = xavier(nn.Linear(inputs + width, width))
        self.residual = nn.Linear(inputs, width) if residual else None

    def forward(self, x: Tensor, squares: Squares, at: Entries | None = None) -> Tensor:
        """x (inputs, P), or x (inputs, K) at entries that are all of it. Returns (width, P)."""
        join: Tensor = self.join.weight[:, : self.inputs]
        bias: Tensor = self.join.bias
        if self.residual is not None:
            join, bias = join + self.residual.weight, bias + self.residual.bias
        left, right = self.left, self.right
        tensors = [
            x if at is None else F.pad(x, (0, 1)),  # all pairs that are no entries have the same input, 0
            torch.cat([left.first.weight, right.first.weight, join]),
            torch.cat([left.first.bias, right.first.bias, bias]),
            *(left.second.weight, left.second.bias, right.second.weight, right.second.bias),
            self.join.weight[:, self.inputs :],
        ]
        if torch.is_autocast_enabled(x.device.type):
            tensors = [tensor.to(torch.get_autocast_dtype(x.device.type)) for tensor in tensors]
        out: Tensor = Block.apply(*tensors, None if at is None else at.where, squares)
        return out


class Block(Function):
    """A block with its gradient, in fewer passes over the pairs than its steps one by one would take.

    Of x (inputs, Q), maps of x side by side (3 width, inputs) to the hidden states of m₁ and m₂ and to the
    result, second maps of m₁ and m₂, and the map of the product: (width, P). With `where`, the first columns
    of x are the entries there and the last one is all the rest.
    """

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        first: Tensor,
        first_bias: Tensor,
        left: Tensor,
        left_bias: Tensor,
        right: Tensor,
        right_bias: Tensor,
        join: Tensor,
        where: Tensor | None,
        squares: Squares,
    ) -> Tensor:
        width = join.shape[0]
        with torch.autocast(x.device.type, enabled=False):
            maps = torch.addmm(first_bias[:, None], first, x)
            hidden = maps[: 2 * width].relu_()
            one = torch.addmm(left_bias[:, None], left, hidden[:width]).relu_()
            two = torch.addmm(right_bias[:, None], right, hidden[width:]).relu_()
            own, all_one, all_two = maps[2 * width :], one, two
            if where is not None:
                own, all_one, all_two = (
                    filled_plain(y[:, :-1], y[:, -1:], where, squares.pairs) for y in (own, one, two)
                )
            square = product_plain(all_one, all_two, squares)
            own.addmm_(join, square)
        ctx.squares = squares
        ctx.save_for_backward(x, first, left, right, join, hidden, one, two, all_one, all_two, square, where)
        return own

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dout: Tensor) -> tuple[Tensor | None, ...]:
        x, first, left, right, join, hidden, one, two, all_one, all_two, square, where = ctx.saved_tensors
        width = join.shape[0]
        dsquare, djoin = join.T @ dout, dout @ square.T
        done = product_plain(dsquare, all_two, ctx.squares, right_transposed=True)
        dtwo = product_plain(all_one, dsquare, ctx.squares, left_transposed=True)
        if where is not None:
            done, dtwo, dout = (torch.cat(unfilled_plain(y, where), 1) for y in (done, dtwo, dout))
        _relu_backward(done, one)
        _relu_backward(dtwo, two)
        dhidden = torch.empty_like(hidden)
        torch.mm(left.T, done, out=dhidden[:width])
        torch.mm(right.T, dtwo, out=dhidden[width:])
        _relu_backward(dhidden, hidden)
        dx = None
        if ctx.needs_input_grad[0]:
            dx = torch.addmm(first[: 2 * width].T @ dhidden, first[2 * width :].T, dout)
        return (
            dx,
            torch.cat([dhidden @ x.T, dout @ x.T]),
            torch.cat([dhidden.sum(1), dout.sum(1)]),
            *(done @ hidden[:width].T, done.sum(1), dtwo @ hidden[width:].T, dtwo.sum(1)),
            djoin,
            None,
            None,
        )


def _relu_backward(gradient: Tensor, out: Tensor) -> None:
    """Set the gradient to 0 where ReLU gave 0."""
    torch.ops.aten.threshold_backward.grad_input(gradient, out, 0, grad_input=gradient)


class Perceptron(nn.Module):
    """What a perceptron of a block learns: ReLU(W₂ ReLU(W₁ x + b₁) + b₂)."""

    def __init__(self, inputs: int, width: int) -> None:
        super().__init__()
        self.first = xavier(nn.Linear(inputs, width))
        self.second = xavier(nn.Linear(width, width))


def xavier(linear: nn.Linear) -> nn.Linear:
    """The map with new weights, Xavier-uniform, and bias 0."""
    nn.init.xavier_uniform_(linear.weight)
    nn.init.zeros_(linear.bias)
    return linear


class PPGN(DenseNet):
    """Blocks of `PPGNBlock` over all pairs of nodes.

    The outputs of a graph are the sum over all blocks of a linear map of [largest entry on the diagonal,
    largest entry off it] of the block's output; those of a node the sum of linear maps of the sums over its
    column. An edge has the column sums of the input and of all blocks, of its source and of its target, and
    a readout of them; with ``linear_edges`` it has the sum of linear maps of the blocks' column sums. Memory
    grows with n² of every graph, time with n³.

    Parameters
    ----------
    channels, outputs, memory_limit : see `DenseNet`
    width, layers : features of a pair, and how many blocks
    residual : of the blocks
    linear_edges : see above (the published TSP net of 8 blocks)
    """

    name = "ppgn"

    def __init__(
        self,
        channels: Channels,
        outputs: Mapping[str, int],
        *,
        width: int,
        layers: int,
        residual: bool = False,
        linear_edges: bool = False,
        memory_limit: int | None = None,
    ) -> None:
        super().__init__(channels, outputs, width, layers, memory_limit)
        sizes = [channels.size, *[width] * layers]
        self.linear_edges = linear_edges
        self.blocks = nn.ModuleList(PPGNBlock(a, width, residual) for a in sizes[:-1])
        self.heads = nn.ModuleDict({k: self._head(k, sizes, c) for k, c in outputs.items()})

    def _head(self, level: str, sizes: list[int], outputs: int) -> nn.Module:
        if level in PAIRED and not self.linear_edges:
            return mlp_readout(2 * sum(sizes), outputs)
        wide = sizes[-1] * (1 if level == "node" else 2)
        return nn.ModuleList(xavier(nn.Linear(wide, outputs)) for _ in sizes[1:])

    def features_per_pair(self, keep: bool) -> int:
        # Measured at 500 nodes and width 24: 25 and 55 widths with gradients of 3 and 8 blocks, 9 without.
        return self.width * (9 + 7 * len(self.blocks) if keep else 10)

    def compute(self, entries: Entries, levels: Collection[str]) -> dict[str, Tensor]:
        squares, x = entries.squares, entries.values
        at: Entries | None = entries
        columns, extremes = [entries.sums()[1]], []
        for block in self.blocks:
            x, at = block(x, squares, at), None
            if "graph" in levels:
                extremes.append(largest(x, squares).T)
            if "node" in levels or "states" in levels:
                columns.append(column_sums(x, squares))
        found = {}
        if "graph" in levels:
            found["graph"] = _summed(self.heads["graph"], extremes)
        if "node" in levels:
            found["node"] = _summed(self.heads["node"], [c.T for c in columns[1:]])
        if "states" in levels:
            found["states"] = torch.cat(columns[1:] if self.linear_edges else columns).T
        return found

    def pair_outputs(self, level: str, states: Tensor, pairs: Tensor) -> Tensor:
        head = self.heads[level]
        if isinstance(head, Chain):
            return head.pairs(states, pairs)
        ends = (torch.split(states[end], self.width, 1) for end in pairs)
        return _summed(head, [torch.cat(both, 1) for both in zip(*ends, strict=True)])


def _summed(heads: nn.Module, states: list[Tensor]) -> Tensor:
    """Σ_l head_l(state_l)."""
    assert isinstance(heads, nn.ModuleList)
    total: Tensor = sum(head(state) for head, state in zip(heads, states, strict=True))
    return total


def ppgn(
    node: Feature | None,
    edge: Feature | None,
    outputs: Mapping[str, int],
    *,
    width: int,
    layers: int,
    residual: bool = False,
    linear_edges: bool = False,
    pe: int = 0,
    pe_mode: str = "add",
    memory_limit: int | None = None,
) -> PPGN:
    """A `PPGN` for a task: what is read of nodes and edges, and what is predicted.

    With `pe` the node column "pe" of that many numbers is read after the node's own, or with
    ``pe_mode="replace"`` in its place.

    >>> from graphgauge.graphs import GraphSet
    >>> net = ppgn(None, None, {"node": 2}, width=8, layers=3)
    >>> net(GraphSet.from_edges([[(0, 1), (1, 2)], [(0, 1)]]))["node"].shape
    torch.Size([5, 2])
    """
    return PPGN(
        Channels.of(node, edge, pe, pe_mode),
        outputs,
        width=width,
        layers=layers,
        residual=residual,
        linear_edges=linear_edges,
        memory_limit=memory_limit,
    )
