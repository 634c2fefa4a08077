"""Evaluators: what is computed once, what is stored, how several sets are compared, what rows say."""

from __future__ import annotations

import json
import math

import networkx as nx
import numpy as np
import pytest
import torch
from torch import nn

from graphgauge import distances, models, rows
from graphgauge.distances import anchored
from graphgauge.graphs import GraphError, GraphSet, files
from graphgauge.instruments.generation import METRICS, Evaluator, Notice, Settings, draw, is_saved
from graphgauge.instruments.generation import evaluator as evaluators
from graphgauge.instruments.generation.views import VIEWS, Described
from graphgauge.report import table

DOCUMENTED = [
    *(f"{what}_mmd2_{kernel}" for what in ("degree", "clustering", "orbit", "spectral")
      for kernel in ("emd", "tv")),
    *("nspdk_mmd2", "wl_mmd2", "gin_mmd2_rbf", "gin_mmd2_linear", "gin_fd", "gin_kd", "gin_precision"),
    *("gin_recall", "gin_density", "gin_coverage", "gin_f1_pr", "gin_f1_dc", "pgd"),
    *("valid", "unique", "novel", "vun"),
]  # fmt: skip
QUICK = {"seeds": 2, "replicates": 3}
SOME = "degree_mmd2_tv,wl_mmd2,gin_mmd2_rbf,gin_fd,gin_coverage,unique,nodes_w1"


def same(one, other):
    """Rows but for their times."""
    return [(r.metric, r.split, r.seed, r.value, r.spread, r.n, r.definition) for r in one] == [
        (r.metric, r.split, r.seed, r.value, r.spread, r.n, r.definition) for r in other
    ]


def failing(*_: object, **__: object):
    raise AssertionError("this was computed already")


# ── names, rows ────────────────────────────────────────────────────────────────────────────────────────────


def test_documented_metrics_are_there_by_default(real, paths):
    assert set(DOCUMENTED) <= set(METRICS)
    assert all(METRICS[name].default for name in DOCUMENTED)
    scores = Evaluator(real, seeds=1, replicates=0).score(paths)
    assert set(DOCUMENTED) <= set(scores.found["generated"])
    assert [row.metric for row in scores] == [name for name in METRICS if METRICS[name].default]
    assert scores.notices == ()


def test_every_row_says_what_it_is(real, paths, tmp_path):
    scores = Evaluator(real, metrics="all", **QUICK).score(
        paths, metrics="classical,kernels,gin,shares,sizes,pgd"
    )
    assert len(scores) == len(list(scores)) > 100
    for row in scores:
        metric = METRICS[row.metric]
        assert row.definition.startswith(metric.about)
        assert (row.unit, row.higher_is_better) == (metric.unit, metric.higher_is_better)
        assert row.instrument == "generation"
        assert math.isfinite(row.value)
        assert row.params["reference_hash"] == real.content_hash
        assert row.params["generated_hash"] == row.data_hash == paths.content_hash
        assert (row.params["reference_graphs"], row.params["generated_graphs"]) == (14, 12)
        assert row.versions["graphgauge"]
        if row.split == "all":
            assert (row.n, row.spread) == (12, None)
        else:
            assert row.n == 3
            assert row.spread >= 0
    seeds = {name: {r.seed for r in scores if r.metric == name and r.split == "all"} for name in METRICS}
    assert seeds["gin_fd"] == {0, 1}
    assert seeds["wl_mmd2"] == seeds["valid"] == {0}
    splits = {r.split for r in scores if r.metric == "wl_mmd2"}
    assert splits == {"all", "half-samples", "reference halves"}
    rows.write(tmp_path / "rows.json", scores)
    assert rows.read(tmp_path / "rows.json") == [
        rows.Row.from_json(json.loads(json.dumps(r.to_json()))) for r in scores
    ]
    assert "gin_fd" in table(scores)
    assert "wl_mmd2" in str(scores)
    assert "rows" in repr(scores)


