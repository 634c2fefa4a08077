"""An epoch of dense nets, forward, backward and Adam: graphs together against one graph at a time.

    GRAPHGAUGE_DATA=... python benchmarks/dense.py [--allocator default|keep] [--only ringgnn|ppgn]

300 AQSOL molecules and 20 stochastic block graphs of 118 nodes on average, published 100k configurations,
float32, one thread. "Published" is the published arithmetic on one graph at a time, written out here: all 15
operators stacked, or convolutions with kernels of size 1; a step after every 4 graphs. Its input tensors are
ready before the clock starts. Ours reads graph sets, makes the same steps of 4 graphs, and a second time
steps of 32; bf16 is autocast. Both have the same weights, and their outputs are compared first. Peaks are
those of the first epoch in processes of their own.
"""

from __future__ import annotations

import argparse
import copy
import multiprocessing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import measure  # isort: skip  (first: it sets the number of threads)
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from graphgauge import datasets
from graphgauge.graphs import Feature, GraphSet
from graphgauge.models.dense import ppgn, ringgnn
from graphgauge.models.dense.entries import Channels, Entries

STEP = 4


def molecules(count: int) -> GraphSet:
    graphs = datasets.load("aqsol", "train")
    graphs = graphs[np.random.default_rng(0).permutation(len(graphs))[:count]]
    return graphs.with_columns(node={"x": graphs.node["x"].flatten()})


def blocks(count: int) -> GraphSet:
    """Five communities of 9 to 38 nodes, p = 0.5 inside and 0.35 between, three types of nodes."""
    rng = np.random.default_rng(0)
    edges, sizes = [], []
    for _ in range(count):
        block = np.repeat(np.arange(5), rng.integers(5, 35, 5) + 4)
        p = np.where(block[:, None] == block, 0.5, 0.35)
        edges.append(np.argwhere(np.triu(rng.random(p.shape) < p, 1)).tolist())
        sizes.append(len(block))
    graphs = GraphSet.from_edges(edges, sizes)
    types = torch.from_numpy(rng.integers(0, 3, graphs.num_nodes))
    return graphs.with_columns(node={"x": types})


class PublishedRing(nn.Module):
    """A ring layer on (1, d, n, n), with the weights of ours."""

    def __init__(self, ours: Any) -> None:
        super().__init__()
        self.coefficients = nn.ParameterList(c.detach().clone() for c in ours.coefficients)
        self.diagonals = nn.ParameterList(b.detach().clone()[None, :, None, None] for b in ours.diagonal_bias)
        self.bias = nn.Parameter(ours.bias.detach().clone()[None, :, None, None])
        self.scales = nn.ParameterList(s.detach().clone() for s in ours.scales)

    def forward(self, x: Tensor) -> Tensor:
        n = x.shape[-1]
        diagonal, rows, columns = torch.diagonal(x, dim1=2, dim2=3), x.sum(3), x.sum(2)
        trace, total = diagonal.sum(2, keepdim=True), rows.sum(2)[:, :, None]
        every = [
            torch.diag_embed(diagonal),
            torch.diag_embed(trace.repeat(1, 1, n)) / n,
            torch.diag_embed(rows) / n,
            torch.diag_embed(columns) / n,
            torch.diag_embed(total.repeat(1, 1, n)) / n**2,
            columns[..., None].repeat(1, 1, 1, n) / n,
            rows[..., None].repeat(1, 1, 1, n) / n,
            columns[:, :, None].repeat(1, 1, n, 1) / n,
            rows[:, :, None].repeat(1, 1, n, 1) / n,
            x,
            x.transpose(2, 3),
            diagonal[..., None].repeat(1, 1, 1, n),
            diagonal[:, :, None].repeat(1, 1, n, 1),
            trace[..., None].repeat(1, 1, n, n) / n,
            total[..., None].repeat(1, 1, n, n) / n**2,
        ]
        stacked = torch.stack(every, 2)
        maps = [torch.einsum("dsb,ndbij->nsij", c, stacked) for c in self.coefficients]
        eye = torch.eye(n)[None, None]
        square = torch.einsum("abij,abjk->abik", maps[2], maps[1] + eye * self.diagonals[1])
        return F.relu(
            self.scales[0] * (maps[0] + eye * self.diagonals[0]) + self.scales[1] * square + self.bias
        )


class PublishedRingGNN(nn.Module):
    def __init__(self, ours: Any, level: str) -> None:
        super().__init__()
        self.layers, self.level = nn.ModuleList(PublishedRing(layer) for layer in ours.layers), level
        self.head = copy.deepcopy(ours.heads[level])

    def forward(self, x: Tensor) -> Tensor:
        states = [x]
        for layer in self.layers:
            states.append(layer(states[-1]))
        if self.level == "graph":
            return self.head(torch.cat([s.sum((2, 3)) for s in states], 1))
        return self.head(torch.cat([s.sum(2) for s in states], 1)[0].T)


class PublishedBlock(nn.Module):
    """A block of 3WLGNN on (1, d, n, n), with the weights of ours."""

    def __init__(self, ours: Any) -> None:
        super().__init__()
        self.left, self.right = (
            nn.Sequential(convolution(m.first), nn.ReLU(), convolution(m.second), nn.ReLU())
            for m in (ours.left, ours.right)
        )
        self.join = convolution(ours.join)

    def forward(self, x: Tensor) -> Tensor:
        return self.join(torch.cat([x, torch.matmul(self.left(x), self.right(x))], 1))


