"""Rows of trivial predictors: what a model has to beat."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from graphgauge.graphs import Fold, GraphSet, Task
from graphgauge.graphs.task import PARTS
from graphgauge.instruments.supervised.feeds import Judged, Levels, judged, targets_of
from graphgauge.instruments.supervised.judged import common_of, judged_rows
from graphgauge.rows import Row
from graphgauge.scores import hits_at_of_links, link_bce
from graphgauge.scores.baselines import (
    best_neighbours,
    constant,
    majority,
    majority_by_group,
    mean_by_group,
    mutual_neighbours,
    nearest_neighbours,
)
from graphgauge.specs import Spec

UNTRAINED = "none"
# Items whose targets are known, the group of each item to predict and of each known one → predictions.
Predictor = Callable[[Tensor, Tensor, Tensor], Tensor]
# Part → its graphs, and of these the items of each level that belong to it (None: all of them).
Items = tuple[GraphSet, dict[str, Tensor]]


def baseline_spec(task: Task, fold: int, task_hash: str) -> Spec:
    """The run of all of a task's trivial predictors on one fold."""
    params: dict[str, Any] = {
        "dataset": task.name, "task_hash": task_hash, "fold": fold, "folds": len(task.folds) or 1,
        "baseline": True, "notes": list(task.notes), "task_options": dict(task.options),
    }  # fmt: skip
    return Spec("supervised", "baselines", params)


def baseline_rows(task: Task, spec: Spec) -> list[Row]:
    """The scores of all of a task's trivial predictors on all parts of one fold.

    >>> from graphgauge.datasets import load_task
    >>> task = load_task("csl")
    >>> rows = baseline_rows(task, baseline_spec(task, 0, ""))
    >>> {row.subject for row in rows}, round(next(r.value for r in rows if r.metric == "accuracy"), 3)
    ({'majority'}, 0.1)
    """
    rows: list[Row] = []
    for name, about, parts in _judged(task, int(spec.params["fold"])):
        common = common_of(spec, None) | {"subject": name, "params": {**spec.params, "about": about}}
        for part, found in parts.items():
            made = judged_rows(task, found, common, part, UNTRAINED)
            rows += [row for row in made if row.metric != "loss"]  # of predictions without probabilities
    return rows


def _judged(task: Task, fold: int) -> Iterator[tuple[str, str, dict[str, Judged]]]:
    if task.split_over == "links":
        yield "degree", "product of the degrees of both ends", _by_degrees(task)
        return
    parts = {part: _items(task, task.folds[fold], part) for part in PARTS}
    if task.score == "f1":
        yield from _near_neighbours(task, parts)
    for name, (about, predictor, group) in _predictors(task).items():
        yield name, about, {p: _predict(task, parts["train"], parts[p], predictor, group) for p in PARTS}


def _items(task: Task, fold: Fold, part: str) -> Items:
    if task.split_over == "graphs":
        graphs = task.graphs[fold[part]]
        return graphs, {level: torch.arange(len(y)) for level, y in targets_of(task, graphs).items()}
    return task.graphs, {"node": fold[part]}


def _predictors(task: Task) -> dict[str, tuple[str, Predictor, str]]:
    """Name → what it predicts, how, and by which group of items."""
    by_size = "graph" in task.outputs and len(task.outputs) == 1
    group = "size" if by_size else "degree"
    if task.loss in ("l1", "mse"):
        kind = "median" if task.loss == "l1" else "mean"
        found: dict[str, tuple[str, Predictor, str]] = {
            kind: (f"the {kind} of the training targets", _constant(kind), ""),
            f"mean by {group}": (f"the mean training target of equal {group}", mean_by_group, group),
        }
        return found
    return {
        "majority": ("the most frequent class of training", lambda y, g, w: majority(y, len(w)), ""),
        **(
            {}
            if all(_constant_group(task, level, group) for level in task.outputs)
            else {
                f"majority by {group}": (
                    f"the most frequent training class of equal {group}", majority_by_group, group,
                )
            }
        ),
    }  # fmt: skip


def _constant(kind: str) -> Predictor:
    return lambda y, g, wanted: constant(y, len(wanted), kind)  # type: ignore[arg-type]


def _constant_group(task: Task, level: str, group: str) -> bool:
    """Whether all items have the same group, so that it says nothing."""
    values = _groups(task.graphs, level, group)
    return not values.numel() or bool((values == values[0]).all())


def _groups(graphs: GraphSet, level: str, group: str) -> Tensor:
    """Group of every item: nodes of its graph, or degree (of an edge, its source's; of a graph, the mean)."""
    if not group:
        return torch.zeros(len(getattr(graphs, level)["y"]), dtype=torch.int64)
    if level == "graph":
        if group == "size":
            return graphs.nodes_per_graph
        return (graphs.edges_per_graph / graphs.nodes_per_graph.clamp(min=1)).round().long()
    return graphs.degree if level == "node" else graphs.degree[graphs.edge_index[0]]


def _predict(task: Task, train: Items, wanted: Items, predictor: Predictor, group: str) -> Judged:
    said: dict[str, Tensor] = {}
    true: dict[str, Tensor] = {}
    for level, count in task.outputs.items():
        known, asked = train[1][level], wanted[1][level]
        y = getattr(train[0], level)["y"][known]
        groups = _groups(train[0], level, group)[known]
        values = predictor(y, groups, _groups(wanted[0], level, group)[asked])
        said[level] = as_prediction(values, count)
        true[level] = getattr(wanted[0], level)["y"][asked]
    return judged(task, said, true)


def as_prediction(values: Tensor, count: int) -> Tensor:
    """Classes as one-hot rows, numbers as (n, count): the form in which models answer."""
    if not values.is_floating_point():
        return F.one_hot(values, count).float()
    return values[:, None] if values.dim() == 1 else values


def _near_neighbours(task: Task, parts: dict[str, Items]) -> Iterator[tuple[str, str, dict[str, Judged]]]:
    """Edges to the nearest neighbours, as many as do best in training (the paper's heuristic of TSP)."""
    assert task.edge is not None
    column = task.edge.column

    def lengths(graphs: GraphSet) -> tuple[Tensor, Tensor, int]:
        return graphs.edge_index, graphs.edge[column].reshape(-1), graphs.num_nodes

    train = parts["train"][0]
    for name, rule in (("knn", nearest_neighbours), ("mutual knn", mutual_neighbours)):
        k = best_neighbours(*lengths(train), train.edge["y"], rule=rule)
        found = {}
        for part, (graphs, _) in parts.items():
            said: Levels = {"edge": as_prediction(rule(*lengths(graphs), k), task.outputs["edge"])}
            found[part] = judged(task, said, targets_of(task, graphs))
        yield name, f"edges to the {k} nearest neighbours, {k} chosen on training", found


def _by_degrees(task: Task) -> dict[str, Judged]:
    """Pairs of nodes of high degree are links (preferential attachment)."""
    degree = task.graphs.degree.double()
    found = {}
    for part in PARTS:
        links = task.links[part]
        others = links.negative if links.negative is not None else task.links["val"].negative
        assert others is not None
        positive, negative = (degree[pairs].prod(1) for pairs in (links.positive, others))
        found[part] = Judged(
            float(link_bce(positive, negative)), hits_at_of_links(positive, negative), len(positive), {}
        )
    return found
