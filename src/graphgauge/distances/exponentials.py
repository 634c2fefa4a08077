"""Many bandwidths from few exponentials."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from graphgauge.distances.samples import Array

# exp(−745.2) is the smallest number above zero that float64 holds.
UNDERFLOW = 745.2
# Each squaring doubles the relative error: after four it is below 4e-15.
MOST_SQUARINGS = 4


def exponentials(values: Array, rates: Sequence[float]) -> Iterator[tuple[int, Array]]:
    """exp(−rate · values) for each rate, as (index of the rate, array); the array is overwritten by the next.

    A rate that is 2, 4, 8 or 16 times an earlier one costs only squarings: exp(−2 r t) = exp(−r t)². The
    multiples 10, 5, 2.5 and 1, 0.5, 0.25 of a Gaussian's bandwidth are such rates. Rates at which every value
    is zero in float64 are left out.

    >>> for index, array in exponentials(np.array([0.0, 1.0]), [2.0, 0.5]):
    ...     print(index, array.round(6).tolist())
    1 [1.0, 0.606531]
    0 [1.0, 0.135335]
    """
    lowest, out = float(values.min()), np.empty_like(values)
    for chain in _chains(tuple(rates)):
        for step, (index, squarings) in enumerate(chain):
            if rates[index] * lowest > UNDERFLOW:
                break
            if step == 0:
                np.exp(np.multiply(values, -rates[index], out=out), out=out)
            for _ in range(squarings):
                np.multiply(out, out, out=out)
            yield index, out


@lru_cache(maxsize=64)
def _chains(rates: tuple[float, ...]) -> list[list[tuple[int, int]]]:
    """Rates in chains of (index, squarings from the one before); each chain starts with an exponential."""
    chains: list[list[tuple[int, int]]] = []
    left = sorted(range(len(rates)), key=lambda index: rates[index])
    while left:
        first = left.pop(0)
        chain, last, total = [(first, 0)], rates[first], 0
        for index in tuple(left):
            squarings = _squarings(rates[index] / last) if last else 0
            if squarings and total + squarings <= MOST_SQUARINGS:
                chain.append((index, squarings))
                left.remove(index)
                last, total = rates[index], total + squarings
        chains.append(chain)
    return chains


def _squarings(ratio: float) -> int:
    """k where the ratio is 2^k up to rounding, else 0."""
    power = round(np.log2(ratio))
    return power if power > 0 and abs(ratio / 2.0**power - 1.0) < 4e-16 else 0
