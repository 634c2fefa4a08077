"""Judgements of a model, or of a trivial predictor, as Rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphgauge.graphs import Task
from graphgauge.instruments.supervised.feeds import Judged
from graphgauge.rows import Row
from graphgauge.scores import SCORES
from graphgauge.specs import Spec
from graphgauge.versions import versions

LAST, BEST = "last epoch", "best validation"


def common_of(spec: Spec, seconds: float | None) -> dict[str, Any]:
    return {
        "spec_id": spec.id,
        "instrument": spec.instrument,
        "subject": spec.subject,
        "seed": spec.seed,
        "seconds": seconds,
        "data_hash": spec.params["task_hash"],
        "params": dict(spec.params),
        "versions": versions(spec.params.get("device", "cpu")),
    }


def judged_rows(
    task: Task, judged: Judged, common: Mapping[str, Any], part: str, selection: str
) -> list[Row]:
    """Rows of one model on one part."""
    score = SCORES[task.score]
    rule = {
        LAST: "The model after the last epoch.",
        BEST: "The model of the epoch with the best score on validation, of equals the least loss.",
    }.get(selection, "No training.")
    main = {"split": part, "selection": selection, "n": judged.n, **common}
    loss = f"{task.loss} over all of the part at once"
    return [
        Row(
            metric=task.score, value=judged.score, unit=score.unit,
            higher_is_better=score.higher_is_better, definition=f"{score.definition} {rule}", **main,
        ),
        Row(
            metric="loss", value=judged.loss, unit="loss", higher_is_better=False,
            definition=f"{loss}. {rule}", **main,
        ),
        *(
            Row(
                metric=name, value=value, unit=score.unit, higher_is_better=score.higher_is_better,
                definition=f"As {task.score}: {name}. {rule}", **main,
            )
            for name, value in judged.details.items() if name != task.score
        ),
    ]  # fmt: skip
