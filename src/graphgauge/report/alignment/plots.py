"""Figures of the alignment instrument: accuracy, and accuracy gap, against noise."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphgauge.report.alignment.lines import RANKED, Line, make_lines
from graphgauge.report.canvas import COLOURS, MARKERS, file_name, reproducible, save
from graphgauge.rows import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CEILINGS = {
    "ceiling_automorphism": ("ceiling (automorphism)", (0, (6, 3))),
    "ceiling_wl1": ("ceiling (1-WL)", (0, (2, 2))),
}


def figures(
    rows: Iterable[Row], out_dir: str | Path, *, formats: Sequence[str] = ("png", "svg", "pdf")
) -> list[Path]:
    """One figure for each dataset: accuracy against noise on the left, accuracy gap on the right.

    The gap of a model is its mean accuracy minus that of the worst model at the same noise: where it is wide,
    the benchmark tells models apart (section 5 of the alignment paper). Error bars are one standard deviation
    over seeds; the ceilings are dashed.

    Parameters
    ----------
    rows : rows of the alignment instrument; those without a dataset or a noise are left out
    out_dir : made if it is not there; files are named alignment-<dataset>.<format>

    Returns
    -------
    list of Path, sorted by dataset

    Examples
    --------
    >>> import tempfile
    >>> row = Row(
    ...     "1", "alignment", "gcn", "accuracy", 0.75, "fraction", True, "", 500, 0, "val",
    ...     params={"dataset": "er", "noise": 0.08},
    ... )
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path.name for path in figures([row], folder, formats=["png"])]
    ['alignment-er.png']
    """
    folder = Path(out_dir)
    plottable = [line for line in make_lines(rows) if line.noise is not None and RANKED in line.values]
    written = []
    for dataset, lines in groupby(plottable, lambda line: line.dataset):
        with reproducible():
            written += save(draw(dataset, list(lines)), folder / file_name("alignment", dataset), formats)
    return written


def draw(dataset: str, lines: Sequence[Line]) -> Figure:
    """The two panels of one dataset; made without pyplot, so no window and no global state is touched."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2, sharex=True)
    worst = {line.noise: math.inf for line in lines}
    for line in lines:
        if not math.isnan(line.mean(RANKED)):
            worst[line.noise] = min(worst[line.noise], line.mean(RANKED))
    names = sorted({(line.subject, line.settings) for line in lines})
    for i, name in enumerate(names):
        own = [line for line in lines if (line.subject, line.settings) == name]
        style = {"color": COLOURS[i % len(COLOURS)], "marker": MARKERS[i % len(MARKERS)]}
        label = ", ".join(part for part in name if part)
        _curve(left, own, [line.mean(RANKED) for line in own], label, style)
        _curve(right, own, [line.mean(RANKED) - worst[line.noise] for line in own], label, style)
    _ceilings(left, lines)
    left.set(title=f"{dataset}: alignment accuracy", ylabel="accuracy (%)", ylim=(0, 102))
    right.set(title=f"{dataset}: gap to the worst model", ylabel="accuracy gap (percentage points)")
    for axes in (left, right):
        axes.set(xlabel="noise (%)")
    figure.legend(*left.get_legend_handles_labels(), loc="outside right center")
    return figure


def _curve(
    axes: Any, lines: Sequence[Line], values: Sequence[float], label: str, style: dict[str, str]
) -> None:
    spread = [100 * (line.values[RANKED].sd or 0.0) for line in lines]
    axes.errorbar(
        [100 * (line.noise or 0.0) for line in lines],
        [100 * value for value in values],
        yerr=spread if any(spread) else None,
        label=label,
        capsize=2.5,
        linewidth=1.4,
        markersize=5,
        **style,
    )


def _ceilings(axes: Any, lines: Sequence[Line]) -> None:
    """The mean over models: all are evaluated on pairs of the same kind. One noise: a line across."""
    for metric, (label, dashes) in CEILINGS.items():
        by_noise = {
            100 * (noise or 0.0): [line.mean(metric) for line in block if metric in line.values]
            for noise, block in groupby(lines, lambda line: line.noise)
        }
        points = [(noise, 100 * math.fsum(found) / len(found)) for noise, found in by_noise.items() if found]
        style: dict[str, Any] = {"color": "#777777", "linestyle": dashes, "linewidth": 1.3, "label": label}
        if len(points) == 1:
            axes.axhline(points[0][1], **style)
        elif points:
            axes.plot(*zip(*points, strict=True), **style)
