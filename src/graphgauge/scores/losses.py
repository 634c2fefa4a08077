"""Losses of the supervised benchmark: prediction, target → a scalar with a gradient.

Predictions are (n, outputs). Whole-number targets are classes (n,), floats are values (n,) or (n, outputs).
A target whose shape does not fit is refused: PyTorch would broadcast it, with a warning that is easily
overlooked, and the model would learn the median of the batch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from torch import Tensor
from torch.nn import functional as F

Levels = Mapping[str, Tensor]


class TargetError(ValueError):
    """Targets that do not fit the predictions; the message has both shapes."""


def values_like(prediction: Tensor, target: Tensor) -> Tensor:
    """The target as floats of the prediction's shape (n, outputs); `TargetError` where it has another.

    >>> values_like(torch.zeros(2, 1), torch.tensor([1.0, 2.0])).shape
    torch.Size([2, 1])
    """
    fitting = target[:, None] if target.dim() == 1 and prediction.shape[1:] == (1,) else target
    if fitting.shape != prediction.shape:
        raise TargetError(
            f"the prediction has shape {tuple(prediction.shape)}, the target {tuple(target.shape)}: they are "
            "not broadcast"
        )
    return fitting.to(prediction.dtype)


def check_classes(prediction: Tensor, target: Tensor) -> None:
    """One class for each row, within the prediction's columns; `TargetError` otherwise."""
    if prediction.dim() != 2 or target.shape != prediction.shape[:1]:
        raise TargetError(
            f"the prediction has shape {tuple(prediction.shape)}, the classes {tuple(target.shape)}: want "
            "(n, classes) and (n,)"
        )
    if target.is_floating_point():
        raise TargetError(f"classes are whole numbers, these are {target.dtype}")
    if target.numel() and (int(target.min()) < 0 or int(target.max()) >= prediction.shape[1]):
        raise TargetError(
            f"the classes go from {int(target.min())} to {int(target.max())}, the prediction has "
            f"{prediction.shape[1]}"
        )


def l1(prediction: Tensor, target: Tensor) -> Tensor:
    """Mean absolute error (ZINC, AQSOL)."""
    return (prediction - values_like(prediction, target)).abs().mean()


def mse(prediction: Tensor, target: Tensor) -> Tensor:
    """Mean squared error over rows and columns."""
    return (prediction - values_like(prediction, target)).square().mean()


def cross_entropy(prediction: Tensor, target: Tensor) -> Tensor:
    """Mean −log softmax at the class."""
    check_classes(prediction, target)
    return F.cross_entropy(prediction, target.long())


def class_weighted_cross_entropy(prediction: Tensor, target: Tensor) -> Tensor:
    """Cross-entropy of a batch of V rows in which class c counts (V − n_c) / V (PATTERN, CLUSTER).

    Classes that the batch lacks count 0; the mean is the weighted one. If there is one class only its weight
    is 0 and so is the loss.
    """
    check_classes(prediction, target)
    count = torch.bincount(target, minlength=prediction.shape[1]).to(prediction.dtype)
    weight = torch.where(count > 0, (target.numel() - count) / max(target.numel(), 1), 0.0)
    if not bool(weight[target].any()):
        return prediction.sum() * 0.0
    return F.cross_entropy(prediction, target, weight=weight)


def link_bce(positive: Tensor, negative: Tensor) -> Tensor:
    """−mean log σ(s⁺) − mean log(1 − σ(s⁻)) of scores of links (P,) and of pairs that are none (Q,).

    The published code adds 10⁻¹⁵ inside the logarithms of probabilities; here they are taken from the scores
    themselves, which needs no such guard.
    """
    return F.softplus(-positive).mean() + F.softplus(negative).mean()


LOSSES: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "l1": l1,
    "mse": mse,
    "cross_entropy": cross_entropy,
    "class_weighted_cross_entropy": class_weighted_cross_entropy,
}


def loss_of(name: str, prediction: Levels, target: Levels) -> Tensor:
    """A loss over the levels of a task: the mean over outputs, each level weighing as many as it has.

    Of GraphTheoryProp, with three outputs of nodes and three of graphs, it is the mean of six mean squared
    errors.

    >>> one = {"graph": torch.zeros(2, 1)}
    >>> loss_of("l1", one, {"graph": torch.tensor([1.0, 3.0])}).item()
    2.0
    """
    function = LOSSES[name]
    if len(prediction) == 1:
        ((level, rows),) = prediction.items()
        return function(rows, target[level])
    total = sum(rows.shape[1] for rows in prediction.values())
    parts = [function(rows, target[level]) * (rows.shape[1] / total) for level, rows in prediction.items()]
    return torch.stack(parts).sum()
