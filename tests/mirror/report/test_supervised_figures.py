"""Figures of the supervised instrument: two a task, the same bytes for the same rows."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from graphgauge import report
from graphgauge.report.supervised.lines import labels, make_lines
from graphgauge.report.supervised.plots import draw_costs, draw_scores
from graphgauge.rows import Row


def row(subject: str, metric: str, value: float, seed: int = 0, **params: object) -> Row:
    told = {"dataset": "zinc", "budget": "100k", "layers": 4} | params
    id_ = f"{subject} {seed} {sorted(told.items(), key=str)}"
    split, higher = ("test", False) if metric == "mae" else ("train", None)
    selection = "none" if params.get("baseline") else "last epoch"
    return Row(
        id_, "supervised", subject, metric, value, "", higher, "d", 9, seed, split, selection=selection,
        params=told,
    )  # fmt: skip


ROWS = [
    row(subject, metric, value + 0.01 * seed * (metric == "mae"), seed, dataset=dataset)
    for dataset in ("zinc", "a/b c")
    for subject, mae in (("gin", 0.4), ("gcn", 0.42), ("my net", 0.6))
    for metric, value in (("mae", mae), ("epoch_seconds", 2.5), ("parameters", 103_079))
    for seed in range(2)
] + [row("mean", "mae", 0.7, baseline=True, budget=None, layers=None)]


def named(rows: list[Row], dataset: str = "zinc"):
    lines = [line for line in make_lines(rows) if line.dataset == dataset]
    return list(zip(labels(lines), lines, strict=True))


def dots(container) -> list[tuple[float, float]]:
    line = container.lines[0]
    return [(round(float(x), 6), round(float(y), 6)) for x, y in zip(*line.get_data(), strict=True)]


def test_two_figures_for_each_task(tmp_path: Path) -> None:
    rows = [r for r in ROWS if r.params["dataset"] != "zinc"]
    paths = report.figures(rows, tmp_path / "new", formats=("svg",))
    assert [path.name for path in paths] == ["supervised-a_b_c.svg", "supervised-a_b_c-cost.svg"]
    before = [path.read_bytes() for path in paths]
    report.figures(list(reversed(rows)), tmp_path / "new", formats=("svg",))
    assert [path.read_bytes() for path in paths] == before


def test_dots_stand_beside_the_published_ones() -> None:
    figure = draw_scores(named(ROWS))
    assert figure is not None
    (axes,) = figure.axes
    ours, paper = axes.containers
    assert dots(ours) == [(0.405, 0), (0.425, 1), (0.605, 2)]
    assert dots(paper) == [(0.387, 0.25), (0.416, 1.25)]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["gin", "gcn", "my net"]
    assert set(axes.get_legend_handles_labels()[1]) == {"ours", "paper", "baseline: mean"}


def test_what_is_not_comparable_has_no_published_dot() -> None:
    rows = [row("gin", "mae", 0.4, notes=["a stand-in"]), row("gcn", "mae", 0.4, size=100)]
    for dataset_rows in ([rows[0]], [rows[1]]):
        figure = draw_scores(named(dataset_rows))
        assert figure is not None
        assert len(figure.axes[0].containers) == 1


def test_a_far_baseline_is_told_in_the_legend_alone() -> None:
    far = [*ROWS, row("zero", "mae", 50.0, baseline=True, budget=None, layers=None)]
    figure = draw_scores(named(far))
    assert figure is not None
    (axes,) = figure.axes
    assert "baseline: zero 50.000" in axes.get_legend_handles_labels()[1]
    assert axes.get_xlim()[1] < 2


def test_costs_are_seconds_and_parameters() -> None:
    figure = draw_costs(named(ROWS))
    assert figure is not None
    seconds, parameters = figure.axes
    assert [dots(c) for c in seconds.containers] == [[(2.5, 0.405)], [(2.5, 0.425)], [(2.5, 0.605)]]
    assert dots(parameters.containers[0]) == [(103_079, 0.405)]
    assert seconds.get_xscale() == "log"


def test_percent_on_the_axes() -> None:
    rows = [
        Row("1", "supervised", "gin", "accuracy", 0.75, "fraction", True, "d", 9, 0, "test",
            selection="last epoch", params={"dataset": "mnist"}),
    ]  # fmt: skip
    figure = draw_scores(named(rows, "mnist"))
    assert figure is not None
    assert dots(figure.axes[0].containers[0]) == [(75.0, 0)]
    assert figure.axes[0].get_xlabel().startswith("test accuracy in %")


@pytest.mark.parametrize("name", ["nan", "baseline alone", "no counts", "zero seconds", "one model"])
def test_odd_rows_are_drawn_without_complaint(tmp_path: Path, name: str) -> None:
    rows, drawn = {
        "nan": ([row("gin", "mae", math.nan), row("gin", "parameters", 5)], 0),
        "baseline alone": ([row("mean", "mae", 0.7, baseline=True)], 0),
        "no counts": ([row("gin", "mae", 0.4)], 1),
        "zero seconds": ([row("gin", "mae", 0.4), row("gin", "epoch_seconds", 0.0)], 1),
        "one model": ([r for r in ROWS if r.subject in ("gin", "mean") and r.params["dataset"] == "zinc"], 2),
    }[name]
    assert len(report.figures(rows, tmp_path, formats=("svg",))) == drawn