class PublishedPPGN(nn.Module):
    def __init__(self, ours: Any, level: str) -> None:
        super().__init__()
        self.blocks, self.level = nn.ModuleList(PublishedBlock(block) for block in ours.blocks), level
        self.heads = copy.deepcopy(ours.heads[level])

    def forward(self, x: Tensor) -> Tensor:
        scores = torch.tensor(0.0)
        for block, head in zip(self.blocks, self.heads, strict=True):
            x = block(x)
            scores = scores + head(extremes(x) if self.level == "graph" else x.sum(2)[0].T)
        return scores


def extremes(x: Tensor) -> Tensor:
    on = torch.diagonal(x, dim1=-2, dim2=-1).max(2)[0]
    shift = (on.max() + (-x).max()).abs()
    off = (x - shift * torch.eye(x.shape[-1])).max(3)[0].max(2)[0]
    return torch.cat([on, off], 1)


def convolution(linear: nn.Linear) -> nn.Conv2d:
    made = nn.Conv2d(linear.in_features, linear.out_features, 1)
    made.weight.data, made.bias.data = (
        linear.weight.detach().clone()[..., None, None],
        linear.bias.detach().clone(),
    )
    return made


def epoch_of(
    net: nn.Module, batches: list[Any], outputs: Callable[[Any], list[Tensor]]
) -> Callable[[], None]:
    """Σ of the squares of all outputs of a batch as a loss, one step of Adam for every batch."""
    adam = torch.optim.Adam(net.parameters(), 1e-4)

    def run() -> None:
        for batch in batches:
            adam.zero_grad()
            for out in outputs(batch):
                out.float().square().sum().backward()
            adam.step()

    return run


class Contest:
    """Ours and theirs of one name on one set of graphs, with the same weights."""

    def __init__(self, name: str, case: int) -> None:
        self.what, graphs, width, layers, self.level = CASES[name][case]
        self.graphs, node = graphs(), Feature("x", "category", 65 if self.level == "graph" else 3)
        build, published = (ringgnn, PublishedRingGNN) if name == "ringgnn" else (ppgn, PublishedPPGN)
        torch.manual_seed(0)
        mean = float(self.graphs.nodes_per_graph.double().mean())
        options = {"mean_nodes": mean} if name == "ringgnn" else {}
        outputs = {self.level: 1 if self.level == "graph" else 2}
        self.ours = build(node, None, outputs, width=width, layers=layers, **options)
        self.theirs = published(self.ours, self.level)
        channels = Channels((node,), None)
        self.tensors = [dense(graph, channels) for graph in self.graphs]

    def check(self) -> None:
        with torch.no_grad():
            one = self.ours(self.graphs[:20])[self.level]
            other = torch.cat([self.theirs(x) for x in self.tensors[:20]])
        torch.testing.assert_close(one, other, rtol=2e-3, atol=2e-3 * float(other.abs().max()))

    def published(self) -> Callable[[], None]:
        return epoch_of(self.theirs, cut(self.tensors, STEP), lambda batch: [self.theirs(x) for x in batch])

    def together(self, step: int, half: bool) -> Callable[[], None]:
        sets = [self.graphs[start : start + step] for start in range(0, len(self.graphs), step)]

        def outputs(batch: GraphSet) -> list[Tensor]:
            with torch.autocast("cpu", torch.bfloat16, enabled=half):
                return [self.ours(batch)[self.level]]

        return epoch_of(self.ours, sets, outputs)


def peak(name: str, case: int, how: tuple[int, bool] | None, allocator: str) -> int:
    """MB by which memory rises in the first epoch of a process."""
    measure.set_allocator(allocator)
    contest = Contest(name, case)
    run = contest.published() if how is None else contest.together(*how)
    return round(measure.peak_memory(run)[1])


def compare(name: str, case: int, allocator: str, pool: ProcessPoolExecutor) -> list[dict[str, Any]]:
    contest = Contest(name, case)
    contest.check()
    singly, rows = contest.published(), []
    their_peak = pool.submit(peak, name, case, None, allocator).result()
    for how in ((STEP, False), (32, False), (STEP, True)):
        seconds = measure.interleaved(contest.together(*how), singly, repeats=3)
        rows.append(
            measure.row(
                f"epoch of {name}, {contest.what}, steps of {how[0]}{', ours in bf16' if how[1] else ''}",
                *seconds,
                n=len(contest.graphs),
                setting=f"allocator={allocator}",
                opponent="published arithmetic, one graph at a time",
                peak_mb=pool.submit(peak, name, case, how, allocator).result(),
                their_peak_mb=their_peak,
            )
        )
    return rows


def dense(graph: GraphSet, channels: Channels) -> Tensor:
    entries = Entries.of(channels.read(graph), channels, torch.float32)
    return entries.dense().view(1, channels.size, graph.num_nodes, graph.num_nodes)


def cut(items: list[Any], step: int) -> list[list[Any]]:
    return [items[start : start + step] for start in range(0, len(items), step)]


CASES: dict[str, list[tuple[str, Callable[[], GraphSet], int, int, str]]] = {
    "ringgnn": [
        ("300 AQSOL molecules", lambda: molecules(300), 26, 2, "graph"),
        ("20 block graphs", lambda: blocks(20), 45, 2, "node"),
    ],
    "ppgn": [
        ("300 AQSOL molecules", lambda: molecules(300), 79, 3, "graph"),
        ("20 block graphs", lambda: blocks(20), 82, 3, "node"),
    ],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--allocator", choices=measure.ALLOCATORS, default="default")
    parser.add_argument("--only", choices=CASES, default=None)
    arguments = parser.parse_args()
    measure.set_allocator(arguments.allocator)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, context, max_tasks_per_child=1) as pool:
        for name in [arguments.only] if arguments.only else list(CASES):
            for case in range(len(CASES[name])):
                rows = compare(name, case, arguments.allocator, pool)
                measure.show(rows)
                measure.write(measure.RESULTS / "dense.json", rows)


if __name__ == "__main__":
    main()
