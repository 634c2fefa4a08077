"""The supervised table in all its formats, beside the published values."""

from __future__ import annotations

import csv
import io
import math
import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from graphgauge import report
from graphgauge.report.supervised.lines import blocks, labels, make_lines
from graphgauge.rows import Row

FORMATS = ("rich", "csv", "latex", "markdown")
ODD = "my_pkg.nets:Net|x"
LAST, BEST = "last epoch", "best validation"
SEEDS = (41, 95, 12, 35)
COUNTS = {"epochs": 150.0, "best_epoch": 120.0, "epoch_seconds": 2.5, "total_seconds": 375.0}
PERCENT = {"metric": "accuracy", "unit": "fraction", "higher": True}


def run(
    subject: str,
    test: float,
    seeds: Sequence[int] = SEEDS,
    folds: int = 1,
    *,
    metric: str = "mae",
    unit: str = "target's unit",
    higher: bool = False,
    parameters: int = 103_079,
    step: float = 0.01,
    seen: int | None = None,
    counts: dict[str, float] | None = None,
    **params: object,
) -> list[Row]:
    """Rows as the instrument writes them: scores `step` apart over seeds, half of it over folds."""
    told = {
        "dataset": "zinc", "folds": folds, "budget": "100k", "layers": 4, "edge_features": False,
        "encoding": None, "published": True, "notes": [], "max_epochs": 1000, "max_seconds": 43_200.0,
        "task_hash": "ab" * 32, "task_options": {"size": None, "seed": 0},
        "model": {"parameters": parameters, "architecture": "0123456789abcdef"},
    } | params  # fmt: skip
    rows = []
    for i, seed in enumerate(seeds):
        for fold in range(folds if seen is None else seen):
            own = told | {"fold": fold}
            common = {"seed": seed, "params": own, "data_hash": "ab" * 32}
            id_ = f"{subject} {seed} {sorted(own.items(), key=str)}"

            def row(name: str, value: float, split: str, selection: str, *kind: object) -> Row:
                return Row(
                    id_, "supervised", subject, name, value, *kind, "What it is.", 1000,  # noqa: B023
                    split=split, selection=selection, **common,  # noqa: B023
                )  # type: ignore[misc]  # fmt: skip

            shift = step * (i - (len(seeds) - 1) / 2) + step / 2 * (fold - (folds - 1) / 2)
            for rule, gain in ((LAST, 0.0), (BEST, -0.002)):
                for split, more in (("test", 0.0), ("train", -0.1), ("val", 0.05)):
                    value = test + more + shift + gain
                    rows.append(row(metric, value, split, rule, unit, higher))
                    rows.append(row("loss", value, split, rule, "loss", False))
            for name, value in ({"parameters": parameters} | COUNTS | (counts or {})).items():
                rows.append(row(name, value, "train", LAST, name, None))
    return rows


def baseline(subject: str, value: float, dataset: str = "zinc", **kind: object) -> list[Row]:
    told = {"baseline": True, "published": False, "budget": None, "layers": None, "dataset": dataset}
    rows = run(subject, value, (0,), **told, **kind)  # type: ignore[arg-type]
    names = ("loss", kind.get("metric", "mae"))
    return [replace(r, selection="none") for r in rows if r.metric in names and r.selection == LAST]


MANY = [
    *run("gin", 0.391),
    *run("gcn", 0.395, parameters=103_077),
    *run("gatedgcn", 0.28, budget="500k", layers=16, edge_features=True, parameters=504_309),
    *run("gatedgcn", 0.37, edge_features=True, parameters=105_875),
    *run(
        "gatedgcn", 0.22, budget="500k", layers=16, edge_features=True, encoding="lap:8", parameters=505_011
    ),
    *run(ODD, 0.6, published=False, parameters=99_000),
    *baseline("mean", 1.5),
    *run("gin", 0.95, range(20), 5, dataset="csl", encoding="lap:20", parameters=107_304, **PERCENT),
    *baseline("majority", 0.1, "csl", **PERCENT),
]  # fmt: skip


def read_csv(rows: Sequence[Row]) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(report.table(rows, "csv"))))


def line_of(text: str, name: str) -> str:
    return next(line for line in text.splitlines() if name in line)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("columns", ["main", "all"])
def test_every_model_is_in_the_table(format: str, columns: str) -> None:
    text = report.table(MANY, format, columns=columns).replace("\\", "").replace("textbar{}", "|")
    for name in ("gin", "gcn", "gatedgcn-E", "gatedgcn-E-PE", "mean", "gin-PE", "majority"):
        assert name in text
    assert ODD in text or "my_pkg.nets" in text.replace("\n", "").replace(" ", "")


