"""How wide a Gaussian is: s in exp(−|x − y|² / (2 s²)), from a list or from the data."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graphgauge.distances.pairwise import squared_euclidean
from graphgauge.distances.samples import Array

# Paper C, section 4: multiples of the data's scale.
TEN_MULTIPLES = (0.01, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0)
MEDIAN_ROWS = 2000

Bandwidth = float | Sequence[float] | str


def checked(bandwidth: Bandwidth, rules: Sequence[str] = ()) -> Bandwidth:
    """The bandwidth itself, where it is a rule's name or finite numbers above zero; else it raises.

    >>> checked(0.0)
    Traceback (most recent call last):
    ...
    ValueError: a bandwidth must be a finite number above 0, got 0.0
    """
    if isinstance(bandwidth, str):
        if bandwidth not in rules:
            raise ValueError(f"no bandwidth rule {bandwidth!r}; there are: {', '.join(rules) or 'none'}")
        return bandwidth
    numbers = fixed(bandwidth)
    if not numbers:
        raise ValueError("a list of bandwidths must not be empty")
    for number in numbers:
        if not 0 < number < np.inf:
            raise ValueError(f"a bandwidth must be a finite number above 0, got {number}")
    return bandwidth


def fixed(bandwidth: Bandwidth) -> tuple[float, ...]:
    """One number or several as a tuple of floats."""
    if isinstance(bandwidth, str):
        raise TypeError(f"{bandwidth!r} is a rule, not a number")
    return tuple(float(number) for number in np.atleast_1d(np.asarray(bandwidth, dtype=np.float64)))


def ten_multiples(rows: Array, counts: Array) -> tuple[float, ...]:
    """Ten multiples of the root mean squared distance between a row of x and a row of y.

    mean |x − y|² = var x + var y + |mean x − mean y|², in O(n d). Where every row is the same the scale is
    set to 1: every kernel value is 1 for any.

    Parameters
    ----------
    rows : (u, d) distinct rows, centred
    counts : (2, u) how often x and y have them

    >>> ten_multiples(np.array([[0.0], [1.0]]), np.array([[1.0, 0.0], [0.0, 1.0]]))[5]
    1.0
    """
    shares = counts / counts.sum(axis=1, keepdims=True)
    means = shares @ rows
    variances = [
        share @ np.square(rows - mean).sum(axis=1) for share, mean in zip(shares, means, strict=True)
    ]
    scale = float(np.sqrt(sum(variances) + np.square(means[0] - means[1]).sum())) or 1.0
    return tuple(multiple * scale for multiple in TEN_MULTIPLES)


def ten_multiples_over_all_pairs(rows: Array, counts: Array) -> tuple[float, ...]:
    """Ten multiples of the root mean squared distance over all pairs of two rows of both samples together.

    Unlike `ten_multiples` it does not depend on which row is whose, as a permutation test asks.

    >>> ten_multiples_over_all_pairs(np.array([[0.0], [1.0]]), np.array([[1.0, 0.0], [0.0, 1.0]]))[5]
    1.0
    """
    total = counts.sum(axis=0)
    size = total.sum()
    spread = total @ np.square(rows - total @ rows / size).sum(axis=1)
    scale = float(np.sqrt(2.0 * spread / (size - 1))) or 1.0
    return tuple(multiple * scale for multiple in TEN_MULTIPLES)


def ten_multiples_over_the_reference(rows: Array, counts: Array) -> tuple[float, ...]:
    """Ten multiples of the root mean squared distance over all pairs of two rows of the reference y.

    x plays no part: all that is compared with one reference is measured by one ruler, and what the kernel
    says of the reference alone can be kept.

    Raises
    ------
    ValueError : where the reference has one row and thus no pair

    >>> ten_multiples_over_the_reference(np.array([[0.0], [1.0], [9.0]]), np.array([[0, 0, 1], [1, 1, 0]]))[5]
    1.0
    """
    reference = counts[1]
    size = reference.sum()
    if size < 2:
        raise ValueError('y: the bandwidth rule "ten_reference" needs at least 2 rows, got 1')
    spread = reference @ np.square(rows - reference @ rows / size).sum(axis=1)
    scale = float(np.sqrt(2.0 * spread / (size - 1))) or 1.0
    return tuple(multiple * scale for multiple in TEN_MULTIPLES)


def median_distance(rows: Array, counts: Array) -> tuple[float, ...]:
    """Median distance over all pairs of two rows of both samples together (the median heuristic).

    Beyond 2,000 rows it is the median over 2,000 of them, drawn with a fixed seed from the sorted rows, so
    that it depends neither on the order of the rows nor on chance. Where more than half of the pairs are
    equal it is the median over those that are not; where all are, 1.

    >>> median_distance(np.array([[0.0], [1.0], [3.0]]), np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]))
    (2.0,)
    """
    order = np.repeat(np.arange(len(rows)), counts.sum(axis=0).astype(np.int64))
    if len(order) > MEDIAN_ROWS:
        order = np.random.default_rng(0).choice(order, MEDIAN_ROWS, replace=False)
    some = rows[order]
    squared = squared_euclidean(some, some)[np.triu_indices(len(some), 1)]
    median = np.median(squared) or np.median(squared[squared > 0]) if squared.any() else 1.0
    return (float(np.sqrt(median)),)


BANDWIDTH_RULES = {
    "ten": ten_multiples,
    "ten_all_pairs": ten_multiples_over_all_pairs,
    "ten_reference": ten_multiples_over_the_reference,
    "median": median_distance,
}

# Rules that look at x too: with them, nothing about a reference can be computed before x is known.
NEED_BOTH = ("ten", "ten_all_pairs", "median")
