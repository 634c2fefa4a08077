"""What the table `TASKS` knows about each task, and whether a task is of the official size."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch

from graphgauge.datasets.errors import DatasetError
from graphgauge.datasets.home import Home
from graphgauge.datasets.options import known, whole
from graphgauge.datasets.packing import Ints
from graphgauge.graphs import Fold, Task
from graphgauge.graphs.task import PARTS

Sizes = Mapping[str, int]


@dataclass(frozen=True)
class Request:
    """What of a task is wanted.

    Parameters
    ----------
    sizes : part → number of graphs
    whole : whether these are the official sizes
    seed : of all chance
    root : folder to look in, instead of ``GRAPHGAUGE_DATA`` and the user's cache
    """

    sizes: Sizes
    whole: bool
    seed: int
    root: Home


@dataclass(frozen=True)
class TaskEntry:
    """One entry of the table.

    Parameters
    ----------
    make : ``(request, **options)`` → the task
    kind : "generated" (drawn from a seed), "stored" (read from files) or "derived" (computed from files)
    about : one line for a person
    licence, source, citation : of the data
    sizes : part → official number of graphs, nodes or links
    loss, score : names in the tables of losses and scores
    slack : by how much a part of a fold may miss its official number
    folds : official number of folds
    graphs, nodes, edges : official numbers in all (ordered edges), where they are exactly known
    average : published average nodes and ordered edges of a graph, of a family of random graphs
    tolerance : relative error that such averages may have
    smaller : whether fewer graphs than the official number can be asked for
    """

    make: Callable[..., Task]
    kind: Literal["generated", "stored", "derived"]
    about: str
    licence: str
    source: str
    citation: str
    sizes: Sizes
    loss: str
    score: str
    slack: int = 0
    folds: int = 1
    graphs: int | None = None
    nodes: int | None = None
    edges: int | None = None
    average: tuple[float, float] | None = None
    tolerance: float = 0.01
    smaller: bool = True

    @property
    def options(self) -> dict[str, Any]:
        """Options of `load_task` and their defaults."""
        return known(self.make)


def sizes_of(name: str, entry: TaskEntry, size: int | None) -> Sizes:
    """Graphs of every part, if there are `size` in all: the official shares, none of them empty.

    Largest remainders: shares are rounded down, and what is left goes to the largest fractions.
    """
    official = sum(entry.sizes.values())
    if size is None or not entry.smaller:
        if size is not None:
            raise DatasetError(f"{name} is one graph: it has no size to choose, got size={size!r}")
        return entry.sizes
    most = official if entry.kind != "generated" else None
    whole("size", size, len(entry.sizes), most)
    exact = {part: size * count / official for part, count in entry.sizes.items()}
    sizes = {part: max(int(share), 1) for part, share in exact.items()}
    by_remainder = sorted(exact, key=lambda part: sizes[part] - exact[part])
    while (left := size - sum(sizes.values())) != 0:
        step = 1 if left > 0 else -1
        grow = next(part for part in by_remainder[::step] if sizes[part] + step >= 1)
        sizes[grow] += step
        by_remainder.sort(key=lambda part: sizes[part] - exact[part])
    return sizes


def consecutive(sizes: Sizes) -> Fold:
    """The fold of graphs that stand in the order train, val, test.

    >>> consecutive({"train": 2, "val": 1, "test": 1}).test.tolist()
    [3]
    """
    ends = np.cumsum([sizes[part] for part in PARTS]).tolist()
    starts = [0, *ends[:-1]]
    return Fold(*(torch.arange(a, b) for a, b in zip(starts, ends, strict=True)))


def fold_of(train: Ints, val: Ints, test: Ints) -> Fold:
    """A fold from arrays of numbers."""
    return Fold(*(torch.from_numpy(np.ascontiguousarray(part, np.int64)) for part in (train, val, test)))


def verify_official(name: str, entry: TaskEntry, task: Task, law: bool = True) -> None:
    """Raise `DatasetError` unless the task has the official number of everything.

    Parameters
    ----------
    law : whether the options are the default ones, so that the published averages hold
    """
    found = [{part: fold[part].numel() for part in PARTS} for fold in task.folds] or [
        {part: task.links[part].positive.shape[0] for part in PARTS}
    ]
    if len(found) != entry.folds:
        raise DatasetError(f"{name}: expected {entry.folds} folds, found {len(found)}")
    for number, sizes in enumerate(found):
        for part, expected in entry.sizes.items():
            if abs(sizes[part] - expected) > entry.slack:
                about = f" (give or take {entry.slack})" if entry.slack else ""
                raise DatasetError(
                    f"{name}, fold {number}, {part}: expected {expected}{about}, found {sizes[part]}"
                )
    graphs = task.graphs
    for what, expected_, got in (
        ("graphs", entry.graphs, graphs.num_graphs),
        ("nodes", entry.nodes, graphs.num_nodes),
        ("ordered edges", entry.edges, graphs.num_edges),
    ):
        if expected_ is not None and got != expected_:
            raise DatasetError(f"{name}: expected {expected_} {what}, found {got}")
    if entry.average is None or not law:
        return
    means = (graphs.num_nodes / len(graphs), graphs.num_edges / len(graphs))
    for what, mean, got_ in zip(("nodes", "ordered edges"), entry.average, means, strict=True):
        if abs(got_ - mean) > entry.tolerance * mean:
            raise DatasetError(f"{name}: expected {mean} {what} a graph on average, found {got_:.2f}")