def test_the_numbers_of_a_definition(real, paths):
    scores = Evaluator(real, metrics="gin_mmd2_rbf,gin_coverage,valid", seeds=1, replicates=0).score(paths)
    about = {row.metric: row.definition for row in scores}
    assert "bandwidth" in about["gin_mmd2_rbf"]
    assert "biased" in about["gin_mmd2_rbf"]
    assert "k 5" in about["gin_coverage"]


def test_scores_by_name(real, paths):
    evaluator = Evaluator(real, metrics="valid,gin_fd", seeds=2, replicates=0)
    one = evaluator.score(paths, name="a")
    assert one["gin_fd"] == one["a/gin_fd"] == np.mean([row.value for row in one if row.metric == "gin_fd"])
    assert one[0].metric == "gin_fd"
    assert [row.metric for row in one[-1:]] == ["valid"]
    with pytest.raises(KeyError, match="no metric 'wl_mmd2' was computed; there are gin_fd, valid"):
        one["wl_mmd2"]
    two = evaluator.compare({"a": paths, "b/c": real})
    assert two["b/c/valid"] == 1.0
    with pytest.raises(KeyError, match="several sets were scored"):
        two["valid"]
    with pytest.raises(KeyError, match="no set 'z' was scored; there are a, b/c"):
        two["z/valid"]


# ── the reference is looked at once ────────────────────────────────────────────────────────────────────────


def test_a_second_set_costs_no_work_on_the_reference(real, paths, monkeypatch):
    evaluator = Evaluator(real, metrics="all", **QUICK)
    with pytest.warns(Notice):
        first = evaluator.score(paths)
    looked_at = []
    for name, view in VIEWS.items():

        def counted(of: Described, seed: int, name: str = name, describe=view.describe):
            looked_at.append((name, of.side.graphs.content_hash))
            return describe(of, seed)

        monkeypatch.setitem(VIEWS, name, type(view)(counted, view.seeded, view.standardised))
    monkeypatch.setattr(anchored, "_dear", failing)
    monkeypatch.setattr(distances, "reference_balls", failing)
    monkeypatch.setattr(evaluators, "Reference", failing)
    other = paths[[11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]]
    with pytest.warns(Notice):
        second = evaluator.score(other)
    assert looked_at
    assert {of for _, of in looked_at} == {other.content_hash}
    assert len(looked_at) == len(set(looked_at)) + looked_at.count(("gin", other.content_hash)) - 1
    for name in ("wl_mmd2", "gin_fd", "unique"):
        assert second[name] == pytest.approx(first[name], rel=1e-9)


def test_scores_do_not_depend_on_what_was_scored_before(real, paths):
    fresh, used = Evaluator(real, **QUICK), Evaluator(real, **QUICK)
    used.score(GraphSet.from_networkx([nx.cycle_graph(n) for n in range(6, 20)]))
    for mine, theirs in zip(used.score(paths), fresh.score(paths), strict=True):
        assert mine.value == pytest.approx(theirs.value, rel=1e-9, abs=1e-12), mine.metric


# ── on disk ────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_saved_evaluator_gives_the_same_rows_without_the_work(real, paths, tmp_path, monkeypatch):
    evaluator = Evaluator(real, name="real", metrics=SOME, **QUICK)
    before = evaluator.score(paths)
    file = tmp_path / "real.safetensors"
    evaluator.save(file)
    assert is_saved(file)
    monkeypatch.setattr(anchored, "_dear", failing)
    loaded = Evaluator.load(file, metrics=SOME)
    assert same(before, loaded.score(paths))
    assert loaded.reference.same_as(real)
    assert loaded.score(paths)[0].params == before[0].params
    loaded.save(tmp_path / "again.safetensors")
    assert (tmp_path / "again.safetensors").read_bytes() == file.read_bytes()
    with pytest.raises(AssertionError, match="computed already"):
        Evaluator.load(file).score(paths, metrics="nspdk_mmd2")


