"""What was found → Rows, each with its definition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import rankdata

from graphgauge.distances import Distance
from graphgauge.graphs.sources import Source
from graphgauge.instruments.generation.checks import UNCHECKED
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
HALF_WINS, SEED_WINS = "best in half-samples", "best over networks"

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
    first = next(iter(found.values.values()))
    about = f"{metric.about}{_details(first)}"
    own: dict[str, Any] = {"needs": metric.needs}
    if name == "valid" and not checked(params, generated):
        own["checked"] = False
        about = f"{about} Nothing was checked: no validity check was chosen, and all graphs could be read."
    shared: dict[str, Any] = {
        **common, "metric": name, "unit": metric.unit, "higher_is_better": metric.higher_is_better,
        "params": {**params, **own}, "seconds": found.seconds,
    }  # fmt: skip
    for seed, value in found.values.items():
        yield Row(
            value=float(value), definition=about, n=len(generated.graphs), seed=seed, split=ALL, **shared
        )
    for split, replicates, what in ((HALF, found.half, _HALF), (FLOOR, found.floor, _FLOOR)):
        if replicates.size:
            mean = replicates.mean(axis=0)
            ends = {"lowest": float(mean.min()), "highest": float(mean.max())}
            yield Row(
                value=float(mean.mean()), definition=f"{about} {what}", n=mean.size, seed=min(found.values),
                split=split, spread=float(mean.std(ddof=1)), **{**shared, "params": shared["params"] | ends},
            )  # fmt: skip


def checked(params: Mapping[str, Any], generated: Source) -> bool:
    """Whether a graph could have been invalid: by the check that was chosen, as a text that is no molecule,
    or because some could not be read indeed."""
    graphs = generated.graphs
    molecules = "node_type" in graphs.node and "edge_type" in graphs.edge
    return params["valid"] != UNCHECKED or molecules or generated.listed > len(graphs)


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


# A mean over so many networks is looked at, and the share of it from which on one network is named.
FEWEST_NETWORKS, MOST_OF_MEAN = 3, 0.5


def dominated(found: Mapping[str, Found]) -> str:
    """Which distances are for the most part those of one random network, in words; "" for none.

    Distances between embeddings grow with powers of a network's gain, which differs between random networks
    by orders of magnitude. Only where the set is further off than the reference from itself (half-samples
    above the noise floor of that network): else the mean is chance anyway.
    """
    parts = []
    for name, one in found.items():
        values = np.array([float(value) for value in one.values.values()])
        size = np.abs(values)
        if METRICS[name].higher_is_better or len(values) < FEWEST_NETWORKS or not np.isfinite(size).all():
            continue
        top = int(size.argmax())
        # unbiased estimates may be far below zero as well as above
        above = not one.floor.size or abs(one.half[top].mean()) > abs(one.floor[top].mean())
        if above and size[top] > MOST_OF_MEAN * size.sum():
            share = f"network {list(one.values)[top]} has {100 * size[top] / size.sum():.0f} % of the sum"
            middle = f"mean {_short(float(values.mean()))}, median {_short(float(np.median(values)))}"
            parts.append(f"{name} ({share}; {middle})")
    return f"one random network makes most of the mean of {', '.join(parts)}" if parts else ""


def rank_rows(rows: Sequence[Row], found: Mapping[str, Mapping[str, Found]]) -> list[Row]:
    """The ranks of several sets by every metric that all of them have, and how often each is the best."""
    names = [name for name in METRICS if all(name in one for one in found.values())]
    return [
        row for name in names for row in _rank_rows(name, rows, {s: one[name] for s, one in found.items()})
    ]


def _rank_rows(name: str, rows: Sequence[Row], found: Mapping[str, Found]) -> Iterator[Row]:
    higher = METRICS[name].higher_is_better
    halves = ranks([_rankings(one) for one in found.values()], higher)
    whole = ranks([[float(value) for value in one.values.values()] for one in found.values()], higher)
    for place, subject in enumerate(found):
        like = next(r for r in rows if r.subject == subject and r.metric == name and r.split == ALL)
        of = f"among {len(found)} generated sets by this metric"
        yield _rank_row(like, RANK, halves[place], f"Mean rank {of}, 1 the best (ties share theirs), {_OVER}")
        wins = best(halves)[place]
        yield _rank_row(like, HALF_WINS, wins, f"Share of rankings {of} that it wins (ties share), {_OVER}")
        if whole.shape[1] > 1:
            text = f"Share of random networks for which it is the best {of}, by values on all graphs"
            yield _rank_row(like, SEED_WINS, best(whole)[place], text)


_OVER = "over all networks and half-samples (values on all graphs where there are none)"


def ranks(values: Sequence[Sequence[float] | Array], higher_is_better: bool) -> Array:
    """(sets, rankings) values → mean ranks of ties, 1 the best, in every ranking.

    >>> ranks([[0.1, 0.3], [0.2, 0.3]], higher_is_better=False).tolist()
    [[1.0, 1.5], [2.0, 1.5]]
    """
    table = np.asarray(np.stack([np.asarray(row, dtype=np.float64) for row in values]))
    return np.asarray(rankdata(-table if higher_is_better else table, axis=0))


def best(ranks: Array) -> Array:
    """(sets, rankings): the share of the first place that each set has.

    >>> best(np.array([[1.0, 1.5], [2.0, 1.5]])).tolist()
    [[1.0, 0.5], [0.0, 0.5]]
    """
    first = ranks == ranks.min(axis=0)
    return np.asarray(first / first.sum(axis=0))


def _rankings(found: Found) -> Array:
    """Values that are ranked: all half-samples, or the whole values where there are none."""
    if found.half.size:
        return found.half.reshape(-1)
    return np.array([float(value) for value in found.values.values()])


def _rank_row(like: Row, split: str, values: Array, text: str) -> Row:
    return replace(
        like,
        value=float(values.mean()),
        unit="rank" if split == RANK else "fraction",
        higher_is_better=split != RANK,
        definition=f"{text}; spread is the standard deviation. {like.definition}",
        n=values.size,
        spread=float(values.std(ddof=1)) if values.size > 1 else None,
        split=split,
    )
