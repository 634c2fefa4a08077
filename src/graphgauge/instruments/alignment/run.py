"""One Spec → Rows: train on the training pairs, evaluate the final model on the validation pairs."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn

from graphgauge.budget import count_parameters
from graphgauge.graphs import Pairs
from graphgauge.instruments.alignment.evaluation import Facts, predict, score
from graphgauge.instruments.alignment.metrics import METRICS
from graphgauge.instruments.alignment.settings import Settings
from graphgauge.instruments.alignment.siamese import SiameseLoss
from graphgauge.instruments.alignment.subjects import Subject
from graphgauge.perturb import read_pairs
from graphgauge.rows import Row
from graphgauge.specs import Spec
from graphgauge.training import TrainingError, fit
from graphgauge.versions import versions

# Share of the progress bar that training takes.
TRAINING = 0.9


@dataclass(frozen=True)
class Runner:
    """Runs one Spec of this instrument in any process.

    Parameters
    ----------
    subjects : model name → how to build it
    files : content hash of a pair set → its file
    """

    subjects: Mapping[str, Subject]
    files: Mapping[str, Path]

    def __call__(self, spec: Spec, tell: Callable[[float, str], None]) -> list[Row]:
        settings = Settings.from_params(spec.params)
        train, val = (read_pairs(self.files[spec.params[f"{split}_hash"]]) for split in ("train", "val"))
        subject = self.subjects[spec.subject]
        model = subject.fresh(spec.seed).to(settings.device)
        trained = train_encoder(model, train.to(settings.device), settings, spec.seed, subject.name, tell)
        start = time.perf_counter()
        found = predict(
            model,
            val,
            settings.batch_size,
            subject.name,
            settings.device,
            tell=lambda done: tell(TRAINING + (1 - TRAINING) * done, "matching"),
        )
        values = score(val, found, Facts.of(val))
        numbers = {
            "loss": found.loss,
            "parameters": float(count_parameters(model)),
            "train_seconds": trained,
            "eval_seconds": time.perf_counter() - start,
        }
        return make_rows(spec, val, values, numbers, settings)


def train_encoder(
    model: nn.Module,
    pairs: Pairs,
    settings: Settings,
    seed: int,
    subject: str = "model",
    tell: Callable[[float, str], None] = lambda done, text: None,
) -> float:
    """Siamese training in place (paper A, section 3 and appendix C); returns the seconds it took."""
    start = time.perf_counter()
    net = cast(nn.Module, torch.compile(model, dynamic=True)) if settings.compile else model

    def batches(epoch: int) -> Iterator[Pairs]:
        order = np.random.default_rng([seed, epoch]).permutation(len(pairs))
        for first in range(0, len(pairs), settings.batch_size):
            yield pairs[order[first : first + settings.batch_size]]

    def after_epoch(done: int, loss: float) -> None:
        tell(TRAINING * done / settings.epochs, f"epoch {done}/{settings.epochs}, loss {loss:.3f}")

    steps = math.ceil(len(pairs) / settings.batch_size)
    try:
        fit(
            net,
            batches,
            SiameseLoss(subject, settings.embedding_width),
            steps,
            settings.schedule(),
            after_epoch,
        )
    except TrainingError as error:
        raise TrainingError(f"model {subject!r}, seed {seed}: {error}") from None
    return time.perf_counter() - start


def make_rows(
    spec: Spec, val: Pairs, values: Mapping[str, Tensor], numbers: Mapping[str, float], settings: Settings
) -> list[Row]:
    """Rows of all metrics: per-pair values become mean, spread and count."""
    seconds = numbers["train_seconds"] + numbers["eval_seconds"]
    common: dict[str, Any] = {
        "spec_id": spec.id,
        "instrument": spec.instrument,
        "subject": spec.subject,
        "seed": spec.seed,
        "split": "validation",
        "selection": "final",
        "seconds": seconds,
        "data_hash": val.content_hash,
        "params": dict(spec.params),
        "versions": versions(settings.device),
    }
    rows = []
    for name, per_pair in values.items():
        kept = per_pair[~per_pair.isnan()]
        n = kept.numel()
        value, spread = (float(kept.mean()), float(kept.std()) if n > 1 else None) if n else (math.nan, None)
        rows.append(_row(name, value, spread, n, common))
    counts = {"loss": val.left.num_nodes}
    rows += [_row(name, value, None, counts.get(name, 1), common) for name, value in numbers.items()]
    return rows


def _row(name: str, value: float, spread: float | None, n: int, common: Mapping[str, Any]) -> Row:
    metric = METRICS[name]
    return Row(
        metric=name,
        value=value,
        spread=spread,
        n=n,
        unit=metric.unit,
        higher_is_better=metric.higher_is_better,
        definition=metric.definition,
        **common,
    )
