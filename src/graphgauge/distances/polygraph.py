"""PolyGraph discrepancy: how well a classifier tells two samples apart, as a bounded distance
(Krimmel et al., PolyGraph Discrepancy, 2026)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from graphgauge.distances.classifier import Bools, discriminator, held_out_probabilities, stratified_folds
from graphgauge.distances.result import Distance
from graphgauge.distances.samples import Array, two_samples
from graphgauge.distances.scaling import in_order_of_content

SMALLEST = 1e-10  # probabilities stay this far from 0 and 1: a classifier like any other, with a finite loss
FEWEST = 4  # rows of a sample: two to train on, of which one can be held out to choose a descriptor


def polygraph_discrepancy(
    x: ArrayLike | Mapping[str, ArrayLike],
    y: ArrayLike | Mapping[str, ArrayLike],
    *,
    variant: str = "js",
    classifier: Any = None,
    folds: int = 4,
    seed: int = 0,
) -> Distance:
    """Lower bound, from data, on the distance of two distributions, by a classifier that tells them apart.

    Any D: row → (0, 1) bounds the Jensen–Shannon divergence (base 2) from below,

        JS(P, Q) ≥ 1 + ½ E_{y∼P} log₂ D(y) + ½ E_{x∼Q} log₂ (1 − D(x)),

    with equality where D is the true probability that a row is of the reference. `variant="js"` is the
    square root of the right side, at least 0: a bound on the Jensen–Shannon distance, which is a metric in
    [0, 1]. `variant="tv"` bounds the total variation distance by the share of y minus the share of x that D
    puts above a threshold (informedness), at least 0.

    One random half of each sample trains D and picks the threshold, the other half gives the expectations:
    what D has learned by heart does not raise the value. Given several descriptors of the same graphs, each
    has its own D; the one with the best mean over `folds` cross-validated parts of the *training* halves is
    chosen, and its value on the other halves returned. The maximum over the values on the other halves would
    be biased upwards; hence the result need not be the largest of `extra["subscores"]`.
    Unequal sizes are allowed: probabilities are corrected to equal frequency.

    0 says that this classifier found nothing in these descriptors, not that the distributions are equal.

    Parameters
    ----------
    x : (n, d) generated, or descriptor → such an array, of equal n
    y : (m, d) reference, with the same descriptors
    variant : "js" or "tv"
    classifier : anything of scikit-learn with `fit` and `predict_proba`, put behind a scaler fitted to the
        training halves; logistic regression by default, where the authors take a pretrained TabPFN
    folds : of the choice among descriptors; fewer where a training half is smaller
    seed : of halves and folds; the order of rows does not matter

    Returns
    -------
    Distance "pgd" : in [0, 1], lower is better. `extra` has `descriptor`, the chosen one; `subscores`, the
        value of every descriptor; and `training_scores`, by which it was chosen (empty for a single one).

    Raises
    ------
    ValueError : fewer than 4 rows, descriptors that differ or disagree about the number of rows

    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(200, 3)), rng.normal(size=(200, 3))
    >>> result = polygraph_discrepancy({"same": x, "moved": x + 5.0}, {"same": y, "moved": y})
    >>> result.extra["descriptor"], float(result) > 0.9, result.extra["subscores"]["same"] < 0.3
    ('moved', True, True)
    """
    if variant not in SCORES:
        raise ValueError(f"unknown variant {variant!r}; there are {', '.join(SCORES)}")
    if folds < 2:
        raise ValueError(f"folds must be at least 2, got {folds}")
    pairs = _pairs(x, y)
    n, m = _sizes(pairs)
    pooled = {name: np.concatenate(pair) for name, pair in _in_order(pairs).items()}
    is_reference = np.arange(n + m) >= n
    model, score = discriminator(classifier), SCORES[variant]
    rng = np.random.default_rng(seed)
    training = _halves(n, m, rng)
    subscores = {name: score(model, rows, is_reference, training, ~training) for name, rows in pooled.items()}
    labels = is_reference[training]
    parts = list(stratified_folds(labels, min(folds, n // 2, m // 2), rng))
    training_scores = {
        name: float(np.mean([score(model, rows[training], labels, *part) for part in parts]))
        for name, rows in pooled.items()
        if len(pooled) > 1
    }
    chosen = max(training_scores, key=training_scores.__getitem__, default=next(iter(pooled)))
    return Distance(
        subscores[chosen],
        "pgd",
        {
            "bound_on": {"js": "Jensen–Shannon distance (base 2)", "tv": "total variation distance"}[variant],
            "squared": False,
            "classifier": type(model[-1]).__name__,
            "descriptor": chosen,
            "of": list(pooled),
            "scaler": "training halves",
            "seed": seed,
            "n": n,
            "m": m,
            "d": pooled[chosen].shape[1],
        },
        range=(0.0, 1.0),
        extra={"descriptor": chosen, "subscores": subscores, "training_scores": training_scores},
    )


def _jensen_shannon(model: Any, rows: Array, is_reference: Bools, training: Bools, held_out: Bools) -> float:
    d = held_out_probabilities(model, rows, is_reference, training, held_out).clip(SMALLEST, 1.0 - SMALLEST)
    of_reference = is_reference[held_out]
    bound = 1.0 + (np.log2(d[of_reference]).mean() + np.log2(1.0 - d[~of_reference]).mean()) / 2
    return float(np.sqrt(max(0.0, bound)))


def _informedness(model: Any, rows: Array, is_reference: Bools, training: Bools, held_out: Bools) -> float:
    both = np.ones(len(rows), dtype=bool)
    d = held_out_probabilities(model, rows, is_reference, training, both)
    threshold = _best_threshold(d[training], is_reference[training])
    above, of_reference = d[held_out] >= threshold, is_reference[held_out]
    return float(max(0.0, above[of_reference].mean() - above[~of_reference].mean()))


def _best_threshold(d: Array, is_reference: Bools) -> float:
    """The value of `d` at and above which the share of reference exceeds that of generated the most."""
    candidates = np.unique(d)
    above = [
        1.0 - np.searchsorted(np.sort(d[mask]), candidates) / mask.sum()
        for mask in (is_reference, ~is_reference)
    ]
    return float(candidates[np.argmax(above[0] - above[1])])


SCORES: dict[str, Callable[[Any, Array, Bools, Bools, Bools], float]] = {
    "js": _jensen_shannon,
    "tv": _informedness,
}


def _pairs(
    x: ArrayLike | Mapping[str, ArrayLike], y: ArrayLike | Mapping[str, ArrayLike]
) -> dict[str, tuple[Array, Array]]:
    """Descriptor → both samples."""
    if isinstance(x, Mapping) != isinstance(y, Mapping):
        raise ValueError("give both x and y as arrays, or both as descriptor → array")
    left = x if isinstance(x, Mapping) else {"x": x}
    right = y if isinstance(y, Mapping) else {"x": y}
    if set(left) != set(right) or not left:
        raise ValueError(f"x has descriptors {sorted(left)} and y has {sorted(right)}")
    return {name: two_samples(left[name], right[name]) for name in left}


def _sizes(pairs: dict[str, tuple[Array, Array]]) -> tuple[int, int]:
    sizes = {name: (len(left), len(right)) for name, (left, right) in pairs.items()}
    first, (n, m) = next(iter(sizes.items()))
    for name, size in sizes.items():
        if size != (n, m):
            raise ValueError(f"descriptor {name!r} has {size} rows, {first!r} has {(n, m)}")
    if min(n, m) < FEWEST:
        raise ValueError(f"each sample needs at least {FEWEST} rows, got {n} and {m}")
    return n, m


def _in_order(pairs: dict[str, tuple[Array, Array]]) -> dict[str, tuple[Array, Array]]:
    """Both samples by the content of their rows, all descriptors of a graph together."""
    orders = [
        in_order_of_content(np.concatenate([pair[side] for pair in pairs.values()], axis=1))
        for side in (0, 1)
    ]
    return {name: (left[orders[0]], right[orders[1]]) for name, (left, right) in pairs.items()}


def _halves(n: int, m: int, rng: np.random.Generator) -> Bools:
    """Mask (n + m,) of the training halves, rounded down."""
    return np.concatenate([rng.permutation(size) < size // 2 for size in (n, m)])
