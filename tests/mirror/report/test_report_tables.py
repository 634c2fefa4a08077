"""The alignment table in all its formats."""

from __future__ import annotations

import csv
import io
import math

import pytest

from graphgauge import report
from graphgauge.report.alignment.lines import make_lines
from graphgauge.rows import Row

ODD = "my_pkg.nets:Net|x"
FORMATS = ("rich", "csv", "latex", "markdown")
METRICS = (
    "accuracy",
    "accuracy_softmax",
    "accuracy_expected",
    "accuracy_up_to_automorphism",
    "top1",
    "top3",
    "top5",
    "edge_overlap",
    "ceiling_automorphism",
    "ceiling_wl1",
)


def row(subject: str, metric: str, value: float, seed: int = 0, **params: object) -> Row:
    settings = {"dataset": "er", "noise": 0.08, "noise_model": "add-remove"} | params
    id_ = f"{subject} {seed} {sorted(settings.items())}"
    return Row(
        id_, "alignment", subject, metric, value, "fraction", True, "d", 500, seed, "val", seconds=12.25,
        params=settings,
    )  # fmt: skip


def full(subject: str, value: float, seeds: int = 3, **params: object) -> list[Row]:
    rows = [
        row(subject, metric, value + 0.001 * seed, seed, **params)
        for metric in METRICS
        for seed in range(seeds)
    ]
    return rows + [row(subject, "parameters", 59_584, seed, **params) for seed in range(seeds)]


