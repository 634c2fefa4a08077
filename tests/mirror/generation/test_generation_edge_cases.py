"""Odd input to the generation instrument: each a clear error or the documented value."""

from __future__ import annotations

import warnings

import networkx as nx
import numpy as np
import pytest

from graphgauge.graphs import GraphSet
from graphgauge.instruments.generation import METRICS, Evaluator, Scores

EMPTY, EDGELESS, PATH, CYCLE = nx.empty_graph(0), nx.empty_graph(3), nx.path_graph(4), nx.cycle_graph(4)
PRDC = tuple(name for name in METRICS if METRICS[name].measure is METRICS["gin_precision"].measure)
# Best values; all others are 0 where nothing differs.
ONES = (*PRDC, "valid")


def scored(reference, generated, **options) -> Scores:
    """All that can be computed, with few replicates; notices stay in the scores."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return Evaluator(reference, **({"metrics": "all", "seeds": 1, "replicates": 2} | options)).score(
            generated
        )


def left_out(scores: Scores) -> set[str]:
    texts = [notice for notice in scores.notices if notice.startswith("left out: ")]
    return {name for text in texts for name in text.removeprefix("left out: ").split(":")[0].split(", ")}


# ── few graphs ─────────────────────────────────────────────────────────────────────────────────────────────

MOLECULES = {"logp_w1", "qed_w1", "sa_w1", "weight_w1", "rings_w1"}
TWO = {"gin_fd", "gin_kd"}
MORE = {"pgd", "gin_c2st", *PRDC}
MMDS = {name for name in METRICS if METRICS[name].unit == "MMD²"}


@pytest.mark.parametrize("preset", ["default", "released"])
@pytest.mark.parametrize(
    ("m", "n", "biased", "unbiased"),
    [
        (14, 1, TWO | MORE, TWO | MORE | MMDS),
        (1, 12, TWO | MORE | {"gin_mmd2_rbf"}, TWO | MORE | MMDS),
        (1, 1, TWO | MORE | {"gin_mmd2_rbf"}, TWO | MORE | MMDS),
        (2, 2, MORE, MORE),
        (3, 3, MORE, MORE),
        (14, 3, MORE, MORE),
        (14, 5, set(PRDC), set(PRDC)),
        (5, 12, set(PRDC), set(PRDC)),
        (6, 6, set(), set()),
    ],
)
def test_what_few_graphs_cannot_tell_is_left_out(real, paths, m, n, biased, unbiased, preset):
    for estimator, missing in (("biased", biased), ("unbiased", unbiased)):
        scores = scored(real[:m], paths[:n], preset=preset, estimator=estimator)
        expected = missing | MOLECULES
        if preset == "released":  # its bandwidth is one of both sets together
            expected = expected - ({"gin_mmd2_rbf"} if estimator == "biased" else set())
        assert left_out(scores) == expected
        assert set(scores.found["generated"]) == set(METRICS) - expected
        assert all(np.isfinite(row.value) for row in scores)


@pytest.mark.parametrize("features", [0, 256])
def test_random_features_of_few_graphs(real, paths, features):
    for m, n in ((2, 1), (2, 2), (3, 3), (14, 2)):
        for estimator in ("biased", "unbiased"):
            metrics = "gin" if n > 1 or estimator == "biased" else "shares"
            scores = scored(
                real[:m], paths[:n], metrics=metrics, estimator=estimator, random_features=features
            )
            assert all(np.isfinite(row.value) for row in scores)


def test_a_metric_that_is_named_and_cannot_be_had_is_an_error(real, paths):
    with pytest.raises(ValueError, match="gin_recall: it needs at least 6 generated and 6 reference graphs"):
        scored(real, paths[:5], metrics="gin_recall")
    with pytest.raises(ValueError, match=r"gin_mmd2_rbf: it needs .* 2 reference graphs, there are 12 and 1"):
        scored(real[:1], paths, metrics="kernels,gin_mmd2_rbf")
    with pytest.raises(ValueError, match="logp_w1: it is for molecules"):
        scored(real, paths, metrics="logp_w1")
    assert "gin_recall" in left_out(scored(real, paths[:5], metrics="gin"))


def test_no_replicates_of_sets_without_halves(real, paths):
    for m, n in ((1, 12), (14, 1)):
        assert {row.split for row in scored(real[:m], paths[:n])} == {"all"}
    assert {row.split for row in scored(real, paths, replicates=0)} == {"all"}


def test_very_different_sizes(real, paths):
    many = GraphSet.concat([real] * 22)[:300]
    for reference, generated in ((many, paths[:5]), (paths[:5], many)):
        scores = scored(reference, generated)
        assert {row.params["half_graphs"] for row in scores} == {2}
        assert all(np.isfinite(row.value) for row in scores)
