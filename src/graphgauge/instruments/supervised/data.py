"""Tasks of a run: by name, from a file, or a user's own; each is written once and read by every worker."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from graphgauge.datasets import TASKS, load_task
from graphgauge.graphs import Feature, Fold, GraphError, GraphSet, Task
from graphgauge.graphs.file_task import read_task, task_hash, write_task

# Shares of a user's own graphs that validate and test.
HELD_OUT = 0.1
# Numbers of classes may have so many times as many values as there are classes.
MOST_CLASSES = 10


def task_of(
    dataset: str | Path | Task | GraphSet, size: int | None, data_seed: int, root: Path | None, **options: Any
) -> Task:
    """A task by the name of the table, of a file that `write_task` wrote, or made of a user's own graphs."""
    named = isinstance(dataset, str) and dataset in TASKS
    if size is not None and not named:
        raise ValueError(f"size={size} is for tasks by name; take fewer of your own graphs yourself")
    if isinstance(dataset, Task):
        return dataset
    if isinstance(dataset, GraphSet):
        return own_task("own", dataset, data_seed)
    if named:
        return load_task(str(dataset), size=size, seed=data_seed, root=root, **options)
    path = Path(dataset)
    if not path.is_file():
        raise ValueError(f"{str(dataset)!r} is neither a task nor a file; tasks are {', '.join(TASKS)}")
    try:
        return read_task(path)
    except GraphError as error:
        if "not a task" not in str(error):
            raise
    from graphgauge.graphs.files import read

    return own_task(path.stem, read(path), data_seed)


def own_task(name: str, graphs: GraphSet, seed: int) -> Task:
    """A task of a user's own graphs with a column ``y`` of graphs or of nodes, split at random 80 / 10 / 10.

    Of one graph the nodes are split. Whole numbers are classes, floats are regressed. Models read the columns
    ``x`` (else ``node_type``) and ``edge_attr`` (else ``edge_type``): one column of whole numbers as
    categories, anything else as numbers.

    >>> graphs = GraphSet.from_edges([[(0, 1)]] * 10).with_columns(graph={"y": torch.arange(10) % 2})
    >>> own_task("mine", graphs, 0).loss
    'cross_entropy'
    """
    level = next((one for one in ("graph", "node") if "y" in getattr(graphs, one)), None)
    if level is None:
        raise GraphError(f"{name}: a task needs a column 'y' of its graphs or of its nodes, there is none")
    graphs = _plain(graphs, level)
    over: Literal["graphs", "nodes"] = "nodes" if level == "node" and len(graphs) == 1 else "graphs"
    count = graphs.num_nodes if over == "nodes" else len(graphs)
    if count < 3:
        raise GraphError(f"{name}: {count} {over} cannot be split into train, val and test")
    y = getattr(graphs, level)["y"]
    if y.is_floating_point():
        loss, score, outputs = "l1", "mae", y.shape[1] if y.dim() == 2 else 1
    else:
        loss, score, outputs = "cross_entropy", "accuracy", _classes(name, y)
    order = torch.from_numpy(np.random.default_rng(seed).permutation(count))
    held = max(1, round(HELD_OUT * count))
    fold = Fold(order[2 * held :], order[:held], order[held : 2 * held])
    return Task(
        name, graphs, {level: outputs}, _feature(graphs.node, ("x", "node_type")),
        _feature(graphs.edge, ("edge_attr", "edge_type")), (fold,), over, loss=loss, score=score,
        notes=("split at random 80 / 10 / 10",), options={"seed": seed},
    )  # fmt: skip


def _plain(graphs: GraphSet, level: str) -> GraphSet:
    """Targets and features in the types that nets read: one column of whole numbers is one of categories,
    several are numbers, and so are truth values."""

    def column(values: Tensor, target: bool) -> Tensor:
        if values.is_floating_point():
            return values.float()
        if values.dim() == 2 and values.shape[1] == 1:
            values = values[:, 0]
        return values.long() if target or values.dim() == 1 else values.float()

    found = {
        side: {name: column(values, name == "y") for name, values in getattr(graphs, side).items()}
        for side in ("node", "edge", "graph")
    }
    return graphs.with_columns(**found)


def _classes(name: str, y: Tensor) -> int:
    """Number of classes; labels must be whole numbers from 0 with few gaps."""
    if y.numel() == 0 or int(y.min()) < 0:
        raise GraphError(
            f"{name}: classes are numbered from 0, the smallest in 'y' is {y.min() if y.numel() else 'none'}"
        )
    count, different = int(y.max()) + 1, len(set(y.tolist()))
    if count > MOST_CLASSES * different:
        raise GraphError(
            f"{name}: 'y' has {different} different classes, numbered up to {count - 1}; number them "
            "from 0, or make them floats to regress them"
        )
    return count


def _feature(columns: Mapping[str, Tensor], names: Sequence[str]) -> Feature | None:
    """The first of these columns that is there."""
    for name in names:
        if name in columns:
            values = columns[name]
            if values.is_floating_point() or values.dim() > 1:
                return Feature(name, "number", values.shape[1] if values.dim() == 2 else 1)
            return Feature(name, "category", int(values.max()) + 1 if values.numel() else 1)
    return None


def stored(task: Task, folder: Path) -> tuple[str, Path]:
    """The hash of a task and the file that holds it, written if it is not there or not whole."""
    key = task_hash(task)
    path = folder / f"{re.sub(r'[^A-Za-z0-9_-]', '_', task.name)}-{key[:16]}.safetensors"
    if path.exists():
        try:
            if task_hash(read_task(path)) == key:
                return key, path
        except GraphError as error:
            warnings.warn(f"{error}; written again", stacklevel=2)
    write_task(path, task)
    return key, path
