"""Cells of the published table, as printed there (in percent)."""

from __future__ import annotations

import csv
from importlib.resources import files

import pytest

from graphgauge.report import published

CELLS = [
    ("er", "laplacian", 0.08, 10.3, None),
    ("er", "gcn", 0.08, 78.9, 0.9),
    ("er", "gin", 0.12, 54.8, 4.2),
    ("er", "ggnn", 0.08, 89.1, 0.8),
    ("er", "gat", 0.04, 99.8, 0.0),
    ("er", "gatv2", 0.08, 92.8, 0.3),
    ("aqsol", "gcn", 0.15, 55.7, 0.4),
    ("aqsol", "gat", 0.15, 58.5, 0.4),
    ("aqsol", "ggnn", 0.04, 83.2, 0.2),
    ("aqsol", "ggnn", 0.15, 63.3, 0.4),
    ("pcqm4mv2", "gin", 0.3, 46.8, 0.4),
    ("ogbn-arxiv", "ggnn", 0.18, 37.0, 0.3),
    ("corafull", "gatv2", 0.04, 78.8, 0.5),
]


@pytest.mark.parametrize(("dataset", "subject", "noise", "percent", "sd"), CELLS)
def test_cell(dataset: str, subject: str, noise: float, percent: float, sd: float | None) -> None:
    found = published(dataset, subject, noise)
    assert found is not None
    assert found.value == pytest.approx(percent / 100, abs=1e-12)
    assert found.sd == (None if sd is None else pytest.approx(sd / 100, abs=1e-12))
    assert found.metric == "accuracy_softmax"
    assert found.noise_model == ("add" if dataset in ("aqsol", "pcqm4mv2") else "add-remove")


def test_table_is_whole() -> None:
    text = files("graphgauge.report.published").joinpath("alignment.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    keys = {(row["dataset"], row["subject"], row["noise"]) for row in rows}
    assert len(rows) == len(keys) == 5 * 6 * 8
    assert all(0 < float(row["value"]) < 1 for row in rows)
    assert all((row["std"] == "") == (row["subject"] == "laplacian") for row in rows)


def test_unknown_cells() -> None:
    assert published("er", "gatedgcn", 0.08) is None
    assert published("pubmed", "gcn", 0.15) is None
