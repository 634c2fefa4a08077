"""MMD of many samples against one reference, and of many parts of both at once.

What a kernel says of the reference alone is computed once, for the whole and for all parts in one pass.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.linalg import block_diag
from scipy.sparse import issparse

from graphgauge.distances.bandwidths import BANDWIDTH_RULES, NEED_BOTH
from graphgauge.distances.energies import Energies, Inner
from graphgauge.distances.kernels import Kernel, as_kernel, rbf
from graphgauge.distances.mmd import check_estimator, definition, sizes, value_range
from graphgauge.distances.result import Distance
from graphgauge.distances.samples import Array, rows_of

Members = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True, eq=False)
class Anchored:
    """A reference sample and what a kernel says of it; made by `anchor`.

    Parameters
    ----------
    y : the sample
    kernel : with its bandwidths fixed
    a, b : (m, c) parts of y, c may be 0
    energies : with B bandwidths; small, to be stored (`numpy.savez(path, **energies)`) and given to `anchor`

        * `bandwidths` (B,), NaN for a kernel without
        * `sizes` (1 + 2c,) rows of y, of each a, of each b
        * `own` (B, 1 + 2c) mean k(z, z′) within each of these, `diagonal` (1 + 2c,) mean k(z, z)
        * `between` (B, c) biased MMD² between a_r and b_r
        * `probe` (B, 1 + 2c) mean k(y_0, z), by which stored energies are recognised
    """

    y: Any
    kernel: Kernel
    a: Members
    b: Members
    energies: Mapping[str, Array]

    def floor(self, estimator: str = "biased") -> Array:
        """MMD² between y[a_r] and y[b_r]: (c,), the largest over bandwidths; how far equals are apart.

        Without parts it is empty. Clipped at 0 as in `mmd`.
        """
        check_estimator(estimator)
        value = self.energies["between"]
        count = value.shape[1]
        if estimator == "unbiased":
            value = value + self._correction(slice(1, 1 + count)) + self._correction(slice(1 + count, None))
        return np.asarray(self._clipped(value, estimator).max(axis=0))

    def mmd(self, x: Any, in_x: Members | None = None, estimator: str = "biased") -> tuple[Distance, Array]:
        """MMD² between x and y, and between the parts x[in_x[:, r]] and y[b_r].

        Values are those of `mmd(x, y, kernel, estimator)`, but for the last digits. Only k(x, x′) and k(x, y)
        are computed. A biased value of a positive definite kernel cannot be below 0; where rounding takes it
        there (by about 10⁻¹⁶ times the kernel's size), it is set to 0. Nothing else is clipped.

        Parameters
        ----------
        x : (n, d) as for `mmd`
        in_x : (n, c) bool, one part of x for each pair of parts of the reference
        estimator : "biased" or "unbiased"

        Returns
        -------
        The whole as a Distance, the parts (c,): each the largest over bandwidths; no parts where in_x is None

        Raises
        ------
        ValueError : what `mmd` raises; parts of another shape, or empty ones
        """
        check_estimator(estimator)
        read = self.kernel.read(x, self.y)
        n, m = rows_of(x), rows_of(self.y)
        of_x = np.ones((n, 1)) if in_x is None else _with_whole(_parts_like(in_x, n, self.b))
        of_y = np.ones((m, 1)) if in_x is None else _with_whole(self.b)
        values, own_x = self._biased(read, of_x, of_y)
        if estimator == "unbiased":
            diagonal = read.diagonal()[:n] @ of_x / of_x.sum(axis=0)
            values = values + _correction(own_x, diagonal, of_x.sum(axis=0), "x")
            values = values + self._correction(self._reference_columns(of_y))
        if not np.isfinite(values).all():
            raise ValueError(f"{self.kernel.name}: rows or bandwidths are too large for float64")
        values = self._clipped(values, estimator)
        best = int(np.argmax(values[:, 0]))
        whole = Distance(
            float(values[best, 0]),
            "mmd2",
            definition(self.kernel, read, estimator, best, False) | sizes(x, self.y),
            range=value_range(self.kernel, estimator),
            extra={"bandwidths": read.bandwidths, "values": tuple(values[:, 0].tolist())},
        )
        return whole, values[:, 1:].max(axis=0)

    def _biased(self, read: Energies, of_x: Array, of_y: Array) -> tuple[Array, Array]:
        """Biased MMD² between each column of x's and of y's members, and mean k(x, x′): (B, columns) each."""
        weights_x, weights_y = of_x / of_x.sum(axis=0), of_y / of_y.sum(axis=0)
        if isinstance(read, Inner):  # differences of means, not means of differences: no digits are lost
            own = read.energies(np.concatenate([weights_x, np.zeros_like(weights_y)]))
            return read.energies(np.concatenate([weights_x, -weights_y])), own
        count = of_x.shape[1]
        pairs = [(r, r) for r in range(count)] + [(r, count + r) for r in range(count)]
        forms = read.forms(block_diag(of_x, of_y), pairs)
        size_x, size_y = of_x.sum(axis=0), of_y.sum(axis=0)
        own, across = forms[:, :count] / size_x**2, forms[:, count:] / (size_x * size_y)
        return own + self.energies["own"][:, self._reference_columns(of_y)] - 2.0 * across, own

    def _reference_columns(self, of_y: Array) -> list[int]:
        """Columns of the energies for the whole and, where asked for, each b."""
        count = self.b.shape[1]
        return [0, *range(1 + count, 1 + 2 * count)][: of_y.shape[1]]

    def _correction(self, columns: Any) -> Array:
        own, diagonal, size = (self.energies[name] for name in ("own", "diagonal", "sizes"))
        return _correction(own[:, columns], diagonal[columns], size[columns], "y")

    def _clipped(self, values: Array, estimator: str) -> Array:
        certain = estimator == "biased" and self.kernel.positive_definite
        return np.maximum(values, 0.0) if certain else values


def anchor(
    y: Any,
    kernel: Any,
    parts: tuple[Members, Members] | None = None,
    energies: Mapping[str, Array] | None = None,
) -> Anchored:
    """The reference's part of an MMD, for one x after another, and for many parts at once.

    Every kernel value on two rows of y is computed once, for the whole and for all parts together; rows that
    are equal count as one; memory is a few blocks. `Anchored.floor` has the MMD² between the two parts of
    each replicate: what two samples of the same origin and of this size are apart. `Anchored.mmd` compares
    an x, and parts of it, with y and the parts b.

    Parameters
    ----------
    y : (m, d) reference, whatever `mmd` takes for the kernel
    kernel : as for `mmd`, but no Gram matrix, and of the bandwidth rules only "ten_reference", since the
        others look at x too
    parts : a, b: (m, c) bool, column r has the members of part r; a_r and b_r are disjoint and not empty
    energies : those of an earlier `anchor` with the same y, kernel and parts; nothing is computed again

    Raises
    ------
    ValueError
        A rule that needs x, a Gram matrix; parts that are not bool, of another shape, that overlap or are
        empty; energies that belong to another reference, kernel or other parts; what `mmd` raises

    >>> y = np.array([[0.0], [1.0], [1.0], [2.0]])
    >>> reference = anchor(y, "linear", parts=(np.eye(4, 2, dtype=bool), ~np.eye(4, 2, dtype=bool)))
    >>> reference.floor().round(6).tolist()
    [1.777778, 0.0]
    >>> whole, parts = reference.mmd(y + 1.0, np.eye(4, 2, dtype=bool))
    >>> whole.value, parts.round(6).tolist()
    (1.0, [0.111111, 1.0])
    >>> known = anchor(y, "linear", (reference.a, reference.b), reference.energies)
    >>> bool((known.floor() == reference.floor()).all())
    True
    """
    chosen = _without_x(as_kernel(kernel))
    read = chosen.read(y, _other(y))
    m = rows_of(y)
    a, b = _two_parts(parts, m)
    if chosen.parameters.get("rule") in BANDWIDTH_RULES:
        chosen = replace(chosen, read=rbf([s for s in read.bandwidths if s is not None]).read)
    members = np.concatenate([np.ones((m, 1)), a, b], axis=1)
    cheap = _cheap(read, members)
    if energies is not None:
        return Anchored(y, chosen, a, b, _same(energies, cheap, a.shape[1]))
    dear = _dear(read, members, a.shape[1])
    if not np.isfinite(dear["own"]).all():
        raise ValueError(f"y, {chosen.name}: rows or bandwidths are too large for float64")
    return Anchored(y, chosen, a, b, cheap | dear)


def _without_x(kernel: Kernel) -> Kernel:
    if kernel.name == "precomputed":
        raise ValueError("a Gram matrix covers one x only; a reference for many x needs a kernel")
    rule = kernel.parameters.get("rule")
    if rule in NEED_BOTH:
        raise ValueError(
            f'the bandwidth rule "{rule}" looks at x and y; a reference for many x needs one that looks at y '
            'alone: rbf("ten_reference"), or a fixed bandwidth'
        )
    return kernel


def _two_parts(parts: tuple[Members, Members] | None, m: int) -> tuple[Members, Members]:
    if parts is None:
        return np.zeros((m, 0), dtype=bool), np.zeros((m, 0), dtype=bool)
    a = _members(parts[0], m, "a")
    b = _parts_like(parts[1], m, a, "b")
    both = np.argwhere(a & b)
    if len(both):
        raise ValueError(f"parts: row {both[0][0]} is in both a and b, column {both[0][1]}")
    return a, b


def _parts_like(values: Any, rows: int, other: Members, name: str = "in_x") -> Members:
    members = _members(values, rows, name)
    if members.shape[1] != other.shape[1]:
        raise ValueError(f"{name} has {members.shape[1]} parts, the other side {other.shape[1]}")
    return members


def _members(values: Any, rows: int, name: str) -> Members:
    members = np.asarray(values)
    if members.dtype != np.bool_ or members.ndim != 2 or len(members) != rows:
        raise ValueError(f"{name}: want bool of shape ({rows}, parts), got {members.dtype} {members.shape}")
    empty = np.flatnonzero(~members.any(axis=0))
    if len(empty):
        raise ValueError(f"{name}: part {empty[0]} is empty")
    return members


def _with_whole(members: Members) -> Array:
    return np.concatenate([np.ones((len(members), 1)), members], axis=1)


def _other(y: Any) -> Any:
    """What stands for x while y is read alone: y again, for the rules of bandwidths; one row is enough of
    sparse rows, whose kernel has none, and columns that no other row shares stay so."""
    return y[:1] if issparse(y) else y


def _on_y(read: Energies, members: Array) -> Array:
    """Weights for both samples of an `Energies` that has read y with `_other`, whose rows have none."""
    rest = len(read.diagonal()) - len(members)
    return np.concatenate([members, np.zeros((rest, members.shape[1]))])


def _cheap(read: Energies, members: Array) -> dict[str, Array]:
    """What is computed anew each time, in O(m d)."""
    m, size = len(members), members.sum(axis=0)
    first = np.zeros((m, 1))
    first[0] = 1.0
    count = members.shape[1]
    probe = read.forms(
        _on_y(read, np.concatenate([first, members], axis=1)), [(0, 1 + r) for r in range(count)]
    )
    return {
        "bandwidths": np.array([np.nan if s is None else s for s in read.bandwidths]),
        "sizes": size,
        "diagonal": read.diagonal()[:m] @ members / size,
        "probe": probe / size,
    }


def _dear(read: Energies, members: Array, count: int) -> dict[str, Array]:
    """What visits all pairs of rows."""
    size = members.sum(axis=0)
    if isinstance(read, Inner):
        weights = members / size
        own = read.energies(_on_y(read, weights))
        return {
            "own": own,
            "between": read.energies(_on_y(read, weights[:, 1 : 1 + count] - weights[:, 1 + count :])),
        }
    pairs = [(r, r) for r in range(1 + 2 * count)] + [(1 + r, 1 + count + r) for r in range(count)]
    forms = read.forms(_on_y(read, members), pairs)
    own = forms[:, : 1 + 2 * count] / size**2
    across = forms[:, 1 + 2 * count :] / (size[1 : 1 + count] * size[1 + count :])
    return {"own": own, "between": own[:, 1 : 1 + count] + own[:, 1 + count :] - 2.0 * across}


def _same(energies: Mapping[str, Array], cheap: dict[str, Array], count: int) -> dict[str, Array]:
    """Stored energies, once it is clear that they belong to this reference."""
    bandwidths = len(cheap["bandwidths"])
    shapes = {"own": (bandwidths, 1 + 2 * count), "between": (bandwidths, count)}
    shapes |= {name: values.shape for name, values in cheap.items()}
    kept = {}
    for name, shape in shapes.items():
        if name not in energies:
            raise ValueError(f"energies: {name!r} is missing")
        kept[name] = np.asarray(energies[name], dtype=np.float64)
        if kept[name].shape != shape:
            raise ValueError(f"energies: {name!r} has shape {kept[name].shape}, want {shape}")
        if name in cheap and not np.allclose(kept[name], cheap[name], 1e-6, 1e-12, equal_nan=True):
            raise ValueError(f"energies: {name!r} is that of another reference, kernel or of other parts")
    return kept


def _correction(own: Array, diagonal: Array, size: Array, name: str) -> Array:
    """What takes a row with itself out of a mean over all pairs of one side: (B, columns)."""
    if (size < 2).any():
        raise ValueError(f"{name}: the unbiased estimate needs two rows in every part, got {int(size.min())}")
    return np.asarray((own - diagonal) / (size - 1.0))
