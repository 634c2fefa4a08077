"""Kernels and MMD against SciPy, scikit-learn and plain double loops."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.stats import wasserstein_distance
from sklearn.metrics import pairwise as sk

from graphgauge.distances import pairwise
from graphgauge.distances.bandwidths import TEN_MULTIPLES, median_distance
from graphgauge.distances.energies import pool
from graphgauge.distances.exponentials import exponentials
from graphgauge.distances.kernels import (
    KERNELS,
    gaussian_emd,
    gaussian_tv,
    gram,
    laplacian_tv,
    linear,
    lowest_eigenvalue,
    polynomial,
    rbf,
)
from graphgauge.distances.mmd import mmd
from graphgauge.distances.permutation import permutation_test


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def counts(rng, n, d):
    """Histograms with many equal rows, and none empty."""
    table = rng.poisson(0.7, size=(n, d)).astype(float)
    table[:, 0] += table.sum(axis=1) == 0
    return table


def test_gaussian_emd_is_scipys_wasserstein_distance(rng):
    x, y = counts(rng, 9, 12), counts(rng, 7, 12)
    bins = np.arange(12) * 0.1
    rows = np.concatenate([x, y])
    wanted = [[wasserstein_distance(bins, bins, p, q) for q in rows] for p in rows]
    kernel = gram(x, y, gaussian_emd(bandwidth=0.3, bin_width=0.1))
    np.testing.assert_allclose(kernel, np.exp(-np.square(wanted) / (2 * 0.3**2)), rtol=1e-12)


def test_total_variation_kernels_are_scikit_learns_manhattan(rng):
    x, y = counts(rng, 9, 12), counts(rng, 7, 12)
    rows = np.concatenate([x, y])
    rows /= rows.sum(axis=1, keepdims=True)
    tv = 0.5 * sk.manhattan_distances(rows)
    np.testing.assert_allclose(gram(x, y, gaussian_tv(0.4)), np.exp(-(tv**2) / (2 * 0.4**2)), rtol=1e-13)
    np.testing.assert_allclose(
        gram(x, y, laplacian_tv(0.4)), sk.laplacian_kernel(rows, gamma=0.5 / 0.4), rtol=1e-13
    )


def test_vector_kernels_are_scikit_learns(rng):
    x, y = rng.normal(size=(20, 5)), 1 + rng.normal(size=(17, 5))
    rows = np.concatenate([x, y])
    np.testing.assert_allclose(gram(x, y, linear()), sk.linear_kernel(rows), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(gram(x, y, rbf(1.5)), sk.rbf_kernel(rows, gamma=1 / (2 * 1.5**2)), rtol=1e-12)
    wanted = sk.polynomial_kernel(rows, degree=2, gamma=0.3, coef0=0.5)
    np.testing.assert_allclose(gram(x, y, polynomial(2, 0.3, 0.5)), wanted, rtol=1e-12)


def loops(kernel, n, estimator):
    """MMD² of a Gram matrix by its definition."""
    size = len(kernel)
    x, y = range(n), range(n, size)
    own = [
        np.mean([kernel[i, j] for i in side for j in side if estimator == "biased" or i != j])
        for side in (x, y)
    ]
    return sum(own) - 2 * np.mean([kernel[i, j] for i in x for j in y])


@pytest.mark.parametrize("estimator", ["biased", "unbiased"])
@pytest.mark.parametrize("name", list(KERNELS))
def test_mmd_is_its_definition_pair_by_pair(rng, name, estimator):
    x, y = counts(rng, 40, 3), counts(rng, 31, 3)  # most rows more than once
    result = mmd(x, y, name, estimator, block=7)
    grams = np.atleast_3d(gram(x, y, name).T).T
    wanted = [loops(kernel, 40, estimator) for kernel in grams]
    np.testing.assert_allclose(result.extra["values"], wanted, rtol=1e-9, atol=1e-14)
    assert result.value == max(result.extra["values"])
    if "bandwidth" in result.definition:
        assert result.definition["bandwidth"] == result.extra["bandwidths"][int(np.argmax(wanted))]


@pytest.mark.parametrize("estimator", ["biased", "unbiased"])
def test_function_gram_and_sparse_rows_agree_with_the_name(rng, estimator):
    x, y = counts(rng, 30, 4), counts(rng, 20, 4)
    wanted = mmd(x, y, "linear", estimator).value
    for kernel in (lambda a, b: a @ b.T, gram(x, y, "linear")):
        assert mmd(x, y, kernel, estimator).value == pytest.approx(wanted, rel=1e-10, abs=1e-13)
    sparse = mmd(csr_matrix(x), csr_matrix(y), "linear", estimator)
    assert sparse.value == pytest.approx(wanted, rel=1e-10, abs=1e-13)


def test_ten_bandwidths_have_float64_accuracy_far_from_the_origin_and_next_to_duplicates(rng):
    x = 1e3 + rng.lognormal(0, 2, size=(60, 30))
    y = 1e3 + rng.lognormal(0, 2, size=(50, 30))
    y[:10] = x[:10] + 1e-7
    rows = np.concatenate([x, y])
    squared = np.array([[np.square(a - b).sum() for b in rows] for a in rows])
    scale = np.sqrt(squared[:60, 60:].mean())
    result = mmd(x, y, "rbf")
    np.testing.assert_allclose(result.extra["bandwidths"], scale * np.array(TEN_MULTIPLES), rtol=1e-12)
    wanted = [loops(np.exp(-squared / (2 * s * s)), 60, "biased") for s in result.extra["bandwidths"]]
    np.testing.assert_allclose(result.extra["values"], wanted, rtol=1e-10, atol=1e-13)


def test_the_rule_over_all_pairs_is_their_root_mean_square(rng):
    x, y = rng.integers(0, 4, size=(15, 3)), rng.integers(0, 4, size=(11, 3))
    rows = np.concatenate([x, y]).astype(float)
    squared = [np.square(rows[i] - rows[j]).sum() for i in range(26) for j in range(i)]
    bandwidths = mmd(x, y, rbf("ten_all_pairs")).extra["bandwidths"]
    np.testing.assert_allclose(bandwidths, np.sqrt(np.mean(squared)) * np.array(TEN_MULTIPLES), rtol=1e-13)


def test_powers_of_exponentials_are_the_exponentials(rng):
    values = np.concatenate([[0.0], rng.exponential(size=400)])
    rates = [0.5 / multiple**2 for multiple in TEN_MULTIPLES]
    got = {index: array.copy() for index, array in exponentials(values, rates)}
    assert sorted(got) == list(range(10))
    for index, array in got.items():
        np.testing.assert_allclose(array, np.exp(-rates[index] * values), rtol=2e-14, atol=1e-300)


def test_a_long_chain_of_squarings_is_broken_before_it_loses_digits():
    values, rates = np.linspace(0.0, 1e-5, 1001), [2.0**k for k in range(21)]
    for index, array in exponentials(values, rates):
        np.testing.assert_allclose(array, np.exp(-rates[index] * values), rtol=1e-14)


def test_rows_of_an_rbf_are_centred_before_products_are_taken(rng):
    rows = rbf().read(1e6 + rng.normal(size=(30, 4)), 1e6 + rng.normal(size=(20, 4))).rows
    assert np.abs(rows).max() < 10


def test_rates_that_leave_nothing_are_left_out():
    assert [index for index, _ in exponentials(np.array([800.0, 900.0]), [1.0, 0.25])] == [1]


def test_median_bandwidth_is_the_median_over_all_pairs(rng):
    x, y = rng.integers(0, 5, size=(25, 2)), rng.integers(0, 5, size=(20, 2))
    rows = np.concatenate([x, y]).astype(float)
    pairs = [np.linalg.norm(rows[i] - rows[j]) for i in range(45) for j in range(i)]
    both = pool(x.astype(float), y.astype(float))
    assert median_distance(both.rows, both.counts)[0] == pytest.approx(np.median(pairs), rel=1e-14)
    assert mmd(x, y, rbf("median")).definition["bandwidth"] == pytest.approx(np.median(pairs), rel=1e-14)


@pytest.mark.parametrize("d", [1, 4, 7])
def test_compiled_loops_equal_their_plain_twins(rng, d):
    x, y = rng.normal(size=(6, d)), rng.normal(size=(5, d))
    y[0] = x[0] * (1 + 1e-9)
    columns, got, plain = np.ascontiguousarray(y.T), np.empty((6, 5)), np.empty((6, 5))
    pairwise._sum_of_differences(x, columns, got)
    pairwise._sum_of_differences.py_func(x, columns, plain)
    np.testing.assert_array_equal(got, plain)
    norms = np.square(x).sum(1), np.square(y).sum(1)
    got, plain = x @ y.T, x @ y.T
    pairwise._from_products(x, y, *norms, pairwise.NEAR, got)
    pairwise._from_products.py_func(x, y, *norms, pairwise.NEAR, plain)
    np.testing.assert_allclose(got, plain, rtol=1e-12)
    np.testing.assert_allclose(got, np.square(x[:, None] - y).sum(-1), rtol=1e-10)


@pytest.mark.parametrize("estimator", ["biased", "unbiased"])
def test_permutations_are_mmds_of_shuffled_rows(rng, estimator):
    x, y = rng.normal(size=(12, 2)), 0.7 + rng.normal(size=(9, 2))
    result = permutation_test(x, y, rbf(1.0), 60, 5, estimator)
    rows, side = np.concatenate([x, y]), np.repeat([[1.0]] * 12 + [[0.0]] * 9, 60, axis=1)
    splits = np.random.default_rng(5).permuted(side, axis=0).T == 1
    drawn = np.array([mmd(rows[split], rows[~split], rbf(1.0), estimator).value for split in splits])
    observed = mmd(x, y, rbf(1.0), estimator).value
    assert result.extra["mmd2"] == pytest.approx(observed, rel=1e-12)
    assert result.extra["random_mean"] == pytest.approx(drawn.mean(), rel=1e-9, abs=1e-14)
    assert result.value == (1 + (drawn >= observed).sum()) / 61


def test_lowest_eigenvalue_is_numpys(rng):
    kernel = gram(counts(rng, 20, 4), counts(rng, 20, 4), gaussian_tv(1.0))
    assert lowest_eigenvalue(kernel) == pytest.approx(np.linalg.eigvalsh(kernel)[0], abs=1e-12)


def test_the_gaussian_of_emd_is_not_positive_definite_and_its_biased_mmd_can_be_negative():
    """A cycle of four with two neighbours at one distance and the opposite at twice that, L1 but not L2."""
    x = [[0.5, 0.0, 0.5, 0.0, 1.0], [0.5, 0.0, 0.0, 0.5, 1.0]]
    y = [[0.0, 0.5, 0.5, 0.0, 1.0], [0.0, 0.5, 0.0, 0.5, 1.0]]
    square_x, square_y = [x[0], y[1]], [x[1], y[0]]  # the two diagonals
    kernel = gaussian_emd(bandwidth=1.0)
    assert lowest_eigenvalue(gram(square_x, square_y, kernel)) < -0.01
    result = mmd(square_x, square_y, kernel)
    assert result.value < -0.01
    assert result.range[0] < 0
