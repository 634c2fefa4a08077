"""Balls around the points of a sample, and which points of another sample lie in them; exact, in blocks.

Squared distances come from matrix products, |a|² + |b|² − 2 a·b in float64, whose error has a known bound.
Wherever a decision falls within that bound it is taken by the sum of squared differences instead, so that
equal distances compare equal. Equal points are one point with a weight in every part of the sample.

Parts of a sample share its products: a point's nearest neighbours, in order, are walked along once for every
part, and a pair of points is settled once for all parts that hold both.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from graphgauge.compiling import loop
from graphgauge.distances.samples import Array

BLOCK = 256  # rows of a block of distances: 20 MB for 10,000 columns
LONGEST = 64  # nearest points at most that all parts walk along: a small part sooner looks among its members
NO_BALL = -np.inf  # squared radius where a point is no member of a part: nothing is as near as that

Members = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True)
class Points:
    """Distinct rows of a sample.

    Parameters
    ----------
    rows : (p, d) as given, up to one power of two
    centred : (p, d) rows minus a common point, for matrix products
    norms : (p,) squared lengths of `centred`
    weights : (p, c) how often each row occurs in each part; one part is the whole sample
    """

    rows: Array
    centred: Array
    norms: Array
    weights: Array

    def of_parts(self, parts: slice) -> Points:
        return replace(self, weights=np.ascontiguousarray(self.weights[:, parts]))


@dataclass(frozen=True)
class Balls:
    """A ball around every distinct point in every part that it belongs to.

    Parameters
    ----------
    radius : (p, c) squared, `NO_BALL` where the point is no member
    surface : (p, c) at which share the surface counts
    """

    radius: Array
    surface: Array

    @classmethod
    def none(cls, points: Points) -> Balls:
        return cls(np.full(points.weights.shape, NO_BALL), np.zeros(points.weights.shape))

    def of_parts(self, parts: slice) -> Balls:
        return Balls(*(np.ascontiguousarray(of[:, parts]) for of in (self.radius, self.surface)))


@dataclass(frozen=True)
class Frame:
    """Where both samples are placed before distances: divided by 2^exponent, with `centre` (d,) as origin,
    on multiples of `resolution` where that is not 0."""

    exponent: int
    centre: Array
    resolution: float = 0.0

    @classmethod
    def of(cls, reference: Array, resolution: float = 0.0) -> Frame:
        """A division by a power of two is exact; squares then neither overflow nor vanish."""
        exponent = int(np.frexp(np.abs(reference).max())[1])
        return cls(exponent, np.ldexp(reference, -exponent).mean(axis=0), resolution)

    def place(self, sample: Array, parts: Members | None = None) -> Points:
        """Distinct rows of a sample, in an order that depends on their content alone.

        `parts` (n, c) says which rows are in which part; every row must be in one.
        """
        placed = np.ldexp(sample, -self.exponent)
        if self.resolution:
            placed = np.round(placed / self.resolution) * self.resolution
        rows, which = np.unique(placed + 0.0, axis=0, return_inverse=True)  # + 0 turns −0 into 0
        centred = rows - self.centre
        with np.errstate(over="ignore"):
            norms = np.square(centred).sum(axis=1)
        if not np.isfinite(norms).all():
            raise ValueError("x has values more than 10^150 times as large as any of y")
        members = np.ones((len(sample), 1), dtype=np.bool_) if parts is None else parts
        weights = np.zeros((len(rows), members.shape[1]))
        np.add.at(weights, which.reshape(-1), members)
        return Points(rows, centred, norms, weights)


def blocks(a: Points, b: Points) -> Iterator[tuple[int, Array]]:
    """First row and −2 a·b for blocks of rows of `a` against all of `b`."""
    for start in range(0, len(a.rows), BLOCK):
        yield start, (-2.0 * a.centred[start : start + BLOCK]) @ b.centred.T


def slack(columns: int) -> float:
    """Relative bound: a squared distance made of products is off by at most slack · (|a|² + |b|²)."""
    return 4.0 * (columns + 4) * float(np.finfo(np.float64).eps)


def balls(points: Points, k: int, ties: str) -> Balls:
    """Ball of every point that reaches to its k-th nearest neighbour in a part, the point itself not counted.

    The surface counts at share 0 (`ties="open"`), 1 ("closed"), or ("shared") at the share with which the
    ball holds exactly k of its own part, its centre among them: 0 where all distances differ. A part has
    more than k members.
    """
    found = Balls.none(points)
    error, length = slack(points.rows.shape[1]), _enough(points.weights, k)
    for start, products in blocks(points, points):
        _radii(
            products, start, points.rows, points.norms, points.weights, error, k, length,
            found.radius, found.surface,
        )  # fmt: skip
    if ties != "shared":
        found.surface[:] = found.radius > NO_BALL if ties == "closed" else 0.0
    return found


def _enough(weights: Array, k: int) -> int:
    """So many nearest points almost surely hold k members of every part besides the point itself.

    Of the whole sample k do, whatever they weigh. In a part that holds a share s of all points the k-th
    member comes after k/s of them on average, with a standard deviation of √(k (1 − s))/s.
    """
    share = (weights > 0.0).mean(axis=0).min()
    enough = 1 + int(np.ceil((k + 4.0 * np.sqrt(k * (1.0 - share))) / share))
    return min(enough, max(k + 1, LONGEST), len(weights))


def meet(x: Points, around_x: Balls, y: Points, around_y: Balls) -> tuple[Array, Array, Array]:
    """Which points of a sample lie in the balls around those of the other one, part by part.

    Returns
    -------
    held : (p, c) number of balls of y that hold each point of x, a centre counted as often as it occurs
    holds : (q, c) 1 where the ball of a point of y holds at least one point of x
    reached : (q, c) 1 where a point of y lies in at least one ball of x
    """
    held, holds, reached = np.zeros(x.weights.shape), np.zeros(y.weights.shape), np.zeros(y.weights.shape)
    error = slack(x.rows.shape[1])
    low_x, low_y = (1.0 - error) * x.norms, (1.0 - error) * y.norms
    # A product beyond both of these leaves the pair outside of all balls.
    far_x, far_y = around_x.radius.max(axis=1) - low_x, around_y.radius.max(axis=1) - low_y
    unreached = (y.weights > 0.0).sum(axis=1)
    for start, products in blocks(x, y):
        _meetings(
            products, start, x.rows, x.norms, x.weights, around_x.radius, around_x.surface, low_x, far_x,
            y.rows, y.norms, y.weights, around_y.radius, around_y.surface, low_y, far_y,
            error, held, holds, reached, unreached,
        )  # fmt: skip
    return held, holds, reached


@loop
def _difference(a: Array, b: Array) -> float:
    """Squared distance of two rows as the sum of squared differences, in the order of the columns."""
    total = 0.0
    for c in range(a.size):
        step = a[c] - b[c]
        total += step * step
    return total


@loop
def _radii(
    products: Array, start: int, rows: Array, norms: Array, weights: Array, slack: float, k: int,
    length: int, radius: Array, surface: Array,
) -> None:  # fmt: skip
    """Squared radius of the ball of each row of the block in each of its parts, and the share of its surface.

    All parts walk along the `length` nearest points; one that does not end there looks among its members.
    """
    nearest, nearest_member = np.empty(length), np.empty(min(k + 1, rows.shape[0]))
    found, distance = np.empty(rows.shape[0], np.int64), np.empty(rows.shape[0])
    for r in range(products.shape[0]):
        i = start + r
        count = _near(products[r], i, rows, norms, weights, -1, slack, nearest, found, distance)
        order = np.argsort(distance[:count])
        # All points as near as the last of `length` are among those found: no tie is cut off.
        farthest = distance[order[length - 1]]
        missed = False
        for part in range(weights.shape[1]):
            if weights[i, part] > 0.0:
                missed |= not _walk(
                    i, part, order, found, distance, weights, farthest, k, radius, surface
                )  # fmt: skip
        if missed:
            for part in range(weights.shape[1]):
                if weights[i, part] > 0.0 and radius[i, part] < 0.0:
                    count = _near(
                        products[r], i, rows, norms, weights, part, slack, nearest_member, found, distance
                    )  # fmt: skip
                    order = np.argsort(distance[:count])
                    _walk(i, part, order, found, distance, weights, np.inf, k, radius, surface)


@loop
def _near(
    products: Array, i: int, rows: Array, norms: Array, weights: Array, part: int, slack: float,
    nearest: Array, found: np.ndarray[Any, np.dtype[np.int64]], distance: Array,
) -> int:  # fmt: skip
    """Find all points (of a part, −1 for any) that may be as near to point i as the last of the nearest ones.

    `nearest` has room for as many as are wanted; indices and exact distances go to `found` and `distance`.
    """
    nearest[:] = np.inf
    last = nearest.size - 1
    for j in range(rows.shape[0]):
        highest = products[j] + (1.0 + slack) * norms[j]
        if highest < nearest[last] and (part < 0 or weights[j, part] > 0.0):
            at = last
            while at > 0 and nearest[at - 1] > highest:
                nearest[at] = nearest[at - 1]
                at -= 1
            nearest[at] = highest
    limit = nearest[last] + 2.0 * slack * norms[i]
    count = 0
    for j in range(rows.shape[0]):
        if products[j] + (1.0 - slack) * norms[j] <= limit and (part < 0 or weights[j, part] > 0.0):
            found[count], distance[count] = j, _difference(rows[i], rows[j])
            count += 1
    return count


@loop
def _walk(
    i: int, part: int, order: np.ndarray[Any, np.dtype[np.int64]], found: np.ndarray[Any, np.dtype[np.int64]],
    distance: Array, weights: Array, farthest: float, k: int, radius: Array, surface: Array,
) -> bool:  # fmt: skip
    """Walk outwards until k members of the part are met besides point i; whether they were."""
    inside, at = 0.0, 0
    while at < order.size and distance[order[at]] <= farthest:
        here, tied = distance[order[at]], 0.0
        while at < order.size and distance[order[at]] == here:
            tied += weights[found[order[at]], part]
            at += 1
        if inside + tied >= k + 1:
            radius[i, part], surface[i, part] = here, max(0.0, k - inside) / tied
            return True
        inside += tied
    return False


@loop
def _meetings(
    products: Array, start: int, x: Array, norms_x: Array, weights_x: Array, radius_x: Array,
    surface_x: Array, low_x: Array, far_x: Array, y: Array, norms_y: Array, weights_y: Array,
    radius_y: Array, surface_y: Array, low_y: Array, far_y: Array, slack: float, held: Array, holds: Array,
    reached: Array, unreached: np.ndarray[Any, np.dtype[np.int64]],
) -> None:  # fmt: skip
    """Add what one block of x and all of y hold of each other; `low_y` rises where all is known."""
    for r in range(products.shape[0]):
        i = start + r
        low, far = low_x[i], far_x[i]
        for j in range(y.shape[0]):
            if products[r, j] + low > far_y[j] and products[r, j] + low_y[j] > far:
                continue
            squared = norms_x[i] + norms_y[j]
            error = slack * squared
            squared += products[r, j]
            for part in range(held.shape[1]):
                if weights_x[i, part] == 0.0 or weights_y[j, part] == 0.0:
                    continue
                mine, other = radius_x[i, part], radius_y[j, part]
                if abs(squared - mine) <= error or abs(squared - other) <= error:
                    squared, error = _difference(x[i], y[j]), -1.0  # settled for all parts
                share = 1.0 if squared < other else (surface_y[j, part] if squared == other else 0.0)
                if share > 0.0:
                    held[i, part] += share * weights_y[j, part]
                    holds[j, part] = 1.0
                if reached[j, part] == 0.0 and (
                    squared < mine or (squared == mine and surface_x[i, part] > 0.0)
                ):
                    reached[j, part] = 1.0
                    unreached[j] -= 1
                    if unreached[j] == 0:
                        low_y[j] = np.inf


def balls_plain(points: Points, k: int, ties: str) -> Balls:
    """The same as `balls`, from all differences at once: O(p² d) memory."""
    squared = _all_differences(points.rows, points.rows)
    order = np.argsort(squared, axis=1)
    found = Balls.none(points)
    for part, weights in enumerate(points.weights.T):
        at = (weights[order].cumsum(axis=1) >= k + 1).argmax(axis=1)
        radius = np.take_along_axis(squared, order, axis=1)[np.arange(len(at)), at]
        inside = (squared < radius[:, None]) @ weights
        tied = (squared == radius[:, None]) @ weights
        surface = {"shared": np.maximum(0.0, k - inside) / tied, "open": 0.0, "closed": 1.0}
        member = weights > 0.0
        found.radius[member, part] = radius[member]
        found.surface[:, part] = np.where(member, surface[ties], 0.0)
    return found


def meet_plain(x: Points, around_x: Balls, y: Points, around_y: Balls) -> tuple[Array, Array, Array]:
    """The same as `meet`, from all differences at once."""
    squared = _all_differences(x.rows, y.rows)
    held, holds, reached = np.zeros(x.weights.shape), np.zeros(y.weights.shape), np.zeros(y.weights.shape)
    for part in range(x.weights.shape[1]):
        both = (x.weights[:, part, None] > 0.0) & (y.weights[None, :, part] > 0.0)
        of_y = both * _shares(squared, around_y.radius[None, :, part], around_y.surface[None, :, part])
        of_x = both * _shares(squared, around_x.radius[:, part, None], around_x.surface[:, part, None])
        held[:, part] = of_y @ y.weights[:, part]
        holds[:, part], reached[:, part] = (of_y > 0.0).any(axis=0), (of_x > 0.0).any(axis=0)
    return held, holds, reached


def _shares(squared: Array, radius: Array, surface: Array) -> Array:
    return np.where(squared < radius, 1.0, np.where(squared == radius, surface, 0.0))


def _all_differences(a: Array, b: Array) -> Array:
    total = np.zeros((len(a), len(b)))
    for column in range(a.shape[1]):  # the order of the compiled loop, so that ties are the same ties
        total += np.square(a[:, None, column] - b[None, :, column])
    return total