def test_layout_of_the_published_tables() -> None:
    text = report.table(MANY)
    assert text.splitlines()[0] == "csl, budget 100k: accuracy in % ↑"
    head = line_of(text, "model").split()
    assert head[:3] == ["model", "L", "#param"]
    found = line_of(text, "gatedgcn-E-PE").split()
    assert found == [
        "★", "gatedgcn-E-PE", "16", "505,011", "0.220", "±", "0.013", "(4)", "0.120", "±", "0.013", "150",
        "2.5s/6.2min", "0.214", "±", "0.013", "+0.5", "505,011",
    ]  # fmt: skip
    assert max(len(line) for line in text.splitlines()) <= 120


def test_narrow_terminal_never_cuts_a_number() -> None:
    text = report.table(MANY, width=30)
    for number in ("0.220 ± 0.013 (4)", "505,011", "2.5s/6.2min", "0.214 ± 0.013", "(100)"):
        assert number in text


def test_best_first_marked_and_baselines_below() -> None:
    zinc = [line for line in make_lines(MANY) if line.dataset == "zinc"]
    assert [(line.name, line.mark) for line in zinc] == [
        ("gatedgcn-E-PE", "best"), ("gatedgcn-E", ""), ("gatedgcn-E", ""), ("gin", ""), ("gcn", ""),
        (ODD, ""), ("mean", ""),
    ]  # fmt: skip
    close = make_lines([*run("gin", 0.391), *run("gcn", 0.395)])
    assert [line.mark for line in close] == ["best", "within noise"]
    latex = report.table([*run("gin", 0.391), *run("gcn", 0.395)], "latex")
    assert r"\textbf{0.391 $\pm$ 0.013 (4)}" in latex
    assert r"\underline{0.395 $\pm$ 0.013 (4)}" in latex


def test_higher_is_better_turns_the_order() -> None:
    rows = [*run("gin", 0.6, dataset="mnist", **PERCENT), *run("gat", 0.9, dataset="mnist", **PERCENT)]
    assert report.ranking(rows) == "mnist: gat 90.00 > gin 60.00"


def test_ranking_has_a_line_for_each_task() -> None:
    zinc = (
        "zinc: gatedgcn-E-PE 0.220 > gatedgcn-E 500k 0.280 > gatedgcn-E 100k 0.370 > gin 0.391 ≈ gcn 0.395 > "
        f"{ODD} 0.600; baselines: mean 1.500"
    )
    assert report.ranking(MANY).splitlines() == ["csl: gin-PE 95.00; baselines: majority 10.00", zinc]


def test_folds_and_seeds_of_csl_are_runs_with_extremes() -> None:
    (found,) = [r for r in read_csv(MANY) if r["model"] == "gin-PE"]
    assert (found["test_n"], found["test_folds"], found["test_seeds"]) == ("100", "5", "20")
    values = [r.value for r in MANY if (r.params["dataset"], r.metric, r.split, r.selection) == (
        "csl", "accuracy", "test", LAST)]  # fmt: skip
    assert float(found["test_min"]) == min(values)
    assert float(found["test_max"]) == max(values)
    assert "min–max" in report.table(MANY)
    assert "min–max" not in report.table(run("gin", 0.391))


def test_cross_validation_pools_the_deviation_over_folds() -> None:
    rows = run("gin", 0.7, (41, 95), 10, dataset="enzymes", step=0.2, **PERCENT)
    (line,) = make_lines(rows)
    assert line.test is not None
    assert line.mean == pytest.approx(0.7)
    one_seed = [0.1 * fold for fold in range(10)]
    expected = math.sqrt(sum((x - 0.45) ** 2 for x in one_seed) / 9)
    assert line.test.sd == pytest.approx(expected)  # seeds are 0.2 apart, and do not widen it
    assert "pooled over seeds" in report.table(rows)
    assert line.published is not None
    assert line.published.test == pytest.approx((0.65333 + 0.67667) / 2)


def test_cross_validation_weighs_seeds_alike() -> None:
    rows = run("gin", 0.7, (41, 95), 10, dataset="enzymes", step=0.2, **PERCENT)
    fewer = [r for r in rows if r.seed == 41 or r.params["fold"] == 0]
    by_seed = [
        [r.value for r in fewer if (r.seed, r.metric, r.split, r.selection) == (s, "accuracy", "test", LAST)]
        for s in (41, 95)
    ]
    assert [len(values) for values in by_seed] == [10, 1]
    assert make_lines(fewer)[0].mean == pytest.approx(sum(sum(v) / len(v) for v in by_seed) / 2)