def test_molecules_on_disk(tmp_path):
    reference, generated = ["CCO", "CC", "CCN", "C=O", "bad"], ["CCO", "CCC", "C[NH3+]"]
    evaluator = Evaluator(reference, metrics="kernels,shares,gin_mmd2_linear", valid="molecule", **QUICK)
    before = evaluator.score(generated)
    evaluator.save(tmp_path / "e.safetensors")
    loaded = Evaluator.load(tmp_path / "e.safetensors", metrics="kernels,shares,gin_mmd2_linear")
    assert same(before, loaded.score(generated))
    assert loaded.source.listed == 5
    assert loaded.check.name == "molecule"


def test_damaged_foreign_and_absent_files(real, paths, tmp_path):
    file, broken = tmp_path / "e.safetensors", tmp_path / "broken.safetensors"
    evaluator = Evaluator(real, metrics="wl_mmd2,unique", **QUICK)
    evaluator.score(paths)
    evaluator.save(file)
    whole = file.read_bytes()
    rng = np.random.default_rng(0)
    for place in (*range(0, 60, 5), *rng.integers(0, len(whole), 60).tolist()):
        flipped = bytearray(whole)
        flipped[place] ^= 1 << int(rng.integers(8))
        for damaged in (bytes(flipped), whole[:place]):
            broken.write_bytes(damaged)
            with pytest.raises(GraphError, match=r"broken\.safetensors: not an evaluator that can be read"):
                Evaluator.load(broken)
    files.write(broken, real)
    assert not is_saved(broken)
    with pytest.raises(GraphError, match=r"broken\.safetensors: not an evaluator"):
        Evaluator.load(broken)
    with pytest.raises(FileNotFoundError, match=r"there is no file .*absent\.safetensors"):
        Evaluator.load(tmp_path / "absent.safetensors")
    with pytest.raises(FileNotFoundError, match="there is no file"):
        Evaluator.load(tmp_path)
    with pytest.raises(ValueError, match=r"e\.txt: an evaluator is saved in a \.safetensors file"):
        evaluator.save(tmp_path / "e.txt")
    with pytest.raises(GraphError, match=r"generated: .*e\.safetensors is a saved evaluator"):
        evaluator.score(file)


def test_what_a_file_was_not_saved_with(real, tmp_path):
    file = tmp_path / "e.safetensors"
    Evaluator(real, seeds=3, valid="planar").save(file)
    assert Evaluator.load(file).check.name == "planar"
    for options, message in (
        ({"seeds": 2}, "was saved with seeds=3, not 2"),
        ({"preset": "released"}, "was saved with rounds=3, not 2"),
        ({"valid": "tree"}, "was saved with valid='planar', not 'tree'"),
        ({"encoder": len}, "was saved with encoder=None, not 'len'"),
    ):
        with pytest.raises(ValueError, match=message):
            Evaluator.load(file, **options)
    assert Evaluator.load(file, preset="default", seeds=3).settings.seeds == 3
    Evaluator(real, preset="released", valid=lambda graphs: [True] * len(graphs)).save(file)
    with pytest.raises(ValueError, match=r"was saved with valid='<lambda>', not 'every graph"):
        Evaluator.load(file)
    loaded = Evaluator.load(file, valid=lambda graphs: [True] * len(graphs))
    assert loaded.settings.bandwidth == "ten"


# ── several sets ───────────────────────────────────────────────────────────────────────────────────────────


