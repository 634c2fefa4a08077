"""Classification of proteins of the TU collection: what ENZYMES, PROTEINS and DD have in common."""

from __future__ import annotations

import numpy as np
import torch

from graphgauge.datasets.errors import DatasetError, MissingData
from graphgauge.datasets.home import homes
from graphgauge.datasets.options import stream
from graphgauge.datasets.packing import Ints
from graphgauge.datasets.resolve import resolve
from graphgauge.datasets.table import lookup
from graphgauge.datasets.tasks.entry import Request
from graphgauge.datasets.tasks.folds import folds_from_files, restricted
from graphgauge.datasets.tu import FOLDS, whole_collection
from graphgauge.graphs import Feature, Fold, GraphSet, Task
from graphgauge.graphs.task import PARTS

LABELS = (
    "the file of the {width} node attributes is not at hand: node labels ({found}) stand in for them; not "
    "comparable with published numbers"
)


def proteins_of(name: str, collection: str, request: Request, width: int, features: str) -> Task:
    """A collection with the ten folds of its index files.

    Parameters
    ----------
    name, collection : of the dataset and of its files
    width : official number of columns of node features
    features : what they are: "attributes" (numbers in a file of their own) or "labels" (one column for each)
    """
    data = lookup(name)
    path = resolve(name, homes(request.root), data.files["train"], data.loaders)
    graphs = whole_collection(collection, path)
    files = {part: path.parent / f"{collection}_{part}.index" for part in PARTS}
    absent = [str(file) for file in files.values() if not file.is_file()]
    if absent:
        raise MissingData(
            f"{name}: the benchmark's folds are not at hand. Put in place: {', '.join(absent)} (a line for "
            f"each of {FOLDS} folds, numbers of graphs from 0 with commas between; docs/tasks.md)"
        )
    folds = folds_from_files(files, FOLDS, len(graphs))
    if not request.whole:
        chosen = _some(name, request, graphs.graph["y"].numpy())
        graphs, folds = graphs[chosen], restricted(folds, chosen, len(graphs))
        _require_parts(name, folds)
    columns, notes = _features(name, graphs, width, features)
    plain = graphs.structure().with_columns(node={"x": columns}, graph={"y": graphs.graph["y"]})
    return Task(
        name,
        plain,
        {"graph": int(graphs.graph["y"].max()) + 1},
        node=Feature("x", "number", columns.shape[1]),
        folds=folds,
        loss="cross_entropy",
        score="accuracy",
        notes=notes,
    )


def _some(name: str, request: Request, y: Ints) -> Ints:
    """A random choice of graphs, in order."""
    rng = stream(f"task-{name}", request.seed, "choice")
    return np.sort(rng.choice(y.size, sum(request.sizes.values()), replace=False))


def _require_parts(name: str, folds: tuple[Fold, ...]) -> None:
    for number, fold in enumerate(folds):
        for part in PARTS:
            if not fold[part].numel():
                raise DatasetError(f"{name}: with so small a size fold {number} has no {part} graphs")


def _features(name: str, graphs: GraphSet, width: int, features: str) -> tuple[torch.Tensor, tuple[str, ...]]:
    if features == "attributes" and "attributes" in graphs.node:
        columns = graphs.node["attributes"].float()
        if columns.shape[1] != width:
            raise DatasetError(f"{name}: expected {width} node attributes, found {columns.shape[1]}")
        return columns, ()
    label = graphs.node["x"].reshape(-1)
    if features == "attributes":
        found = int(label.max()) + 1
        return torch.nn.functional.one_hot(label, found).float(), (LABELS.format(width=width, found=found),)
    label = label - label.min()
    if int(label.max()) >= width:
        raise DatasetError(f"{name}: expected at most {width} node labels, found {int(label.max()) + 1}")
    return torch.nn.functional.one_hot(label, width).float(), ()
