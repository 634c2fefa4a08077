"""Precision, recall, density, coverage and their harmonic means (paper C, section 3.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from graphgauge.distances.neighbours import Balls, Frame, Members, Points, balls, meet
from graphgauge.distances.result import Distance
from graphgauge.distances.samples import Array, sample, two_samples
from graphgauge.distances.scaling import standardise_by

TOGETHER = 64  # parts that are measured together at most, so that memory grows with the rows alone

TIES = {
    "shared": "d < r, and d = r at the share with which a ball holds k of its own sample",
    "open": "d < r",
    "closed": "d ≤ r",
}


@dataclass(frozen=True)
class Reference:
    """A reference sample with its balls: what does not change from one generated sample to the next.

    Parameters
    ----------
    frame, points, balls : see `neighbours`
    size : rows of the sample
    k, ties : by which the balls were made
    of_parts : whether the balls are those of parts
    """

    frame: Frame
    points: Points
    balls: Balls
    size: int
    k: int
    ties: str
    of_parts: bool = False


def reference_balls(
    y: ArrayLike, k: int = 5, *, ties: str = "shared", resolution: float = 0.0, parts: Members | None = None
) -> Reference:
    """The reference's part of `prdc`, to be given to it in place of y for one generated sample after another.

    With `parts` (m, c) bool it is that of `prdc_parts`, whose column r has the members of part r.

    >>> y = [[0.0], [1.0], [2.0], [4.0]]
    >>> known = reference_balls(y, k=1)
    >>> prdc([[0.5], [9.0]], known, k=1, metrics=["precision"])["precision"].value
    0.5
    """
    rows = sample(y, "y")
    _check(k, ties, resolution, y=len(rows))
    frame = Frame.of(rows, resolution)
    if parts is None:
        points = frame.place(rows)
    else:
        _check_parts(k, ties, resolution, y=(members := _members("parts", parts, rows)))
        if not members.shape[1]:
            raise ValueError("parts has no column")
        points = frame.place(*_used(rows, members))
    return Reference(frame, points, balls(points, k, ties), len(rows), k, ties, parts is not None)


@dataclass(frozen=True)
class _Meeting:
    """Who lies in whose balls, part by part: see `neighbours.meet`. Every value below is (c,)."""

    x: Points
    y: Points
    held: Array
    holds: Array
    reached: Array
    k: int

    def precision(self) -> Array:
        return _weighted_means(self.held > 0, self.x)

    def recall(self) -> Array:
        return _weighted_means(self.reached, self.y)

    def density(self) -> Array:
        return _weighted_means(self.held, self.x) / self.k

    def coverage(self) -> Array:
        return _weighted_means(self.holds, self.y)

    def f1_pr(self) -> Array:
        return _harmonic_means(self.precision(), self.recall())

    def f1_dc(self) -> Array:
        return _harmonic_means(self.density(), self.coverage())


METRICS: dict[str, Callable[[_Meeting], Array]] = {
    "precision": _Meeting.precision,
    "recall": _Meeting.recall,
    "density": _Meeting.density,
    "coverage": _Meeting.coverage,
    "f1_pr": _Meeting.f1_pr,
    "f1_dc": _Meeting.f1_dc,
}
BALLS_OF_X = {"recall", "f1_pr"}  # what asks for balls of the generated sample
ONLY_BALLS_OF_X = {"recall"}


def prdc(
    x: ArrayLike,
    y: ArrayLike | Reference,
    k: int = 5,
    *,
    metrics: Sequence[str] = tuple(METRICS),
    ties: str = "shared",
    standardise: bool = False,
    resolution: float = 0.0,
) -> dict[str, Distance]:
    """How much of x lies where y is, and how much of y is reached by x, by balls of k nearest neighbours.

    Every point has a ball that reaches to its k-th nearest neighbour within its own sample (itself not
    counted). With reference y and generated x:

    * `precision`: share of x inside at least one ball of y;
    * `recall`: share of y inside at least one ball of x;
    * `density`: mean number of balls of y that hold a point of x, divided by k; robust to outliers in y;
    * `coverage`: share of y whose ball holds at least one point of x;
    * `f1_pr`, `f1_dc`: harmonic means 2ab / (a + b), 0 where both are 0.

    What happens on the surface of a ball matters where distances tie, and embeddings of molecules do:

    * `ties="shared"` (default) counts the surface at the share with which a ball holds exactly k points of
      its own sample. Any sample against itself then has all six values 1, whatever is duplicated in it; where
      no distances tie it equals "open".
    * `"open"`, d < r: as the authors of density and coverage have it; k + 1 equal points have an empty ball.
    * `"closed"`, d ≤ r: as the code published with paper C has it; a sample against itself has density
      1 + 1/k, more with duplicates. That code also adds 10⁻⁵ to the numbers of an F1.

    Exact: see `neighbours`. O((n + m)² d) time for all, memory grows with n + m; only what the asked metrics
    need is computed.

    Parameters
    ----------
    x : (n, d) generated
    y : (m, d) reference, or its `reference_balls`, made once for many x
    k : neighbours, smaller than both sizes
    metrics : some of `METRICS`
    ties : "shared", "open" or "closed"
    standardise : divide by the reference's standard deviations first
    resolution : round all numbers to multiples of this share of the reference's largest one (in absolute
        value, up to a factor of 2), 0 for not at all. Embeddings of equal graphs that differ by rounding are
        no ties; 1e-9 makes them ties, and the values hardly depend on the machine

    Returns
    -------
    metric → Distance, in the asked order; in [0, 1], density in [0, m/k], `f1_dc` in [0, 2); higher is better

    Raises
    ------
    ValueError : k out of range, an unknown metric or rule, or what no distance takes

    Sources: Kynkäänniemi et al., 2019 (precision, recall); Naeem et al., 2020 (density, coverage).

    >>> square = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> {name: float(result) for name, result in prdc(square[:3], square, k=2, metrics=["recall"]).items()}
    {'recall': 1.0}
    """
    metrics = _known(metrics)
    left, right, m = _read(x, y, k, ties, standardise, resolution)
    _check(k, ties, resolution, x=len(left), y=m)
    if isinstance(right, Reference):
        if right.of_parts:
            raise ValueError("the balls of y are of parts: they are for `prdc_parts`")
        frame, theirs, around_y = right.frame, right.points, right.balls
    else:
        frame, around_y = Frame.of(right, resolution), None
        theirs = frame.place(right)
    values = _values(frame.place(left), theirs, k, ties, metrics, around_y=around_y)
    scaler = "reference" if standardise else None
    return _distances(
        {name: value[0] for name, value in values.items()}, left, m, k, ties, resolution, scaler
    )


def prdc_with_parts(
    x: ArrayLike, known: Reference, in_x: Members, *, metrics: Sequence[str] = tuple(METRICS)
) -> dict[str, tuple[Distance, Array]]:
    """`prdc` of the whole samples and `prdc_parts` of parts of them, in one pass over all pairs.

    Parameters
    ----------
    x : (n, d) generated
    known : `reference_balls` with parts, of which the first is the whole reference
    in_x : (n, c) bool, the parts of x for the other parts of the reference

    >>> line = np.arange(8.0)[:, None]
    >>> even = np.arange(8)[:, None] % 2 == 0
    >>> known = reference_balls(line, 1, parts=np.hstack([even | True, ~even]))
    >>> whole, parts = prdc_with_parts(line, known, even, metrics=["recall"])["recall"]
    >>> whole.value, parts.tolist()
    (1.0, [1.0])
    """
    k, ties, resolution = known.k, known.ties, known.frame.resolution
    rows = sample(x, "x")
    members = np.hstack([np.ones((len(rows), 1), dtype=bool), _members("in_x", in_x, rows)])
    values = prdc_parts(rows, known, members, None, k, metrics=metrics, ties=ties, resolution=resolution)
    whole = {name: value[0] for name, value in values.items()}
    found = _distances(whole, rows, known.size, k, ties, resolution, None)
    return {name: (found[name], value[1:]) for name, value in values.items()}


def _distances(
    values: Mapping[str, float], x: Array, m: int, k: int, ties: str, resolution: float, scaler: str | None
) -> dict[str, Distance]:
    definition = {
        "k": k,
        "ties": ties,
        "inside": TIES[ties],
        "scaler": scaler,
        "resolution": resolution,
        "n": len(x),
        "m": m,
        "d": x.shape[1],
    }
    top = {"density": m / k, "f1_dc": 2.0}
    return {
        name: Distance(float(value), name, definition, (0.0, top.get(name, 1.0)), lower_is_better=False)
        for name, value in values.items()
    }


def prdc_parts(
    x: ArrayLike,
    y: ArrayLike | Reference,
    in_x: Members,
    in_y: Members | None,
    k: int = 5,
    *,
    metrics: Sequence[str] = tuple(METRICS),
    ties: str = "shared",
    resolution: float = 0.0,
) -> dict[str, Array]:
    """`prdc` of many parts of two samples at once: metric → (c,) values, in the asked order.

    Entry r is the value of the rows x[in_x[:, r]] against the rows y[in_y[:, r]]. Points are placed as the
    whole y places them, so that the same points tie in every part.

    Parts that overlap share their distances: ten halves take about as long as both whole samples. Where that
    does not pay, as for parts that do not overlap, they are measured one after another.

    Parameters
    ----------
    x, y : (n, d) generated and (m, d) reference, or one sample twice with disjoint parts; y may be
        `reference_balls` with parts, made once for many x
    in_x, in_y : (n, c) and (m, c) bool, column r has the members of part r; in_y is None where y has balls
    k, metrics, ties, resolution : as for `prdc`

    Raises
    ------
    ValueError : parts that are not bool or of another shape; a part of k or fewer rows; what `prdc` raises

    >>> line = np.arange(8.0)[:, None]
    >>> even = np.arange(8)[:, None] % 2 == 0
    >>> {name: v.tolist() for name, v in prdc_parts(line, line, even, ~even, k=1, metrics=["recall"]).items()}
    {'recall': [1.0]}
    """
    left, right, _ = _read(x, y, k, ties, False, resolution)
    metrics, a = _known(metrics), _members("in_x", in_x, left)
    if isinstance(right, Reference):
        if in_y is not None or not right.of_parts:
            raise ValueError("balls of y need parts of their own, and in_y must be None")
        _same_count(a, right.points.weights)
        _check_parts(k, ties, resolution, x=a)
        ours = right.frame.place(*_used(left, a))
        return _values(ours, right.points, k, ties, metrics, around_y=right.balls)
    b = _members("in_y", in_y, right)
    _same_count(a, b)
    _check_parts(k, ties, resolution, x=a, y=b)
    frame, same = Frame.of(right, resolution), np.array_equal(left, right)
    found = {name: np.empty(a.shape[1]) for name in metrics}
    for group in _groups(a, b, same):
        x_points, y_points = (left, a[:, group]), (right, b[:, group])
        for name, value in _values_of_parts(frame, x_points, y_points, same, k, ties, metrics).items():
            found[name][group] = value
    return found


def _groups(a: Members, b: Members, same: bool) -> list[list[int]]:
    """Parts that are measured together, so that as few pairs of points as possible are looked at."""
    every = list(range(a.shape[1]))
    groups = [every[first : first + TOGETHER] for first in range(0, len(every), TOGETHER)]
    together = [group for group in groups if _pays(a[:, group], b[:, group], same)]
    return together + [[r] for group in groups if group not in together for r in group]


def _pays(a: Members, b: Members, same: bool) -> bool:
    def pairs(of_x: Any, of_y: Any) -> Any:
        return of_x * of_x + of_x * of_y + of_y * of_y

    one_by_one = pairs(a.sum(axis=0), b.sum(axis=0)).sum()
    if same:
        return bool(2 * (a | b).any(axis=1).sum() ** 2 < one_by_one)
    return bool(pairs(a.any(axis=1).sum(), b.any(axis=1).sum()) < one_by_one)


def _values_of_parts(
    frame: Frame, x: tuple[Array, Members], y: tuple[Array, Members], same: bool, k: int, ties: str,
    metrics: list[str],
) -> dict[str, Array]:  # fmt: skip
    """Values of parts that are measured together."""
    count = x[1].shape[1]
    if not same or count == 1:
        return _values(frame.place(*_used(*x)), frame.place(*_used(*y)), k, ties, metrics)
    points = frame.place(*_used(y[0], np.hstack([x[1], y[1]])))
    around = balls(points, k, ties)  # of both at once: the pairs of points are the same
    of_x, of_y = slice(count), slice(count, None)
    return _values(
        points.of_parts(of_x), points.of_parts(of_y), k, ties, metrics,
        around.of_parts(of_x), around.of_parts(of_y),
    )  # fmt: skip


def _values(
    x: Points, y: Points, k: int, ties: str, metrics: list[str],
    around_x: Balls | None = None, around_y: Balls | None = None,
) -> dict[str, Array]:  # fmt: skip
    """Only what the metrics ask for is computed; balls that are known already may be given."""
    if not BALLS_OF_X & set(metrics):
        around_x = Balls.none(x)
    if set(metrics) <= ONLY_BALLS_OF_X:
        around_y = Balls.none(y)
    around_x = around_x or balls(x, k, ties)
    around_y = around_y or balls(y, k, ties)
    meeting = _Meeting(x, y, *meet(x, around_x, y, around_y), k)
    return {name: METRICS[name](meeting) for name in metrics}


def _known(metrics: Sequence[str]) -> list[str]:
    asked = [metrics] if isinstance(metrics, str) else list(metrics)
    for name in asked:
        if name not in METRICS:
            raise ValueError(f"unknown metric {name!r}; there are {', '.join(METRICS)}")
    return asked


def _read(
    x: ArrayLike, y: ArrayLike | Reference, k: int, ties: str, standardise: bool, resolution: float
) -> tuple[Array, Array | Reference, int]:
    """Both samples as asked, and the rows of y."""
    if not isinstance(y, Reference):
        left, right = two_samples(x, y)
        if standardise:
            left, right = standardise_by(right, left, right)
        return left, right, len(right)
    left = sample(x, "x")
    if left.shape[1] != len(y.frame.centre):
        raise ValueError(f"x has {left.shape[1]} columns and y has {len(y.frame.centre)}")
    made, asked = (y.k, y.ties, y.frame.resolution), (k, ties, resolution)
    if made != asked:
        raise ValueError(f"the balls of y were made with k, ties, resolution = {made}; asked for {asked}")
    if standardise:
        raise ValueError("standardise both samples before the balls of y are made")
    return left, y, y.size


def _members(name: str, parts: Any, rows: Array) -> Members:
    columns = np.asarray(parts)
    if columns.dtype != np.bool_ or columns.ndim != 2 or len(columns) != len(rows):
        raise ValueError(
            f"{name} must be bool of shape ({len(rows)}, parts), got {columns.dtype} {columns.shape}"
        )
    return columns


def _used(rows: Array, members: Members) -> tuple[Array, Members]:
    """Rows that are in some part."""
    used = members.any(axis=1)
    return rows[used], members[used]


def _same_count(a: Members, b: np.ndarray[Any, Any]) -> None:
    if a.shape[1] != b.shape[1]:
        raise ValueError(f"in_x has {a.shape[1]} parts and in_y has {b.shape[1]}")


def _check_parts(k: int, ties: str, resolution: float, **members: Members) -> None:
    for name, columns in members.items():
        sizes = enumerate(columns.sum(axis=0).tolist())
        _check(k, ties, resolution, **{f"part {r} of {name}": size for r, size in sizes})


def _check(k: int, ties: str, resolution: float, **sizes: int) -> None:
    for name, size in sizes.items():
        if not 1 <= k < size:
            raise ValueError(
                f"k must be at least 1 and smaller than every sample; got {k}, {name} has {size} rows"
            )
    if ties not in TIES:
        raise ValueError(f"unknown rule for ties {ties!r}; there are {', '.join(TIES)}")
    if not 0.0 <= resolution < 1.0:
        raise ValueError(f"resolution must be at least 0 and below 1, got {resolution}")


def _weighted_means(values: np.ndarray[Any, Any], points: Points) -> Array:
    """Over the rows of each part, (p, c) values of distinct points."""
    member = points.weights > 0.0
    return np.array(
        [
            np.average(values[inside, part], weights=points.weights[inside, part])
            for part, inside in enumerate(member.T)
        ]
    )


def _harmonic_means(a: Array, b: Array) -> Array:
    return np.divide(2.0 * a * b, a + b, out=np.zeros_like(a), where=a + b > 0.0)