def test_several_sets_are_ranked_over_halves_of_one_size(real, paths):
    sets = {"paths": paths, "real": real, "few": paths[:8]}
    scores = Evaluator(real, metrics=SOME, **QUICK).compare(sets)
    assert list(scores.found) == list(sets)
    assert {row.params["half_graphs"] for row in scores} == {4}
    ranks = [row for row in scores if row.split == "rank"]
    assert {(row.subject, row.metric) for row in ranks} == {(s, m) for s in sets for m in SOME.split(",")}
    for metric in SOME.split(","):
        of = {row.subject: row for row in ranks if row.metric == metric}
        assert sum(row.value for row in of.values()) == pytest.approx(6.0)
        assert all(row.unit == "rank" and row.higher_is_better is False for row in of.values())
        if metric in ("degree_mmd2_tv", "wl_mmd2", "gin_mmd2_rbf"):
            assert of["real"].value == min(row.value for row in of.values())
    by = {row.metric: row.n for row in ranks}
    assert (by["wl_mmd2"], by["gin_fd"], by["unique"]) == (3, 6, 3)
    alone = Evaluator(real, metrics=SOME, **QUICK).score(paths)
    assert {row.params["half_graphs"] for row in alone} == {6}
    for name in SOME.split(","):
        assert scores[f"paths/{name}"] == pytest.approx(alone[name], rel=1e-12)


def test_ranks_without_halves_and_of_equal_sets(real, paths):
    scores = Evaluator(real, metrics="wl_mmd2,valid", replicates=0).compare(
        {"a": paths, "b": real, "c": paths}
    )
    ranks = {(row.metric, row.subject): (row.value, row.spread) for row in scores if row.split == "rank"}
    assert [ranks["wl_mmd2", name] for name in "abc"] == [(2.5, None), (1.0, None), (2.5, None)]
    assert [ranks["valid", name] for name in "abc"] == [(2.0, None)] * 3


def test_names_of_sets(real, paths, tmp_path, monkeypatch):
    evaluator = Evaluator(real, metrics="valid", replicates=0)
    monkeypatch.setattr(Evaluator, "score", failing)
    for two in ([real, paths], {"a": real, "b": paths}.values()):
        with pytest.raises(ValueError, match="two generated sets are called 'generated'; give them names"):
            evaluator.compare(list(two))
    with pytest.raises(ValueError, match="there is no generated set to compare"):
        evaluator.compare([])
    for one in ("file.npz", tmp_path, real):
        with pytest.raises(TypeError, match="compare takes several sets, got"):
            evaluator.compare(one)
    monkeypatch.undo()
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        files.write(tmp_path / folder / "samples.npz", paths)
    monkeypatch.chdir(tmp_path)
    assert list(evaluator.compare(["one/samples.npz"]).found) == ["samples"]
    both = ["one/samples.npz", "two/samples.npz"]
    assert list(evaluator.compare(both).found) == both
    with pytest.raises(ValueError, match="two generated sets are called 'one/samples"):
        evaluator.compare([both[0]] * 2)


# ── what the user brings ───────────────────────────────────────────────────────────────────────────────────


def test_a_users_check_of_validity(real, paths):
    def big(graphs):
        return graphs.nodes_per_graph > 5

    scores = Evaluator(real, metrics="shares", valid=big, replicates=0).score(paths)
    assert scores["valid"] == sum(4 + number % 5 > 5 for number in range(12)) / 12
    assert scores["vun"] == 3 / 12
    assert scores.rows[0].params["valid"] == "big"


@pytest.mark.parametrize(
    "answer",
    [lambda g: torch.ones(len(g)), lambda g: True, lambda g: [True], lambda g: None, lambda g: [1] * len(g)],
    ids=["floats", "one", "short", "none", "ints"],
)  # fmt: skip
def test_a_check_that_answers_something_else(real, paths, answer):
    with pytest.raises(
        ValueError, match=r"validity check '<lambda>' must return one truth value for each of"
    ):
        Evaluator(real, metrics="valid", valid=answer).score(paths)


def test_checks_that_are_none():
    one = GraphSet.from_edges([[(0, 1)]])
    for valid, kind, message in (
        ("zz", ValueError, "no validity check 'zz'; there are connected"),
        (3, TypeError, "valid must be a name or a function of a GraphSet, got a int"),
        ("no_such_module:f", ValueError, "^'no_such_module:f': there is no module 'no_such_module'"),
        ("math:nothing", ValueError, "^'math:nothing': 'math' has no 'nothing'"),
    ):
        with pytest.raises(kind, match=message):
            Evaluator(one, valid=valid)


