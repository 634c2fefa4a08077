"""Kernels on rows: how alike two feature vectors, or two histograms, are.

`KERNELS` has a factory for every name; a factory called with its parameters gives a `Kernel`. One meaning of
bandwidth holds everywhere: a Gaussian of bandwidth s has the value exp(−1 / (2 s²)) at distance 1, a
Laplacian exp(−1 / s).

A kernel is positive definite if no Gram matrix has an eigenvalue below 0; only then is MMD² a squared
distance, its biased estimate never negative. The Gaussians of the earth mover's distance and of total
variation are not: an L1 distance may be exponentiated (the Laplacian), its square may not.
`lowest_eigenvalue` tells how far a Gram matrix is from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import issparse, vstack

from graphgauge.distances.bandwidths import BANDWIDTH_RULES, Bandwidth, checked, fixed
from graphgauge.distances.energies import BLOCK, Energies, Inner, Pairwise, Values, pool, sparse_inner
from graphgauge.distances.exponentials import exponentials
from graphgauge.distances.histograms import cumulative, equal_masses, histograms
from graphgauge.distances.pairwise import manhattan, squared_euclidean, total_variation
from graphgauge.distances.samples import Array, rows_of, two_samples

# Share of filled bins below which it pays to visit these alone.
SPARSE = 0.25


@dataclass(frozen=True)
class Kernel:
    """A kernel before it has seen data.

    Parameters
    ----------
    name : as in `KERNELS`
    parameters : all of them, in JSON values; they travel with every result
    read : two samples → their energies; here rows are checked and the bandwidth is chosen
    bounds : smallest and largest kernel value
    positive_definite : whether it is proven to be; None where nothing is known
    """

    name: str
    parameters: Mapping[str, Any]
    read: Callable[[Any, Any], Energies]
    bounds: tuple[float, float]
    positive_definite: bool | None


def linear() -> Kernel:
    """k(x, y) = x·y. Rows may be a SciPy sparse matrix, such as WL or NSPDK counts.

    An MMD of it is |mean x − mean y|², in O(n d) without any matrix of pairs.
    Values in (−∞, ∞), positive definite.
    """
    return Kernel("linear", {}, _read_linear, (-np.inf, np.inf), True)


def polynomial(degree: int = 3, scale: float | None = None, offset: float = 1.0) -> Kernel:
    """k(x, y) = (scale · x·y + offset)^degree; scale is 1 / d where it is None.

    Values in (−∞, ∞); positive definite for a degree of at least 1, a scale above 0 and an offset of at least
    0, and nothing else is accepted.
    """
    if degree < 1 or (scale is not None and scale <= 0) or offset < 0:
        raise ValueError(f"want degree ≥ 1, scale > 0, offset ≥ 0; got {degree}, {scale}, {offset}")

    def read(x: Any, y: Any) -> Energies:
        both = pool(*two_samples(x, y))
        factor = 1.0 / both.rows.shape[1] if scale is None else scale

        def power(products: Array) -> Array:
            base = factor * products + offset
            values = base.copy()
            for _ in range(degree - 1):
                values *= base
            return values

        def values(a: Array, b: Array) -> Iterator[tuple[int, Array]]:
            yield 0, power(a @ b.T)

        return Pairwise(both.rows, both.which, values, (None,), lambda rows: power(np.square(rows).sum(1)))

    parameters = {"degree": degree, "scale": "1/d" if scale is None else scale, "offset": offset}
    return Kernel("polynomial", parameters, read, (-np.inf, np.inf), True)


def rbf(bandwidth: Bandwidth = "ten") -> Kernel:
    """k(x, y) = exp(−|x − y|² / (2 s²)), the Gaussian of the Euclidean distance.

    Values in [0, 1], positive definite.

    Parameters
    ----------
    bandwidth : s, a list of them, or a rule: "ten" takes 0.01, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5 and 10
        times the root mean squared distance between x and y (paper C as its code has it), "ten_all_pairs"
        the same multiples of that over all pairs of both samples together, "ten_reference" over all pairs of
        two rows of the reference y alone, "median" the median distance over all pairs of both. (Paper C's
        text has the mean distance; none of the rules is that.)
    """
    checked(bandwidth, tuple(BANDWIDTH_RULES))

    def read(x: Any, y: Any) -> Energies:
        both = pool(*two_samples(x, y))
        rows = both.rows - both.counts.sum(axis=0) @ both.rows / both.counts.sum()
        rule = BANDWIDTH_RULES[bandwidth] if isinstance(bandwidth, str) else None
        chosen = fixed(checked(rule(rows, both.counts) if rule else bandwidth))
        rates = [_gaussian_rate(number) for number in chosen]
        return Pairwise(rows, both.which, _exponential(squared_euclidean, rates), chosen, _ones)

    return Kernel(
        "rbf", {"rule": bandwidth if isinstance(bandwidth, str) else "fixed"}, read, (0.0, 1.0), True
    )


def gaussian_emd(bandwidth: Bandwidth = 1.0, bin_width: float = 1.0, normalise: bool = True) -> Kernel:
    """k(p, q) = exp(−EMD(p, q)² / (2 s²)), EMD the earth mover's distance of histograms on a line.

    EMD(p, q) = bin_width · Σ_b |P_b − Q_b| with cumulative histograms P, Q: exact, in O(d). Values in [0, 1];
    not positive definite. Histograms of different lengths are padded with empty bins on the right.

    Parameters
    ----------
    bandwidth : s or a list of them, in the unit of the distance
    bin_width : distance between neighbouring bins; 1 for degrees, 0.01 for 100 bins on [0, 1]
    normalise : divide each histogram by its mass first; else all masses must be equal
    """
    checked(bandwidth)
    if not 0 < bin_width < np.inf:
        raise ValueError(f"bin_width must be a finite number above 0, got {bin_width}")

    def prepare(x: Any, y: Any) -> tuple[Array, Array]:
        p, q = histograms(x, y, normalise=normalise)
        if not normalise:
            equal_masses(p, q)
        return cumulative(p, bin_width), cumulative(q, bin_width)

    def distance(p: Array, q: Array) -> Array:
        return np.square(manhattan(p, q))

    parameters = {"bin_width": bin_width, "normalise": normalise}
    rates = [_gaussian_rate(number) for number in fixed(bandwidth)]
    return _on_histograms("gaussian_emd", parameters, prepare, distance, fixed(bandwidth), rates, False)


def gaussian_tv(bandwidth: Bandwidth = 1.0, normalise: bool = True) -> Kernel:
    """k(p, q) = exp(−TV(p, q)² / (2 s²)), TV(p, q) = ½ Σ_b |p_b − q_b| the total variation distance.

    Values in [0, 1]; not positive definite. Histograms of different lengths are padded with empty bins.
    `normalise=False` keeps the masses, as is done for orbit counts.
    """
    checked(bandwidth)
    rates = [_gaussian_rate(number) for number in fixed(bandwidth)]

    def distance(p: Array, q: Array) -> Array:
        return np.square(0.5 * manhattan(p, q))

    def between_sparse(p: Array, q: Array) -> Array:
        return np.square(total_variation(p, q))

    return _on_histograms(
        "gaussian_tv", {"normalise": normalise}, _reader(normalise), distance, fixed(bandwidth), rates, False,
        between_sparse,
    )  # fmt: skip


def laplacian_tv(bandwidth: Bandwidth = 1.0, normalise: bool = True) -> Kernel:
    """k(p, q) = exp(−TV(p, q) / s), TV(p, q) = ½ Σ_b |p_b − q_b| the total variation distance.

    Values in [0, 1], positive definite: the one to take where the Gaussian of total variation is not enough.
    Histograms of different lengths are padded with empty bins.
    """
    checked(bandwidth)
    rates = [1.0 / number for number in fixed(bandwidth)]

    def distance(p: Array, q: Array) -> Array:
        return np.asarray(0.5 * manhattan(p, q))

    return _on_histograms(
        "laplacian_tv", {"normalise": normalise}, _reader(normalise), distance, fixed(bandwidth), rates, True,
        total_variation,
    )  # fmt: skip


KERNELS: dict[str, Callable[..., Kernel]] = {
    "linear": linear,
    "polynomial": polynomial,
    "rbf": rbf,
    "gaussian_emd": gaussian_emd,
    "gaussian_tv": gaussian_tv,
    "laplacian_tv": laplacian_tv,
}


def from_function(function: Callable[[Array, Array], Any]) -> Kernel:
    """A kernel from any symmetric function of two blocks of rows: (n, d), (m, d) → (n, m).

    >>> from_function(lambda a, b: a @ b.T).name
    '<lambda>'
    """
    name = getattr(function, "__name__", type(function).__name__)

    def block(a: Array, b: Array) -> Array:
        values = np.asarray(function(a, b), dtype=np.float64)
        if values.shape != (len(a), len(b)):
            raise ValueError(f"kernel {name} gave shape {values.shape}, want {(len(a), len(b))}")
        if not np.isfinite(values).all():
            raise ValueError(f"kernel {name} gave a value that is not finite")
        return values

    def read(x: Any, y: Any) -> Energies:
        both = pool(*two_samples(x, y))

        def values(a: Array, b: Array) -> Iterator[tuple[int, Array]]:
            yield 0, block(a, b)

        def diagonal(rows: Array) -> Array:
            return np.array([block(row[None], row[None])[0, 0] for row in rows])

        return Pairwise(both.rows, both.which, values, (None,), diagonal)

    return Kernel(name, {}, read, (-np.inf, np.inf), None)


def from_gram(gram: Any) -> Kernel:
    """A kernel from its Gram matrix (n + m, n + m), x's rows first, then y's: finite and symmetric.

    Of x and y only the lengths count.
    """
    matrix = symmetric(gram)

    def values(a: Array, b: Array) -> Iterator[tuple[int, Array]]:
        yield 0, matrix[np.ix_(a[:, 0].astype(np.int64), b[:, 0].astype(np.int64))]

    def read(x: Any, y: Any) -> Energies:
        n, m = rows_of(x), rows_of(y)
        if not (n and m):
            raise ValueError("an empty sample has no distance to anything")
        if n + m != len(matrix):
            raise ValueError(f"Gram matrix has {len(matrix)} rows, x and y have {n} + {m}")
        index = np.arange(len(matrix))
        rows = index[:, None].astype(np.float64)
        return Pairwise(rows, index, values, (None,), lambda _: matrix.diagonal())

    return Kernel("precomputed", {}, read, (-np.inf, np.inf), None)


def as_kernel(kernel: Any) -> Kernel:
    """A kernel from a name in `KERNELS`, a `Kernel`, a function of two blocks, or a Gram matrix.

    >>> as_kernel("rbf").parameters["rule"], as_kernel(np.eye(3)).name
    ('ten', 'precomputed')
    """
    if isinstance(kernel, Kernel):
        return kernel
    if isinstance(kernel, str):
        if kernel not in KERNELS:
            raise ValueError(f"no kernel {kernel!r}; there are: {', '.join(KERNELS)}")
        return KERNELS[kernel]()
    if hasattr(kernel, "__array__"):
        return from_gram(kernel)
    if callable(kernel):
        return from_function(kernel)
    raise TypeError(
        f"want a kernel's name, a Kernel, a function or a Gram matrix, got {type(kernel).__name__}"
    )


def gram(x: Any, y: Any, kernel: Any = "rbf", *, block: int = BLOCK) -> Array:
    """Kernel values over all rows of x, then y: (n + m, n + m), or (bandwidths, n + m, n + m) if several.

    >>> gram([[0.0]], [[1.0]], rbf(1.0)).round(6).tolist()
    [[1.0, 0.606531], [0.606531, 1.0]]
    """
    values = as_kernel(kernel).read(x, y).gram(block)
    return values[0] if len(values) == 1 else values


def lowest_eigenvalue(gram: Any) -> float:
    """Smallest eigenvalue of a Gram matrix (n, n), in O(n³): below 0 where it is not positive definite.

    >>> far = [[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    >>> near = [[0.5, 0.5, 0, 0], [0, 0.5, 0.5, 0], [0, 0, 0.5, 0.5], [0.5, 0, 0, 0.5]]
    >>> lowest_eigenvalue(gram(far, near, gaussian_tv(1.0))) < -0.01
    True
    >>> lowest_eigenvalue(gram(far, near, laplacian_tv(1.0))) > 0
    True
    """
    return float(eigh(symmetric(gram), eigvals_only=True, subset_by_index=[0, 0])[0])


def symmetric(gram: Any) -> Array:
    """A Gram matrix as float64; it raises, naming the entry, where it is not square, finite and symmetric."""
    matrix = np.asarray(gram, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not len(matrix):
        raise ValueError(f"want a square Gram matrix, got shape {matrix.shape}")
    if not np.isfinite(matrix).all():
        row, column = np.argwhere(~np.isfinite(matrix))[0]
        raise ValueError(f"Gram matrix: row {row}, column {column} is {matrix[row, column]}")
    off = ~np.isclose(matrix, matrix.T, rtol=1e-9, atol=1e-12 * np.abs(matrix).max())
    if off.any():
        row, column = np.argwhere(off)[0]
        raise ValueError(f"Gram matrix is not symmetric at row {row}, column {column}")
    return matrix


def _read_linear(x: Any, y: Any) -> Energies:
    if not (issparse(x) or issparse(y)):
        rows = np.concatenate(two_samples(x, y))
        centre = rows.mean(axis=0)
        return Inner(rows - centre, centre)
    if not (issparse(x) and issparse(y)):
        raise TypeError("x and y must both be sparse, or both not")
    if x.shape[1] != y.shape[1]:
        raise ValueError(f"x has {x.shape[1]} columns and y has {y.shape[1]}")
    for name, rows in (("x", x), ("y", y)):
        if 0 in rows.shape:
            raise ValueError(f"{name}: an empty sample has no distance to anything, got shape {rows.shape}")
        entries = rows.tocoo()
        bad = np.flatnonzero(~np.isfinite(entries.data))
        if len(bad):
            at = bad[0]
            raise ValueError(f"{name}: row {entries.row[at]}, column {entries.col[at]} is {entries.data[at]}")
    return sparse_inner(vstack([x, y], format="csr", dtype=np.float64))


def _on_histograms(
    name: str,
    parameters: Mapping[str, Any],
    prepare: Callable[[Any, Any], tuple[Array, Array]],
    distance: Callable[[Array, Array], Array],
    bandwidths: tuple[float, ...],
    rates: list[float],
    positive_definite: bool,
    between_sparse: Callable[[Array, Array], Array] | None = None,
) -> Kernel:
    """A kernel of an L1 distance; `between_sparse` gives the same distance of rows that are mostly 0."""

    def read(x: Any, y: Any) -> Energies:
        both = pool(*prepare(x, y))
        # A column that is the same in every row adds nothing to an L1 distance.
        varies = (both.rows != both.rows[0]).any(axis=0)
        rows = np.ascontiguousarray(both.rows[:, varies])
        sparse = between_sparse and np.count_nonzero(rows) < SPARSE * rows.size
        chosen = between_sparse if between_sparse and sparse else distance
        return Pairwise(rows, both.which, _exponential(chosen, rates), bandwidths, _ones)

    return Kernel(name, parameters, read, (0.0, 1.0), positive_definite)


def _reader(normalise: bool) -> Callable[[Any, Any], tuple[Array, Array]]:
    return lambda x, y: histograms(x, y, normalise=normalise)


def _exponential(distance: Callable[[Array, Array], Array], rates: list[float]) -> Values:
    return lambda a, b: exponentials(distance(a, b), rates)


def _gaussian_rate(bandwidth: float) -> float:
    return 0.5 / bandwidth**2


def _ones(rows: Array) -> Array:
    return np.ones(len(rows))
