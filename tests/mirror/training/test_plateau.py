"""Training to a plateau: the rate falls when it should, the best epoch is kept, and limits hold."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import pytest
import torch
from torch import nn

from graphgauge.training import Joined, Plateau, PlateauHistory, TrainingError, fit_to_plateau


class Scripted(nn.Module):
    """A parameter that moves by the loss, and validation values that follow a script."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1))


def batches(epoch: int) -> Iterator[float]:
    yield from (1.0, 1.0, 1.0)


def slope(model: nn.Module, batch: float) -> torch.Tensor:
    assert isinstance(model, Scripted)
    return (model.weight * batch).sum()


def follow(script: list[float]) -> Callable[[nn.Module], tuple[float, float]]:
    values = iter(script)

    def validate(model: nn.Module) -> tuple[float, float]:
        assert not model.training
        assert not torch.is_grad_enabled()
        value = next(values)
        return value, value

    return validate


def run(script: list[float], schedule: Plateau, higher: bool = False) -> PlateauHistory:
    return fit_to_plateau(Scripted(), batches, slope, schedule, follow(script), higher)


def test_rate_halves_after_more_than_patience_bad_epochs_and_training_ends_below_the_smallest() -> None:
    schedule = Plateau(lr=0.4, patience=1, min_lr=0.15, max_epochs=50)
    history = run([1.0] * 50, schedule)
    # epoch 1 is the best; 2 and 3 are bad: two are more than one, the rate is 0.2; so after 5 it is 0.1
    assert history.rates == [0.4, 0.4, 0.4, 0.2, 0.2]
    assert history.stopped == "learning rate"


def test_a_rate_equal_to_the_smallest_goes_on() -> None:
    assert len(run([1.0] * 9, Plateau(lr=0.4, patience=0, min_lr=0.2, max_epochs=9)).rates) == 3


def test_best_epoch_is_the_first_of_the_best_and_its_state_is_kept() -> None:
    script = [3.0, 1.0, 2.0, 1.0, 5.0]
    model = Scripted()
    history = fit_to_plateau(model, batches, slope, Plateau(max_epochs=5), follow(script), False)
    assert history.best_epoch == 1
    assert history.stopped == "epochs"
    after_two = history.best_state["weight"]
    assert after_two == pytest.approx(2 * 3 * -1e-3, rel=1e-2)  # Adam moves by its rate on a constant slope
    assert float(model.weight.detach()) == pytest.approx(5 * 3 * -1e-3, rel=1e-2)  # the last, not the best


def test_direction_of_the_score() -> None:
    assert run([1.0, 3.0, 2.0], Plateau(max_epochs=3), higher=True).best_epoch == 1


def test_equal_scores_are_told_apart_by_the_monitored_value() -> None:
    pairs = iter([(3.0, 0.9), (1.0, 0.9), (2.0, 0.9), (1.0, 0.9)])

    def validate(model: nn.Module) -> tuple[float, float]:
        return next(pairs)

    assert fit_to_plateau(Scripted(), batches, slope, Plateau(max_epochs=4), validate, True).best_epoch == 1


def test_time_limit() -> None:
    assert run([1.0] * 9, Plateau(max_epochs=9, max_seconds=1e-9)).stopped == "time"


def test_published_accumulation_steps_after_the_first_and_drops_the_rest() -> None:
    seen: list[float] = []

    model = Scripted()

    def six(epoch: int) -> Iterator[float]:
        for value in range(1, 7):
            seen.append(float(model.weight.detach()))
            yield float(value)

    fit_to_plateau(model, six, slope, Plateau(max_epochs=1, accumulate=4), follow([1.0]), False)
    moved = [b != a for a, b in itertools.pairwise(seen)]
    # a step after batch 1 and after batch 5; batch 6 has none
    assert moved == [True, False, False, False, True]
    assert float(model.weight.detach()) == seen[-1]


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_validation_that_is_not_finite_is_named(value: float) -> None:
    with pytest.raises(TrainingError, match="epoch 2: validation"):
        run([1.0, value], Plateau(max_epochs=3))


def test_nothing_to_train_and_no_batches() -> None:
    with pytest.raises(TrainingError, match="no trainable parameters"):
        fit_to_plateau(nn.ReLU(), batches, slope, Plateau(), follow([]), False)
    with pytest.raises(TrainingError, match="no batches"):
        fit_to_plateau(Scripted(), lambda epoch: iter(()), slope, Plateau(), follow([]), False)


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"lr": 0.0}, "lr"), ({"factor": 1.0}, "factor"), ({"patience": -1}, "patience"),
        ({"max_seconds": 0.0}, "max_seconds"), ({"accumulate": 0}, "accumulate"),
        ({"precision": "x"}, "precision"),
    ],
    ids=["lr", "factor", "patience", "seconds", "accumulate", "precision"],
)  # fmt: skip
def test_wrong_settings_are_named(wrong: dict[str, float], word: str) -> None:
    with pytest.raises(ValueError, match=word):
        Plateau(**wrong)  # type: ignore[arg-type]


def test_joined_parameters_step_as_single_ones_do() -> None:
    """Of two types; one without a gradient stays as it is; afterwards no two share memory."""
    torch.manual_seed(0)
    starts = [torch.randn(2, 3), torch.randn(4, dtype=torch.float64), torch.randn(5), torch.randn(())]
    alone, together = ([nn.Parameter(s.clone()) for s in starts] for _ in range(2))
    joined = Joined(together)
    one = torch.optim.Adam(alone, 0.1, fused=True)
    other = torch.optim.Adam(joined.wholes, 0.1, fused=True)
    for _ in range(3):
        for parameters in (alone, together):
            loss = sum((p.sin().sum() for p in parameters[:2]), parameters[3] ** 2)
            loss.backward()
        assert joined.collect() == pytest.approx(
            float(sum(p.grad.sum() for p in alone if p.grad is not None))
        )
        one.step()
        one.zero_grad()
        other.step()
    joined.part()
    for a, b, start in zip(alone, together, starts, strict=True):
        torch.testing.assert_close(a, b)
        assert b.untyped_storage().nbytes() == start.untyped_storage().nbytes()
    assert torch.equal(together[2], starts[2])
