"""Reference kept for many samples: what it stores, what it refuses, what it does not compute."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix

from graphgauge.distances import anchored
from graphgauge.distances.anchored import anchor
from graphgauge.distances.energies import Pairwise, sparse_inner
from graphgauge.distances.kernels import gaussian_emd, rbf
from graphgauge.distances.mmd import mmd

RNG = np.random.default_rng(3)
X, Y = RNG.random((40, 3)), RNG.random((30, 3))
A = RNG.random((30, 4)) < 0.5
IN_X = RNG.random((40, 4)) < 0.5
RULE = rbf("ten_reference")


@pytest.mark.parametrize(
    "kernel",
    ["linear", "polynomial", "gaussian_emd", RULE],
    ids=lambda kernel: getattr(kernel, "name", kernel),
)
def test_stored_energies_give_the_same_values_and_visit_nothing(tmp_path, monkeypatch, kernel):
    reference = anchor(Y, kernel, (A, ~A))
    np.savez(tmp_path / "kept.npz", **reference.energies)
    monkeypatch.setattr(anchored, "_dear", None)
    with np.load(tmp_path / "kept.npz") as kept:
        again = anchor(Y, kernel, (A, ~A), energies=kept)
    for estimator in ("biased", "unbiased"):
        np.testing.assert_array_equal(again.floor(estimator), reference.floor(estimator))
        (one, parts), (two, same) = again.mmd(X, IN_X, estimator), reference.mmd(X, IN_X, estimator)
        assert one == two
        np.testing.assert_array_equal(parts, same)


def test_pairs_of_reference_rows_are_not_visited_again(monkeypatch):
    seen = []
    reference = anchor(Y, RULE, (A, ~A))
    read = reference.kernel.read

    def counting(x, y):
        energies = read(x, y)

        def values(a, b):
            seen.append(len(a) * len(b))
            return energies.values(a, b)

        return Pairwise(energies.rows, energies.which, values, energies.bandwidths, energies.self_values)

    object.__setattr__(reference, "kernel", anchored.replace(reference.kernel, read=counting))
    monkeypatch.setattr(Pairwise.forms, "__defaults__", (10,))
    whole, _ = reference.mmd(X, IN_X)
    # Blocks of 10: 4 · 5 / 2 of x with x, 4 · 3 of x with y, none of y with y.
    assert sum(seen) == 100 * (10 + 12)
    assert whole.value == pytest.approx(mmd(X, Y, RULE).value, abs=1e-14)


def test_without_parts():
    reference = anchor(Y, RULE)
    assert reference.floor().shape == (0,)
    whole, parts = reference.mmd(X)
    assert parts.shape == (0,)
    assert whole.value == pytest.approx(mmd(X, Y, RULE).value, abs=1e-14)
    assert whole.definition["rule"] == "ten_reference"
    assert len(whole.extra["values"]) == 10


@pytest.mark.parametrize(
    "kernel", ["rbf", rbf("ten_all_pairs"), rbf("median")], ids=["ten", "ten_all_pairs", "median"]
)
def test_rules_that_need_both_samples_are_refused(kernel):
    with pytest.raises(ValueError, match=r'looks at x and y.*rbf\("ten_reference"\)'):
        anchor(Y, kernel)


def test_what_cannot_be_anchored_raises():
    overlap = A.copy()
    overlap[5] = True
    empty = A.copy()
    empty[:, 2] = False
    nan = Y.copy()
    nan[2, 1] = np.nan
    for call, message in (
        (lambda: anchor(Y, np.eye(30)), "Gram matrix"),
        (lambda: anchor(Y, "linear", (A, overlap | ~A)), "in both a and b"),
        (lambda: anchor(Y, "linear", (empty, ~A)), "a: part 2 is empty"),
        (lambda: anchor(Y, "linear", (A, ~A[:, :2])), "b has 2 parts, the other side 4"),
        (lambda: anchor(Y, "linear", (A.astype(float), ~A)), "a: want bool"),
        (lambda: anchor(Y, "linear", (A[:9], ~A)), r"a: want bool of shape \(30, parts\)"),
        (lambda: anchor(nan, "polynomial"), "row 2, column 1 is nan"),
        (lambda: anchor(Y[:1], RULE), "at least 2 rows"),
        (lambda: anchor(Y, RULE).mmd(X[:, :2]), "x has 2 columns and y has 3"),
        (lambda: anchor(Y, RULE).mmd(X, IN_X), "in_x has 4 parts, the other side 0"),
        (lambda: anchor(Y, RULE).mmd(X, estimator="fair"), "no estimator 'fair'"),
        (lambda: anchor(Y, RULE).floor("fair"), "no estimator 'fair'"),
        (lambda: anchor(Y, RULE).mmd(X[:1], estimator="unbiased"), "x: the unbiased estimate needs two rows"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
    single = np.zeros((30, 1), bool)
    single[3] = True
    with pytest.raises(ValueError, match="y: the unbiased estimate needs two rows"):
        anchor(Y, RULE, (single, ~single)).floor("unbiased")
    with np.errstate(all="ignore"), pytest.raises(ValueError, match="too large for float64"):
        anchor([[1e200], [0.0]], "polynomial")


def test_energies_of_something_else_are_refused():
    kept = anchor(Y, RULE, (A, ~A)).energies
    moved = Y.copy()
    moved[7] += 0.01
    swapped = A[:, [1, 0, 2, 3]]
    for y, kernel, parts, message in (
        (moved, RULE, (A, ~A), "another reference"),
        (Y, rbf(list(np.geomspace(0.1, 1.0, 10))), (A, ~A), "'bandwidths' is that of another"),
        (Y, rbf(1.0), (A, ~A), "'bandwidths' has shape|'own' has shape"),
        (Y, RULE, (swapped, ~swapped), "of other parts"),
        (Y, RULE, None, "has shape"),
    ):
        with pytest.raises(ValueError, match=message):
            anchor(y, kernel, parts, kept)
    with pytest.raises(ValueError, match="'own' is missing"):
        anchor(Y, RULE, (A, ~A), {name: values for name, values in kept.items() if name != "own"})


def test_sparse_rows_stay_sparse():
    """A dense table of these rows would have 160 GB."""
    rng = np.random.default_rng(0)
    entries = (np.ones(60_000), (rng.integers(0, 20_000, 60_000), rng.integers(0, 10**6, 60_000)))
    rows = csr_matrix(entries, shape=(20_000, 10**6))
    half = (rng.random((20_000, 1)) < 0.5).repeat(2, axis=1)
    reference = anchor(rows, "linear", (half, ~half))
    whole, parts = reference.mmd(rows, ~half)
    assert whole.value == pytest.approx(0.0, abs=1e-20)
    np.testing.assert_allclose(parts, 0.0, atol=1e-20)
    assert reference.floor()[0] == pytest.approx(mmd(rows[half[:, 0]], rows[~half[:, 0]], "linear").value)


def test_kernels_without_a_guarantee_are_not_clipped():
    """The diagonals of a square in L1, where the Gaussian of a distance is not positive definite."""
    x = [[0.5, 0.0, 0.5, 0.0, 1.0], [0.0, 0.5, 0.0, 0.5, 1.0]]
    y = [[0.5, 0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 0.5, 0.0, 1.0]]
    value = anchor(y, gaussian_emd(1.0)).mmd(x)[0].value
    assert value == pytest.approx(mmd(x, y, gaussian_emd(1.0)).value, abs=1e-15)
    assert value < -0.01


def test_columns_of_a_single_entry_are_summed_apart():
    rng = np.random.default_rng(5)
    x, y = (csr_array((rng.random((8, 60)) < 0.05) * rng.random((8, 60))) for _ in range(2))
    parts = np.arange(8)[:, None] % 2 == np.arange(2)
    reference = anchor(y, "linear", (parts, ~parts))
    whole, some = reference.mmd(x, parts)
    dense = [np.asarray(rows.toarray()) for rows in (x, y)]
    assert whole.value == pytest.approx(mmd(*dense, "linear").value, rel=1e-12)
    for r in range(2):
        value = mmd(dense[0][parts[:, r]], dense[1][~parts[:, r]], "linear").value
        assert some[r] == pytest.approx(value, rel=1e-12)
    assert sparse_inner(x).rows.shape[1] < 60
    np.testing.assert_allclose(sparse_inner(x).gram()[0], dense[0] @ dense[0].T, atol=1e-15)
    np.testing.assert_allclose(sparse_inner(x).diagonal(), np.square(dense[0]).sum(axis=1), atol=1e-15)
