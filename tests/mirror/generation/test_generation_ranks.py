"""Ranks of several sets: the direction of a metric decides who is first."""

from __future__ import annotations

import numpy as np

from graphgauge import datasets
from graphgauge.instruments.generation import Evaluator
from graphgauge.instruments.generation.records import RANK, SEED_WINS, ranks


def test_the_nearer_set_is_first_whichever_way_a_metric_points() -> None:
    real = datasets.load("grid", size=40)
    metrics = "gin_coverage,gin_mmd2_rbf,degree_mmd2_tv"
    evaluator = Evaluator(real[:20], metrics=metrics, seeds=2, replicates=3)
    scores = evaluator.compare({"far": datasets.load("lobster", size=20), "near": real[20:]})
    found = {(r.metric, r.subject): r.value for r in scores.rows if r.split == RANK}
    assert found == {(m, s): 1.0 + (s == "far") for m in metrics.split(",") for s in ("far", "near")}
    wins = {(r.metric, r.subject): r.value for r in scores.rows if r.split == SEED_WINS}
    assert wins == {(m, s): float(s == "near") for m in metrics.split(",")[:2] for s in ("far", "near")}


def test_ranks_follow_the_direction() -> None:
    values = [[0.9, 0.2], [0.1, 0.4]]
    np.testing.assert_array_equal(ranks(values, higher_is_better=True), [[1, 2], [2, 1]])
    np.testing.assert_array_equal(ranks(values, higher_is_better=False), [[2, 1], [1, 2]])
