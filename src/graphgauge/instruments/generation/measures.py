"""How two descriptions are compared: on all graphs, on halves of the reference, on half-samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from scipy.sparse import issparse

from graphgauge import distances
from graphgauge.descriptors import widened
from graphgauge.distances import Distance, Kernel
from graphgauge.instruments.generation.halves import Halves, Mask
from graphgauge.instruments.generation.settings import Settings

Array = np.ndarray[Any, Any]
# Metric's key → its value on all graphs, and (c,) values on the half-samples.
Outcome = Mapping[str, tuple[Distance, Array]]
# Most replicates of what has no quick way to many parts.
SLOW_REPLICATES = 5


# Small arrays that are dear to compute, by name: they are stored with an evaluator.
Kept = Mapping[str, Array]


class Prepared(Protocol):
    """A measure that has seen the reference: `floor` has the (c,) values between its halves."""

    @property
    def floor(self) -> Mapping[str, Array]: ...

    @property
    def kept(self) -> Kept: ...

    def score(self, x: Any, parts: Mask) -> Outcome: ...


class Measure(Protocol):
    """A way to compare two descriptions. `fewest_rows` are needed of the generated and of the reference set;
    with what an earlier preparation `kept`, the dear part of it is not done again."""

    def fewest_rows(self, settings: Settings) -> tuple[int, int]: ...

    def prepare(self, y: Any, halves: Halves, settings: Settings, kept: Kept | None = None) -> Prepared: ...


def as_kept(floor: Mapping[str, Array]) -> dict[str, Array]:
    """A noise floor under names of its own."""
    return {f"floor.{key}": values for key, values in floor.items()}


def kept_floor(kept: Kept) -> dict[str, Array]:
    """The noise floor among what was kept."""
    return {name.removeprefix("floor."): kept[name] for name in kept if name.startswith("floor.")}


def rows_of(x: Any, mask: Mask) -> Any:
    """The rows of an array, of every array of a dict, or of a sparse matrix."""
    if isinstance(x, Mapping):
        return {name: rows[mask] for name, rows in x.items()}
    return x[np.flatnonzero(mask)]


# ── any distance: once for every replicate ─────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Each:
    """A distance that is computed anew for every part.

    Parameters
    ----------
    distance : (x, y, settings) → key → Distance
    fewest : rows that it needs on each side
    replicates : at most so many; a slow one takes fewer
    """

    distance: Callable[[Any, Any, Settings], Mapping[str, Distance]]
    fewest: int = 1
    replicates: int | None = None

    def fewest_rows(self, settings: Settings) -> tuple[int, int]:
        return self.fewest, self.fewest

    def prepare(self, y: Any, halves: Halves, settings: Settings, kept: Kept | None = None) -> Prepared:
        return _EachPrepared(self, y, halves, settings, kept)

    def over(self, x: Any, in_x: Mask, y: Any, in_y: Mask, settings: Settings) -> dict[str, Array]:
        """The values of every replicate whose parts are large enough: key → (c,)."""
        count = min(in_x.shape[1], self.replicates or in_x.shape[1])
        found = [
            self.distance(rows_of(x, in_x[:, r]), rows_of(y, in_y[:, r]), settings)
            for r in range(count)
            if min(in_x[:, r].sum(), in_y[:, r].sum()) >= self.fewest
        ]
        keys = found[0] if found else ()
        return {key: np.array([float(one[key]) for one in found]) for key in keys}


class _EachPrepared:
    def __init__(self, measure: Each, y: Any, halves: Halves, settings: Settings, kept: Kept | None) -> None:
        self.measure, self.y, self.halves, self.settings = measure, y, halves, settings
        self.floor = measure.over(y, halves.a, y, halves.b, settings) if kept is None else kept_floor(kept)
        self.kept = as_kept(self.floor)

    def score(self, x: Any, parts: Mask) -> Outcome:
        whole = self.measure.distance(x, self.y, self.settings)
        some = self.measure.over(x, parts, self.y, self.halves.b, self.settings)
        return {key: (value, some.get(key, np.zeros(0))) for key, value in whole.items()}


# ── MMD: every kernel value serves all parts ───────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class MMD:
    """Squared MMD under a kernel, which sees every pair of rows once for all parts.

    Parameters
    ----------
    kernel : settings → kernel
    estimator : in place of the one of the settings
    """

    kernel: Callable[[Settings], Kernel]
    estimator: str | None = None

    def fewest_rows(self, settings: Settings) -> tuple[int, int]:
        """The unbiased estimate needs pairs on each side, a bandwidth of the reference pairs of it."""
        if (self.estimator or settings.estimator) == "unbiased":
            return 2, 2
        return 1, 2 if self.kernel(settings).parameters.get("rule") == "ten_reference" else 1

    def prepare(self, y: Any, halves: Halves, settings: Settings, kept: Kept | None = None) -> Prepared:
        kernel, estimator = self.kernel(settings), self.estimator or settings.estimator
        fewest = max(self.fewest_rows(settings))
        if settings.random_features and kernel.name == "rbf":
            each = Each(lambda x, y, s: {"": _approximate(x, y, kernel, estimator, s)}, fewest)
            return each.prepare(y, halves, settings, kept)
        if kernel.parameters.get("rule") in NEEDS_BOTH:
            each = Each(lambda x, y, s: {"": distances.mmd(x, y, kernel, estimator)}, fewest)
            return each.prepare(y, halves, settings, kept)
        return _MMDPrepared(y, kernel, estimator, halves, kept)


def _approximate(x: Any, y: Any, kernel: Kernel, estimator: str, settings: Settings) -> Distance:
    """The estimate from random features, with its standard error in the definition."""
    found = distances.mmd_approximate(
        x, y, kernel, estimator, features=settings.random_features, seed=settings.seed
    )
    error = float(found.extra["standard_error"])
    return replace(found, definition={**found.definition, "standard error": error})


# Bandwidth rules that look at both samples: nothing can be prepared for them.
NEEDS_BOTH = ("ten", "ten_all_pairs", "median")


class _MMDPrepared:
    def __init__(self, y: Any, kernel: Kernel, estimator: str, halves: Halves, kept: Kept | None) -> None:
        parts = (halves.a, halves.b) if halves.count else None
        self.reference = distances.anchor(y, kernel, parts, kept)
        self.kept: Kept = self.reference.energies
        self.estimator, self.halves = estimator, halves
        enough = halves.count and (estimator == "biased" or halves.size > 1)
        self.floor = {"": self.reference.floor(estimator)} if enough else {}

    def score(self, x: Any, parts: Mask) -> Outcome:
        if issparse(x) and x.shape[1] > self.reference.y.shape[1]:  # the vocabulary has grown since
            wider = widened(self.reference.y, x.shape[1])
            self.reference = replace(self.reference, y=wider)
        value, some = self.reference.mmd(x, parts if self.floor else None, self.estimator)
        return {"": (value, some)}


# ── precision, recall, density, coverage: near neighbours serve all parts ──────────────────────────────────


@dataclass(frozen=True)
class Neighbours:
    """All six of `graphgauge.distances.prdc` at once."""

    def fewest_rows(self, settings: Settings) -> tuple[int, int]:
        return settings.k + 1, settings.k + 1

    def prepare(self, y: Any, halves: Halves, settings: Settings, kept: Kept | None = None) -> Prepared:
        return _NeighboursPrepared(y, halves, settings, kept)


# Isomorphic graphs are embedded equally up to rounding; on this grid they are equal.
RESOLUTION = 1e-9


class _NeighboursPrepared:
    def __init__(self, y: Array, halves: Halves, settings: Settings, kept: Kept | None) -> None:
        options: dict[str, Any] = {"ties": settings.ties, "resolution": RESOLUTION}
        self.enough = halves.count > 0 and halves.size > settings.k
        others = halves.b if self.enough else halves.b[:, :0]
        whole = np.ones((len(y), 1), dtype=bool)
        self.known = distances.reference_balls(y, settings.k, parts=np.hstack([whole, others]), **options)
        if kept is not None:
            self.floor = kept_floor(kept)
        elif self.enough:
            self.floor = distances.prdc_parts(y, y, halves.a, halves.b, settings.k, **options)
        else:
            self.floor = {}
        self.kept = as_kept(self.floor)

    def score(self, x: Array, parts: Mask) -> Outcome:
        return distances.prdc_with_parts(x, self.known, parts if self.enough else parts[:, :0])