def test_one_seed_has_no_deviation_and_no_difference() -> None:
    text = report.table(run("gin", 0.391, (41,)))
    assert "0.391 (1)" in text
    assert "0.391 ±" not in text
    assert read_csv(run("gin", 0.391, (41,)))[0]["difference"] == ""


def test_difference_is_in_pooled_deviations() -> None:
    (found,) = read_csv(run("gin", 0.391))
    sd = float(found["test_sd"])
    expected = (0.391 - 0.387) / math.sqrt((sd**2 + 0.015**2) / 2)
    assert float(found["difference"]) == pytest.approx(expected)
    same = run("gcn", 0.1, range(20), 5, dataset="csl", step=0.0, **PERCENT)
    assert read_csv(same)[0]["difference"] == "0.0"


def test_both_rules_of_selection() -> None:
    (found,) = read_csv(run("gin", 0.391))
    assert float(found["test_mean"]) == pytest.approx(0.391)
    assert float(found["best_test_mean"]) == pytest.approx(0.389)
    text = report.table(run("gin", 0.391), columns="all")
    assert "0.389 ± 0.013 (4)" in text
    assert "after the last epoch" in text
    assert "best val: of the model of the epoch with the best score on validation" in text
    assert "0.389" not in report.table(run("gin", 0.391))


def test_rows_of_the_other_rule_alone_say_so() -> None:
    rows = [r for r in run("gin", 0.391) if r.selection == BEST]
    text = report.table(rows)
    assert "0.389 ± 0.013 (4)" in text
    assert "not as published" in text
    mixed = report.table([*rows, *run("gcn", 0.4)])
    assert "⚠ gin: the model by the rule 'best validation'." in mixed


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"published": False}, "not the published configuration"),
        ({"notes": ["training graphs are a stand-in: others"]}, "other data, see above"),
        ({"max_epochs": 150}, "stopped early, after 150 epochs"),
        ({"settings": {"max_epochs": 150}}, "stopped early, after 150 epochs"),
        ({"max_seconds": 300.0}, "stopped early, after 300 s"),
        ({"precision": "bfloat16"}, "precision bfloat16"),
    ],
)
def test_what_dims_a_comparison(changed: dict[str, object], reason: str) -> None:
    rows = run("gin", 0.391, **changed)  # type: ignore[arg-type]
    if "settings" in changed:
        rows = [replace(r, params={k: v for k, v in r.params.items() if k != "max_epochs"}) for r in rows]
    text = report.table(rows)
    assert "0.387 ± 0.015†" in text
    assert f"† not comparable with the paper: {reason}." in text
    assert read_csv(rows)[0]["difference"] == ""


def test_a_limit_that_was_not_reached_or_is_the_papers_dims_nothing() -> None:
    assert "†" not in report.table(run("gin", 0.391, max_epochs=151))
    assert "†" not in report.table(run("gin", 0.391, counts={"epochs": 1000.0}))
    assert "†" not in report.table(run("gin", 0.391, counts={"total_seconds": 43_210.0}))


def test_missing_folds_dim_a_comparison() -> None:
    rows = run("gin", 0.99, range(20), 5, dataset="csl", encoding="lap:20", seen=2, **PERCENT)
    assert "† not comparable with the paper: 2 of 5 folds." in report.table(rows)


def test_dense_models_in_true_batches_dim_a_comparison() -> None:
    kind = {"layers": 2, "parameters": 97_978}
    assert "batches of graphs" in report.table(run("ringgnn", 0.5, dense_batches="true", **kind))
    assert "†" not in report.table(run("ringgnn", 0.5, dense_batches="published", **kind))
    assert "†" not in report.table(run("gin", 0.5, dense_batches="true"))


@pytest.mark.parametrize("told", [{"size": 500}, {"task_options": {"size": 500, "seed": 0}}])
def test_no_published_value_beside_another_size(told: dict[str, object]) -> None:
    text = report.table(run("gin", 0.391, **told))
    assert text.startswith("zinc, size 500, budget 100k: MAE ↓")
    assert "0.387" not in text
    assert "Not comparable with the paper, whose values are not shown: size 500." in text


def test_sizes_are_not_ranked_together() -> None:
    rows = [*run("gin", 0.391), *run("gcn", 0.2, size=500)]
    assert report.ranking(rows).splitlines() == ["zinc: gin 0.391", "zinc, size 500: gcn 0.200"]


