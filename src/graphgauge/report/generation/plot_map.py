"""Where the graphs of each set lie in a plane."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphgauge.report.canvas import COLOURS, ENDINGS, MARKERS, reproducible, save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST = 2000  # points of a set that are drawn
GREY = "#8c8c8c"


def embedding_map(
    points: Mapping[str, ArrayLike],
    path: str | Path,
    *,
    formats: Sequence[str] = ENDINGS,
    title: str = "",
    labels: tuple[str, str] = ("first coordinate", "second coordinate"),
    seed: int = 0,
) -> list[Path]:
    """A scatter of every set; the first, usually the reference, grey and below the others.

    Of a set with more than 2,000 points a random 2,000 are drawn. The others are drawn in mixed order, so
    that the last set does not cover the rest.

    Parameters
    ----------
    points : set → (n, 2) coordinates
    path : of the figure, without an ending
    formats : endings of the files
    title, labels : above the map and at its axes, for example a share of variance
    seed : of the choice of points and of their order

    Returns
    -------
    list of Path, one for each format

    Raises
    ------
    ValueError
        Where there is no set, or one is not (n, 2) or holds NaN; names the set.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = embedding_map({"reference": [[0.0, 1.0]]}, f"{folder}/map", formats=["png"])
    ...     files[0].name
    'map.png'
    """
    arrays = {name: _checked(name, found) for name, found in points.items()}
    if not arrays:
        raise ValueError("no set of points to draw")
    generator = np.random.default_rng(seed)
    drawn = {name: _thinned(found, generator) for name, found in arrays.items()}
    with reproducible():
        return save(_draw(drawn, arrays, title, labels, generator), path, formats)


def _checked(name: str, points: ArrayLike) -> NDArray[np.float64]:
    found = np.asarray(points, dtype=np.float64)
    if found.ndim != 2 or found.shape[1] != 2:
        raise ValueError(f"{name}: points have shape {found.shape}, not (n, 2)")
    if not np.isfinite(found).all():
        row = int(np.flatnonzero(~np.isfinite(found).all(axis=1))[0])
        raise ValueError(f"{name}: point {row} is not finite")
    return found


def _thinned(points: NDArray[np.float64], generator: np.random.Generator) -> NDArray[np.float64]:
    if len(points) <= MOST:
        return points
    return points[np.sort(generator.choice(len(points), MOST, replace=False))]


def _draw(
    drawn: Mapping[str, NDArray[np.float64]],
    arrays: Mapping[str, NDArray[np.float64]],
    title: str,
    labels: tuple[str, str],
    generator: np.random.Generator,
) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.2, 5), layout="constrained")
    axes = figure.subplots()
    most = max(len(found) for found in drawn.values())
    few = most <= 200
    style: dict[str, Any] = {"linewidths": 0, "alpha": 0.8 if few else 0.4, "s": 26 if few else 7}
    names = list(drawn)
    first = drawn[names[0]]
    axes.scatter(first[:, 0], first[:, 1], color=GREY, marker="o", zorder=1, **style)
    _mixed(axes, [drawn[name] for name in names[1:]], style, generator)
    for i, name in enumerate(names):
        colour, marker = (GREY, "o") if i == 0 else _look(i - 1)
        count = len(arrays[name])
        part = f", {MOST:,} drawn" if count > MOST else ""
        axes.plot(
            [],
            [],
            linestyle="none",
            color=colour,
            marker=marker,
            markersize=6,
            label=f"{name} ({count:,}{part})",
        )
    axes.set(xlabel=labels[0], ylabel=labels[1])
    axes.set_title(title, loc="left")
    figure.legend(loc="outside lower center", ncols=2 if len(names) > 1 else 1, fontsize=9)
    return figure


def _look(i: int) -> tuple[str, str]:
    return COLOURS[i % len(COLOURS)], MARKERS[(i + 1) % len(MARKERS)]


def _mixed(
    axes: Any, sets: Sequence[NDArray[np.float64]], style: Mapping[str, Any], generator: np.random.Generator
) -> None:
    """All sets but the first in 16 random layers, since one call of scatter has one marker."""
    layers = [generator.integers(0, 16, size=len(found)) for found in sets]
    for layer in range(16):
        for i, found in enumerate(sets):
            part = found[layers[i] == layer]
            colour, marker = _look(i)
            axes.scatter(part[:, 0], part[:, 1], color=colour, marker=marker, zorder=2 + layer, **style)
