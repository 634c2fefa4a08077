"""MMD: conventions, inputs, errors, what travels with a value."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
import torch

from graphgauge.distances.bandwidths import checked
from graphgauge.distances.kernels import (
    as_kernel,
    gaussian_emd,
    gaussian_tv,
    gram,
    laplacian_tv,
    polynomial,
    rbf,
)
from graphgauge.distances.mmd import mmd
from graphgauge.distances.pairwise import manhattan, total_variation
from graphgauge.distances.permutation import permutation_test


def test_point_masses_at_0_and_1_name_their_convention():
    result = mmd([[0.0]], [[1.0]], rbf(1.0))
    assert result.value == pytest.approx(2 - 2 * np.exp(-0.5), rel=1e-15)
    assert result.definition["squared"] is True
    assert result.definition["estimator"] == "biased"
    assert result.definition["bandwidth"] == 1.0
    assert result.lower_is_better


@pytest.mark.parametrize("s", [0.3, 1.0, 4.0])
def test_one_meaning_of_bandwidth(s):
    """Value at distance 1: point masses in neighbouring bins have EMD 1 and TV 1."""
    gaussian, laplacian = np.exp(-1 / (2 * s * s)), np.exp(-1 / s)
    first, second = [[1.0, 0.0]], [[0.0, 1.0]]
    assert gram([[0.0]], [[1.0]], rbf(s))[0, 1] == pytest.approx(gaussian, rel=1e-15)
    assert gram(first, second, gaussian_emd(s))[0, 1] == pytest.approx(gaussian, rel=1e-15)
    assert gram(first, second, gaussian_tv(s))[0, 1] == pytest.approx(gaussian, rel=1e-15)
    assert gram(first, second, laplacian_tv(s))[0, 1] == pytest.approx(laplacian, rel=1e-15)


@pytest.mark.parametrize(("width", "distance"), [(1.0, 2.0), (0.1, 0.2)])
def test_earth_is_moved_over_bin_widths(width, distance):
    value = gram([[1, 0, 0]], [[0, 0, 1]], gaussian_emd(1.0, bin_width=width))[0, 1]
    assert np.sqrt(-2 * np.log(value)) == pytest.approx(distance, rel=1e-12)


def test_degree_histograms_of_lengths_2_and_9_are_padded():
    short, long = [[3, 1]], [[0, 1, 4, 2, 0, 0, 0, 0, 2]]
    padded = [[3, 1, 0, 0, 0, 0, 0, 0, 0]]
    for kernel in (gaussian_emd(), gaussian_tv(), laplacian_tv()):
        assert mmd(short, long, kernel).value == mmd(padded, long, kernel).value
        assert mmd(short + long, long, kernel).value == mmd(padded + long, long, kernel).value


def test_unequal_masses():
    with pytest.raises(ValueError, match="y: row 0 has mass 3"):
        mmd([[1, 1]], [[3, 0]], gaussian_emd(normalise=False))
    assert gram([[1, 1]], [[3, 0]], gaussian_tv(normalise=False))[0, 1] == pytest.approx(
        np.exp(-(1.5**2) / 2)
    )


@pytest.mark.parametrize(
    "kernel", ["linear", "polynomial", "rbf", "gaussian_emd", "gaussian_tv", "laplacian_tv"]
)
def test_bad_samples_raise_and_name_the_culprit(kernel):
    good = np.ones((3, 2))
    bad = good.copy()
    bad[2, 1] = np.nan
    for empty in (np.ones((0, 2)), np.ones((3, 0)), []):
        with pytest.raises(ValueError, match="empty sample"):
            mmd(good, empty, kernel)
    with pytest.raises(ValueError, match="x: row 2, column 1 is nan"):
        mmd(bad, good, kernel)
    with pytest.raises(ValueError, match="y: row 2, column 1 is nan"):
        mmd(good, bad, kernel)
    with pytest.raises(ValueError, match="two rows on each side, got 1 and 3"):
        mmd(good[:1], good, kernel, "unbiased")


@pytest.mark.parametrize("kernel", ["linear", "polynomial", "rbf"])
def test_different_widths_raise(kernel):
    with pytest.raises(ValueError, match="x has 2 columns and y has 3"):
        mmd(np.ones((2, 2)), np.ones((2, 3)), kernel)


def test_bad_histograms_raise():
    with pytest.raises(ValueError, match="y: row 1, column 0 is -1"):
        mmd([[1.0]], [[1.0], [-1.0]], "gaussian_emd")
    with pytest.raises(ValueError, match="x: row 1 has no mass"):
        mmd([[1.0, 1.0], [0.0, 0.0]], [[1.0, 0.0]], "gaussian_tv")


def test_sparse_rows():
    from scipy.sparse import csr_matrix

    rows = csr_matrix(np.eye(3))
    bad = csr_matrix(np.array([[0.0, np.inf, 0.0]]))
    with pytest.raises(ValueError, match="y: row 0, column 1 is inf"):
        mmd(rows, bad, "linear")
    with pytest.raises(ValueError, match="empty sample"):
        mmd(rows, rows[:0], "linear")
    with pytest.raises(ValueError, match="3 columns and y has 2"):
        mmd(rows, rows[:, :2], "linear")
    with pytest.raises(TypeError, match="both be sparse"):
        mmd(rows, np.eye(3), "linear")
    np.testing.assert_array_equal(gram(rows, rows, "linear"), gram(np.eye(3), np.eye(3), "linear").round(12))


def test_bad_kernels_and_options_raise():
    one = [[1.0]]
    for wrong, message in (
        (lambda: mmd(one, one, "gauss"), "no kernel 'gauss'"),
        (lambda: mmd(one, one, "rbf", "fair"), "no estimator 'fair'"),
        (lambda: mmd(one, one, np.eye(3)), "3 rows, x and y have 1"),
        (lambda: mmd(one, one, np.array([[1.0, 0.5], [0.4, 1.0]])), "not symmetric at row 0, column 1"),
        (lambda: mmd(one, one, np.array([[1.0, np.nan], [np.nan, 1.0]])), "row 0, column 1 is nan"),
        (lambda: mmd(one, one, np.ones((2, 3))), "square"),
        (lambda: mmd(one, [], np.eye(1)), "empty sample"),
        (lambda: mmd(one, one, lambda a, b: a), None),
        (lambda: mmd(one, [[2.0]], lambda a, b: np.ones(3)), "gave shape"),
        (lambda: mmd(one, [[2.0]], lambda a, b: a @ b.T * np.nan), "not finite"),
        (lambda: mmd(one, one, "rbf", block=0), "block"),
        (lambda: rbf("mean"), "no bandwidth rule 'mean'"),
        (lambda: gaussian_tv("ten"), "no bandwidth rule 'ten'"),
        (lambda: checked([]), "must not be empty"),
        (lambda: gaussian_emd(bin_width=0), "bin_width"),
        (lambda: polynomial(0), "degree"),
        (lambda: permutation_test(one, one, permutations=0), "permutations"),
    ):
        if message is None:
            wrong()  # one distinct row: a (1, 1) block is a kernel value
            continue
        with pytest.raises(ValueError, match=message):
            wrong()
    with pytest.raises(TypeError, match="got int"):
        as_kernel(3)


def test_values_that_float64_cannot_hold_raise():
    with np.errstate(all="ignore"), pytest.raises(ValueError, match="finite number above 0"):
        mmd([[1e200], [0.0]], [[1.0], [2.0]], "rbf")
    for test in (mmd, permutation_test):
        with np.errstate(all="ignore"), pytest.raises(ValueError, match="too large for float64"):
            test([[1e200], [0.0]], [[1.0], [2.0]], "polynomial")


def test_identical_rows_everywhere_are_at_distance_0():
    same = np.full((4, 3), 2.5)
    for kernel in ("linear", "polynomial", rbf("ten"), rbf("median"), "gaussian_emd", "gaussian_tv"):
        for estimator in ("biased", "unbiased"):
            assert mmd(same, same[:3], kernel, estimator).value == pytest.approx(0.0, abs=1e-15)
        assert permutation_test(same, same[:3], kernel, 19).value == 1.0


def test_a_list_of_bandwidths_gives_the_largest_and_keeps_all():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(20, 2)), 1 + rng.normal(size=(20, 2))
    several = mmd(x, y, rbf([0.1, 1.0, 10.0]))
    single = [mmd(x, y, rbf(s)).value for s in (0.1, 1.0, 10.0)]
    np.testing.assert_allclose(several.extra["values"], single, rtol=1e-12)
    assert several.value == max(several.extra["values"])
    assert several.definition["bandwidth"] == 1.0
    assert several.definition["over_bandwidths"] == "largest"
    assert gram(x, y, rbf([0.1, 1.0])).shape == (2, 40, 40)


def test_tensors_vectors_and_integers_are_samples():
    wanted = mmd([[0.0], [1.0]], [[2.0]], rbf(1.0)).value
    assert mmd(torch.tensor([[0.0], [1.0]]), torch.tensor([[2.0]]), rbf(1.0)).value == wanted
    assert mmd([0, 1], np.array([2]), rbf(1.0)).value == wanted


def test_standardised_by_the_reference():
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(15, 3)), rng.normal(size=(20, 3)) * [1.0, 50.0, 0.1]
    by_hand = [(rows - y.mean(0)) / y.std(0) for rows in (x, y)]
    result = mmd(x, y, rbf("median"), standardise=True)
    assert result.value == pytest.approx(mmd(*by_hand, rbf("median")).value, rel=1e-12)
    assert result.definition["scaler"] == "reference"
    assert mmd(x, y).definition["scaler"] is None
    test = permutation_test(x, y, permutations=50, standardise=True)
    assert test.value == permutation_test(*by_hand, permutations=50).value
    assert test.definition["scaler"] == "reference"


def test_a_result_travels():
    result = mmd([[0.0], [3.0]], [[1.0], [2.0]], "rbf", "unbiased")
    again = pickle.loads(pickle.dumps(result))  # noqa: S301
    assert again == result
    assert json.loads(json.dumps(dict(result.definition)))["kernel"] == "rbf"
    assert float(again) == again.value
    with pytest.raises(AttributeError):
        result.value = 0.0
    with pytest.raises(TypeError):
        result.definition["squared"] = False


def test_p_values_of_far_and_equal_samples():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(30, 4))
    far = permutation_test(x, x + 2, "rbf", 199, rng)
    assert far.value == 1 / 200
    assert not far.lower_is_better
    assert permutation_test(x, x, "rbf", 199, 0).value == 1.0
    assert (
        permutation_test(x, x + 0.1, permutations=50, rng=1).value
        == permutation_test(x, x + 0.1, permutations=50, rng=1).value
    )


def test_total_variation_of_sparse_histograms_is_the_dense_one() -> None:
    rng = np.random.default_rng(2)
    rows = rng.random((40, 30)) * (rng.random((40, 30)) < 0.1)
    other = rng.random((25, 30)) * (rng.random((25, 30)) < 0.1)
    np.testing.assert_allclose(total_variation(rows, other), 0.5 * manhattan(rows, other), atol=1e-14)
    assert (total_variation(rows, other) == total_variation(other, rows).T).all()
    assert (np.diag(total_variation(rows, rows)) == 0.0).all()
    some = rows[rows.any(axis=1)]
    for kernel in (gaussian_tv(0.3), laplacian_tv(0.3)):
        values = gram(some, some[:5], kernel)
        shares = some / some.sum(axis=1, keepdims=True)
        both = np.concatenate([shares, shares[:5]])
        tv = 0.5 * np.abs(both[:, None] - both[None]).sum(axis=2)
        exact = np.exp(-(tv**2) / 0.18) if kernel.name == "gaussian_tv" else np.exp(-tv / 0.3)
        np.testing.assert_allclose(values, exact, rtol=1e-12)
