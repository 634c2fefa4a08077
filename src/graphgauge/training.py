"""The one training loop: a model, a stream of batches and a loss go in, a trained model comes out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

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
            with torch.autocast(
                parameters[0].device.type, torch.bfloat16, enabled=schedule.precision == "bf16"
            ):
                value = loss(model, batch)
            total += _checked(value, epoch, step)
            torch.autograd.backward(value)
            _clip(parameters, schedule, epoch, step)
            optimizer.step()
            one_cycle.step()
        history.losses.append(total / steps_per_epoch)
        if after_epoch is not None:
            after_epoch(epoch + 1, history.losses[-1])
    return history


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


__all__ = ["CLIPPING", "PRECISIONS", "History", "Schedule", "TrainingError", "fit"]