class Aligned(nn.Module):
    """A network as graph alignment trains one; untrained here."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.net = models.build("gin", in_features=1)

    def forward(self, graphs: GraphSet) -> torch.Tensor:
        return self.net(graphs.with_columns(node={"x": torch.ones(graphs.num_nodes, 1)}))


def test_a_users_encoder_takes_the_place_of_random_networks(real, paths):
    encoder = Aligned()
    scores = Evaluator(real, metrics="gin", encoder=encoder, replicates=2).score(paths)
    assert all(row.params["encoder"] == "Aligned" for row in scores)
    assert {row.seed for row in scores} == {0}
    assert scores["gin_mmd2_rbf"] > 0.1
    assert Evaluator(real, metrics="gin_fd", encoder=encoder, replicates=0).score(real)["gin_fd"] < 1e-6


def test_presets_and_estimators_change_numbers(real, paths):
    values = {}
    for options in ({}, {"preset": "released"}, {"estimator": "unbiased"}, {"labels": "none"}):
        scores = Evaluator(real, metrics="gin_mmd2_rbf,wl_mmd2", seeds=1, replicates=2, **options).score(
            paths
        )
        values[str(options)] = scores["gin_mmd2_rbf"], scores["wl_mmd2"]
    default, released, unbiased, unlabelled = values.values()
    assert default == unlabelled
    assert released[0] != default[0]
    assert released[1] == default[1]
    assert unbiased[0] < default[0]
    assert unbiased[1] < default[1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seeds": 0}, "seeds must be a whole number of at least 1, got 0"),
        ({"seeds": True}, "seeds must be a whole number"),
        ({"k": 2.5}, "k must be a whole number"),
        ({"seed": -1}, "seed must be a whole number of at least 0"),
        ({"replicates": 1}, "replicates must be 0 or at least 2"),
        ({"estimator": "best"}, "estimator must be one of biased, unbiased, got 'best'"),
        ({"ties": "none"}, "ties must be one of"),
        ({"labels": "all"}, "labels must be one of auto, none"),
        ({"labels": "none", "node_column": "x"}, "labels='none' compares structure only; node_column"),
        ({"degree_factor": math.nan}, "degree_factor must be a finite number"),
        ({"bandwidth": "wide"}, "no bandwidth rule 'wide'"),
        ({"bandwidth": -1.0}, "a bandwidth must be a finite number above 0"),
        ({"preset": "paper"}, "preset must be one of default, released"),
        ({"neighbours": 3}, r"unknown settings \['neighbours'\]; there are \['bandwidth'"),
        ({"metrics": "gin,nonsense"}, "no metric 'nonsense'; there are all, the groups classical"),
        ({"metrics": []}, "no metric is named"),
    ],
    ids=str,
)  # fmt: skip
def test_settings_that_cannot_be(options, message):
    with pytest.raises(ValueError, match=message):
        Evaluator(GraphSet.from_edges([[(0, 1)]]), **options)


def test_settings_are_the_parameters_of_rows(real, paths):
    row = Evaluator(real, metrics="valid", replicates=2, k=3, seed=4).score(paths).rows[0]
    assert {name: row.params[name] for name in ("replicates", "k", "labels")} == {
        "replicates": 2,
        "k": 3,
        "labels": "auto",
    }
    assert Settings(**{f: row.params[f] for f in Settings().to_params()}) == Settings(
        replicates=2, k=3, seed=4
    )


# ── figures ────────────────────────────────────────────────────────────────────────────────────────────────


def test_figures_of_a_comparison_with_an_empty_graph(real, tmp_path):
    odd = GraphSet.from_networkx([nx.empty_graph(0), nx.empty_graph(2), nx.path_graph(3)])
    evaluator = Evaluator(real, metrics="shares,degree_mmd2_tv", seeds=1, replicates=2)
    files = draw(evaluator, evaluator.compare({"odd": odd}), tmp_path, examples=3)
    assert {file.stem for file in files} >= {"distributions", "map", "examples"}
    assert all(file.stat().st_size > 500 for file in files)
