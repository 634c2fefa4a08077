"""The training loop: the schedule is followed, and bad losses are named."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from graphgauge.training import Schedule, TrainingError, fit


def data(epoch: int) -> list[torch.Tensor]:
    return [torch.ones(4, 2), torch.zeros(4, 2)]


def squares(model: nn.Module, batch: torch.Tensor) -> torch.Tensor:
    return (model(batch) ** 2).mean()


def test_nan_loss_names_epoch_and_step() -> None:
    calls = []

    def loss(model: nn.Module, batch: torch.Tensor) -> torch.Tensor:
        calls.append(1)
        return squares(model, batch) * (float("nan") if len(calls) == 4 else 1.0)

    with pytest.raises(TrainingError, match="epoch 2, step 2: the loss is nan"):
        fit(nn.Linear(2, 1), data, loss, 2, Schedule(epochs=3))


def test_gradient_that_is_not_finite() -> None:
    net = nn.Linear(2, 1)

    def loss(model: nn.Module, batch: torch.Tensor) -> torch.Tensor:
        return torch.sqrt((model(batch) * 0).sum())  # 0, with an infinite slope

    with pytest.raises(TrainingError, match="epoch 1, step 1: a gradient is not finite"):
        fit(net, data, loss, 2, Schedule(epochs=1))


def test_loss_that_is_not_a_scalar() -> None:
    with pytest.raises(TrainingError, match="scalar with a gradient"):
        fit(nn.Linear(2, 1), data, lambda m, b: m(b), 2, Schedule(epochs=1))


def test_a_model_without_parameters_is_left_alone() -> None:
    assert fit(nn.Identity(), data, squares, 2, Schedule(epochs=2)).losses == []


@pytest.mark.parametrize("clip_by", ["value", "norm"])
def test_clipping_bounds_the_gradient(clip_by: str) -> None:
    net = nn.Linear(2, 1)
    fit(net, data, lambda m, b: 1e6 * squares(m, b), 2, Schedule(epochs=1, clip=0.1, clip_by=clip_by))
    total = torch.cat([p.grad.flatten() for p in net.parameters()])
    assert (total.abs().max() if clip_by == "value" else total.norm()) <= 0.1 + 1e-6


@pytest.mark.parametrize("warmup", [0.01, 0.1, 0.5, 0.99])
@pytest.mark.parametrize("steps", [1, 2, 3, 4, 5, 10, 20, 21])
def test_any_number_of_steps_has_a_schedule(steps: int, warmup: float) -> None:
    batches = [torch.ones(4, 2)] * steps
    history = fit(nn.Linear(2, 1), lambda epoch: batches, squares, steps, Schedule(epochs=1, warmup=warmup))
    assert len(history.losses) == 1


def test_learning_rate_peaks_after_the_warm_up(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[float] = []
    original = torch.optim.AdamW.step

    def step(self, *args, **kwargs):
        seen.append(self.param_groups[0]["lr"])
        return original(self, *args, **kwargs)

    monkeypatch.setattr(torch.optim.AdamW, "step", step)
    fit(nn.Linear(2, 1), data, squares, 2, Schedule(epochs=20, max_lr=0.01, warmup=0.1))
    assert len(seen) == 40
    assert max(seen) == pytest.approx(0.01)
    assert seen.index(max(seen)) == 3  # 10 % of 40 steps
    assert seen[0] == pytest.approx(0.01 / 25)
    assert seen[-1] < 1e-6


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"epochs": -1}, "epochs"),
        ({"epochs": 1, "max_lr": 0}, "max_lr"),
        ({"epochs": 1, "warmup": 1.5}, "warmup"),
        ({"epochs": 1, "clip_by": "mean"}, "clip_by"),
        ({"epochs": 1, "precision": "fp8"}, "precision"),
    ],
)
def test_bad_schedules_name_the_field(wrong: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Schedule(**wrong)
