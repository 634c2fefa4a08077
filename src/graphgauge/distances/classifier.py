"""Classifier two-sample test: can a classifier tell the samples apart? (Lopez-Paz and Oquab, 2017)."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import hypergeom
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from graphgauge.distances.result import Distance
from graphgauge.distances.samples import Array, two_samples
from graphgauge.distances.scaling import in_order_of_content

Ints = np.ndarray[Any, np.dtype[np.int64]]
Bools = np.ndarray[Any, np.dtype[np.bool_]]


def classifier_accuracy(
    x: ArrayLike,
    y: ArrayLike,
    *,
    classifier: Any = None,
    folds: int = 5,
    permutations: int = 0,
    seed: int = 0,
) -> Distance:
    """Balanced accuracy of a classifier, trained to tell x from y, on samples that it was not trained on.

    Rows are put into `folds` parts, each with its share of both samples; every part is classified by a
    classifier fitted to the others. The value is the mean of the share of x and the share of y that is
    recognised, so that 0.5 is chance also for unequal sizes. Columns are standardised by the rows a
    classifier is fitted to; a probability is corrected for unequal sizes and compared with 0.5.

    `extra["p_value"]`: how likely so high a value is where x and y come from one distribution. With
    `permutations=0` by the exact test of independence in the table of truths and decisions (hypergeometric,
    one-sided), as if decisions did not depend on each other; folds share training rows, which makes it a
    little too small: for equal distributions, 40 and 60 rows, it is below 0.05 in 8 % of draws. With
    `permutations=p` by repeating everything with p random exchanges of the labels, (1 + how many are at
    least as high) / (1 + p): exact, at p times the cost.

    A linear classifier sees differences of means only. Copies of rows of y in x pull the value below 0.5.

    Parameters
    ----------
    x : (n, d) generated
    y : (m, d) reference
    classifier : anything of scikit-learn with `fit` and `predict_proba`; logistic regression by default
    folds : at least 2; no more than the smaller sample has rows
    permutations : of the permutation test
    seed : of the folds and permutations; the order of rows does not matter

    Returns
    -------
    Distance "c2st" : in [0, 1]; 0.5 cannot be told apart, 1 told apart without error; lower is better

    Raises
    ------
    ValueError : more folds than rows in one sample, or what no distance takes

    >>> rng = np.random.default_rng(0)
    >>> result = classifier_accuracy(rng.normal(size=(50, 2)), rng.normal(size=(50, 2)) + 3.0)
    >>> float(result) > 0.95, result.extra["p_value"] < 1e-6
    (True, True)
    """
    left, right = two_samples(x, y)
    n, m = len(left), len(right)
    if not 2 <= folds <= min(n, m):
        raise ValueError(
            f"folds must be at least 2 and at most the smaller sample ({n} and {m} rows), got {folds}"
        )
    model = discriminator(classifier)
    rng = np.random.default_rng(seed)
    rows, is_reference = _pooled(left, right)
    decided = _decide(model, rows, is_reference, folds, rng)
    value = _balanced(decided, is_reference)
    if permutations:
        shuffled = (rng.permutation(is_reference) for _ in range(permutations))
        null = [_balanced(_decide(model, rows, labels, folds, rng), labels) for labels in shuffled]
        p_value = (1 + sum(chance >= value for chance in null)) / (1 + permutations)
    else:
        right_references = int((decided & is_reference).sum())
        p_value = float(hypergeom.sf(right_references - 1, n + m, m, int(decided.sum())))
    return Distance(
        value,
        "c2st",
        {
            "accuracy": "balanced, cross-validated",
            "classifier": type(model[-1]).__name__,
            "folds": folds,
            "p_value": f"{permutations} permutations" if permutations else "hypergeometric, one-sided",
            "scaler": "training rows",
            "seed": seed,
            "n": n,
            "m": m,
            "d": left.shape[1],
        },
        range=(0.0, 1.0),
        extra={"p_value": p_value},
    )


def discriminator(classifier: Any = None) -> Any:
    """An unfitted copy of the classifier behind a scaler; logistic regression where none is given."""
    if classifier is None:
        classifier = LogisticRegression(solver="newton-cholesky", max_iter=1000)
    return make_pipeline(StandardScaler(), clone(classifier))


def probability(fitted: Any, rows: Array, generated: int, reference: int) -> Array:
    """Probability (q,) that each row is of the reference, if both were equally frequent.

    Parameters
    ----------
    fitted : classifier of the classes False and True (reference)
    generated, reference : rows of each that it was fitted to; the odds are divided by their ratio
    """
    raw = fitted.predict_proba(rows)[:, 1]
    if generated == reference:
        return np.asarray(raw, dtype=np.float64)
    for_reference, for_generated = raw * generated, (1.0 - raw) * reference
    return np.asarray(for_reference / (for_reference + for_generated), dtype=np.float64)


def stratified_folds(
    is_reference: Bools, folds: int, rng: np.random.Generator
) -> Iterator[tuple[Bools, Bools]]:
    """Masks (training, held out) of every fold: random, with equal shares of both samples up to one row."""
    fold = np.empty(len(is_reference), dtype=np.int64)
    for label in (False, True):
        (members,) = np.nonzero(is_reference == label)
        fold[rng.permutation(members)] = np.arange(len(members)) % folds
    for held_out in range(folds):
        yield fold != held_out, fold == held_out


def held_out_probabilities(
    model: Any, rows: Array, is_reference: Bools, training: Bools, held_out: Bools
) -> Array:
    """`probability` of the held-out rows after a fit to the training rows."""
    labels = is_reference[training]
    if isinstance(model[-1], LogisticRegression):
        rows = rows[:, varying(rows[training])]
    with warnings.catch_warnings():
        # On samples that are apart Newton steps may fail; scikit-learn then goes on with L-BFGS, and says so.
        warnings.filterwarnings("ignore", "Line search of Newton solver", ConvergenceWarning)
        fitted = clone(model).fit(rows[training], labels)
    return probability(fitted, rows[held_out], int((~labels).sum()), int(labels.sum()))


def varying(training: Array) -> Bools:
    """Columns that differ between training rows; the first where none does. The others get the weight 0 of a
    penalised regression anyway, and of wide histograms most are empty.

    >>> varying(np.array([[0.0, 1.0, 3.0], [0.0, 2.0, 3.0]])).tolist()
    [False, True, False]
    """
    differ: Bools = (training != training[0]).any(axis=0)
    if not differ.any():
        differ[:1] = True
    return differ


def _pooled(x: Array, y: Array) -> tuple[Array, Bools]:
    """Rows of both, each in the order of its content, and which are of the reference."""
    rows = np.concatenate([x[in_order_of_content(x)], y[in_order_of_content(y)]])
    return rows, np.arange(len(rows)) >= len(x)


def _decide(model: Any, rows: Array, is_reference: Bools, folds: int, rng: np.random.Generator) -> Bools:
    """Which rows are taken for reference by a classifier that has not seen them: (n + m,)."""
    decided = np.empty(len(rows), dtype=bool)
    for training, held_out in stratified_folds(is_reference, folds, rng):
        decided[held_out] = held_out_probabilities(model, rows, is_reference, training, held_out) > 0.5
    return decided


def _balanced(decided: Bools, is_reference: Bools) -> float:
    return float((decided[is_reference].mean() + (~decided[~is_reference]).mean()) / 2)
