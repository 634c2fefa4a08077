"""Cells of the published tables, as printed there, and a pinned table of made-up rows."""

from __future__ import annotations

import csv
from collections import Counter
from importlib.resources import files

import pytest

from graphgauge import report
from graphgauge.report.published.supervised import published_score
from graphgauge.rows import Row

# dataset, subject, budget, layers, edge features, encoding → table, printed test, its deviation, parameters
CELLS = [
    ("zinc", "gcn_mean", "100k", 4, False, None, 3, 0.459, 0.006, 103077),
    ("zinc", "graphsage", "500k", 16, False, None, 3, 0.398, 0.002, 505341),
    ("zinc", "gatedgcn", "500k", 16, True, "lap:8", 3, 0.214, 0.013, 505011),
    ("zinc", "ppgn", "500k", 8, True, None, 3, 0.303, 0.057, 582824),
    ("aqsol", "monet", "100k", 4, False, None, 4, 1.395, 0.027, 109332),
    ("ogbl-collab", "gatedgcn", "40k", 3, False, "lap:20", 5, 0.52849, 0.01345, 41889),
    ("wikics", "monet", "100k", 4, False, "lap:20", 6, 0.77481, 0.00712, 107862),
    ("mnist", "gatedgcn", "100k", 4, True, None, 7, 0.9734, 0.00143, 104217),
    ("cifar10", "mlp", "100k", 4, False, None, 7, 0.5634, 0.00181, 104380),
    ("pattern", "gatedgcn", "500k", 16, False, "lap:2", 8, 0.86508, 0.00085, 502457),
    ("cluster", "gat", "500k", 16, False, None, 8, 0.70587, 0.00447, 527874),
    ("tsp", "gatedgcn", "500k", 16, True, None, 9, 0.838, 0.002, 500770),
    ("tsp", "ringgnn", "500k", 2, True, None, 9, 0.704, 0.003, 507938),
    ("csl", "ppgn", "100k", 3, False, None, 10, 0.957, 0.1485, 102510),
    ("csl", "gin", "100k", 4, False, None, 10, 0.1, 0.0, None),
    ("graphtheoryprop", "gatedgcn", "100k", 8, False, "lap:12", 12, -3.51, 0.11, None),
    ("enzymes", "gcn_mean", "100k", 4, False, None, 16, 0.65333, 0.05979, 103407),
]  # fmt: skip


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: " ".join(map(str, cell[:6])))
def test_cell(cell: tuple) -> None:
    dataset, subject, budget, layers, edges, encoding, table, test, sd, parameters = cell
    found = published_score(
        dataset, subject, budget=budget, layers=layers, edge_features=edges, encoding=encoding
    )
    assert found is not None
    assert (found.table, found.parameters, found.status) == (table, parameters, "ok")
    assert found.test == pytest.approx(test, abs=1e-9)
    assert found.test_sd == pytest.approx(sd, abs=1e-5)


def test_training_graphs_of_cycles() -> None:
    found = [published_score("cycles", "gin", budget="100k", layers=4, train_samples=n) for n in (200, 5000)]
    assert [f and f.test for f in found] == [0.70585, 0.8613]
    assert published_score("cycles", "gin", budget="100k", layers=4) is None


def test_runs_that_failed() -> None:
    ring = published_score("dd", "ringgnn", budget="100k", layers=2)
    assert ring is not None
    assert (ring.test, ring.status) == (None, "oom")
    deep = published_score("zinc", "ringgnn", budget="500k", layers=8, edge_features=True)
    assert deep is not None
    assert (deep.test, deep.status) == (None, "diverged")


def test_parameters_find_a_line_where_the_budget_is_another() -> None:
    found = published_score("ogbl-collab", "gcn", budget="100k", layers=3, parameters=40_479)
    assert found is not None
    assert found.test == pytest.approx(0.48956)
    assert published_score("ogbl-collab", "gcn", budget="100k", layers=3, parameters=44_000) is None
    assert published_score("ogbl-collab", "gcn", budget="100k", layers=3) is None


@pytest.mark.parametrize(
    "changed",
    [
        {"budget": "200k"}, {"layers": 5}, {"edge_features": True}, {"encoding": "lap:8"}, {"dataset": "qm9"},
        {"subject": "my net"}, {"train_samples": 200},
    ],
    ids=str,
)  # fmt: skip
def test_what_is_not_printed(changed: dict[str, object]) -> None:
    asked = {"dataset": "zinc", "subject": "gin", "budget": "100k", "layers": 4}
    assert published_score(**asked) is not None  # type: ignore[arg-type]
    assert published_score(**asked | changed) is None  # type: ignore[arg-type]


def test_tables_are_whole() -> None:
    text = files("graphgauge.report.published").joinpath("supervised.csv").read_text(encoding="utf-8")
    lines = list(csv.DictReader(text.splitlines()))
    assert Counter(int(line["table"]) for line in lines) == {
        3: 25, 4: 27, 5: 13, 6: 9, 7: 28, 8: 44, 9: 17, 10: 16, 11: 16, 12: 28, 13: 28, 14: 16, 15: 12,
        16: 54,
    }  # fmt: skip
    shares = [line for line in lines if line["metric"] not in ("mae", "log10_mse") and line["test_mean"]]
    assert all(0 <= float(line["test_mean"]) <= 1 for line in shares)
    assert all((line["status"] == "ok") == (line["test_mean"] != "") for line in lines)
    assert {line["status"] for line in lines} == {"ok", "diverged", "oom"}


def test_pinned_table() -> None:
    """A change here is a change of what people read."""
    rows = [
        Row(
            f"{name} {seed}", "supervised", name, metric, value + 0.01 * seed * (unit == "score"), unit,
            False if unit == "score" else None, "d", 1000, seed, split, selection="last epoch",
            params={"dataset": "zinc", "budget": "100k", "layers": 4, "published": name != "mine"},
        )
        for name, mae in (("gin", 0.38), ("gcn", 0.41), ("mine", 0.384))
        for seed in range(3)
        for metric, value, unit, split in (
            ("mae", mae, "score", "test"), ("mae", mae - 0.1, "score", "train"),
            ("parameters", 103_079, "parameters", "train"), ("epochs", 160 + seed, "epochs", "train"),
            ("epoch_seconds", 2.0, "seconds", "train"), ("total_seconds", 320.0, "seconds", "train"),
        )
    ]  # fmt: skip
    assert report.table(rows, "markdown").splitlines()[:7] == [
        "**zinc, budget 100k: MAE ↓**",
        "",
        "| model | L | #param | test ± sd (n) | train ± sd | #epoch | time: epoch/total | paper ± sd "
        "| diff. in sd | paper #param |",
        "| :--- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
        "| ★ gin | 4 | 103,079 | 0.390 ± 0.010 (3) | 0.290 ± 0.010 | 161 | 2.0s/5.3min | 0.387 ± 0.015 "
        "| +0.2 | 103,079 |",
        "| ≈ mine | 4 | 103,079 | 0.394 ± 0.010 (3) | 0.294 ± 0.010 | 161 | 2.0s/5.3min | – | – | – |",
        "| gcn | 4 | 103,079 | 0.420 ± 0.010 (3) | 0.320 ± 0.010 | 161 | 2.0s/5.3min | 0.416 ± 0.006 "
        "| +0.5 | 103,077 |",
    ]
