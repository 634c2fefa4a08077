"""A figure from rows: every metric in units of its noise floor, all on one axis."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphgauge.report.canvas import COLOURS, ENDINGS, MARKERS, file_name, reproducible, save
from graphgauge.report.generation.scores import Block, Score, make_blocks
from graphgauge.report.verdicts import has_ratio, noise
from graphgauge.rows import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FLOOR_COLOUR = "#777777"
SPREAD = 0.66  # of the height of a line over which the sets are spread


def figures(rows: Iterable[Row], out_dir: str | Path, *, formats: Sequence[str] = ENDINGS) -> list[Path]:
    """One `floor_plot` for each reference: generation-<reference>.<format>.

    Parameters
    ----------
    rows : rows of the generation instrument
    out_dir : made if it is not there

    Returns
    -------
    list of Path, sorted by reference; references without any metric to draw have no figure
    """
    written = []
    for block in make_blocks(rows):
        with reproducible():
            figure = draw(block)
            if figure is not None:
                name = file_name("generation", block.reference, block.settings)
                written += save(figure, Path(out_dir) / name, formats)
    return written


def floor_plot(rows: Iterable[Row], path: str | Path, *, formats: Sequence[str] = ENDINGS) -> list[Path]:
    """Dots: the half-sample mean of each metric and set over its noise floor, on a logarithmic axis.

    1 is the reference against itself; the grey bar around it is where a verdict is "same". Lower is
    better: for metrics whose higher values are better the ratio is floor / value. Metrics whose
    floor is not clearly above zero (`verdicts.has_ratio`) have no ratio and are left out.

    Parameters
    ----------
    rows : rows of the generation instrument against one reference
    path : of the figure, without an ending
    formats : endings of the files

    Returns
    -------
    list of Path, one for each format

    Raises
    ------
    ValueError
        Where the rows are of several references or settings, or no metric has a ratio.
    """
    blocks = make_blocks(rows)
    if len(blocks) != 1:
        names = ", ".join(repr(block.title) for block in blocks)
        raise ValueError(f"a floor plot has one reference, these rows have {len(blocks)}: {names}")
    with reproducible():
        figure = draw(blocks[0])
        if figure is None:
            raise ValueError(f"{blocks[0].title!r}: no metric has half-samples and a noise floor above zero")
        return save(figure, path, formats)


def ratio(score: Score) -> float | None:
    """Half-samples over noise floor, inverted where higher is better; None where the floor has none."""
    if score.half is None or score.floor is None or score.higher_is_better is None:
        return None
    half, floor = score.half.mean, score.floor.mean
    if not (has_ratio(score.floor) and math.isfinite(floor) and math.isfinite(half)):
        return None
    if not score.higher_is_better:
        return half / floor
    return floor / half if half > 0 else math.inf


def draw(block: Block) -> Figure | None:
    """One line a metric, the first on top; None where there is nothing to draw."""
    from matplotlib.figure import Figure

    metrics = [m for m in block.metrics if any(ratio(s) is not None for s in block.of(m))]
    if not metrics:
        return None
    figure = Figure(figsize=(7.5, 1.5 + 0.42 * len(metrics)), layout="constrained")
    axes = figure.subplots()
    for y, metric in enumerate(metrics):
        _band(axes, y, block.of(metric))
    axes.axvline(1, color=FLOOR_COLOUR, linewidth=1.2, zorder=1)
    low, high = _limits([r for m in metrics for s in block.of(m) if (r := ratio(s)) is not None])
    for i, subject in enumerate(block.subjects):
        _dots(axes, block, subject, metrics, i, (low, high))
    axes.set(xscale="log", xlim=(low, high), ylim=(len(metrics) - 0.4, -0.6))
    axes.set_xlabel("times the noise floor (floor / value for ↑), log scale; line: the reference itself")
    axes.set_yticks(range(len(metrics)), [_label(block.of(metric)[0]) for metric in metrics])
    axes.grid(axis="y", visible=False)
    _ticks(axes, low, high)
    axes.set_title(f"Against {block.title or 'the reference'}", loc="left")
    figure.legend(loc="outside lower center", ncols=min(len(block.subjects) + 1, 5), fontsize=9)
    return figure


def _label(score: Score) -> str:
    return f"{score.metric} {'↑' if score.higher_is_better else '↓'}"


def _limits(ratios: Sequence[float]) -> tuple[float, float]:
    """The axis holds 1 and all that is above zero and finite; what is not is drawn at its end."""
    found = [1.0, *(r for r in ratios if r > 0 and math.isfinite(r))]
    return min(0.5, min(found) / 1.6), max(2.0, max(found) * 1.6)


def _band(axes: Any, y: int, scores: Sequence[Score]) -> None:
    """Where a set is the same as the reference, in units of the floor: from 1 − noise to 1 + noise."""
    floors = [s.floor for s in scores if s.floor is not None and s.floor.sd is not None and s.floor.mean > 0]
    if not floors or math.isnan(noise(floors[0])):
        return
    reach = noise(floors[0]) / floors[0].mean
    ends = (max(1 - reach, 1e-9), 1 + reach)
    if scores[0].higher_is_better:
        ends = (1 / ends[1], 1 / ends[0])
    label = {"label": "same as the reference"} if y == 0 else {}
    axes.barh(y, ends[1] - ends[0], left=ends[0], height=0.8, color="#d9d9d9", zorder=0, **label)


def _dots(
    axes: Any, block: Block, subject: str, metrics: Sequence[str], i: int, limits: tuple[float, float]
) -> None:
    """The sets of a metric one below the other within its line, so that no dot hides another."""
    step = SPREAD / max(len(block.subjects), 1)
    xs, ys = [], []
    for y, metric in enumerate(metrics):
        found = ratio(block.scores[metric, subject]) if (metric, subject) in block.scores else None
        if found is not None:
            xs.append(min(max(found, limits[0]), limits[1]))
            ys.append(y + step * (i - (len(block.subjects) - 1) / 2))
    style = {"color": COLOURS[i % len(COLOURS)], "marker": MARKERS[i % len(MARKERS)]}
    axes.plot(xs, ys, linestyle="none", markersize=5, label=subject, clip_on=False, zorder=3, **style)


def _ticks(axes: Any, low: float, high: float) -> None:
    """Plain numbers where they fit: 1, 2, 5 of each decade; over many decades the decades alone."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    decades = math.log10(high / low)
    steps = (1.0, 2.0, 5.0) if decades < 3 else (1.0,)
    axes.xaxis.set_major_locator(LogLocator(base=10, subs=steps, numticks=12))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}" if 1 <= x < 1e6 else f"{x:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
