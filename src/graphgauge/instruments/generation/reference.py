"""A reference seen through one lens: everything about it that is computed once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphgauge.distances import Distance
from graphgauge.distances.scaling import ROUNDING, standardise_by
from graphgauge.graphs.errors import TooLargeError
from graphgauge.instruments.generation.halves import Halves, half_samples, halves
from graphgauge.instruments.generation.measures import Array, Kept, Measure, Outcome, Prepared
from graphgauge.instruments.generation.metrics import METRICS, Choice, Metric
from graphgauge.instruments.generation.views import VIEWS, Described, Lens, Side


@dataclass(frozen=True)
class Found:
    """One metric of one generated set.

    Parameters
    ----------
    values : seed of the network → value on all graphs
    half : (seeds, c) values between half-samples of the generated set and halves of the reference
    floor : (seeds, c) values between halves of the reference
    seconds : that the metric took, not what it shares with others
    """

    values: Mapping[int, Distance]
    half: Array
    floor: Array
    seconds: float


class Reference:
    """A reference set as one lens shows it, with what its metrics have prepared."""

    def __init__(self, side: Side, lens: Lens, known: Mapping[str, Kept] | None = None) -> None:
        self.described = Described(side, lens)
        self._prepared: dict[str, Prepared] = {}
        self._known = known or {}

    def score(
        self,
        side: Side,
        choice: Choice,
        half_of: int | None = None,
        tell: Callable[[str], None] = lambda text: None,
    ) -> Iterator[tuple[str, Found | str]]:
        """Every wanted metric: what was found, or why it was left out."""
        parts = self.halves(len(side.graphs), half_of)
        generated = Described(side, self.described.lens)
        outcomes: dict[tuple[Any, ...], Outcome] = {}
        for name in choice.wanted:
            tell(name)
            result: Found | str | None = self.obstacle(METRICS[name], side)
            try:
                result = result or self._found(METRICS[name], generated, parts, outcomes)
            except TooLargeError as error:
                result = str(error)
            if isinstance(result, str) and name in choice.named:
                raise ValueError(f"{name}: {result}")
            yield name, result

    def obstacle(self, metric: Metric, side: Side) -> str | None:
        """Why the metric cannot be computed for this set; None where it can."""
        sizes = len(side.graphs), len(self.described.side.graphs)
        fewest = metric.measure.fewest_rows(self.described.lens.settings)
        if any(size < needed for size, needed in zip(sizes, fewest, strict=True)):
            return (
                f"it needs at least {fewest[0]} generated and {fewest[1]} reference graphs, there are "
                f"{sizes[0]} and {sizes[1]}"
            )
        if metric.group == "molecules" and not all(
            "node_type" in s.graphs.node and "edge_type" in s.graphs.edge for s in (side, self.described.side)
        ):
            return "it is for molecules, sets with the columns of SMILES"
        return None

    def _found(
        self, metric: Metric, generated: Described, halves: Halves, outcomes: dict[tuple[Any, ...], Outcome]
    ) -> Found:
        start = time.perf_counter()
        settings = self.described.lens.settings
        one = not VIEWS[metric.view].seeded or self.described.lens.encoder is not None
        values, half, floor = {}, [], []
        for seed in range(1 if one else settings.seeds):
            key = (metric.view, metric.measure, seed)
            prepared = self.prepared(metric.view, metric.measure, seed, halves)
            if key not in outcomes:
                x = self._in_units(metric.view, seed, generated(metric.view, seed))
                parts = half_samples(len(generated.side.graphs), halves, settings.seed)
                outcomes[key] = prepared.score(x, parts)
            values[seed], some = outcomes[key][metric.key]
            half.append(some)
            floor.append(prepared.floor.get(metric.key, np.zeros(0)))
        return Found(values, np.stack(half), np.stack(floor), time.perf_counter() - start)

    def prepared(self, view: str, measure: Measure, seed: int, parts: Halves) -> Prepared:
        """What a measure knows of the reference."""
        key = f"{_metric_of(view, measure)}/{seed}/{parts.size}"
        if key not in self._prepared:
            y = self._in_units(view, seed, self.described(view, seed))
            settings = self.described.lens.settings
            self._prepared[key] = measure.prepare(y, parts, settings, self._known.get(key))
        return self._prepared[key]

    def kept(self) -> dict[str, Kept]:
        """What was dear to compute and need not be computed again: metric/seed/size of parts → arrays."""
        return {**self._known, **{key: prepared.kept for key, prepared in self._prepared.items()}}

    def halves(self, n: int, half_of: int | None = None) -> Halves:
        """Parts for a generated set of n graphs, or for the smallest of several sets."""
        settings = self.described.lens.settings
        fewest = n if half_of is None else min(n, half_of)
        return halves(len(self.described.side.graphs), fewest, settings.replicates, settings.seed)

    def _in_units(self, view: str, seed: int, rows: Any) -> Any:
        """Rows in the reference's mean and standard deviation, where the view asks for it."""
        if not VIEWS[view].standardised:
            return rows
        reference = self.described(view, seed)
        own, standard = standardise_by(reference, reference, rows)
        return _without_rounding(standard, own, ROUNDING * np.abs(reference).max())


def _without_rounding(rows: Array, reference: Array, size: float) -> Array:
    """Zero for what arithmetic alone leaves of columns on which the reference is constant: among equal graphs
    it would be the only difference, and a bandwidth would be made of it."""
    constant = np.abs(reference).max(axis=0) < 0.5  # a column of deviation 1 reaches 1
    return np.where(constant & (np.abs(rows) <= size), 0.0, rows)


def _metric_of(view: str, measure: Measure) -> str:
    """The first metric of a view and a measure: their name in files."""
    return next(name for name, m in METRICS.items() if m.view == view and m.measure is measure)
