"""Fréchet, kernel distance, P/R/D/C and classifier scores against closed forms and independent packages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from prdc import compute_prdc
from scipy.linalg import sqrtm
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import polynomial_kernel
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from graphgauge.distances.classifier import classifier_accuracy
from graphgauge.distances.frechet import frechet
from graphgauge.distances.kernel_distance import kernel_distance
from graphgauge.distances.neighbours import Frame, balls, balls_plain, meet, meet_plain
from graphgauge.distances.polygraph import polygraph_discrepancy
from graphgauge.distances.prdc import TIES, prdc

Array = np.ndarray[Any, Any]
FOUR = ("precision", "recall", "density", "coverage")


def with_moments(mean: Array, covariance: Array, n: int, seed: int) -> Array:
    """A sample whose mean and sample covariance are exactly these."""
    raw = np.random.default_rng(seed).normal(size=(n, len(mean)))
    raw -= raw.mean(axis=0)
    white = np.linalg.qr(raw)[0] * np.sqrt(n - 1)
    return mean + white @ np.linalg.cholesky(covariance).T


@pytest.mark.parametrize("d", [1, 3, 40])
def test_frechet_of_diagonal_gaussians_is_the_closed_form(d: int) -> None:
    rng = np.random.default_rng(d)
    means, variances = rng.normal(size=(2, d)), rng.uniform(0.1, 5.0, size=(2, d))
    x, y = (with_moments(means[i], np.diag(variances[i]), 60 + i, i) for i in (0, 1))
    expected = (
        np.square(means[0] - means[1]).sum() + np.square(np.sqrt(variances[0]) - np.sqrt(variances[1])).sum()
    )
    assert float(frechet(x, y)) == pytest.approx(expected, rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("shapes", [(200, 150, 10), (5, 9, 30), (31, 4, 30), (2, 2, 1)])
def test_frechet_is_what_matrix_square_roots_give(shapes: tuple[int, int, int]) -> None:
    n, m, d = shapes
    rng = np.random.default_rng(n)
    x, y = rng.normal(size=(n, d)), rng.normal(size=(m, d)) @ rng.normal(size=(d, d))
    left, right = np.atleast_2d(np.cov(x.T)), np.atleast_2d(np.cov(y.T))
    half = np.asarray(sqrtm(left + 1e-14 * np.eye(d))).real
    eigenvalues = np.linalg.eigvalsh(half @ right @ half).clip(0.0)  # symmetric form of tr (Σ_x Σ_y)^½
    mean_part = np.square(x.mean(axis=0) - y.mean(axis=0)).sum()
    expected = mean_part + np.trace(left + right) - 2 * np.sqrt(eigenvalues).sum()
    assert float(frechet(x, y)) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("degree", [1, 3])
@pytest.mark.parametrize("sizes", [(7, 5), (40, 70)])
def test_kernel_distance_from_whole_kernel_matrices(degree: int, sizes: tuple[int, int]) -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(sizes[0], 6)), rng.normal(size=(sizes[1], 6)) + 0.3
    inner_x, inner_y, cross = (polynomial_kernel(a, b, degree=degree) for a, b in ((x, x), (y, y), (x, y)))
    biased = inner_x.mean() + inner_y.mean() - 2 * cross.mean()
    unbiased = (
        sum((k.sum() - np.trace(k)) / (len(k) * (len(k) - 1)) for k in (inner_x, inner_y)) - 2 * cross.mean()
    )
    assert float(kernel_distance(x, y, degree=degree)) == pytest.approx(unbiased, rel=1e-10)
    assert float(kernel_distance(x, y, degree=degree, unbiased=False)) == pytest.approx(biased, rel=1e-10)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("ties", ["open", "shared"])
def test_prdc_is_that_of_the_prdc_package_where_nothing_ties(seed: int, ties: str) -> None:
    rng = np.random.default_rng(seed)
    n, m, d = rng.integers(8, 400), rng.integers(8, 400), rng.integers(1, 30)
    k = int(rng.integers(1, 7))
    x, y = rng.normal(size=(n, d)), rng.normal(size=(m, d)) + rng.uniform(0, 0.7)
    theirs, ours = compute_prdc(y, x, k), prdc(x, y, k, ties=ties)
    for name in FOUR:
        assert float(ours[name]) == pytest.approx(theirs[name], abs=1e-12), name


@pytest.mark.parametrize("seed", range(4))
def test_prdc_on_a_lattice_follows_each_rule_for_ties(seed: int) -> None:
    """Integers: every distance is exact, and most are tied. Brute force over all pairs of rows."""
    rng = np.random.default_rng(seed)
    x, y = (rng.integers(0, 4, size=(size, 3)).astype(float) for size in (70, 90))
    k = 3

    def surface(own: Array, radius: Array, ties: str) -> Array:
        inside, tied = (own < radius[:, None]).sum(axis=1), (own == radius[:, None]).sum(axis=1)
        return {"open": 0.0 * tied, "closed": tied / tied, "shared": np.maximum(0, k - inside) / tied}[ties]

    cross = np.square(y[:, None] - x[None]).sum(axis=2)
    for ties in TIES:
        held = []
        for points, squared in ((y, cross), (x, cross.T)):
            own = np.square(points[:, None] - points[None]).sum(axis=2)
            radius = np.sort(own, axis=1)[:, k]
            on_it = surface(own, radius, ties)[:, None] * (squared == radius[:, None])
            held.append((squared < radius[:, None]) + on_it)
        expected = {
            "precision": held[0].any(axis=0).mean(),
            "recall": held[1].any(axis=0).mean(),
            "density": held[0].sum(axis=0).mean() / k,
            "coverage": held[0].any(axis=1).mean(),
        }
        ours = prdc(x, y, k, ties=ties, metrics=FOUR)
        assert {name: float(v) for name, v in ours.items()} == pytest.approx(expected, abs=1e-12), ties


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", ["normal", "lattice", "far from the origin", "one outlier"])
def test_compiled_balls_are_their_plain_twins(seed: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(300, 7)), rng.normal(size=(310, 7))
    if kind == "lattice":
        x, y = np.round(x), np.round(y)
    if kind == "far from the origin":
        x, y = x + 1e6, y + 1e6
    if kind == "one outlier":
        x[0] *= 1e9
    in_x, in_y = rng.random((300, 3)) < (0.5, 1.0, 0.1), rng.random((310, 3)) < (0.5, 0.7, 1.0)
    in_x[:, 1] = True  # every row is in a part
    frame = Frame.of(y)
    for a, b in ((frame.place(x), frame.place(y)), (frame.place(x, in_x), frame.place(y, in_y))):
        for ties in TIES:
            ours, theirs = balls(a, 4, ties), balls(b, 4, ties)
            for fast, points in ((ours, a), (theirs, b)):
                slow = balls_plain(points, 4, ties)
                assert np.array_equal(fast.radius, slow.radius)
                assert np.array_equal(fast.surface, slow.surface)
            for fast, slow in zip(meet(a, ours, b, theirs), meet_plain(a, ours, b, theirs), strict=True):
                assert fast == pytest.approx(slow, abs=1e-9)


def test_coverage_by_nearest_neighbours_of_scikit_learn() -> None:
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=(500, 4)), 1.5 * rng.normal(size=(450, 4))
    radius = NearestNeighbors(n_neighbors=6).fit(y).kneighbors(y)[0][:, 5]
    nearest = NearestNeighbors(n_neighbors=1).fit(x).kneighbors(y)[0][:, 0]
    assert float(prdc(x, y, metrics=["coverage"])["coverage"]) == (nearest < radius).mean()


def test_classifier_accuracy_is_near_cross_validation_of_scikit_learn() -> None:
    """Other folds of the same rows: equal up to the noise of the folds."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(400, 3)), rng.normal(size=(400, 3)) + 0.5
    rows, labels = np.concatenate([x, y]), np.repeat([0, 1], 400)
    model = make_pipeline(StandardScaler(), LogisticRegression())
    assert float(classifier_accuracy(x, y)) == pytest.approx(
        cross_val_score(model, rows, labels, cv=5).mean(), abs=0.01
    )


