"""Task: graphs, what is to be predicted of them, and how they are split."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import torch
from torch import Tensor

from graphgauge.graphs.checks import LEVELS
from graphgauge.graphs.errors import GraphError
from graphgauge.graphs.graphset import GraphSet

PARTS = ("train", "val", "test")
TARGET = "y"


@dataclass(frozen=True)
class Feature:
    """A column that a model reads.

    Parameters
    ----------
    column : its name among the node or edge columns
    kind : "category" (whole numbers 0 to size-1, to be embedded) or "number" (size columns of floats)
    size : of the vocabulary, or how many columns
    """

    column: str
    kind: Literal["category", "number"]
    size: int


@dataclass(frozen=True, eq=False)
class Fold:
    """Numbers of what a task splits (graphs or nodes): disjoint, int64, not necessarily all of them."""

    train: Tensor
    val: Tensor
    test: Tensor

    def __getitem__(self, part: str) -> Tensor:
        if part not in PARTS:
            raise KeyError(f"no part {part!r}; there are {', '.join(PARTS)}")
        found: Tensor = getattr(self, part)
        return found


@dataclass(frozen=True, eq=False)
class Links:
    """Pairs of nodes to tell apart: links that are there and pairs that are none, (P, 2) and (Q, 2) int64.

    Negatives of the training part are None where they are drawn anew for every batch.
    """

    positive: Tensor
    negative: Tensor | None = None


@dataclass(frozen=True, eq=False)
class Task:
    """Graphs, what is to be predicted of them, and splits: all that a supervised run knows of its data.

    Targets are the columns ``y`` of the levels named in `outputs`: a batch of graphs carries its own.

    Parameters
    ----------
    name : of the task ("zinc", "cluster", …)
    graphs : all of its graphs; link prediction has one, which holds training links only
    outputs : level ("node", "edge", "graph", "link") → numbers predicted for each item, or classes
    node, edge : the column that models read of nodes and of edges; None: nothing but structure
    folds : one or several ways to split
    split_over : what the folds number: "graphs" (a model never sees test graphs) or "nodes" (of one graph,
        which is seen whole); "links" has no folds but `links`
    links : part → pairs; further lists by name
    loss, score : names in the tables of losses and of scores
    notes : what a row made with this task must say, such as a stand-in for its training graphs
    options : how it was made, as JSON values

    >>> graphs = GraphSet.from_edges([[(0, 1)], [(0, 1), (1, 2)], [(0, 1)]])
    >>> graphs = graphs.with_columns(graph={"y": torch.tensor([0, 1, 0])})
    >>> fold = Fold(torch.tensor([0]), torch.tensor([1]), torch.tensor([2]))
    >>> task = Task("toy", graphs, {"graph": 2}, folds=(fold,), loss="cross_entropy", score="accuracy")
    >>> task.part("val").num_nodes, task.part("val").y.tolist()
    (3, [1])
    """

    name: str
    graphs: GraphSet
    outputs: Mapping[str, int]
    node: Feature | None = None
    edge: Feature | None = None
    folds: tuple[Fold, ...] = ()
    split_over: Literal["graphs", "nodes", "links"] = "graphs"
    links: Mapping[str, Links] = field(default_factory=dict)
    loss: str = "cross_entropy"
    score: str = "accuracy"
    notes: tuple[str, ...] = ()
    options: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        where = f"task {self.name}"
        for level in self.outputs:
            if level not in (*LEVELS, "link"):
                raise GraphError(
                    f"{where}: no outputs of level {level!r}; there are {', '.join(LEVELS)}, link"
                )
            if level != "link" and TARGET not in getattr(self.graphs, level):
                raise GraphError(f"{where}: no {level} column {TARGET!r} holds the targets")
        if self.node is not None:
            check_feature(self.node, self.graphs.node, where, "node")
        if self.edge is not None:
            check_feature(self.edge, self.graphs.edge, where, "edge")
        self._check_splits(where)

    def __repr__(self) -> str:
        what = ", ".join(f"{count} outputs of a {level}" for level, count in self.outputs.items())
        return (
            f"Task({self.name}: {what}, {self.loss}, {self.score}; {len(self.folds)} folds over "
            f"{self.split_over}; {self.graphs!r})"
        )

    def part(self, name: str, fold: int = 0) -> GraphSet:
        """The graphs of one part, with their targets; only where graphs are split."""
        if self.split_over != "graphs":
            raise GraphError(f"task {self.name} splits {self.split_over}, not graphs")
        return self.graphs[self.folds[fold][name]]

    def _check_splits(self, where: str) -> None:
        if self.split_over == "links":
            absent = [part for part in PARTS if part not in self.links]
            if absent:
                raise GraphError(f"{where}: no links for {', '.join(absent)}")
            return
        if not self.folds:
            raise GraphError(f"{where} has no folds")
        count = len(self.graphs) if self.split_over == "graphs" else self.graphs.num_nodes
        for number, fold in enumerate(self.folds):
            listed = torch.cat([fold[part] for part in PARTS])
            if listed.numel() and (int(listed.min()) < 0 or int(listed.max()) >= count):
                raise GraphError(f"{where}, fold {number}: numbers must lie in 0 to {count - 1}")
            if int(torch.bincount(listed, minlength=1).max()) > 1:
                raise GraphError(f"{where}, fold {number}: one of the {self.split_over} is listed twice")


def check_feature(feature: Feature, columns: Mapping[str, Tensor], where: str, level: str) -> None:
    """The column is there and is what the feature says it is; `GraphError` otherwise."""
    if feature.column not in columns:
        raise GraphError(f"{where}: no {level} column {feature.column!r}; there are {sorted(columns)}")
    values = columns[feature.column]
    if feature.kind == "category":
        if values.dim() != 1 or values.is_floating_point():
            raise GraphError(f"{where}: {level} column {feature.column!r} is not one of categories")
        if values.numel() and (int(values.min()) < 0 or int(values.max()) >= feature.size):
            raise GraphError(
                f"{where}: {level} column {feature.column!r} holds {int(values.min())} to "
                f"{int(values.max())}, its vocabulary has {feature.size} entries"
            )
    else:
        width = values.shape[1] if values.dim() == 2 else 1
        if values.dim() > 2 or width != feature.size or not values.is_floating_point():
            raise GraphError(
                f"{where}: {level} column {feature.column!r} is {values.dtype} of shape "
                f"{tuple(values.shape)}, not {feature.size} columns of floats"
            )
