"""Laws of MMD against one reference: the same values as the simple way, for every kernel of the table."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from graphgauge.distances.anchored import anchor
from graphgauge.distances.energies import Pairwise
from graphgauge.distances.kernels import KERNELS, as_kernel, rbf
from graphgauge.distances.mmd import mmd

CASES = {name: name for name in KERNELS if name != "rbf"} | {
    "rbf, fixed": rbf([0.3, 1.0, 2.0]),
    "rbf, ten_reference": rbf("ten_reference"),
    "function": lambda a, b: (a @ b.T + 0.5) ** 2,
}
HISTOGRAMS = ("gaussian_emd", "gaussian_tv", "laplacian_tv")
PARTS = 3


@pytest.fixture(scope="module", autouse=True)
def small_blocks():
    """Blocks of 3 rows, so that few rows make many blocks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Pairwise.forms, "__defaults__", (3,))
        yield


@st.composite
def samples_and_parts(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, m, d = draw(st.integers(2, 14)), draw(st.integers(4, 14)), draw(st.integers(1, 5))
    x, y = (0.1 + rng.integers(0, 4, size=(size, d)) for size in (n, m))
    a, b, in_x = np.zeros((m, PARTS), bool), np.zeros((m, PARTS), bool), np.zeros((n, PARTS), bool)
    for r in range(PARTS):
        size, order = rng.integers(2, m - 1), rng.permutation(m)
        a[order[:size], r], b[order[size : rng.integers(size + 2, m + 1)], r] = True, True
        in_x[rng.permutation(n)[: rng.integers(2, n + 1)], r] = True
    return x, y, a, b, in_x


def fixed(name, reference):
    """The kernel of parts: the same bandwidths as for the whole."""
    return rbf(reference.energies["bandwidths"]) if name.startswith("rbf") else CASES[name]


@pytest.mark.parametrize("estimator", ["biased", "unbiased"])
@pytest.mark.parametrize("name", CASES)
@given(drawn=samples_and_parts())
@settings(max_examples=25, deadline=None)
def test_whole_parts_and_floor_are_plain_mmds(name, estimator, drawn):
    x, y, a, b, in_x = drawn
    reference = anchor(y, CASES[name], parts=(a, b))
    whole, parts = reference.mmd(x, in_x, estimator)
    plain = mmd(x, y, CASES[name], estimator)
    close = {"rtol": 1e-9, "atol": 1e-11}
    np.testing.assert_allclose(whole.extra["values"], plain.extra["values"], **close)
    np.testing.assert_allclose(whole.value, plain.value, **close)
    kernel = fixed(name, reference)
    by_part = [mmd(x[in_x[:, r]], y[b[:, r]], kernel, estimator).value for r in range(PARTS)]
    np.testing.assert_allclose(parts, by_part, **close)
    between = [mmd(y[a[:, r]], y[b[:, r]], kernel, estimator).value for r in range(PARTS)]
    np.testing.assert_allclose(reference.floor(estimator), between, **close)
    assert (whole.name, whole.range) == (plain.name, plain.range)
    assert {key: value for key, value in whole.definition.items() if key != "bandwidth"} == {
        key: value for key, value in plain.definition.items() if key != "bandwidth"
    }


@pytest.mark.parametrize("name", CASES)
@given(drawn=samples_and_parts())
@settings(max_examples=20, deadline=None)
def test_equal_samples_are_at_0_and_biased_values_are_not_negative(name, drawn):
    _, y, a, b, _ = drawn
    reference = anchor(y, CASES[name], (a, b))
    size = 1e-12 * max(1.0, float(np.max(reference.energies["diagonal"])))
    for same in (y, y[::-1], np.repeat(y, 3, axis=0)):
        assert reference.mmd(same)[0].value == pytest.approx(0.0, abs=size)
    whole, parts = reference.mmd(y, b)
    np.testing.assert_allclose(parts, 0.0, atol=size)
    if as_kernel(CASES[name]).positive_definite:
        assert min(whole.value, *whole.extra["values"], *parts, *reference.floor()) >= 0.0


@pytest.mark.parametrize("estimator", ["biased", "unbiased"])
@given(drawn=samples_and_parts())
@settings(max_examples=20, deadline=None)
def test_sparse_rows_are_the_dense_ones(estimator, drawn):
    x, y, a, b, in_x = drawn
    dense, sparse = anchor(y, "linear", (a, b)), anchor(csr_matrix(y), "linear", (a, b))
    np.testing.assert_allclose(dense.floor(estimator), sparse.floor(estimator), atol=1e-11)
    whole, parts = dense.mmd(x, in_x, estimator)
    sparse_whole, sparse_parts = sparse.mmd(csr_matrix(x), in_x, estimator)
    assert sparse_whole.value == pytest.approx(whole.value, abs=1e-11)
    np.testing.assert_allclose(parts, sparse_parts, atol=1e-11)


@pytest.mark.parametrize("name", HISTOGRAMS)
@given(drawn=samples_and_parts(), wider=st.integers(1, 4))
@settings(max_examples=15, deadline=None)
def test_histograms_of_other_lengths_are_padded(name, drawn, wider):
    x, y, a, b, in_x = drawn
    longer = np.concatenate([x, np.random.default_rng(wider).integers(0, 3, (len(x), wider))], axis=1)
    for left, right in ((longer, y), (list(longer), list(y))):
        whole, parts = anchor(right, name, (a, b)).mmd(left, in_x)
        assert whole.value == pytest.approx(mmd(left, right, name).value, abs=1e-12)
        first = mmd(longer[in_x[:, 0]], y[b[:, 0]], name).value
        assert parts[0] == pytest.approx(first, abs=1e-12)


@given(drawn=samples_and_parts())
@settings(max_examples=15, deadline=None)
def test_the_rule_of_the_reference_does_not_look_at_x(drawn):
    x, y, *_ = drawn
    y = y + np.arange(len(y))[:, None]  # not all equal
    pairs = [np.square(y[i] - y[j]).sum() for i in range(len(y)) for j in range(i)]
    bandwidths = [mmd(other, y, rbf("ten_reference")).extra["bandwidths"] for other in (x, 9.0 * x, y)]
    for chosen in bandwidths:
        assert chosen[5] == pytest.approx(np.sqrt(np.mean(pairs)), rel=1e-9)
