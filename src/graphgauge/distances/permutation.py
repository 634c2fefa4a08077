"""Permutation test: could two samples have been drawn from one distribution?"""

from __future__ import annotations

from typing import Any

import numpy as np

from graphgauge.distances.energies import BLOCK
from graphgauge.distances.kernels import as_kernel, rbf
from graphgauge.distances.mmd import definition, sides, sizes, standardised, statistics
from graphgauge.distances.result import Distance
from graphgauge.distances.samples import rows_of


def permutation_test(
    x: Any,
    y: Any,
    kernel: Any = None,
    permutations: int = 999,
    rng: np.random.Generator | int = 0,
    estimator: str = "biased",
    *,
    standardise: bool = False,
    block: int = BLOCK,
) -> Distance:
    """p-value of an MMD: how often a random split of all rows is at least as far apart as the real one.

    p = (1 + #{random ≥ observed}) / (1 + permutations): valid at every sample size, for any kernel, positive
    definite or not, whose bandwidth does not depend on which row is whose: every rule but "ten" and
    "ten_reference", with which it is approximate. Small where x and y differ. With several bandwidths the
    statistic is the largest MMD² over them, in the random splits too, so that the choice is paid for. Every
    kernel value is computed once for all permutations; the Gram matrix is not kept.

    Parameters
    ----------
    x, y, kernel, estimator, standardise, block : as for `mmd`; the kernel is `rbf("median")` where it is None
    permutations : number of random splits, at least 1
    rng : generator or seed

    Returns
    -------
    Distance
        The p-value in [1 / (1 + permutations), 1]; a higher one is better. `extra` holds the observed MMD²
        and the mean and standard deviation of the random ones.

    >>> same, other = np.arange(20.0), np.arange(20.0) + 30
    >>> float(permutation_test(same, other, permutations=99)), float(permutation_test(same, same))
    (0.01, 1.0)
    """
    if permutations < 1:
        raise ValueError(f"permutations must be at least 1, got {permutations}")
    generator = np.random.default_rng(rng)
    chosen = rbf("median") if kernel is None else as_kernel(kernel)
    if standardise:
        x, y = standardised(x, y)
    read = chosen.read(x, y)
    n, m = rows_of(x), rows_of(y)
    observed = sides(n, m)
    random = generator.permuted(np.repeat(observed, permutations, axis=1), axis=0)
    values = statistics(read, np.concatenate([observed, random], axis=1), n, m, estimator, block)
    if not np.isfinite(values).all():
        raise ValueError(f"{chosen.name}: rows or bandwidths are too large for float64")
    largest = values.max(axis=0)
    first, rest = largest[0], largest[1:]
    # A split that only swaps equal rows is a tie, whatever the rounding.
    as_far = int((rest >= first - 1e-12 * abs(first)).sum())
    words = definition(chosen, read, estimator, int(values[:, 0].argmax()), standardise)
    return Distance(
        (1 + as_far) / (1 + permutations),
        "mmd2_permutation_p",
        words | {"permutations": permutations} | sizes(x, y),
        range=(1 / (1 + permutations), 1.0),
        lower_is_better=False,
        extra={"mmd2": float(first), "random_mean": float(rest.mean()), "random_std": float(rest.std())},
    )
