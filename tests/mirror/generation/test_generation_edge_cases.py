"""Odd input to the generation instrument: each a clear error or the documented value."""

from __future__ import annotations

import re
import warnings

import networkx as nx
import numpy as np
import pytest

from graphgauge.graphs import GraphError, GraphSet, files
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


# ── graphs with nothing in them ────────────────────────────────────────────────────────────────────────────


def best(name: str) -> float:
    return 1.0 if name in ONES else 0.5 if name == "gin_c2st" else 0.0


@pytest.mark.parametrize("graph", [EMPTY, EDGELESS, nx.empty_graph(1), PATH], ids=["0", "3", "1", "path"])
def test_equal_graphs_on_both_sides_have_the_best_values(graph):
    scores = scored([graph] * 13, [graph] * 12)
    for name in scores.found["generated"]:
        if name not in ("unique", "vun", "novel", "gin_c2st"):
            assert scores[name] == pytest.approx(best(name), abs=1e-12), name
    assert (scores["unique"], scores["novel"], scores["vun"]) == (1 / 12, 0.0, 0.0)
    assert scores["gin_c2st"] == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("graph", [EMPTY, EDGELESS, CYCLE], ids=["0", "3", "cycle"])
def test_equal_graphs_on_one_side_only(real, graph):
    for reference, generated in ((real, [graph] * 12), ([graph] * 12, real)):
        scores = scored(reference, generated)
        assert all(np.isfinite(row.value) for row in scores)
        assert scores["novel"] == 1.0
        assert scores["unique"] == (1.0 if generated is real else 1 / 12)
        for name in MMDS & set(scores.found["generated"]) - {"gin_kd"}:
            assert scores[name] > 0.005, name
    assert scored([PATH] * 12, [CYCLE] * 12)["gin_mmd2_rbf"] == pytest.approx(2.0)


@pytest.mark.parametrize("metric", ["wl_mmd2", "nspdk_mmd2", "degree_mmd2_tv", "spectral_mmd2_tv"])
def test_nothing_is_further_than_something_like_it(real, paths, metric):
    """Empty graphs have a place of their own; the origin of a feature space would be near everything."""
    near = scored(real, paths, metrics=metric)[metric]
    assert scored(real, [EMPTY] * 12, metrics=metric)[metric] > near


def test_one_empty_graph_among_others(real, paths):
    for empty in (EMPTY, EDGELESS):
        odd = GraphSet.from_networkx([empty])
        scores = scored(GraphSet.concat([real, odd]), GraphSet.concat([odd, paths]))
        assert all(np.isfinite(row.value) for row in scores)
        assert scores["novel"] == pytest.approx(12 / 13)


def test_huge_graphs_against_small_ones(real):
    huge = [nx.gnp_random_graph(200, 0.05, seed=seed) for seed in range(6)]
    for reference, generated in ((real, huge), (huge, real)):
        scores = scored(reference, generated, metrics=None)
        assert all(np.isfinite(row.value) for row in scores)
        assert scores["nodes_w1"] == pytest.approx(192)


# ── odd graphs ─────────────────────────────────────────────────────────────────────────────────────────────


def test_empty_sets(real):
    for nothing in ([], GraphSet.from_edges([])):
        with pytest.raises(GraphError, match=r"^generated: "):
            scored(real, nothing)
        with pytest.raises(GraphError, match=r"^reference: ((?!generated).)*$"):
            scored(nothing, real)


LOOP, ARCS, TWICE = nx.Graph([(0, 0), (0, 1)]), nx.DiGraph([(0, 1), (1, 2)]), nx.MultiGraph([(0, 1)] * 2)
WEIGHTED = np.array([[0.0, 0.5], [0.5, 0.0]])


@pytest.mark.parametrize(
    ("odd", "message", "rules"),
    [
        (LOOP, "graph 1: edge (0, 0) is a self-loop", {"self_loops": "drop"}),
        (TWICE, "graph 1: edge (0, 1) is given twice", {"duplicates": "merge"}),
        (WEIGHTED, "graph 1: edge (0, 1) has the weight 0.5", {"weighted": True}),
    ],
    ids=["loop", "twice", "weights"],
)
def test_odd_graphs_are_named_and_ruled_on(odd, message, rules):
    plain = np.ones((2, 2)) - np.eye(2) if isinstance(odd, np.ndarray) else PATH
    for reference, generated, side in (([plain] * 2, [plain, odd], "generated"),
                                       ([plain, odd], [plain] * 2, "reference")):  # fmt: skip
        with pytest.raises(GraphError, match=re.escape(f"{side}: {message}")):
            scored(reference, generated)
        assert scored(reference, generated, rules=rules)["valid"] == 1.0


def test_directed_graphs(real):
    message = r"generated: graph 0 is a DiGraph, and edge \(0, 1\) has no reverse; choose directed="
    with pytest.raises(GraphError, match=message):
        scored(real, [ARCS] * 2)
    symmetric = scored(real, [ARCS] * 2, rules={"directed": "symmetrise"})
    assert symmetric["degree_mmd2_tv"] == scored(real, [nx.path_graph(3)] * 2)["degree_mmd2_tv"]


