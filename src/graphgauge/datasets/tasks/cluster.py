"""CLUSTER: which block every node is in, where one node of each says it."""

from __future__ import annotations

import numpy as np

from graphgauge.datasets.options import number, stream
from graphgauge.datasets.tasks.blocks import block_edges, joined, place
from graphgauge.datasets.tasks.entry import Request, TaskEntry, consecutive
from graphgauge.graphs import Feature, Task
from graphgauge.graphs.task import PARTS

BLOCKS, SMALLEST, LARGEST = 6, 5, 34


def cluster(request: Request, *, p: float = 0.55, q: float = 0.25) -> Task:
    """Six blocks of 5 to 34 nodes.

    Parameters
    ----------
    p, q : chance of an edge inside a block and between blocks

    Target ``y`` is the block, 0 to 5. Node column ``x`` is y + 1 at one random node of each block, else 0.
    """
    number("p", p, 0, 1)
    number("q", q, 0, 1)
    chance = np.full((BLOCKS, BLOCKS), q, np.float64)
    np.fill_diagonal(chance, p)
    parts = []
    for part in PARTS:
        rng = stream("task-cluster", request.seed, part)
        counts = rng.integers(SMALLEST, LARGEST + 1, (request.sizes[part], BLOCKS))
        block, at, node_ptr = place(rng, counts)
        edges = block_edges(rng, node_ptr, block, chance)
        # Nodes stand in random order, so the node with number 0 in its block is a random one.
        x = np.where(at == 0, block + 1, 0)
        parts.append((edges, node_ptr, {"x": x, "y": block}))
    return Task(
        "cluster",
        joined(parts),
        {"node": BLOCKS},
        node=Feature("x", "category", BLOCKS + 1),
        folds=(consecutive(request.sizes),),
        loss="class_weighted_cross_entropy",
        score="class_accuracy",
    )


CLUSTER = TaskEntry(
    make=cluster,
    kind="generated",
    about="blocks of a stochastic block model, one labelled node in each",
    licence="none needed: generated on this machine",
    source="graphgauge; law of https://github.com/graphdeeplearning/benchmarking-gnns",
    citation="Dwivedi et al. Benchmarking Graph Neural Networks. JMLR 24, 2023",
    sizes={"train": 10000, "val": 1000, "test": 1000},
    loss="class_weighted_cross_entropy",
    score="class_accuracy",
    graphs=12000,
    average=(117.20, 4301.72),
    tolerance=0.02,
)