def test_any_classifier_with_probabilities_can_judge() -> None:
    """Equal means, other spread: no linear classifier sees it, neighbours do."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(300, 2)), 4.0 * rng.normal(size=(300, 2))
    assert float(classifier_accuracy(x, y)) < 0.6
    neighbours = classifier_accuracy(x, y, classifier=KNeighborsClassifier(15))
    assert float(neighbours) > 0.75
    assert neighbours.definition["classifier"] == "KNeighborsClassifier"
    assert (
        float(polygraph_discrepancy(x, y))
        < 0.1
        < 0.4
        < float(polygraph_discrepancy(x, y, classifier=KNeighborsClassifier(15)))
    )


@pytest.mark.parametrize("shift", [0.5, 1.0, 2.0, 4.0])
@pytest.mark.parametrize("sizes", [(4000, 4000), (3000, 9000)])
def test_polygraph_of_shifted_gaussians_is_their_distance(shift: float, sizes: tuple[int, int]) -> None:
    """The logistic model is right for them, so that the bound is tight up to sampling."""
    rng = np.random.default_rng(int(10 * shift))
    x, y = rng.normal(size=(sizes[0], 1)), rng.normal(size=(sizes[1], 1)) + shift
    grid = np.linspace(-10, 15, 50001)
    p, q = (np.exp(-np.square(grid - mean) / 2) for mean in (0.0, shift))
    p, q = p / p.sum(), q / q.sum()
    half = (p + q) / 2
    js = np.sqrt((p @ np.log2(p / half) + q @ np.log2(q / half)) / 2)
    assert float(polygraph_discrepancy(x, y)) == pytest.approx(js, abs=0.05)
    assert float(polygraph_discrepancy(x, y, variant="tv")) == pytest.approx(
        np.abs(p - q).sum() / 2, abs=0.03
    )