@pytest.mark.parametrize(
    ("odd", "kept", "remedy"),
    [
        (LOOP, {"self_loops": "keep"}, 'self_loops="drop"'),
        (ARCS, {"directed": "keep"}, 'directed="symmetrise"'),
        (TWICE, {"duplicates": "keep"}, 'duplicates="merge"'),
    ],
    ids=["loop", "arcs", "twice"],
)
def test_kept_oddities_are_refused_by_what_cannot_read_them(real, odd, kept, remedy):
    text = rf"^generated: .*structural descriptors need (simple|undirected) graphs, made with {remedy}$"
    with pytest.raises(GraphError, match=text):
        scored(real, GraphSet.from_networkx([odd] * 2, **kept))


def test_node_names_do_not_matter(real):
    named = nx.relabel_nodes(PATH, {0: "a", 1: 2.5, 2: (3, "c"), 3: None.__class__})
    scores, plain = scored(real, [named] * 6), scored(real, [PATH] * 6)
    assert [row.value for row in scores] == [row.value for row in plain]


def test_mixed_types_and_none(real):
    with pytest.raises(GraphError, match=r"generated: entry 1 is a numpy.ndarray, entry 0 a networkx"):
        scored(real, [PATH, np.eye(2)])
    with pytest.raises(GraphError, match="generated: all 2 entries are None"):
        scored(["CCO", "C"], [None, None])
    with pytest.raises(GraphError, match=r"generated: .* none of 2 could be read"):
        scored(["CCO", "C"], ["C1CC", "no"])
    with pytest.raises(GraphError, match=r"reference: .* none of 2 could be read"):
        scored(["C1CC", "no"], ["CCO", "C"])


def test_what_cannot_be_read_counts_as_invalid_and_is_told():
    scores = scored(["CCO", "CC", "CCN"], ["CCO", "C1CC", None, "CCC"], metrics="shares")
    assert [scores[name] for name in ("valid", "unique", "novel", "vun")] == [0.5, 1.0, 0.5, 0.25]
    assert scores.notices == ("generated: 2 of 4 could not be read: graph 1: 'C1CC', graph 2: 'None'",)
    halves = {row.metric: row.value for row in scores if row.split == "half-samples"}
    assert halves["valid"] == 0.5


def test_molecules_against_plain_graphs(real):
    scores = scored(["CCO", "CC", "CCN"], real)
    assert left_out(scores) >= MOLECULES
    assert "node labels are ignored: the reference graphs have node_type" in scores.notices[0]


def test_a_truncated_file_is_named(real, tmp_path):
    for ending in (".safetensors", ".npz", ".jsonl"):
        file = tmp_path / f"cut{ending}"
        files.write(file, real)
        file.write_bytes(file.read_bytes()[:-40])
        with pytest.raises(GraphError, match=f"generated: .*cut{re.escape(ending)}"):
            scored(real, file)
        with pytest.raises(GraphError, match=f"reference: .*cut{re.escape(ending)}"):
            scored(file, real)
    with pytest.raises(FileNotFoundError, match=r"absent\.npz"):
        scored(real, "absent.npz")


@pytest.mark.parametrize("most", [0, -1, 1.5, True, "3"])
def test_a_number_of_graphs_is_whole_and_above_zero(real, paths, most):
    with pytest.raises(ValueError, match="max_graphs must be a whole number"):
        scored(real, paths, max_graphs=most)
    with pytest.raises(ValueError, match="max_graphs must be a whole number"):
        scored(real, paths, max_graphs=most)
    with pytest.raises(ValueError, match="max_graphs must be a whole number"):
        Evaluator(real).score(paths, max_graphs=most)
    with pytest.raises(ValueError, match="max_graphs must be a whole number"):
        Evaluator("grid", max_graphs=most)


def test_at_most_so_many_graphs_are_chosen_by_the_seed(real, paths):
    def chosen(seed: int) -> GraphSet:
        evaluator = Evaluator(real, max_graphs=5, seed=seed, metrics="valid")
        assert len(evaluator.reference) == 5
        return evaluator.reference

    assert chosen(0).same_as(chosen(0))
    assert not chosen(0).same_as(chosen(1))
    assert Evaluator(real, max_graphs=99).reference is real
    smiles = Evaluator(["C"] * 6, metrics="valid").score(["C", "no", "CC", "CCC", "x", "CCCC"], max_graphs=2)
    assert smiles["valid"] == pytest.approx(2 / 3)  # two that can be read stand for three


def test_a_name_that_is_neither_file_nor_dataset_is_told_its_neighbour(real):
    with pytest.raises(FileNotFoundError, match=r"no file and no dataset 'gird:test'; did you mean 'grid'\?"):
        Evaluator("gird:test")
    with pytest.raises(FileNotFoundError, match=r"'CCO' \(datasets: .*one SMILES goes into a list"):
        scored(real, "CCO")


def test_keeping_is_told_to_help_few_metrics(real):
    with pytest.raises(
        GraphError, match=r'self_loops="drop" or "keep" \(most metrics refuse what "keep" keeps\)$'
    ):
        scored(real, [LOOP])
