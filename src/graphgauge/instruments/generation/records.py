"""What was found → Rows, each with its definition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from graphgauge.distances import Distance
from graphgauge.graphs.sources import Source
from graphgauge.instruments.generation.labels import Columns
from graphgauge.instruments.generation.measures import Array
from graphgauge.instruments.generation.metrics import METRICS
from graphgauge.instruments.generation.reference import Found
from graphgauge.rows import Row
from graphgauge.specs import Spec
from graphgauge.versions import versions

if TYPE_CHECKING:
    from graphgauge.instruments.generation.evaluator import Evaluator

ALL, HALF, FLOOR, RANK = "all", "half-samples", "reference halves", "rank"

# Numbers in a distance's definition that stand elsewhere in a row, or are said in words.
_ELSEWHERE = ("n", "m", "of", "seed")


def make_rows(
    evaluator: Evaluator, generated: Source, columns: Columns, found: Mapping[str, Found], half: int
) -> list[Row]:
    """Rows of one generated set."""
    params: dict[str, Any] = {
        "reference": evaluator.source.name,
        "reference_hash": evaluator.reference.content_hash,
        "generated_hash": generated.graphs.content_hash,
        "reference_graphs": len(evaluator.reference),
        "generated_graphs": len(generated.graphs),
        "listed": generated.listed,
        "half_graphs": half,
        "node_labels": columns.node,
        "edge_labels": columns.edge,
        "valid": evaluator.check.name,
        "encoder": evaluator.encoder_name,
        **evaluator.settings.to_params(),
    }
    spec = Spec("generation", generated.name, params, evaluator.settings.seed)
    common = {
        "spec_id": spec.id, "instrument": spec.instrument, "subject": spec.subject,
        "selection": "all graphs", "data_hash": generated.graphs.content_hash, "versions": versions(),
    }  # fmt: skip
    rows = [row for name, one in found.items() for row in _rows(name, one, params, common, generated)]
    return rows


def _rows(
    name: str, found: Found, params: Mapping[str, Any], common: Mapping[str, Any], generated: Source
) -> Iterator[Row]:
    metric = METRICS[name]
    shared: dict[str, Any] = {
        **common, "metric": name, "unit": metric.unit, "higher_is_better": metric.higher_is_better,
        "params": {**params, "needs": metric.needs}, "seconds": found.seconds,
    }  # fmt: skip
    first = next(iter(found.values.values()))
    about = f"{metric.about}{_details(first)}"
    for seed, value in found.values.items():
        yield Row(
            value=float(value), definition=about, n=len(generated.graphs), seed=seed, split=ALL, **shared
        )
    for split, replicates, what in ((HALF, found.half, _HALF), (FLOOR, found.floor, _FLOOR)):
        if replicates.size:
            mean = replicates.mean(axis=0)
            yield Row(
                value=float(mean.mean()), definition=f"{about} {what}", n=mean.size, seed=min(found.values),
                split=split, spread=float(mean.std(ddof=1)), **shared,
            )  # fmt: skip


_HALF = (
    "Mean over random parts of the generated graphs, each against a random half of the reference; spread is "
    "the standard deviation over them."
)
_FLOOR = (
    "Noise floor: mean over pairs of disjoint parts of the reference, of the sizes of the half-samples; "
    "spread is the standard deviation over them."
)


def _details(value: Distance) -> str:
    """The numbers that belong to the definition, such as the bandwidth."""
    parts = [f"{key} {_short(item)}" for key, item in value.definition.items() if key not in _ELSEWHERE]
    return f" ({', '.join(parts)})" if parts else ""


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def rank_rows(rows: Sequence[Row], found: Mapping[str, Mapping[str, Found]]) -> list[Row]:
    """The ranks of several sets by every metric that all of them have, over networks and half-samples."""
    names = [name for name in METRICS if all(name in one for one in found.values())]
    out = []
    for name in names:
        ranks = _ranks([one[name] for one in found.values()], METRICS[name].higher_is_better)
        for subject, own in zip(found, ranks, strict=True):
            like = next(r for r in rows if r.subject == subject and r.metric == name and r.split == ALL)
            out.append(_rank_row(like, own, len(found)))
    return out


def _ranks(found: Sequence[Found], higher_is_better: bool) -> Array:
    """(sets, rankings): mean ranks of ties, 1 the best, in every network's every half-sample."""
    from scipy.stats import rankdata

    values = np.stack([_rankings(one) for one in found])
    return np.asarray(rankdata(-values if higher_is_better else values, axis=0))


def _rankings(found: Found) -> Array:
    """Values that are ranked: all half-samples, or the whole values where there are none."""
    if found.half.size:
        return found.half.reshape(-1)
    return np.array([float(value) for value in found.values.values()])


def _rank_row(like: Row, ranks: Array, sets: int) -> Row:
    from dataclasses import replace

    return replace(
        like,
        value=float(ranks.mean()),
        unit="rank",
        higher_is_better=False,
        definition=f"Mean rank among {sets} generated sets by this metric, 1 the best, over all networks and "
        f"half-samples (ties share their mean rank); spread is the standard deviation. {like.definition}",
        n=ranks.size,
        spread=float(ranks.std(ddof=1)) if ranks.size > 1 else None,
        split=RANK,
    )
