"""Balls around the points of a sample, and which points of another sample lie in them; exact, in blocks.

Squared distances come from matrix products, |a|² + |b|² − 2 a·b in float64, whose error has a known bound.
Wherever a decision falls within that bound it is taken by the sum of squared differences instead, so that
equal distances compare equal. Equal points are one point with a weight.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from graphgauge.compiling import loop
from graphgauge.distances.samples import Array

BLOCK = 256  # rows of a block of distances: 20 MB for 10,000 columns


@dataclass(frozen=True)
class Points:
    """Distinct rows of a sample.

    Parameters
    ----------
    rows : (p, d) as given, up to one power of two
    centred : (p, d) rows minus a common point, for matrix products
    norms : (p,) squared lengths of `centred`
    weights : (p,) how often each row occurs
    """

    rows: Array
    centred: Array
    norms: Array
    weights: Array


@dataclass(frozen=True)
class Balls:
    """A ball around every distinct point: squared radius (p,), and at which share (p,) its surface counts."""

    radius: Array
    surface: Array


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

    def place(self, sample: Array) -> Points:
        """Distinct rows of a sample, in an order that depends on their content alone."""
        placed = np.ldexp(sample, -self.exponent)
        if self.resolution:
            placed = np.round(placed / self.resolution) * self.resolution
        rows, weights = np.unique(placed + 0.0, axis=0, return_counts=True)  # + 0 turns −0 into 0
        centred = rows - self.centre
        with np.errstate(over="ignore"):
            norms = np.square(centred).sum(axis=1)
        if not np.isfinite(norms).all():
            raise ValueError("x has values more than 10^150 times as large as any of y")
        return Points(rows, centred, norms, weights.astype(np.float64))


def blocks(a: Points, b: Points) -> Iterator[tuple[int, Array]]:
    """First row and −2 a·b for blocks of rows of `a` against all of `b`."""
    for start in range(0, len(a.rows), BLOCK):
        yield start, (-2.0 * a.centred[start : start + BLOCK]) @ b.centred.T


def slack(columns: int) -> float:
    """Relative bound: a squared distance made of products is off by at most slack · (|a|² + |b|²)."""
    return 4.0 * (columns + 4) * float(np.finfo(np.float64).eps)


def balls(points: Points, k: int, ties: str) -> Balls:
    """Ball of every point that reaches to its k-th nearest neighbour, the point itself not counted.

    The surface counts at share 0 (`ties="open"`), 1 ("closed"), or ("shared") at the share with which the
    ball holds exactly k of its own sample, its centre among them: 0 where all distances differ.
    """
    rows, norms, weights = points.rows, points.norms, points.weights
    radius, surface = np.empty(len(rows)), np.empty(len(rows))
    error = slack(rows.shape[1])
    for start, products in blocks(points, points):
        _radii(products, start, rows, norms, weights, error, k, radius, surface)
    if ties != "shared":
        surface.fill(1.0 if ties == "closed" else 0.0)
    return Balls(radius, surface)


def meet(centres: Points, around: Balls, others: Points) -> tuple[Array, Array]:
    """Which points of the other sample lie in the balls around these centres.

    Returns
    -------
    held : (q,) number of balls that hold each other point, a centre counted as often as it occurs
    holds : (p,) 1 where the ball holds at least one other point
    """
    held, holds = np.zeros(len(others.rows)), np.zeros(len(centres.rows))
    for start, products in blocks(centres, others):
        _meetings(
            products, start, centres.rows, centres.norms, centres.weights, around.radius, around.surface,
            others.rows, others.norms, slack(centres.rows.shape[1]), held, holds,
        )  # fmt: skip
    return held, holds


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
    radius: Array, surface: Array,
) -> None:  # fmt: skip
    """Squared radius of the ball of each row of the block, and the share of its surface."""
    # So many distinct points hold k neighbours, whatever they weigh.
    nearest = np.empty(min(k + 1, rows.shape[0]))
    last = nearest.size - 1
    exact, mass = np.empty(rows.shape[0]), np.empty(rows.shape[0])
    for r in range(products.shape[0]):
        i = start + r
        nearest[:] = np.inf
        for j in range(rows.shape[0]):
            highest = products[r, j] + (1.0 + slack) * norms[j]
            if highest < nearest[last]:
                at = last
                while at > 0 and nearest[at - 1] > highest:
                    nearest[at] = nearest[at - 1]
                    at -= 1
                nearest[at] = highest
        limit = nearest[last] + 2.0 * slack * norms[i]
        count = 0
        for j in range(rows.shape[0]):
            if products[r, j] + (1.0 - slack) * norms[j] <= limit:
                exact[count], mass[count] = _difference(rows[i], rows[j]), weights[j]
                count += 1
        order = np.argsort(exact[:count])
        inside, at = 0.0, 0
        while True:
            here, tied = exact[order[at]], 0.0
            while at < count and exact[order[at]] == here:
                tied += mass[order[at]]
                at += 1
            if inside + tied >= k + 1:
                break
            inside += tied
        radius[i], surface[i] = here, max(0.0, k - inside) / tied


@loop
def _meetings(
    products: Array, start: int, rows: Array, norms: Array, weights: Array, radius: Array, surface: Array,
    others: Array, other_norms: Array, slack: float, held: Array, holds: Array,
) -> None:  # fmt: skip
    """Add the balls of one block of centres to the points they hold."""
    for r in range(products.shape[0]):
        i = start + r
        reach = radius[i] - norms[i]
        for j in range(others.shape[0]):
            beyond = products[r, j] + other_norms[j] - reach
            error = slack * (norms[i] + other_norms[j])
            if beyond > error:
                continue
            share = 1.0
            if beyond >= -error:
                squared = _difference(rows[i], others[j])
                if squared > radius[i]:
                    continue
                if squared == radius[i]:
                    share = surface[i]
            if share > 0.0:
                held[j] += share * weights[i]
                holds[i] = 1.0


def balls_plain(points: Points, k: int, ties: str) -> Balls:
    """The same as `balls`, from all differences at once: O(p² d) memory."""
    squared = _all_differences(points.rows, points.rows)
    order = np.argsort(squared, axis=1)
    mass = points.weights[order].cumsum(axis=1)
    at = (mass >= k + 1).argmax(axis=1)
    radius = np.take_along_axis(squared, order, axis=1)[np.arange(len(at)), at]
    inside = (squared < radius[:, None]) @ points.weights
    tied = (squared == radius[:, None]) @ points.weights
    surface = {"shared": np.maximum(0.0, k - inside) / tied, "open": 0.0 * tied, "closed": 1.0 + 0.0 * tied}
    return Balls(radius, surface[ties])


def meet_plain(centres: Points, around: Balls, others: Points) -> tuple[Array, Array]:
    """The same as `meet`, from all differences at once."""
    squared = _all_differences(centres.rows, others.rows)
    radius, surface = around.radius[:, None], around.surface[:, None]
    share = np.where(squared < radius, 1.0, np.where(squared == radius, surface, 0.0))
    holds = np.asarray((share > 0).any(axis=1), dtype=np.float64)
    return np.asarray(centres.weights @ share), holds


def _all_differences(a: Array, b: Array) -> Array:
    total = np.zeros((len(a), len(b)))
    for column in range(a.shape[1]):  # the order of the compiled loop, so that ties are the same ties
        total += np.square(a[:, None, column] - b[None, :, column])
    return total
