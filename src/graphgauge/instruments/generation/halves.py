"""Random parts of both sets: what the noise floor and the interval are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Mask = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True)
class Halves:
    """Replicates of two disjoint parts of the reference, a column each.

    Part b is a random half; part a is drawn from the other half and as large as the part of the generated
    set that is compared with the same b: what is compared is of one size.

    Parameters
    ----------
    a, b : (m, c) which rows of the reference belong to the parts
    size : rows of every a, and of every part of the generated set
    """

    a: Mask
    b: Mask
    size: int

    @property
    def count(self) -> int:
        return int(self.b.shape[1])


def halves(m: int, n: int, replicates: int, seed: int) -> Halves:
    """Parts of a reference of m graphs for generated sets of n graphs; none where a half would be empty.

    >>> parts = halves(10, 6, 4, 0)
    >>> parts.a.sum(axis=0).tolist(), parts.b.sum(axis=0).tolist(), bool((parts.a & parts.b).any())
    ([3, 3, 3, 3], [5, 5, 5, 5], False)
    """
    size = min(n // 2, m // 2)
    count = replicates if size else 0
    place = _places(m, count, np.random.default_rng([seed, 0]))
    half = m // 2
    return Halves((place >= half) & (place < half + size), place < half, size)


def half_samples(n: int, halves: Halves, seed: int) -> Mask:
    """(n, c) random parts of the generated set, each of `halves.size` rows."""
    return _places(n, halves.count, np.random.default_rng([seed, 1])) < halves.size


def _places(rows: int, count: int, rng: np.random.Generator) -> np.ndarray[Any, np.dtype[np.int64]]:
    """(rows, count): the place of every row in a random order of its own for each column."""
    order = np.tile(np.arange(rows)[:, None], (1, count))
    return rng.permuted(order, axis=0)
