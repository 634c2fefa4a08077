"""CSL: which circular skip link graph it is; message passing without encodings cannot tell."""

from __future__ import annotations

import numpy as np
import torch

from graphgauge.datasets.errors import DatasetError
from graphgauge.datasets.home import find, homes
from graphgauge.datasets.options import stream
from graphgauge.datasets.packing import Ints, even_ptr, pack
from graphgauge.datasets.tasks.blocks import shuffle
from graphgauge.datasets.tasks.entry import Request, TaskEntry
from graphgauge.datasets.tasks.folds import folds_from_files, stratified_folds
from graphgauge.graphs import Feature, Fold, Task
from graphgauge.graphs.task import PARTS

NODES, FOLDS = 41, 5
SKIPS = (2, 3, 4, 5, 6, 9, 11, 12, 13, 16)
DRAWN = "folds are drawn from the seed: classes in proportion, test sets a partition; not the published ones"


def csl(request: Request) -> Task:
    """Ten classes of circulant graphs on 41 nodes: steps 1 and R, numbered at random.

    Graphs stand class after class. The folds are those of ``csl/CSL_{train,val,test}.index`` in a data
    home, else (and for every size but 150) drawn with the classes in proportion. Node column ``x`` is 0.
    """
    graphs = sum(request.sizes.values())
    if graphs % (len(SKIPS) * FOLDS):
        raise DatasetError(f"csl: size must be a multiple of 50 (10 classes, 5 folds), got {graphs}")
    copies = graphs // len(SKIPS)
    node_ptr = even_ptr(graphs, NODES)
    step = np.repeat(SKIPS, copies)[:, None]
    node = np.arange(NODES)
    ring = np.stack([np.broadcast_to((node + 1) % NODES, (graphs, NODES)), (node + step) % NODES], 1)
    first = node_ptr[:-1, None]
    order = shuffle(stream("task-csl", request.seed, "graphs"), node_ptr)
    u = order[np.repeat(first + node, 2, axis=0)].reshape(-1)
    v = order[(first[:, None] + ring)].reshape(-1)
    y = np.repeat(np.arange(len(SKIPS)), copies)
    drawn = pack(u, v, node_ptr).with_columns(
        node={"x": torch.zeros(graphs * NODES, dtype=torch.int64)}, graph={"y": torch.from_numpy(y)}
    )
    folds, notes = _folds(request, y)
    return Task(
        "csl",
        drawn,
        {"graph": len(SKIPS)},
        node=Feature("x", "category", 1),
        folds=folds,
        loss="cross_entropy",
        score="accuracy",
        notes=notes,
    )


def _folds(request: Request, y: Ints) -> tuple[tuple[Fold, ...], tuple[str, ...]]:
    found = {part: find(homes(request.root), f"csl/CSL_{part}.index") for part in PARTS}
    files = {part: path for part, path in found.items() if path is not None}
    if request.whole and len(files) == len(PARTS):
        return folds_from_files(files, FOLDS, y.size), ()
    return stratified_folds(stream("task-csl", request.seed, "folds"), y, FOLDS), (DRAWN,)


CSL = TaskEntry(
    make=csl,
    kind="generated",
    about="ten classes of 4-regular circulant graphs",
    licence="none needed: generated on this machine; published folds MIT (benchmarking-gnns)",
    source="graphgauge; https://github.com/graphdeeplearning/benchmarking-gnns (folds)",
    citation="Murphy et al. Relational Pooling for Graph Representations. ICML 2019; "
    "Dwivedi et al. Benchmarking Graph Neural Networks. JMLR 24, 2023",
    sizes={"train": 90, "val": 30, "test": 30},
    loss="cross_entropy",
    score="accuracy",
    folds=FOLDS,
    graphs=150,
    nodes=6150,
    edges=24600,
)
