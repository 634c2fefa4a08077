"""The table of tasks, and how one is loaded."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from graphgauge.datasets.errors import DatasetError
from graphgauge.datasets.home import Home
from graphgauge.datasets.options import check_options, whole
from graphgauge.datasets.tasks.aqsol import AQSOL
from graphgauge.datasets.tasks.cifar10 import CIFAR10
from graphgauge.datasets.tasks.cluster import CLUSTER
from graphgauge.datasets.tasks.collab import OGBL_COLLAB
from graphgauge.datasets.tasks.csl import CSL
from graphgauge.datasets.tasks.cycles import CYCLES
from graphgauge.datasets.tasks.dd import DD
from graphgauge.datasets.tasks.digits import DIGITS
from graphgauge.datasets.tasks.entry import Request, TaskEntry, sizes_of, verify_official
from graphgauge.datasets.tasks.enzymes import ENZYMES
from graphgauge.datasets.tasks.graphtheoryprop import GRAPHTHEORYPROP
from graphgauge.datasets.tasks.mnist import MNIST
from graphgauge.datasets.tasks.pattern import PATTERN
from graphgauge.datasets.tasks.proteins import PROTEINS
from graphgauge.datasets.tasks.tsp import TSP
from graphgauge.datasets.tasks.wikics import WIKICS
from graphgauge.datasets.tasks.zinc import ZINC
from graphgauge.graphs import Task

TASKS: dict[str, TaskEntry] = {
    "zinc": ZINC,
    "aqsol": AQSOL,
    "ogbl-collab": OGBL_COLLAB,
    "wikics": WIKICS,
    "mnist": MNIST,
    "cifar10": CIFAR10,
    "digits": DIGITS,
    "pattern": PATTERN,
    "cluster": CLUSTER,
    "tsp": TSP,
    "csl": CSL,
    "cycles": CYCLES,
    "graphtheoryprop": GRAPHTHEORYPROP,
    "enzymes": ENZYMES,
    "proteins": PROTEINS,
    "dd": DD,
}
_HOW = ("workers",)  # options that say how to make a task, not which


def load_task(
    name: str, *, size: int | None = None, seed: int = 0, root: Home = None, **options: Any
) -> Task:
    """A task by name: graphs, targets, splits, the names of its loss and its score.

    Parameters
    ----------
    name : a name of `TASKS`
    size : graphs in all, split in the official shares; of stored ones a random choice. None: the official
        number, which is verified
    seed : of all chance
    root : folder to look in and keep things in, instead of ``GRAPHGAUGE_DATA`` and the user's cache
    options : of the task

    The same name, size, seed and options give the same content hash (for ``tsp`` as long as its tours are
    kept). The task's `notes` say what is not as published.

    Raises
    ------
    DatasetError
        for an unknown name or option, an impossible value, data that is not what it should be.
    MissingData
        if data or a package is not at hand and cannot be had: names what to put where.

    >>> task = load_task("csl")
    >>> len(task.graphs), len(task.folds), task.loss, task.score
    (150, 5, 'cross_entropy', 'accuracy')
    """
    if name not in TASKS:
        raise DatasetError(f"no task is called {name!r}; there are: {', '.join(TASKS)}")
    entry = TASKS[name]
    whole("seed", seed, 0)
    check_options(name, options, {"size": None, "seed": 0, **entry.options})
    request = Request(sizes_of(name, entry, size), size is None, seed, root)
    task = entry.make(request, **options)
    if size is None:
        verify_official(name, entry, task, law=not options)
    made = {
        k: v for k, v in {"size": size, "seed": seed, **entry.options, **options}.items() if k not in _HOW
    }
    return replace(task, options=made)
