"""What a reader has to know to understand the supervised table."""

from __future__ import annotations

import math
from collections.abc import Sequence

from graphgauge.report.formats import BEST, MARKS, TIED
from graphgauge.report.supervised.columns import Column
from graphgauge.report.supervised.lines import BEST_VAL, LAST, Line, labels
from graphgauge.report.supervised.runs import FOLDS_FIRST

PAPER = "Dwivedi et al., Benchmarking Graph Neural Networks, JMLR 24 (2023)"
RULES = {
    LAST: "the model after the last epoch, as published",
    BEST_VAL: "the model of the epoch with the best score on validation, not as published",
}
BATCHED = ("mae", "class_accuracy", "f1")  # the paper's code averages these over batches


def general(lines: Sequence[Line], names: set[str]) -> list[str]:
    """Notes on the columns `names`, once under the last table."""
    texts = [
        f"test, train: of {_rule(lines)}; mean ± standard deviation over n runs (folds × seeds).",
        *_paper(lines, names),
    ]
    if "times" in names:
        texts.append("time: of one epoch of training, and of a run.")
    if names & {"best_test", "best_train", "best_val"}:
        texts.append("best val: of the model of the epoch with the best score on validation.")
    edges, encoded = (any(x.params[n] for x in lines) for n in ("edge_features", "encoding"))
    texts += ["-E: with edge features."] if edges else []
    texts += [_encodings(lines)] if encoded else []
    if any(line.mark for line in lines):
        near = "within one pooled standard deviation of it"
        texts.append(f"{MARKS[BEST]} best test score of a task; {MARKS[TIED]} {near}.")
    return texts


def _rule(lines: Sequence[Line]) -> str:
    """How the shown models were chosen; lines of another rule are named under their table."""
    return RULES.get(LAST if any(line.selection == LAST for line in lines) else BEST_VAL, "")


def _encodings(lines: Sequence[Line]) -> str:
    found = sorted({str(line.params["encoding"]) for line in lines if line.params["encoding"]})
    return f"-PE: with a positional encoding ({', '.join(found)})."


def _paper(lines: Sequence[Line], names: set[str]) -> list[str]:
    found = [line for line in lines if line.published]
    if "published" not in names or not found:
        return []
    tables = sorted({line.published.table for line in found if line.published})
    of = f"table{'s' if len(tables) > 1 else ''} {', '.join(map(str, tables))}"
    texts = [f"paper: {PAPER}, {of}: the same model, budget and layers."]
    batched = sorted({line.score for line in found} & {*BATCHED})
    if batched:
        averaged = ", ".join(batched)
        texts.append(f"The paper's code averages {averaged} over batches; ours are over all of the part.")
    if "difference" in names:
        texts.append("diff.: ours − paper in pooled standard deviations, √((sd² + sd²) / 2).")
    return texts


def specific(block: Sequence[Line], columns: Sequence[Column]) -> list[str]:
    """Notes on one task, under its table."""
    names = {column.name for column in columns}
    return [
        *(f"Data: {note}" for note in sorted({note for line in block for note in line.notes})),
        *(_not_comparable(block) if "published" in names else []),
        *_without_published(block),
        *_averaged(block),
        *_other_rules(block),
        *_hashes(block),
        *_no_better(block),
    ]


def _not_comparable(block: Sequence[Line]) -> list[str]:
    """Reasons of the daggers."""
    found = {
        label: line.comparable.reasons
        for label, line in zip(labels(block), block, strict=True)
        if line.published and not line.comparable
    }
    return [f"† not comparable with the paper: {_grouped(found, len(block))}."] if found else []


def _without_published(block: Sequence[Line]) -> list[str]:
    """Why a value that the paper has is not shown."""
    found = {
        label: line.comparable.reasons
        for label, line in zip(labels(block), block, strict=True)
        if line.comparable.smaller
    }
    return (
        [f"Not comparable with the paper, whose values are not shown: {_grouped(found, len(block))}."]
        if found
        else []
    )


def _grouped(reasons: dict[str, tuple[str, ...]], total: int) -> str:
    """
    >>> _grouped({"gin": ("4 of 5 folds",), "gat": ("4 of 5 folds",)}, 3)
    '4 of 5 folds (gin, gat)'
    """
    by_reason: dict[str, list[str]] = {}
    for label, own in reasons.items():
        by_reason.setdefault(", ".join(own), []).append(label)
    if len(by_reason) == 1 and len(reasons) == total:
        return next(iter(by_reason))
    return "; ".join(f"{reason} ({', '.join(found)})" for reason, found in by_reason.items())


def _averaged(block: Sequence[Line]) -> list[str]:
    if block[0].dataset not in FOLDS_FIRST or not any(x.test and x.test.folds > 1 for x in block):
        return []
    return ["± over the folds of a seed, pooled over seeds; the mean is over folds, then over seeds."]


def _other_rules(block: Sequence[Line]) -> list[str]:
    """Models that were chosen otherwise than the note on all of them says."""
    rules = {line.selection for line in block if not line.is_baseline}
    if len(rules) < 2:
        return []
    found: dict[str, list[str]] = {}
    for label, line in zip(labels(block), block, strict=True):
        if line.selection != LAST and not line.is_baseline:
            found.setdefault(line.selection, []).append(label)
    return [f"⚠ {', '.join(own)}: the model by the rule {rule!r}." for rule, own in sorted(found.items())]


def _hashes(block: Sequence[Line]) -> list[str]:
    """Models without an encoding that were run on unlike data."""
    plain = {line.data for line in block if line.data and not line.params["encoding"]}
    if len(plain) < 2:
        return []
    return [f"⚠ these lines stand on different data: {', '.join(sorted(h[:8] for h in plain))}."]


def _no_better(block: Sequence[Line]) -> list[str]:
    """Models that a baseline beats or equals."""
    sign = 1.0 if block[0].higher_is_better else -1.0
    known = [(label, x) for label, x in zip(labels(block), block, strict=True) if not math.isnan(x.mean)]
    baselines = [(label, x) for label, x in known if x.is_baseline]
    if not baselines:
        return []
    name, best = max(baselines, key=lambda pair: sign * pair[1].mean)
    beaten = [label for label, x in known if not x.is_baseline and sign * x.mean <= sign * best.mean]
    return [f"⚠ no better than the baseline {name}: {', '.join(beaten)}."] if beaten else []