@pytest.mark.parametrize("format", ["rich", "latex", "markdown"])
def test_notes_of_the_data_are_printed(format: str) -> None:
    note = "training graphs are a stand-in for the published"
    assert f"Data: {note}" in report.table(run("gin", 0.391, notes=[note]), format)


def test_reasons_name_their_lines() -> None:
    rows = [*run("gin", 0.391), *run("gcn", 0.42, max_epochs=150), *run("gat", 0.48, published=False)]
    text = report.table(rows)
    assert "stopped early, after 150 epochs (gcn); not the published configuration (gat)." in text


def test_unlike_runs_are_not_averaged() -> None:
    rows = [*run("gin", 0.4, lr=0.01), *run("gin", 0.5, lr=0.001)]
    lines = make_lines(rows)
    assert [(line.settings, round(line.mean, 6)) for line in lines] == [("lr 0.01", 0.4), ("lr 0.001", 0.5)]
    assert "lr 0.01" in report.table(rows, width=200)
    inside = [*run("gin", 0.4, settings={"lr": 0.01}), *run("gin", 0.5, settings={"lr": 0.001})]
    assert [line.settings for line in make_lines(inside)] == ["settings lr 0.01", "settings lr 0.001"]
    assert labels(lines) == ["gin lr 0.01", "gin lr 0.001"]


def test_params_tell_runs_apart_where_ids_do_not() -> None:
    rows = [*run("gin", 0.4, (41,), lr=0.01), *run("gin", 0.5, (95,), lr=0.001)]
    same_id = [replace(r, spec_id="1") for r in rows]
    assert [line.settings for line in make_lines(same_id)] == ["lr 0.01", "lr 0.001"]


def test_hashes_are_shown_only_where_nothing_else_differs() -> None:
    other = {"model": {"parameters": 7, "architecture": "f" * 16}}
    both = [*run("gin", 0.4, width=9), *run("gin", 0.5, width=8, **other)]
    assert [line.settings for line in make_lines(both)] == ["width 9", "width 8"]
    text = "".join(line.settings for line in make_lines([*run("gin", 0.4), *run("gin", 0.5, **other)]))
    assert "ffffffff" in text


def test_unlike_data_is_warned_of() -> None:
    rows = [*run("gin", 0.4), *run("gcn", 0.5, task_hash="cd" * 32)]
    assert "⚠ these lines stand on different data: abababab, cdcdcdcd." in report.table(rows)
    encoded = [*run("gin", 0.4), *run("gcn", 0.5, task_hash="cd" * 32, encoding="lap:8")]
    assert "different data" not in report.table(encoded)


def test_models_that_a_baseline_beats() -> None:
    rows = [*run("gin", 0.391), *run("gcn", 1.6), *baseline("mean", 1.5), *baseline("zero", 1.7)]
    assert "⚠ no better than the baseline mean: gcn." in report.table(rows)
    assert "no better" not in report.table(MANY)


def test_the_papers_heuristic_stands_beside_ours() -> None:
    kind = {"metric": "f1", "unit": "fraction", "higher": True}
    text = report.table(baseline("knn", 0.69, "tsp", **kind))
    assert " 69.30" in text
    assert "†" not in text


def test_further_metrics_are_offered() -> None:
    kind = {"dataset": "ogbl-collab", "metric": "hits@50", "unit": "fraction", "higher": True}
    rows = run("gin", 0.41, budget="40k", layers=3, **kind)  # type: ignore[arg-type]
    rows += [replace(r, metric="hits@10", value=r.value / 2) for r in rows if r.metric == "hits@50"]
    assert make_lines(rows)[0].score == "hits@50"
    assert "20.50 ± 0.65" in report.table(rows, columns="all")
    assert "20.50" in report.table(rows, columns=["hits@10"])
    assert "20.50" not in report.table(rows)
    assert float(read_csv(rows)[0]["hits@10_mean"]) == pytest.approx(0.205)
    assert "41.73 ± 2.28" in report.table(rows)


def test_outputs_of_a_multitask_are_offered() -> None:
    kind = {"dataset": "graphtheoryprop", "metric": "log10_mse", "unit": "log10", "layers": 8}
    rows = run("gin", -3.2, step=0.1, **kind)  # type: ignore[arg-type]
    rows += [
        replace(r, metric="log10_mse of eccentricity", value=-2.5) for r in rows if r.metric == "log10_mse"
    ]
    assert make_lines(rows)[0].score == "log10_mse"
    assert "-3.190 ± 0.110" in report.table(rows)
    assert "-2.500 ± 0.000" in report.table(rows, columns=["log10_mse of eccentricity"])


