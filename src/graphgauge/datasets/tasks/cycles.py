"""CYCLES: whether a sparse graph has a cycle of six nodes."""

from __future__ import annotations

import numpy as np
import torch

from graphgauge.datasets.options import stream
from graphgauge.datasets.packing import Ints, pack
from graphgauge.datasets.tasks.blocks import shuffle
from graphgauge.datasets.tasks.entry import Request, TaskEntry, consecutive
from graphgauge.graphs import Feature, GraphSet, Task
from graphgauge.graphs.task import PARTS

LENGTH = 6
OTHERS = (3, 4, 5, 7, 8, 9)  # their mean is 6: length itself gives no class away on average
SMALLEST, LARGEST, MEAN = 37, 65, 48.96
TREES = 5
OWN_LAW = (
    "graphs of our own law: two cycles with trees on them and five more trees, of the published sizes; the "
    "generator of the published graphs is not public"
)


def cycles(request: Request) -> Task:
    """Two cycles and a forest; exactly half of each part has a cycle of six nodes.

    A graph has n nodes, 37 plus a Poisson number, at most 65, with the published mean 48.96. Two cycles
    share no node: of 6 and of another length (y = 1), or both of another length (y = 0), each of 3, 4, 5, 7,
    8 or 9. Five nodes are roots of trees of their own. Every node left is joined to one random node that is
    already there. So there are n - 5 edges, for both classes, and no other cycle. Numbers are random.
    Node column ``x`` is 1.
    """
    parts = [_part(request, part) for part in PARTS]
    return Task(
        "cycles",
        GraphSet.concat(parts),
        {"graph": 2},
        node=Feature("x", "number", 1),
        folds=(consecutive(request.sizes),),
        loss="cross_entropy",
        score="accuracy",
        notes=(OWN_LAW,),
    )


def _part(request: Request, part: str) -> GraphSet:
    rng = stream("task-cycles", request.seed, part)
    graphs = request.sizes[part]
    y = rng.permutation(np.arange(graphs) % 2)
    nodes = np.minimum(SMALLEST + rng.poisson(MEAN - SMALLEST, graphs), LARGEST)
    lengths = rng.choice(OTHERS, (graphs, 2))
    lengths[y == 1, 0] = LENGTH
    node_ptr = np.concatenate([[0], np.cumsum(nodes)])
    u, v = _edges(rng, node_ptr, lengths)
    order = shuffle(rng, node_ptr)
    return pack(order[u], order[v], node_ptr).with_columns(
        node={"x": torch.ones(int(node_ptr[-1]), 1)}, graph={"y": torch.from_numpy(y)}
    )


def _edges(rng: np.random.Generator, node_ptr: Ints, lengths: Ints) -> tuple[Ints, Ints]:
    """Every node names one edge, but the roots: to the next node of its cycle, or to an earlier node."""
    sizes = np.diff(node_ptr)
    at = np.arange(node_ptr[-1]) - np.repeat(node_ptr[:-1], sizes)
    first, second = (np.repeat(lengths[:, k], sizes) for k in (0, 1))
    both = first + second
    target = (rng.random(at.size) * at).astype(np.int64)
    target = np.where(at < both, first + (at - first + 1) % second, target)
    target = np.where(at < first, (at + 1) % first, target)
    root = (at >= both) & (at < both + TREES)
    base = np.repeat(node_ptr[:-1], sizes)
    return (base + at)[~root], (base + target)[~root]


CYCLES = TaskEntry(
    make=cycles,
    kind="generated",
    about="whether a sparse graph has a cycle of six nodes",
    licence="none needed: generated on this machine",
    source="graphgauge",
    citation="Loukas. What graph neural networks cannot learn: depth vs width. ICLR 2020; "
    "Dwivedi et al. Benchmarking Graph Neural Networks. JMLR 24, 2023",
    sizes={"train": 9000, "val": 1000, "test": 10000},
    loss="cross_entropy",
    score="accuracy",
    graphs=20000,
    average=(48.96, 87.84),
)
