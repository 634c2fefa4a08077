"""Figures of generated sets: what is in them, and the same bytes for the same input."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graphgauge import report
from graphgauge.report.generation import plot_distributions
from graphgauge.report.generation.plot_floor import draw, ratio
from graphgauge.report.generation.scores import make_blocks
from graphgauge.rows import Row

Factory = Callable[..., list[Row]]
THREE = ("fast", "mid", "slow")
SVG = ("svg",)
PROFILES: dict[str, dict[str, Any]] = {
    "reference": {"degree": ([2, 3, 4], [0.1, 0.4, 0.5]), "orbit": (["0", "1"], [3.0, 1.0])},
    "fast": {"degree": ([5, 1], [0.3, 0.7])},
}
GRAPH = ([[0, 0], [1, 0], [0, 1]], [[0, 1], [1, 2]])
POINTS = {"reference": np.eye(2), "fast": np.zeros((3, 2))}

# Every figure as a function of the path alone.
FIGURES: dict[str, Callable[[Path], list[Path]]] = {
    "distributions": lambda path: report.distributions(PROFILES, path, formats=SVG),
    "embedding_map": lambda path: report.embedding_map(POINTS, path, formats=SVG),
    "drawings": lambda path: report.drawings({"reference": [(*GRAPH, [1, 2, 1])] * 3}, path, formats=SVG),
}


@pytest.mark.parametrize("name", FIGURES)
def test_same_input_same_bytes(tmp_path: Path, name: str) -> None:
    (first,) = FIGURES[name](tmp_path / "new folder" / "a.b")
    (second,) = FIGURES[name](tmp_path / "again")
    assert first.name == "a.b.svg"
    assert first.read_bytes() == second.read_bytes()


def test_figures_of_rows_are_named_by_reference(generation_rows: Factory, tmp_path: Path) -> None:
    rows = generation_rows(THREE) + generation_rows(THREE, reference="a/b c")
    paths = report.figures(rows, tmp_path / "new", formats=("png", "svg", "pdf"))
    assert [path.name for path in paths] == [
        f"generation-{name}.{ending}" for name in ("a_b_c", "grid") for ending in ("png", "svg", "pdf")
    ]
    assert paths[0].read_bytes().startswith(b"\x89PNG")
    before = [path.read_bytes() for path in paths]
    report.figures(rows, tmp_path / "new", formats=("pdf", "svg", "png"))
    assert [path.read_bytes() for path in paths] == before


def test_floor_plot_shows_the_ratios(generation_rows: Factory) -> None:
    (block,) = make_blocks(generation_rows(THREE))
    figure = draw(block)
    assert figure is not None
    (axes,) = figure.axes
    metrics = [label.get_text()[:-2] for label in axes.get_yticklabels()]
    assert metrics == [m for m in block.metrics if m not in ("graphs", "nodes_mean")]
    dots = {line.get_label(): line for line in axes.lines}
    for subject, worse in (("fast", 1.0), ("mid", 2.5), ("slow", 12.0)):
        expected = [worse if not block.of(m)[0].higher_is_better else worse**0.25 for m in metrics]
        assert list(dots[subject].get_xdata()) == pytest.approx(expected)


def test_ratio_where_there_is_none(generation_rows: Factory) -> None:
    (block,) = make_blocks(generation_rows())
    score, share = block.scores["gin_frechet", "fast"], block.scores["valid", "fast"]
    assert score.floor is not None
    assert share.half is not None
    assert ratio(replace(score, floor=replace(score.floor, mean=0.0))) is None
    assert ratio(replace(score, floor=replace(score.floor, mean=math.nan))) is None
    assert ratio(replace(score, half=None)) is None
    assert ratio(replace(score, higher_is_better=None)) is None
    assert ratio(replace(share, half=replace(share.half, mean=0.0))) == math.inf


def test_odd_rows_are_drawn_without_complaint(generation_rows: Factory, tmp_path: Path) -> None:
    rows = generation_rows(THREE)
    odd = [replace(r, value=0.0) if r.subject == "slow" and r.split == "half-samples" else r for r in rows]
    far = [replace(r, value=1e12) if r.subject == "mid" and r.split == "half-samples" else r for r in odd]
    assert report.figures(far, tmp_path, formats=("png",))
    assert report.figures([r for r in rows if r.split == "all"], tmp_path, formats=("png",)) == []


def test_floor_plot_has_one_reference(generation_rows: Factory, tmp_path: Path) -> None:
    rows = generation_rows() + generation_rows(reference="ego")
    with pytest.raises(ValueError, match="these rows have 2: 'ego', 'grid'"):
        report.floor_plot(rows, tmp_path / "x")
    with pytest.raises(ValueError, match="no metric has half-samples"):
        report.floor_plot([r for r in generation_rows() if r.split == "all"], tmp_path / "x")
    assert [p.suffix for p in report.floor_plot(generation_rows(), tmp_path / "x")] == [
        ".png",
        ".svg",
        ".pdf",
    ]


def test_bins_are_drawn_over_their_whole_width() -> None:
    x, y = plot_distributions.padded(np.array([5.0, 1.0, 2.0]), np.array([0.2, 0.3, 0.5]))
    assert x.tolist() == [0, 1, 2, 5, 8]
    assert y.tolist() == [0, 0.3, 0.5, 0.2, 0]
    assert plot_distributions.padded(np.array([3.0]), np.array([1.0]))[0].tolist() == [2, 3, 4]


def test_at_most_two_thousand_points_of_a_set(tmp_path: Path) -> None:
    many = np.random.default_rng(0).normal(size=(5000, 2))
    (path,) = report.embedding_map({"reference": many, "fast": many[:10]}, tmp_path / "map", formats=SVG)
    text = path.read_text(encoding="utf-8")
    assert 2000 < text.count("<use ") < 2200
    assert "5,000, 2,000 drawn" in text


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p: report.distributions({"fast": {}}, p), "no set has a property"),
        (
            lambda p: report.distributions({"fast": {"degree": ([1], [1.0, 2.0])}}, p),
            r"fast, degree: 1 centres and values of shape \(2,\)",
        ),
        (lambda p: report.embedding_map({}, p), "no set of points"),
        (lambda p: report.embedding_map({"fast": [[1.0]]}, p), r"fast: points have shape \(1, 1\)"),
        (lambda p: report.embedding_map({"fast": [[1, 2], [1, math.nan]]}, p), "fast: point 1 is not finite"),
        (lambda p: report.drawings({"fast": []}, p), "no graph to draw"),
        (
            lambda p: report.drawings({"fast": [([[0, 0]], [[0, 1]], None)]}, p),
            "fast, graph 0: an edge leaves",
        ),
        (
            lambda p: report.drawings({"fast": [([[0, 0]], [], [1, 2])]}, p),
            r"fast, graph 0: 1 nodes and colours of shape \(2,\)",
        ),
    ],
)
def test_wrong_input_is_named(tmp_path: Path, call: Callable[[Path], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(tmp_path / "figure")


def test_odd_graphs_are_drawn(tmp_path: Path) -> None:
    one, none = ([[3, 3]], [], ["red"]), (np.zeros((0, 2)), [], None)
    assert report.drawings({"reference": [one, none], "fast": [(*GRAPH, None)]}, tmp_path / "d", formats=SVG)


def test_sets_may_lack_properties_or_bins(tmp_path: Path) -> None:
    profiles: dict[str, dict[str, Any]] = {**PROFILES, "slow": {"degree": ([], [])}, "bare": {}}
    assert report.distributions(profiles, tmp_path / "d", formats=SVG)