def read_csv(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


MANY = [
    *(r for dataset in ("er", "ogbn-arxiv") for r in full("gcn", 0.75, dataset=dataset)),
    *(r for dataset in ("er", "ogbn-arxiv") for r in full("laplacian", 0.10, dataset=dataset)),
    *full("gat", 0.8975),
    *full("gatv2", 0.8970),
    *full(ODD, 0.5),
]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("columns", ["main", "all"])
def test_every_model_is_in_the_table(format: str, columns: str) -> None:
    text = report.table(MANY, format, columns=columns).replace("\\", "").replace("textbar{}", "|")
    unfolded = text.replace("\n", "").replace(" ", "")
    for subject in ("gcn", "laplacian", "gat", "gatv2"):
        assert subject in text
    assert ODD in text or "my_pkg.nets" in unfolded


def test_main_table_fits_120_columns_with_everything_in_it() -> None:
    foreign = [*MANY, *full("gcn", 0.6, dataset="ogbn-arxiv", noise=0.18, noise_model="add")]
    text = report.table(foreign)
    assert max(len(line) for line in text.splitlines()) <= 120
    for number in ("75.1 ± 0.1 (3)", "78.9 ± 0.9", "59,584", "12", "†"):
        assert number in text
    assert "…" not in text


def test_narrow_terminal_never_cuts_a_number() -> None:
    assert "59,584" in report.table(MANY, width=40)
    assert "…" not in report.table(MANY, width=40)


def test_best_first_and_marked() -> None:
    lines = make_lines(r for r in MANY if r.params["dataset"] == "er")
    assert [(line.subject, line.mark) for line in lines] == [
        ("gat", "best"), ("gatv2", "within noise"), ("gcn", ""), (ODD, ""), ("laplacian", ""),
    ]  # fmt: skip
    text = report.table(MANY)
    assert "★ gat " in text
    assert "≈ gatv2" in text
    latex = report.table(MANY, "latex")
    assert r"\textbf{89.8 $\pm$ 0.1 (3)}" in latex or r"\textbf{89.9 $\pm$ 0.1 (3)}" in latex
    assert latex.count(r"\underline{") == 1


def test_one_seed_has_no_deviation() -> None:
    text = report.table(full("user", 0.75, seeds=1))
    assert "75.0 (1)" in text
    assert "75.0 ±" not in text
    (record,) = read_csv(report.table(full("gcn", 0.75, seeds=1), "csv"))
    assert record["accuracy_sd"] == ""
    assert record["accuracy_n"] == "1"


def test_csv_holds_unrounded_fractions() -> None:
    values = [1 / 3, 2 / 3, 0.1 + 0.2]
    rows = [row("gcn", "accuracy", value, seed) for seed, value in enumerate(values)]
    (record,) = read_csv(report.table(rows, "csv"))
    (found,) = report.summarise(rows)
    assert float(record["accuracy_mean"]) == found.mean
    assert float(record["accuracy_sd"]) == found.sd
    assert float(record["noise"]) == 0.08
    assert (record["published"], record["published_sd"], record["published_metric"]) == (
        "0.789", "0.009", "accuracy_softmax",
    )  # fmt: skip
    assert float(record["seconds_mean"]) == 12.25


def test_csv_keeps_odd_names() -> None:
    odd = 'a,"b"\n|c'
    (record,) = read_csv(report.table([row(odd, "accuracy", 0.5)], "csv"))
    assert record["subject"] == odd


def test_markdown_has_as_many_cells_in_every_line() -> None:
    text = report.table(MANY, "markdown")
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert len(lines) == 2 + len(make_lines(MANY))
    assert len({line.replace("\\|", "").count("|") for line in lines}) == 1
    assert r"my\_pkg.nets:Net\|x" in text


def test_latex_is_balanced_and_escaped() -> None:
    text = report.table(MANY, "latex")
    assert text.count("{") == text.count("}")
    for rule in (r"\toprule", r"\midrule", r"\bottomrule"):
        assert rule in text
    assert r"my\_pkg.nets:Net\textbar{}x" in text
    body = text.split(r"\toprule")[1].split(r"\bottomrule")[0]
    lines = [line for line in body.splitlines() if line.endswith(r"\\")]
    assert len({line.replace(r"\&", "").count("&") for line in lines}) == 1
    assert not any(symbol in text for symbol in "★≈†±–")


def test_nan_is_shown_and_never_best() -> None:
    rows = [row("gcn", "accuracy", math.nan), row("gin", "accuracy", 0.2)]
    assert [(line.subject, line.mark) for line in make_lines(rows)] == [("gin", "best"), ("gcn", "")]
    assert "nan" in report.table(rows)
    assert report.ranking(rows) == "er, noise 8 %: gin 20.0"
    for format in FORMATS:
        assert report.table([row("gcn", "accuracy", math.nan)], format)


def test_missing_metrics_are_left_out_or_dashed() -> None:
    rows = [*full("gcn", 0.75), row("gin", "top1", 0.3)]
    text = report.table(rows, columns="all")
    assert "–" in text
    assert "softmax" not in report.table([row("user", "accuracy", 0.5)])


def test_metric_of_another_instrument_is_offered() -> None:
    rows = [row("gcn", "accuracy", 0.5), row("gcn", "my_number", 3.25)]
    assert "3.25" in report.table(rows, columns="all")
    assert "3.25" in report.table(rows, columns=["my_number"])


def test_rows_without_dataset_or_noise() -> None:
    bare = Row("1", "other", "gcn", "accuracy", 0.5, "fraction", True, "d", 1, 0, "val")
    for format in FORMATS:
        assert "gcn" in report.table([bare], format)
    assert report.ranking([bare]) == "gcn 50.0"


def test_unlike_runs_are_not_averaged() -> None:
    rows = [row("gcn", "accuracy", 0.7, preset="quick"), row("gcn", "accuracy", 0.8, preset="paper")]
    lines = make_lines(rows)
    assert [(line.settings, line.mean("accuracy")) for line in lines] == [
        ("preset paper", 0.8), ("preset quick", 0.7),
    ]  # fmt: skip
    assert "preset paper" in report.table(rows, width=200)


def test_parameters_that_follow_the_seed_do_not_split() -> None:
    rows = [row("gcn", "accuracy", 0.7, seed, data_seed=seed) for seed in range(3)]
    (line,) = make_lines(rows)
    assert line.values["accuracy"].n == 3


def test_published_from_another_noise_model_is_flagged() -> None:
    same = [row("gcn", "accuracy", 0.5, dataset="aqsol", noise=0.15, noise_model="add")]
    other = [row("gcn", "accuracy", 0.5, dataset="aqsol", noise=0.15)]
    assert "55.7 ± 0.4" in report.table(same)
    assert "†" not in report.table(same)
    assert "55.7 ± 0.4†" in report.table(other)
    assert "another noise model" in report.table(other)


def test_published_stands_only_beside_graphs_of_its_size() -> None:
    assert "78.9" in report.table(full("gcn", 0.75, order=100))
    assert "78.9" not in report.table(full("gcn", 0.75, order=30))


def test_ranking_in_words() -> None:
    rows = [r for r in MANY if r.params["dataset"] == "ogbn-arxiv"]
    assert report.ranking(rows) == "ogbn-arxiv, noise 8 %: gcn 75.1 > laplacian 10.1"


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"format": "html"}, "no table format 'html'"),
        ({"columns": "most"}, "no column 'most'; there are main, all, accuracy"),
        ({"columns": ["nothing"]}, "no column 'nothing'"),
    ],
)
def test_wrong_arguments(kwargs: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        report.table(MANY, **kwargs)  # type: ignore[arg-type]


@pytest.mark.parametrize("format", FORMATS)
def test_no_rows(format: str) -> None:
    assert isinstance(report.table([], format), str)


def test_hashes_are_short_and_only_where_nothing_else_differs() -> None:
    hashes = ("ab" * 32, "cd" * 32)
    told = report.table(
        full("gcn", 0.7, train_hash=hashes[0], train_pairs=20)
        + full("gcn", 0.6, train_hash=hashes[1], train_pairs=30),
        "csv",
    )
    assert "train_pairs 20" in told
    assert "train_hash" not in told
    only = report.table(
        full("gcn", 0.7, train_hash=hashes[0]) + full("gcn", 0.6, train_hash=hashes[1]), "csv"
    )
    assert ",train_hash abababab," in only
    models = [{"parameters": n, "architecture": "0123456789abcdef"} for n in (10, 20)]
    text = report.table(full("gcn", 0.7, model=models[0]) + full("gcn", 0.6, model=models[1]), "csv")
    assert ",model 10 01234567," in text
