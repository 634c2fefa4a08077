"""Maximum mean discrepancy: how far apart the mean embeddings of two samples are."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphgauge.distances.energies import BLOCK, Energies
from graphgauge.distances.kernels import Kernel, as_kernel
from graphgauge.distances.result import Distance
from graphgauge.distances.samples import Array, rows_of, two_samples
from graphgauge.distances.scaling import standardise_by

ESTIMATORS = ("biased", "unbiased")


def mmd(
    x: Any,
    y: Any,
    kernel: Any = "rbf",
    estimator: str = "biased",
    *,
    standardise: bool = False,
    block: int = BLOCK,
) -> Distance:
    """Squared maximum mean discrepancy between two samples; the root is never taken.

    MMD² = mean k(x, x′) + mean k(y, y′) − 2 mean k(x, y). The biased estimate (V-statistic) takes all pairs,
    a row with itself too: never negative for a positive definite kernel, 0 for equal samples, and above 0 by
    about (1/n + 1/m) · mean (k(z, z) − k(z, z′)) for two samples of one distribution. The unbiased one
    (U-statistic) leaves a row with itself out: its mean is the true value, 0 for equal distributions, so
    that it is often below 0 there.

    Where the kernel has several bandwidths, the value is the largest over them (paper C; its code clips at 0,
    this does not); all are in `extra["values"]`. Beware of small samples there: a bandwidth below every
    distance has the biased value 1/n + 1/m whatever the rows are, and this may be the largest.

    Float64 throughout. Memory is a few blocks of `block` × `block` values, whatever the sizes.

    Parameters
    ----------
    x, y : (n, d), (m, d); y is the reference. Histogram kernels pad different lengths; a list of vectors of
        different lengths is accepted there; the linear kernel takes SciPy sparse matrices
    kernel : name in `KERNELS`, a `Kernel` such as `rbf(bandwidth=1.0)`, a symmetric function
        (n, d), (m, d) → (n, m), or a Gram matrix (n + m, n + m) over x's rows and then y's
    estimator : "biased" or "unbiased"
    standardise : divide by the reference's standard deviations first, as the code of paper C does; for
        vectors, not for histograms, sparse rows or a Gram matrix
    block : rows of a block

    Returns
    -------
    Distance
        Lower is better. Symmetric in x and y, unless standardised; the order of the rows plays no part.

    Raises
    ------
    ValueError
        An empty sample, NaN or infinity (row and column are named), different widths; fewer than two rows on
        a side for the unbiased estimate.

    >>> from graphgauge.distances.kernels import rbf
    >>> bool(np.isclose(mmd([[0.0]], [[1.0]], rbf(1.0)).value, 2 - 2 * np.exp(-0.5), rtol=1e-15))
    True
    >>> result = mmd([[0.0], [1.0]], [[1.0], [3.0]], "linear")
    >>> result.value, [result.definition[key] for key in ("squared", "estimator", "kernel", "n", "m", "d")]
    (2.25, [True, 'biased', 'linear', 2, 2, 1])
    """
    check_estimator(estimator)
    chosen = as_kernel(kernel)
    if standardise:
        x, y = standardised(x, y)
    read = chosen.read(x, y)
    n, m = rows_of(x), rows_of(y)
    values = statistics(read, sides(n, m), n, m, estimator, block)[:, 0]
    if not np.isfinite(values).all():
        raise ValueError(
            f"{chosen.name}: rows or bandwidths are too large for float64, MMD² is {values.tolist()}"
        )
    best = int(np.argmax(values))
    return Distance(
        float(values[best]),
        "mmd2",
        definition(chosen, read, estimator, best, standardise) | sizes(x, y),
        range=value_range(chosen, estimator),
        extra={"bandwidths": read.bandwidths, "values": tuple(values.tolist())},
    )


def statistics(read: Energies, side: Array, n: int, m: int, estimator: str, block: int) -> Array:
    """MMD² of every column of sides (N, c), 1 for a row of x and 0 for one of y: (bandwidths, c).

    Weights m for x and −n for y are whole numbers: they cancel exactly where samples are equal, and the
    biased value is one quadratic form over (n m)², with no difference of large sums.
    """
    members = (side, 1.0 - side)
    across = m * members[0] - n * members[1]
    if estimator == "biased":
        return read.energies(across, block) / float(n * m) ** 2
    if n < 2 or m < 2:
        raise ValueError(f"the unbiased estimate needs two rows on each side, got {n} and {m}")
    energies = np.split(read.energies(np.concatenate([across, *members], axis=1), block), 3, axis=1)
    value, diagonal = energies[0] / float(n * m) ** 2, read.diagonal()
    # Take each side's own pairs out: mean over i ≠ j = mean over all + (mean over all − mean k_ii) / (n − 1).
    for size, member, energy in zip((n, m), members, energies[1:], strict=True):
        value = value + (energy / float(size) ** 2 - diagonal @ member / size) / (size - 1)
    return value


def sides(n: int, m: int) -> Array:
    """(n + m, 1): 1 for the rows of x, 0 for those of y."""
    return np.concatenate([np.ones(n), np.zeros(m)])[:, None]


def standardised(x: Any, y: Any) -> tuple[Array, ...]:
    """Both samples in the reference's standard deviations."""
    left, right = two_samples(x, y)
    return standardise_by(right, left, right)


def definition(
    kernel: Kernel, read: Energies, estimator: str, best: int, standardise: bool
) -> dict[str, Any]:
    """What a value says, in JSON values."""
    words = {"squared": True, "estimator": estimator, "kernel": kernel.name, **kernel.parameters}
    if read.bandwidths[best] is not None:
        words["bandwidth"] = read.bandwidths[best]
    if len(read.bandwidths) > 1:
        words["over_bandwidths"] = "largest"
    return words | {"scaler": "reference" if standardise else None}


def value_range(kernel: Kernel, estimator: str) -> tuple[float, float]:
    """Smallest and largest MMD² that the kernel's bounds allow."""
    low, high = kernel.bounds
    widest = 2.0 * (high - low)
    return (0.0 if estimator == "biased" and kernel.positive_definite else -widest), widest


def sizes(x: Any, y: Any) -> dict[str, int]:
    """Rows n, m and columns d, the larger number where histograms are padded."""
    return {"n": rows_of(x), "m": rows_of(y), "d": max(_columns(x), _columns(y))}


def _columns(sample: Any) -> int:
    if hasattr(sample, "shape"):
        return int(sample.shape[1]) if len(sample.shape) > 1 else 1
    return max(int(np.size(row)) for row in sample)


def check_estimator(estimator: str) -> None:
    if estimator not in ESTIMATORS:
        raise ValueError(f"no estimator {estimator!r}; there are: {', '.join(ESTIMATORS)}")
