"""How often a verdict finds a difference, and an interval holds its value: the tables of docs/generation.md.

    python tools/power_of_verdicts.py [TRIALS [REPLICATES]]

Points in 4 dimensions stand for graphs: n generated ones, shifted by so many standard deviations in one
dimension, against n others. Parts, summaries, verdicts and intervals are those of the instrument, by
default with its default number of replicates. 1,000 trials take about a minute of one core.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from graphgauge.instruments.generation.halves import half_samples, halves
from graphgauge.instruments.generation.settings import Settings
from graphgauge.report import Summary, interval, verdict

Array = np.ndarray[Any, Any]
Measured = tuple[float, Array, Array]  # on all points, on half-samples, between halves of the reference
SIZES, SHIFTS, DIMENSIONS = (20, 40, 100), (0.0, 0.5, 1.0, 2.0), 4
REPLICATES = int(sys.argv[2]) if len(sys.argv) > 2 else Settings().replicates


def mean_difference(x: Array, y: Array) -> Measured:
    """Squared difference of means."""

    def squared(a: Array, b: Array) -> float:
        return float(((a.mean(axis=0) - b.mean(axis=0)) ** 2).sum())

    return replicated(x, y, squared)


def biased_mmd(x: Array, y: Array) -> Measured:
    """Squared MMD, biased, with a Gaussian kernel as wide as the median distance of the reference."""
    points = np.concatenate([x, y])
    squares = ((points[:, None] - points[None]) ** 2).sum(axis=-1)
    among = squares[len(x) :, len(x) :]
    kernel = np.exp(-squares / np.median(among[np.triu_indices_from(among, k=1)]))
    places = np.arange(len(points))[:, None]

    def mmd(a: Array, b: Array) -> float:
        a, b = a[:, 0], b[:, 0]
        mean = [kernel[np.ix_(p, q)].mean() for p, q in ((a, a), (b, b), (a, b))]
        return float(mean[0] + mean[1] - 2 * mean[2])

    return replicated(places[: len(x)], places[len(x) :], mmd)


def replicated(x: Array, y: Array, metric: Callable[[Array, Array], float]) -> Measured:
    """A metric on everything and on the parts that the instrument would take."""
    parts = halves(len(y), len(x), REPLICATES, seed=0)
    chosen = half_samples(len(x), parts, seed=0)
    columns = range(parts.count)
    half = [metric(x[chosen[:, r]], y[parts.b[:, r]]) for r in columns]
    floor = [metric(y[parts.a[:, r]], y[parts.b[:, r]]) for r in columns]
    return metric(x, y), np.array(half), np.array(floor)


def summary(values: Array) -> Summary:
    ends = float(values.min()), float(values.max())
    return Summary({}, float(values.mean()), float(values.std(ddof=1)), len(values), *ends)


def experiment(measure: Callable[..., Measured], n: int, shift: float, trials: int, seed: int) -> list[Any]:
    """Share of verdicts "worse", share of intervals that hold the expectation, and their width over the
    width that would be right."""
    rng = np.random.default_rng([seed, n, int(10 * shift)])
    codes, values, reaches = [], [], []
    for _ in range(trials):
        x, y = rng.normal(size=(2, n, DIMENSIONS))
        x[:, 0] += shift
        value, half, floor = measure(x, y)
        codes.append(verdict(summary(half), summary(floor), False).code)
        low, high = interval(value, summary(half)) or (np.nan, np.nan)
        values.append(value)
        reaches.append((high - low) / 2)
    apart = np.abs(np.array(values) - np.mean(values))
    width = np.mean(reaches) / (1.96 * np.std(values))
    return [codes.count("worse") / trials, codes.count("better") / trials, np.mean(apart <= reaches), width]


def share_is_held(trials: int) -> float:
    """How often the interval of a share of 0.8 among 100 graphs holds 0.8."""
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(trials):
        good = rng.random(100) < 0.8
        chosen = half_samples(100, halves(100, 100, REPLICATES, seed=0), seed=0)
        half = np.array([good[chosen[:, r]].mean() for r in range(REPLICATES)])
        low, high = interval(float(good.mean()), summary(half)) or (np.nan, np.nan)
        held += low <= 0.8 <= high
    return held / trials


def main(trials: int) -> None:
    print(
        f"{trials} trials, {REPLICATES} replicates: worse / better | interval holds, width over right width"
    )
    for measure in (mean_difference, biased_mmd):
        for n in SIZES:
            print(f"{measure.__name__}, n = {n}")
            for shift in SHIFTS:
                worse, better, held, width = experiment(measure, n, shift, trials, seed=0)
                print(f"  shift {shift}: {worse:6.1%} / {better:5.1%} | {held:5.1%}, × {width:.2f}")
    print(f"share of 0.8 among 100: interval holds it in {share_is_held(trials):.1%}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
