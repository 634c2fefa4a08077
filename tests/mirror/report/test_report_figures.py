"""Figures: one a dataset, the same bytes for the same rows."""

from __future__ import annotations

import math
from pathlib import Path

from graphgauge import report
from graphgauge.report.alignment.lines import make_lines
from graphgauge.report.alignment.plots import draw
from graphgauge.rows import Row


def row(dataset: str, noise: float, subject: str, metric: str, value: float, seed: int = 0) -> Row:
    params = {"dataset": dataset, "noise": noise}
    id_ = f"{dataset} {noise} {subject} {seed}"
    return Row(id_, "alignment", subject, metric, value, "fraction", True, "d", 9, seed, "val", params=params)


ROWS = [
    row(dataset, noise, subject, metric, value - noise + 0.01 * seed, seed)
    for dataset in ("er", "a/b c")
    for noise in (0.04, 0.08)
    for subject, value in (("gcn", 0.7), ("gat", 0.9))
    for metric in ("accuracy", "ceiling_automorphism", "ceiling_wl1")
    for seed in range(2)
]


def test_one_figure_for_each_dataset(tmp_path: Path) -> None:
    paths = report.figures(ROWS, tmp_path / "new", formats=("png", "svg"))
    assert [path.name for path in paths] == [
        "alignment-a_b_c.png", "alignment-a_b_c.svg", "alignment-er.png", "alignment-er.svg",
    ]  # fmt: skip
    assert paths[0].read_bytes().startswith(b"\x89PNG")
    svg = paths[1].read_bytes()
    report.figures(reversed(ROWS), tmp_path / "new", formats=("svg",))
    assert paths[1].read_bytes() == svg


def test_curves_show_the_means_and_the_gap_to_the_worst() -> None:
    lines = make_lines(r for r in ROWS if r.params["dataset"] == "er")
    left, right = draw("er", lines).axes
    heights = [list(container.lines[0].get_ydata()) for container in left.containers]
    gaps = [list(container.lines[0].get_ydata()) for container in right.containers]
    assert [round(float(y), 6) for y in heights[0]] == [86.5, 82.5]  # gat
    assert [round(float(y), 6) for y in gaps[0]] == [20.0, 20.0]
    assert [round(float(y), 6) for y in gaps[1]] == [0.0, 0.0]
    labels = left.get_legend_handles_labels()[1]
    assert set(labels) == {"gat", "gcn", "ceiling (automorphism)", "ceiling (1-WL)"}


def test_odd_rows_are_drawn_without_complaint(tmp_path: Path) -> None:
    one_seed = [r for r in ROWS if r.seed == 0 and r.metric == "accuracy" and r.params["noise"] == 0.04]
    with_nan = [*one_seed, row("er", 0.04, "gin", "accuracy", math.nan), row("er", 0.08, "gin", "top1", 0.5)]
    assert report.figures(with_nan, tmp_path, formats=("png",))
    assert report.figures([], tmp_path) == []