def test_csv_holds_everything_unrounded() -> None:
    rows = run("gin", 1 / 3)
    (found,) = read_csv(rows)
    values = [r.value for r in rows if (r.metric, r.split, r.selection) == ("mae", "test", LAST)]
    assert float(found["test_mean"]) == math.fsum(values) / 4
    assert (found["metric"], found["unit"], found["definition"]) == ("mae", "target's unit", "What it is.")
    assert (found["published"], found["published_sd"], found["published_table"]) == ("0.387", "0.015", "3")
    assert (found["epoch_seconds_mean"], found["selection"]) == ("2.5", LAST)


def test_markdown_and_latex_are_whole() -> None:
    text = report.table(MANY, "markdown")
    for block in text.split("**"):
        pipes = [line.replace("\\|", "").count("|") for line in block.splitlines() if line.startswith("|")]
        assert len(set(pipes)) <= 1
    latex = report.table(MANY, "latex")
    assert latex.count("{") == latex.count("}")
    assert r"my\_pkg.nets:Net\textbar{}x" in latex
    assert not any(symbol in latex for symbol in "★≈†±–⚠−×√")
    assert latex.count(r"\begin{table}") == 2


def test_order_of_rows_does_not_matter() -> None:
    shuffled = list(MANY)
    random.Random(0).shuffle(shuffled)
    assert report.table(shuffled, "csv") == report.table(MANY, "csv")
    assert report.table(shuffled) == report.table(MANY)
    assert report.ranking(shuffled) == report.ranking(MANY)


def test_rows_read_twice_count_once() -> None:
    assert report.table(MANY + MANY, "csv") == report.table(MANY, "csv")


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    "name",
    ["nan", "scores alone", "counts alone", "no params", "odd params", "val alone", "infinite", "none"],
)
def test_hostile_rows(format: str, name: str) -> None:
    rows = {
        "nan": run("gin", math.nan),
        "scores alone": [r for r in run("gin", 0.4) if r.metric == "mae"],
        "counts alone": [r for r in run("gin", 0.4) if r.metric in COUNTS],
        "no params": [replace(r, params={}) for r in run("gin", 0.4)],
        "odd params": [
            replace(r, params=dict(r.params) | {
                "budget": 100_000, "layers": "many", "encoding": "rw:16", "edge_features": None,
                "size": {"train": 3}, "notes": "one text", "folds": "all", "train_samples": "few",
            }) for r in run("gin", 0.4)
        ],
        "val alone": [r for r in run("gin", 0.4) if r.split == "val"],
        "infinite": run("gin", math.inf),
        "none": [],
    }[name]  # fmt: skip
    for columns in ("main", "all"):
        text = report.table(rows, format, columns=columns)
        assert ("gin" in text.replace("begin", "")) == (name != "none")
    assert isinstance(report.ranking(rows), str)


def test_nan_is_shown_and_never_best() -> None:
    rows = [*run("gin", math.nan), *run("gcn", 0.42)]
    assert [(line.name, line.mark) for line in make_lines(rows)] == [("gcn", "best"), ("gin", "")]
    assert line_of(report.table(rows), " gin ").split()[:4] == ["gin", "4", "103,079", "nan"]
    assert report.ranking(rows) == "zinc: gcn 0.420"
    one = [replace(r, value=math.nan) if r.seed == 41 and r.metric == "mae" else r for r in run("gin", 0.4)]
    assert math.isnan(make_lines(one)[0].mean)


def test_own_task_and_own_score() -> None:
    rows = run("gin", 0.4, dataset="mine", metric="my_score", unit="")
    assert report.ranking(rows) == "mine: gin 0.400"
    assert "paper" not in report.table(rows)
    assert report.table(rows).startswith("mine, budget 100k: my_score ↓")


def test_scores_of_two_kinds_are_two_tasks() -> None:
    rows = [*run("gin", 0.4, dataset="mine"), *run("gat", 0.9, dataset="mine", **PERCENT)]
    assert [len(block) for block in blocks(make_lines(rows))] == [1, 1]


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"format": "html"}, "no table format 'html'"),
        ({"columns": "most"}, "no column 'most'; there are main, all, parameters, test"),
        ({"columns": ["nothing"]}, "no column 'nothing'"),
    ],
)
def test_wrong_arguments(kwargs: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        report.table(MANY, **kwargs)  # type: ignore[arg-type]
