"""Training: a model, a stream of batches and a loss go in, a trained model comes out.

Two ways to set the learning rate share one step: a fixed number of epochs along one cycle (`fit`), and as
many epochs as the validation loss needs (`fit_to_plateau`).
"""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

Batch = TypeVar("Batch")

CLIPPING = ("value", "norm", "none")
PRECISIONS = {"float32": torch.float32, "bf16": torch.bfloat16}


class TrainingError(RuntimeError):
    """Training cannot go on; the message names the epoch, the step and what is wrong."""


@dataclass(frozen=True)
class Schedule:
    """How to train: AdamW with a one-cycle learning rate.

    Parameters
    ----------
    epochs : passes over the data
    max_lr : peak of the one-cycle schedule, reached after `warmup` (a share of all steps); it starts at
        max_lr / 25 and falls along a cosine to max_lr / 250,000
    weight_decay : of AdamW
    clip, clip_by : bound on gradients, entry by entry ("value"), on the total norm ("norm"), or "none"
    precision : "float32", or "bf16" for matrix products in bfloat16 under autocast
    """

    epochs: int
    max_lr: float = 3e-3
    warmup: float = 0.1
    weight_decay: float = 0.01
    clip: float = 0.1
    clip_by: str = "value"
    precision: str = "float32"

    def __post_init__(self) -> None:
        if self.epochs < 0:
            raise ValueError(f"epochs must not be negative, got {self.epochs}")
        for name in ("max_lr", "clip"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be positive, got {getattr(self, name)}")
        if not 0 < self.warmup < 1:
            raise ValueError(f"warmup must lie between 0 and 1, got {self.warmup}")
        if self.weight_decay < 0:
            raise ValueError(f"weight_decay must not be negative, got {self.weight_decay}")
        if self.clip_by not in CLIPPING:
            raise ValueError(f"clip_by must be one of {CLIPPING}, got {self.clip_by!r}")
        if self.precision not in PRECISIONS:
            raise ValueError(f"precision must be one of {tuple(PRECISIONS)}, got {self.precision!r}")


@dataclass
class History:
    """Mean training loss of every epoch."""

    losses: list[float] = field(default_factory=list)


def fit(
    model: nn.Module,
    batches: Callable[[int], Iterable[Batch]],
    loss: Callable[[nn.Module, Batch], Tensor],
    steps_per_epoch: int,
    schedule: Schedule,
    after_epoch: Callable[[int, float], None] | None = None,
) -> History:
    """Train `model` in place.

    Parameters
    ----------
    batches : epoch number → the batches of that epoch, exactly `steps_per_epoch` of them
    loss : model, batch → scalar tensor with a gradient
    after_epoch : called with the number of finished epochs and the mean loss of the last one

    Raises
    ------
    TrainingError : a loss or a gradient that is not finite, or a loss that is not a scalar with a gradient

    A model without trainable parameters is left as it is.

    >>> net = nn.Linear(1, 1)
    >>> data = [(torch.ones(4, 1), torch.ones(4, 1))]
    >>> mse = lambda m, b: ((m(b[0]) - b[1]) ** 2).mean()
    >>> history = fit(net, lambda epoch: data, mse, 1, Schedule(epochs=50, max_lr=0.5))
    >>> history.losses[-1] < 0.01
    True
    """
    parameters = [p for p in model.parameters() if p.requires_grad]
    history = History()
    if not parameters or schedule.epochs == 0:
        return history
    optimizer = torch.optim.AdamW(
        parameters, lr=schedule.max_lr, weight_decay=schedule.weight_decay, fused=True
    )
    one_cycle = _one_cycle(optimizer, schedule, schedule.epochs * steps_per_epoch)
    model.train()
    for epoch in range(schedule.epochs):
        total = 0.0
        for step, batch in enumerate(batches(epoch)):
            optimizer.zero_grad(set_to_none=True)
            total += _backward(model, batch, loss, schedule.precision, epoch, step)
            _clip(parameters, schedule, epoch, step)
            optimizer.step()
            one_cycle.step()
        history.losses.append(total / steps_per_epoch)
        if after_epoch is not None:
            after_epoch(epoch + 1, history.losses[-1])
    return history


def _backward(
    model: nn.Module,
    batch: Batch,
    loss: Callable[[nn.Module, Batch], Tensor],
    precision: str,
    epoch: int,
    step: int,
) -> float:
    """Forward and backward of one batch; the loss as a number that is known to be finite."""
    device = next(p for p in model.parameters() if p.requires_grad).device.type
    with torch.autocast(device, torch.bfloat16, enabled=precision == "bf16"):
        value = loss(model, batch)
    number = _checked(value, epoch, step)
    torch.autograd.backward(value)
    return number


def _one_cycle(
    optimizer: torch.optim.Optimizer, schedule: Schedule, steps: int
) -> torch.optim.lr_scheduler.OneCycleLR:
    """The schedule over `steps`; a warm-up shorter than two steps takes two, since PyTorch divides by it."""
    steps = max(4, steps)
    return torch.optim.lr_scheduler.OneCycleLR(
        optimizer,
        max_lr=schedule.max_lr,
        total_steps=steps,
        pct_start=max(schedule.warmup, 2 / steps),
    )


def _checked(value: Tensor, epoch: int, step: int) -> float:
    where = f"epoch {epoch + 1}, step {step + 1}"
    if value.dim() != 0:
        raise TrainingError(
            f"{where}: the loss must be a scalar with a gradient, its shape is {tuple(value.shape)}"
        )
    if not value.requires_grad:
        raise TrainingError(
            f"{where}: the loss has no gradient: the output does not depend on the model's parameters "
            "(a detach() or no_grad() in it?)"
        )
    number = float(value.detach())
    if not math.isfinite(number):
        raise TrainingError(f"{where}: the loss is {number}")
    return number


def _clip(parameters: list[nn.Parameter], schedule: Schedule, epoch: int, step: int) -> None:
    gradients = [p.grad for p in parameters if p.grad is not None]
    total = torch.nn.utils.get_total_norm(gradients)
    if not torch.isfinite(total):
        raise TrainingError(f"epoch {epoch + 1}, step {step + 1}: a gradient is not finite")
    if schedule.clip_by == "value":
        torch.nn.utils.clip_grad_value_(parameters, schedule.clip)
    elif schedule.clip_by == "norm":
        torch.nn.utils.clip_grads_with_norm_(parameters, schedule.clip, total)


# ── as many epochs as the validation loss needs ────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Plateau:
    """Adam, whose learning rate falls when validation stands still (the protocol of paper B).

    Parameters
    ----------
    lr : initial learning rate
    factor, patience : the rate is multiplied by `factor` after more than `patience` epochs without a better
        monitored value (better by a share of 10⁻⁴ at least)
    min_lr : training ends when the rate falls below
    max_epochs, max_seconds : training ends after so many epochs or seconds; None: no limit of time
    weight_decay : of Adam
    higher_is_better : whether the monitored value grows
    accumulate : steps are taken as the published code does with dense models: the gradient is summed over
        batches, a step follows the first batch and then every `accumulate`-th, the rest is dropped. None:
        a step for each batch
    precision : "float32", or "bf16" for matrix products in bfloat16 under autocast
    """

    lr: float = 1e-3
    factor: float = 0.5
    patience: int = 10
    min_lr: float = 1e-5
    max_epochs: int = 1000
    max_seconds: float | None = None
    weight_decay: float = 0.0
    higher_is_better: bool = False
    accumulate: int | None = None
    precision: str = "float32"

    def __post_init__(self) -> None:
        for name in ("lr", "min_lr"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be positive, got {getattr(self, name)}")
        if not 0 < self.factor < 1:
            raise ValueError(f"factor must lie between 0 and 1, got {self.factor}")
        for name in ("patience", "max_epochs", "weight_decay"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must not be negative, got {getattr(self, name)}")
        if self.max_seconds is not None and not self.max_seconds > 0:
            raise ValueError(f"max_seconds must be positive, got {self.max_seconds}")
        if self.accumulate is not None and self.accumulate < 1:
            raise ValueError(f"accumulate must be at least 1, got {self.accumulate}")
        if self.precision not in PRECISIONS:
            raise ValueError(f"precision must be one of {tuple(PRECISIONS)}, got {self.precision!r}")


@dataclass
class PlateauHistory:
    """What happened in every epoch, and the best one.

    Parameters
    ----------
    losses : mean training loss
    monitored : what the learning rate follows
    scores : what the best epoch is chosen by
    rates : learning rate of the epoch
    seconds : of training alone, validation not included
    best_epoch : zero-based; of equal scores the better monitored value, of equals the first
    best_state : the model's state after it
    stopped : why training ended: "learning rate", "epochs" or "time"
    """

    losses: list[float] = field(default_factory=list)
    monitored: list[float] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    best_epoch: int = -1
    best_state: dict[str, Tensor] = field(default_factory=dict)
    stopped: str = "epochs"


def fit_to_plateau(
    model: nn.Module,
    batches: Callable[[int], Iterable[Batch]],
    loss: Callable[[nn.Module, Batch], Tensor],
    schedule: Plateau,
    validate: Callable[[nn.Module], tuple[float, float]],
    higher_is_better: bool,
    after_epoch: Callable[[PlateauHistory], None] | None = None,
) -> PlateauHistory:
    """Train `model` in place until the learning rate is spent; it ends as the last epoch left it.

    Parameters
    ----------
    batches : epoch number → the batches of that epoch
    loss : model, batch → scalar tensor with a gradient
    validate : model, in evaluation mode → the monitored value, and the score that chooses the best epoch
    higher_is_better : direction of that score
    after_epoch : told the history so far

    Raises
    ------
    TrainingError : a loss, gradient or validation value that is not finite; a loss that is no scalar

    >>> net = nn.Linear(1, 1)
    >>> data = [(torch.ones(4, 1), torch.ones(4, 1))]
    >>> mse = lambda m, b: ((m(b[0]) - b[1]) ** 2).mean()
    >>> check = lambda m: (float(mse(m, data[0])),) * 2
    >>> history = fit_to_plateau(net, lambda e: data, mse, Plateau(0.1, patience=5), check, False)
    >>> history.stopped, history.scores[history.best_epoch] < 0.01
    ('learning rate', True)
    """
    parameters = [p for p in model.parameters() if p.requires_grad]
    history = PlateauHistory()
    start = time.perf_counter()
    if not parameters:
        raise TrainingError("the model has no trainable parameters")
    joined = Joined(parameters)
    optimizer = torch.optim.Adam(joined.wholes, schedule.lr, weight_decay=schedule.weight_decay, fused=True)
    plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(
        optimizer, "max" if schedule.higher_is_better else "min", schedule.factor, schedule.patience
    )
    for epoch in range(schedule.max_epochs):
        begun = time.perf_counter()
        history.rates.append(optimizer.param_groups[0]["lr"])
        history.losses.append(_plateau_epoch(model, batches, loss, schedule, optimizer, joined, epoch))
        history.seconds.append(time.perf_counter() - begun)
        model.eval()
        with torch.no_grad():
            monitored, score = validate(model)
        if not (math.isfinite(monitored) and math.isfinite(score)):
            raise TrainingError(f"epoch {epoch + 1}: validation gives {monitored} and {score}")
        history.monitored.append(monitored)
        history.scores.append(score)
        if epoch == 0 or _better(history, epoch, higher_is_better, schedule.higher_is_better):
            history.best_epoch, history.best_state = epoch, _copied(model.state_dict())
        if after_epoch is not None:
            after_epoch(history)
        plateau.step(monitored)
        if optimizer.param_groups[0]["lr"] < schedule.min_lr:
            history.stopped = "learning rate"
            break
        if schedule.max_seconds is not None and time.perf_counter() - start > schedule.max_seconds:
            history.stopped = "time"
            break
    joined.part()
    return history


class Joined:
    """Parameters as views of one vector (for every type and device), so that one operation steps them all.

    A parameter without a gradient counts as one whose gradient is 0.

    >>> layer = nn.Linear(2, 1)
    >>> joined = Joined(list(layer.parameters()))
    >>> layer(torch.ones(1, 2)).sum().backward()
    >>> joined.collect()
    3.0
    >>> joined.wholes[0].grad.tolist()
    [1.0, 1.0, 1.0]
    """

    def __init__(self, parameters: list[nn.Parameter]) -> None:
        groups: dict[Any, list[nn.Parameter]] = {}
        for p in parameters:
            groups.setdefault((p.dtype, p.device), []).append(p)
        self.groups, self.wholes = list(groups.values()), list[nn.Parameter]()
        for group in self.groups:
            whole = torch.cat([p.detach().reshape(-1) for p in group])
            self.wholes.append(nn.Parameter(whole))
            for p, piece in zip(group, torch.split(whole, [p.numel() for p in group]), strict=True):
                p.data = piece.view(p.shape)

    def collect(self) -> float:
        """Move all gradients to the vectors; their sum, which is finite only if all of them are."""
        total = 0.0
        for group, whole in zip(self.groups, self.wholes, strict=True):
            pieces = [torch.zeros_like(p) if p.grad is None else p.grad for p in group]
            whole.grad = torch.cat([piece.reshape(-1) for piece in pieces])
            total += float(whole.grad.sum())
        self.clear()
        return total

    def clear(self) -> None:
        """No gradients."""
        for group in self.groups:
            for p in group:
                p.grad = None

    def part(self) -> None:
        """Give every parameter memory of its own again."""
        for group in self.groups:
            for p in group:
                p.data = p.data.clone()


def _copied(state: Mapping[str, Any]) -> dict[str, Any]:
    """A state whose tensors share no memory with anything."""
    return {k: v.clone() if isinstance(v, Tensor) else copy.deepcopy(v) for k, v in state.items()}


def _better(history: PlateauHistory, epoch: int, higher: bool, monitored_higher: bool) -> bool:
    """Whether an epoch is better than the best so far: by its score, then by the monitored value.

    Small validation sets give many epochs the same score, the first of them often a lucky one.
    """
    best = history.best_epoch

    def rank(e: int) -> tuple[float, float]:
        score, monitored = history.scores[e], history.monitored[e]
        return (score if higher else -score), (monitored if monitored_higher else -monitored)

    return rank(epoch) > rank(best)


def _plateau_epoch(
    model: nn.Module,
    batches: Callable[[int], Iterable[Batch]],
    loss: Callable[[nn.Module, Batch], Tensor],
    schedule: Plateau,
    optimizer: torch.optim.Optimizer,
    joined: Joined,
    epoch: int,
) -> float:
    """One pass over the batches; the mean of their losses."""
    model.train()
    total, count, every = 0.0, 0, schedule.accumulate or 1
    joined.clear()
    for step, batch in enumerate(batches(epoch)):
        total += _backward(model, batch, loss, schedule.precision, epoch, step)
        count += 1
        if step % every == 0:
            if not math.isfinite(joined.collect()):
                raise TrainingError(f"epoch {epoch + 1}, step {step + 1}: a gradient is not finite")
            optimizer.step()
    if not count:
        raise TrainingError(f"epoch {epoch + 1} has no batches")
    return total / count


__all__ = [
    "CLIPPING",
    "PRECISIONS",
    "History",
    "Joined",
    "Plateau",
    "PlateauHistory",
    "Schedule",
    "TrainingError",
    "fit",
    "fit_to_plateau",
]
