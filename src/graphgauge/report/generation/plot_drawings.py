"""Some graphs of each set, drawn side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphgauge.report.canvas import COLOURS, ENDINGS, reproducible, save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Drawing = tuple[ArrayLike, ArrayLike, Any]  # positions (N, 2), edges (E, 2), node colours (N,) or None
LETTERS = 14  # of a title, in the width of a cell
ACROSS = 4  # graphs in a row of a set
NUMBERS = "iufb"  # kinds of arrays that are numbers, not names of colours
EDGE, NODE = "#8f8f8f", COLOURS[0]


def drawings(
    samples: Mapping[str, Sequence[Drawing]], path: str | Path, *, formats: Sequence[str] = ENDINGS
) -> list[Path]:
    """A grid of graphs for each set, the sets side by side: what a number cannot tell, an eye often can.

    Every graph fills its cell: the positions are given and only scaled. Nodes become smaller where there are
    more of them.

    Parameters
    ----------
    samples : set → drawings of k graphs: positions (N, 2), edges (E, 2) as numbers of nodes, and colours
        (N,), as names of colours, or as numbers that are laid on one scale from 0 to the largest of the
        figure; None for one colour
    path : of the figure, without an ending
    formats : endings of the files

    Returns
    -------
    list of Path, one for each format

    Raises
    ------
    ValueError
        Where there is nothing to draw, or a shape or an edge is wrong; names set and graph.

    >>> import tempfile
    >>> edge = ([[0, 0], [1, 1]], [[0, 1]], None)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     drawings({"reference": [edge], "fast": [edge]}, f"{folder}/seen", formats=["png"])[0].name
    'seen.png'
    """
    checked = {n: [_checked(f"{n}, graph {g}", d) for g, d in enumerate(own)] for n, own in samples.items()}
    if not any(checked.values()):
        raise ValueError("no graph to draw")
    with reproducible():
        return save(_draw(checked), path, formats)


def _checked(name: str, drawing: Drawing) -> tuple[NDArray[np.float64], NDArray[np.int64], Any]:
    positions = np.asarray(drawing[0], dtype=np.float64).reshape(-1, 2)
    edges = np.asarray(drawing[1]).reshape(-1, 2).astype(np.int64)
    if not np.isfinite(positions).all():
        raise ValueError(f"{name}: positions are not finite")
    if edges.size and not (edges.min() >= 0 and edges.max() < len(positions)):
        raise ValueError(f"{name}: an edge leaves the {len(positions)} nodes")
    colours = None if drawing[2] is None else np.asarray(drawing[2])
    if colours is not None and colours.shape != (len(positions),):
        raise ValueError(f"{name}: {len(positions)} nodes and colours of shape {colours.shape}")
    return positions, edges, colours


def _draw(samples: Mapping[str, Sequence[tuple[Any, Any, Any]]]) -> Figure:
    """Sets are subfigures with a title each; all have the same cells, so that sizes compare."""
    from matplotlib.figure import Figure

    most = max(len(own) for own in samples.values())
    across = min(ACROSS, most, max(1, 8 // len(samples)))
    down = -(-most // across)
    cell = 1.25
    width = (across * cell + 0.15) * len(samples)
    figure = Figure(figsize=(width, down * cell + 0.35), layout="constrained")
    parts = figure.subfigures(1, len(samples), wspace=0.03, squeeze=False)[0]
    top = _largest(samples)
    for part, (name, own) in zip(parts, samples.items(), strict=True):
        part.suptitle(shortened(name, int(across * LETTERS)), fontsize=10.5)
        grid = part.subplots(down, across, squeeze=False)
        for axes in grid.flat:
            axes.set_axis_off()
        for axes, drawing in zip(grid.flat, own, strict=False):
            _graph(axes, *drawing, top)
    return figure


def shortened(name: str, most: int) -> str:
    """A name that fits: its beginning and its end, which tell sets apart.

    >>> shortened("jtvae_moses_fast_molvae_samples", 20)
    'jtvae_mos…ae_samples'
    """
    if len(name) <= most:
        return name
    front = (most - 1) // 2
    return f"{name[:front]}…{name[len(name) - (most - 1 - front) :]}"


def _largest(samples: Mapping[str, Sequence[tuple[Any, Any, Any]]]) -> float:
    """The end of the scale of colours that are numbers: above the largest, whose yellow is hard to see."""
    colours = [c for own in samples.values() for _, _, c in own if c is not None]
    largest = max((float(c.max()) for c in colours if c.dtype.kind in NUMBERS and c.size), default=1.0)
    return 1.12 * largest if largest > 0 else 1.0


def _graph(
    axes: Any, positions: NDArray[np.float64], edges: NDArray[np.int64], colours: Any, top: float
) -> None:
    from matplotlib.collections import LineCollection

    if not len(positions):
        axes.text(0.5, 0.5, "no nodes", ha="center", va="center", fontsize=8, color=EDGE)
        return
    centre = (positions.max(axis=0) + positions.min(axis=0)) / 2
    reach = float(np.ptp(positions, axis=0).max()) / 2 or 1.0
    placed = (positions - centre) / reach
    axes.add_collection(LineCollection(placed[edges], colors=EDGE, linewidths=0.6, zorder=1))
    style: dict[str, Any] = {"color": NODE} if colours is None else {"c": colours}
    if colours is not None and colours.dtype.kind in NUMBERS:
        style |= {"cmap": "viridis", "vmin": 0.0, "vmax": top}
    size = float(np.clip(420 / len(positions), 2.5, 26))
    axes.scatter(placed[:, 0], placed[:, 1], s=size, linewidths=0, zorder=2, **style)
    axes.set(xlim=(-1.12, 1.12), ylim=(-1.12, 1.12), aspect="equal")
