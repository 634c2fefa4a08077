"""One Spec → Rows: train on one fold with one seed, judge the last and the best model on all parts."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import torch
from torch import nn

from graphgauge.budget import count_parameters
from graphgauge.graphs import Task
from graphgauge.graphs.file_task import read_task
from graphgauge.instruments.supervised.baselines import baseline_rows
from graphgauge.instruments.supervised.feeds import Feed, Judged
from graphgauge.instruments.supervised.judged import BEST, LAST, common_of, judged_rows
from graphgauge.instruments.supervised.recipes import Recipe
from graphgauge.instruments.supervised.settings import Settings
from graphgauge.rows import Row
from graphgauge.scores import SCORES
from graphgauge.specs import Spec
from graphgauge.training import PlateauHistory, TrainingError, fit_to_plateau

# What a run tells beside scores: metric → unit, definition.
COUNTS = {
    "parameters": ("parameters", "Trainable parameters, shared ones counted once."),
    "epochs": ("epochs", "Epochs that were trained."),
    "best_epoch": (
        "epochs",
        "Epoch with the best score on validation, of equals the least loss; from 1.",
    ),
    "epoch_seconds": ("seconds", "Mean wall time of a training epoch, validation not included."),
    "total_seconds": ("seconds", "Wall time of the run: training and validation of all epochs."),
    "peak_memory": ("bytes", "Largest resident memory of the process that trained."),
}


@dataclass(frozen=True)
class Runner:
    """Runs one Spec of this instrument in any process.

    Parameters
    ----------
    recipes : key → model to train
    files : content hash of a task → its file
    """

    recipes: Mapping[str, Recipe]
    files: Mapping[str, Path]

    def __call__(self, spec: Spec, tell: Callable[[float, str], None]) -> list[Row]:
        params = spec.params
        task = stored_task(str(self.files[params["task_hash"]]))
        if params.get("baseline"):
            return baseline_rows(task, spec)
        recipe = self.recipes[params["recipe"]]
        settings = Settings.from_params(params)
        start = time.perf_counter()
        net = recipe.fresh(task, spec.seed, settings.dropout or 0.0).to(settings.device)
        feed = recipe.feed(task, int(params["fold"]), settings, spec.seed)
        history = train(net, feed, task, settings, recipe, spec.seed, tell)
        seconds = time.perf_counter() - start
        found = {LAST: judge(net, feed)}
        net.load_state_dict(history.best_state)
        found[BEST] = judge(net, feed)
        return make_rows(spec, task, found, counts(net, history, seconds), history)


@lru_cache(maxsize=2)
def stored_task(path: str) -> Task:
    """A task from its file, once in a process: its runs follow one another."""
    return read_task(path)


def train(
    net: nn.Module,
    feed: Feed,
    task: Task,
    settings: Settings,
    recipe: Recipe,
    seed: int,
    tell: Callable[[float, str], None] = lambda done, text: None,
) -> PlateauHistory:
    """Train in place by the protocol of paper B."""
    score = SCORES[task.score]
    follows_score = (
        task.split_over == "links"
    )  # as the published code of link prediction (its text: the loss)

    def validate(model: nn.Module) -> tuple[float, float]:
        found = feed.judge(model, "val")
        return (found.score if follows_score else found.loss), found.score

    def after_epoch(history: PlateauHistory) -> None:
        done = len(history.scores) / max(settings.max_epochs or 1, 1)
        tell(
            min(done, 1.0),
            f"epoch {len(history.scores)}, rate {history.rates[-1]:.1e}, loss {history.losses[-1]:.3f}, "
            f"validation {task.score} {history.scores[-1]:.3f}",
        )

    accumulate = recipe.gathered(task, settings)
    schedule = settings.plateau(score.higher_is_better and follows_score, accumulate)
    try:
        return fit_to_plateau(
            net, feed.batches, feed.loss, schedule, validate, score.higher_is_better, after_epoch
        )
    except (TrainingError, ValueError) as error:
        raise TrainingError(f"model {recipe.name!r} on {task.name}, seed {seed}: {error}") from error


def judge(net: nn.Module, feed: Feed) -> dict[str, Judged]:
    """Every part of the split, by the model as it is."""
    net.eval()
    with torch.no_grad():
        return {part: feed.judge(net, part) for part in ("train", "val", "test")}


def counts(net: nn.Module, history: PlateauHistory, seconds: float) -> dict[str, float]:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "parameters": float(count_parameters(net)),
        "epochs": float(len(history.losses)),
        "best_epoch": float(history.best_epoch + 1),
        "epoch_seconds": sum(history.seconds) / max(len(history.seconds), 1),
        "total_seconds": seconds,
        "peak_memory": float(peak * (1 if sys.platform == "darwin" else 1024)),
    }


def make_rows(
    spec: Spec,
    task: Task,
    found: Mapping[str, Mapping[str, Judged]],
    numbers: Mapping[str, float],
    history: PlateauHistory,
) -> list[Row]:
    """Score and loss of every part under both rules of selection, and what the run took."""
    common = common_of(spec, numbers["total_seconds"])
    rows = []
    for selection, parts in found.items():
        for part, judged in parts.items():
            rows += judged_rows(task, judged, common, part, selection)
    for name, value in numbers.items():
        unit, definition = COUNTS[name]
        if name == "epochs":
            definition += f" Training ended by its {history.stopped}."
        rows.append(
            Row(
                metric=name, value=value, unit=unit, higher_is_better=None, definition=definition, n=1,
                split="train", selection=LAST, **common,
            )
        )  # fmt: skip
    return rows
