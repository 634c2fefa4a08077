"""Scores of the supervised benchmark, over a whole split at once.

Averages of batch averages depend on the batch size and let the last, short batch count as much as a full one;
nothing here is computed from less than the whole split.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from graphgauge.scores.losses import Levels, check_classes, values_like


def mae(prediction: Tensor, target: Tensor) -> float:
    """Mean absolute error; prediction (n, outputs), target (n,) or (n, outputs).

    >>> mae(torch.tensor([[1.0], [2.0]]), torch.tensor([1.0, 4.0]))
    1.0
    """
    return float((prediction.double() - values_like(prediction, target).double()).abs().mean())


def accuracy_of_classes(prediction: Tensor, target: Tensor) -> float:
    """Share of rows whose largest entry is the class; of several largest entries the first counts.

    >>> accuracy_of_classes(torch.tensor([[0.1, 0.9], [0.8, 0.2]]), torch.tensor([1, 1]))
    0.5
    """
    check_classes(prediction, target)
    return float((prediction.argmax(1) == target).double().mean())


def class_accuracy(prediction: Tensor, target: Tensor) -> float:
    """Mean over classes of the share of their rows that are predicted right (PATTERN, CLUSTER).

    Classes that do not occur among the targets are left out. Chance level of C classes is 1 / C however rare
    some of them are.

    >>> class_accuracy(torch.tensor([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]]), torch.tensor([0, 0, 1]))
    0.5
    """
    check_classes(prediction, target)
    right = (prediction.argmax(1) == target).double()
    count = torch.bincount(target, minlength=prediction.shape[1])
    recall = torch.zeros(prediction.shape[1], dtype=torch.float64, device=right.device)
    recall = recall.index_add(0, target, right)[count > 0] / count[count > 0]
    return float(recall.mean())


def f1(prediction: Tensor, target: Tensor) -> float:
    """F1 of class 1, 2 TP / (2 TP + FP + FN); 0 where class 1 is neither there nor predicted (TSP).

    >>> f1(torch.tensor([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), torch.tensor([1, 0, 0]))
    0.6666666666666666
    """
    check_classes(prediction, target)
    said, true = prediction.argmax(1) == 1, target == 1
    both, either = int((said & true).sum()), int(said.sum() + true.sum())
    return 2.0 * both / either if either else 0.0


def log10_mse(prediction: Levels, target: Levels) -> float:
    """Mean over outputs of log₁₀ of the mean squared error (GraphTheoryProp), over all levels together.

    >>> rows, zero = torch.tensor([[1.0, 10.0], [1.0, 10.0]]), torch.zeros(2, 2)
    >>> round(log10_mse({"graph": rows}, {"graph": zero}), 6)
    1.0
    """
    return float(log10_mse_of_outputs(prediction, target).mean())


def log10_mse_of_outputs(prediction: Levels, target: Levels) -> Tensor:
    """log₁₀ of the mean squared error of every output, level after level: float64."""
    parts = [
        (rows.double() - values_like(rows, target[level]).double()).square().mean(0)
        for level, rows in prediction.items()
    ]
    return torch.cat(parts).log10()


def hits_at_of_links(positive: Tensor, negative: Tensor, k: int = 50) -> float:
    """Share of links that score above the k-th best of all pairs that are none (Hits@k of OGB).

    A tie with the k-th best is no hit. With fewer than k negatives every link is one.

    >>> hits_at_of_links(torch.tensor([0.9, 0.1]), torch.tensor([0.5, 0.2, 0.0]), k=2)
    0.5
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    if not positive.numel():
        return math.nan
    if negative.numel() < k:
        return 1.0
    return float((positive > negative.topk(k).values[-1]).double().mean())


@dataclass(frozen=True)
class Score:
    """What a number says of predictions of a whole split.

    Parameters
    ----------
    of : predictions by level, targets by level → number; None for links, which have two lists of scores
    unit, higher_is_better : of the number
    definition : one sentence
    """

    of: Callable[[Levels, Levels], float] | None
    unit: str
    higher_is_better: bool
    definition: str


def _single(function: Callable[[Tensor, Tensor], float]) -> Callable[[Levels, Levels], float]:
    def of(prediction: Levels, target: Levels) -> float:
        ((level, rows),) = prediction.items()
        return function(rows, target[level])

    return of


SCORES: dict[str, Score] = {
    "mae": Score(_single(mae), "target's unit", False, "Mean absolute error over all graphs of the split."),
    "accuracy": Score(
        _single(accuracy_of_classes), "fraction", True,
        "Share of all items of the split whose most probable class is right.",
    ),
    "class_accuracy": Score(
        _single(class_accuracy), "fraction", True,
        "Mean over classes of the share of their nodes that are right, over all nodes of the split (the "
        "published code averages it over batches).",
    ),
    "f1": Score(
        _single(f1), "fraction", True,
        "F1 of edges of the tour over all edges of the split (the published code averages it over batches).",
    ),
    "log10_mse": Score(
        log10_mse, "log10", False,
        "Mean over the six properties of log10 of the mean squared error over the split; labels divided by "
        "their training maximum.",
    ),
    "hits@50": Score(
        None, "fraction", True,
        "Share of links that score above the 50th best of all negatives of the split (the published code "
        "scores as many negatives as there are links).",
    ),
}  # fmt: skip
