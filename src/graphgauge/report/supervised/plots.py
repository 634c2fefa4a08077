"""Figures of the supervised instrument: scores beside the published ones, and what they cost."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphgauge.report.canvas import COLOURS, MARKERS, file_name, reproducible, save
from graphgauge.report.supervised.columns import place, score, title
from graphgauge.report.supervised.lines import Line, blocks, labels, make_lines
from graphgauge.rows import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Named = Sequence[tuple[str, Line]]
APART = 0.25  # of the published dot below ours
COSTS = {"epoch_seconds": "seconds for an epoch", "parameters": "parameters"}


def figures(
    rows: Iterable[Row], out_dir: str | Path, *, formats: Sequence[str] = ("png", "svg", "pdf")
) -> list[Path]:
    """Two figures for each task: test scores beside the published ones, and against what they cost.

    Scores: a dot for each line of the table, best above, the published value hollow beside it where runs are
    comparable; bars are one standard deviation. Costs: the score against the seconds that an epoch takes, and
    against the number of parameters. Baselines are dashed lines.

    Parameters
    ----------
    rows : rows of the supervised instrument; lines without a test score are left out
    out_dir : made if it is not there; files are named supervised-<task>.<format> and
        supervised-<task>-cost.<format>

    Returns
    -------
    list of Path, sorted by task

    Examples
    --------
    >>> import tempfile
    >>> row = Row(
    ...     "1", "supervised", "gin", "mae", 0.391, "", False, "", 1000, 41, "test", selection="last epoch",
    ...     params={"dataset": "zinc"},
    ... )
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path.name for path in figures([row], folder, formats=["png"])]
    ['supervised-zinc.png']
    """
    written = []
    for block in blocks(make_lines(rows)):
        named = [(label, x) for label, x in zip(labels(block), block, strict=True) if math.isfinite(x.mean)]
        for draw, ending in ((draw_scores, ""), (draw_costs, "cost")):
            with reproducible():
                figure = draw(named)
                if figure is not None:
                    name = file_name("supervised", place(block[0]), ending)
                    written += save(figure, Path(out_dir) / name, formats)
    return written


def draw_scores(named: Named) -> Figure | None:
    """A dot for each model; None where there is none. Made without pyplot: no global state is touched."""
    from matplotlib.figure import Figure

    models = [(label, line) for label, line in named if not line.is_baseline]
    if not models:
        return None
    figure = Figure(figsize=(7, 1.4 + 0.34 * len(models)), layout="constrained")
    axes = figure.subplots()
    heights = range(len(models))
    ours = [(float(y), *_own(line)) for y, (_, line) in zip(heights, models, strict=True)]
    beside = [(y, _paper(line)) for y, (_, line) in zip(heights, models, strict=True)]
    paper = [(y + APART, *found) for y, found in beside if found is not None]
    _dots(axes, ours, label="ours", color=COLOURS[0], marker="o")
    if paper:
        _dots(axes, paper, label="paper", color=COLOURS[1], marker="D", markerfacecolor="white")
    _baselines(axes, axes.axvline, named)
    axes.set_yticks(heights, [label for label, _ in models])
    axes.set(ylim=(len(models) - 0.4, -0.6), xlabel=f"test {_measured(models[0][1])}; bars: one sd")
    axes.set_title(title([line for _, line in named]), loc="left")
    axes.grid(axis="y", visible=False)
    figure.legend(loc="outside lower center", ncols=4, fontsize=9)
    return figure


def draw_costs(named: Named) -> Figure | None:
    """Score against each of COSTS that is known; None where there is none."""
    from matplotlib.figure import Figure

    models = [(label, line) for label, line in named if not line.is_baseline]
    known = {name: text for name, text in COSTS.items() if any(_cost(line, name) for _, line in models)}
    if not known:
        return None
    figure = Figure(figsize=(1 + 4.6 * len(known), 4.2), layout="constrained")
    panels = figure.subplots(1, len(known), sharey=True, squeeze=False)[0]
    for axes, (name, text) in zip(panels, known.items(), strict=True):
        for i, (label, line) in enumerate(models):
            if _cost(line, name):
                _point(axes, line, name, label, i)
        _baselines(axes, axes.axhline, named)
        axes.set(xscale="log", xlabel=text)
    panels[0].set(ylabel=f"test {_measured(models[0][1])}")
    figure.suptitle(title([line for _, line in named]))
    handles = {
        label: h for axes in panels for h, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    figure.legend(handles.values(), handles.keys(), loc="outside right center")
    return figure


def _scale(line: Line) -> float:
    return 100.0 if line.unit == "fraction" else 1.0


def _own(line: Line) -> tuple[float, float]:
    """Mean and deviation as shown."""
    sd = (line.test.sd if line.test else None) or 0.0
    return _scale(line) * line.mean, _scale(line) * sd


def _paper(line: Line) -> tuple[float, float] | None:
    found = line.published
    if found is None or found.test is None or not line.comparable:
        return None
    return _scale(line) * found.test, _scale(line) * (found.test_sd or 0.0)


def _measured(line: Line) -> str:
    """The score as an axis names it."""
    return title([line]).rpartition(": ")[2]


def _dots(axes: Any, dots: Sequence[tuple[float, float, float]], **style: str) -> None:
    """Height, mean and deviation of each."""
    heights, means, spreads = zip(*dots, strict=True)
    bars = spreads if any(map(math.isfinite, filter(None, spreads))) else None
    axes.errorbar(means, heights, xerr=bars, linestyle="none", capsize=2.5, markersize=5, **style)


def _cost(line: Line, name: str) -> float:
    """0 where it is not known, or can have no place on a logarithmic axis."""
    found = line.count(name)
    return found.mean if found is not None and math.isfinite(found.mean) and found.mean > 0 else 0.0


def _point(axes: Any, line: Line, name: str, label: str, i: int) -> None:
    mean, sd = _own(line)
    style = {"color": COLOURS[i % len(COLOURS)], "marker": MARKERS[i // len(COLOURS) % len(MARKERS)]}
    axes.errorbar(
        [_cost(line, name)], [mean], yerr=[sd] if sd and math.isfinite(sd) else None, label=label,
        linestyle="none", capsize=2.5, markersize=6, **style,
    )  # fmt: skip


def _baselines(axes: Any, draw: Callable[..., Any], named: Named) -> None:
    """A line across for each; one that would press the models together is told in the legend alone."""
    dashes = ((0, (6, 3)), (0, (2, 2)), (0, (6, 2, 1, 2)), (0, (1, 1)))
    means = [_own(line)[0] for _, line in named if not line.is_baseline]
    low, high = min(means), max(means)
    reach = 2 * (high - low) if high > low else math.inf
    baselines = [(label, line) for label, line in named if line.is_baseline]
    for i, (label, line) in enumerate(baselines):
        mean = _own(line)[0]
        style: dict[str, Any] = {"color": "#777777", "linestyle": dashes[i % len(dashes)], "linewidth": 1.2}
        if low - reach <= mean <= high + reach:
            draw(mean, label=f"baseline: {label}", **style)
        else:
            axes.plot([], [], label=f"baseline: {label} {score(line.mean, line.unit)}", linestyle="none")
