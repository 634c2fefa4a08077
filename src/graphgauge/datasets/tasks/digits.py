"""Digits: a small stand-in for superpixels that needs no download; pixels with ink are the nodes."""

from __future__ import annotations

import numpy as np

from graphgauge.datasets.options import stream
from graphgauge.datasets.packing import Ints
from graphgauge.datasets.tasks.entry import Request, TaskEntry, fold_of
from graphgauge.datasets.tasks.superpixels import graphs_of
from graphgauge.graphs import Feature, Fold, Task
from graphgauge.graphs.task import PARTS

SIDE, LEVELS = 8, 16


def digits(request: Request) -> Task:
    """Pixels that are not blank, joined to their eight nearest neighbours as superpixels are.

    Node column ``x``: grey (0 to 1), row and column over 8; edge column ``edge_attr``: the similarity. The
    1,797 images come with scikit-learn. Parts are drawn from the seed, with the classes in proportion.
    """
    from sklearn.datasets import load_digits

    images, y = load_digits(return_X_y=True)
    fold, chosen = _split(request, y)
    image, pixel = np.nonzero(images[chosen])
    row, column = np.divmod(pixel, SIDE)
    node_ptr = np.concatenate([[0], np.cumsum(np.bincount(image, minlength=chosen.size))])
    grey = (images[chosen][image, pixel] / LEVELS).astype(np.float32)[:, None]
    centre = np.stack([row, column], axis=1).astype(np.float32)
    return Task(
        "digits",
        graphs_of(grey, centre, node_ptr, SIDE, y[chosen]),
        {"graph": 10},
        node=Feature("x", "number", 3),
        edge=Feature("edge_attr", "number", 1),
        folds=(fold,),
        loss="cross_entropy",
        score="accuracy",
    )


def _split(request: Request, y: Ints) -> tuple[Fold, Ints]:
    """Images in a shuffled order in which every stretch has the classes in proportion, cut into parts."""
    rng = stream("task-digits", request.seed, "parts")
    rank = np.empty(y.size)
    for value in np.unique(y):
        members = rng.permutation(np.flatnonzero(y == value))
        rank[members] = (np.arange(members.size) + rng.random()) / members.size
    order = np.argsort(rank, kind="stable")
    ends = np.cumsum([request.sizes[part] for part in PARTS]).tolist()
    parts = [np.arange(a, b) for a, b in zip([0, *ends[:-1]], ends, strict=True)]
    return fold_of(*parts), order[: ends[-1]]


DIGITS = TaskEntry(
    make=digits,
    kind="derived",
    about="handwritten digits of 8 × 8 pixels as graphs of inked pixels (no task of the paper)",
    licence="CC BY 4.0 (UCI repository); comes with scikit-learn",
    source="https://archive.ics.uci.edu/dataset/80",
    citation="Alpaydin, Kaynak. Optical recognition of handwritten digits. UCI, 1998",
    sizes={"train": 1197, "val": 300, "test": 300},
    loss="cross_entropy",
    score="accuracy",
    graphs=1797,
)
