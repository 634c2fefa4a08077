"""Rows as the generation instrument writes them, made up."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from graphgauge.rows import Row

# metric → unit, direction, value of the reference against itself, its deviation, seeds, needed graphs
METRICS: dict[str, tuple[str, bool | None, float, float, int, int | None]] = {
    "graphs": ("graphs", None, 100, 0, 1, None),
    "nodes_mean": ("nodes", None, 210.4, 0, 1, None),
    "gin_mmd2_rbf": ("MMD²", False, 0.0125, 0.003, 10, 42),
    "gin_mmd2_linear": ("MMD²", False, 4.1e-05, 1.2e-05, 10, 42),
    "gin_frechet": ("squared distance", False, 3.4, 0.4, 10, 500),
    "gin_precision": ("fraction", True, 0.97, 0.01, 10, None),
    "gin_density": ("ratio", True, 1.01, 0.06, 10, None),
    "gin_coverage": ("fraction", True, 0.95, 0.02, 10, 79),
    "degree_mmd2": ("MMD²", False, 0.0007, 0.0002, 1, None),
    "clustering_mmd2": ("MMD²", False, 0.0021, 0.0006, 1, None),
    "orbit_mmd2": ("MMD²", False, 0.0018, 0.0007, 1, None),
    "valid": ("fraction", True, 1.0, 0.0, 1, None),
    "unique": ("fraction", True, 0.99, 0.005, 1, None),
}
BADNESS = {"fast": 1.0, "near": 1.5, "mid": 2.5, "slow": 12.0}
REPLICATES = 50


@pytest.fixture
def generation_rows() -> Callable[..., list[Row]]:
    """A function of the names of the sets and, by keyword, of n and further params."""
    return make_generation_rows


def make_generation_rows(
    subjects: Sequence[str] = ("fast",), *, reference: str = "grid", n: int = 100, **params: object
) -> list[Row]:
    """A set called fast is as good as the reference, others are worse by BADNESS."""
    rng = np.random.default_rng(0)
    common = {"reference": reference, "reference_graphs": n, "generated_graphs": n, "listed": n, **params}
    return [
        row
        for place, subject in enumerate(subjects)
        for metric in METRICS
        for row in _rows(subject, metric, place, len(subjects) > 1, common, rng)
    ]


def _rows(
    subject: str, metric: str, place: int, several: bool, common: dict[str, object], rng: np.random.Generator
) -> list[Row]:
    unit, higher, floor, sd, seeds, needs = METRICS[metric]
    bad = BADNESS.get(subject, 1.0)
    half = floor if higher is None else floor / bad**0.25 if higher else floor * bad
    shrink = 1.05 if higher else 0.6

    def row(split: str, value: float, n: int, seed: int = 0, spread: float | None = None) -> Row:
        return Row(
            f"{subject} {sorted(common.items())}", "generation", subject, metric, value,
            "rank" if split == "rank" else unit, False if split == "rank" else higher, f"What {metric} is.",
            n, seed, split, spread, params=common | {"needs": needs},
        )  # fmt: skip

    whole = [half * (shrink + 0.02 * rng.normal()) for _ in range(seeds)] if seeds > 1 else [half]
    rows = [row("all", value, 100, seed) for seed, value in enumerate(whole)]
    if higher is not None:
        rows.append(row("half-samples", half, REPLICATES, spread=sd * bad**0.5))
        rows.append(row("reference halves", floor, REPLICATES, spread=sd))
        if several:
            rows.append(row("rank", 1.02 + 0.97 * place, 10 * REPLICATES, spread=0.14))
    return rows
