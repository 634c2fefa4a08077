"""How degrees, clustering, spectra and orbits are distributed in each set, all sets in one panel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphgauge.report.canvas import COLOURS, ENDINGS, reproducible, save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Profile = tuple[Sequence[Any] | ArrayLike, ArrayLike]  # centres or labels, and shares or means
Array = NDArray[np.float64]
LINES = ("-", "--", "-.", ":")
CROWDED = 9  # so many labels or more stand upright


def distributions(
    profiles: Mapping[str, Mapping[str, Profile]],
    path: str | Path,
    *,
    formats: Sequence[str] = ENDINGS,
    titles: Mapping[str, str] | None = None,
) -> list[Path]:
    """Small multiples: a panel for each property, the sets on top of each other.

    The first set, usually the reference, is a grey area, the others are lines. A property whose centres are
    labels (orbits) is drawn as bars side by side.

    Parameters
    ----------
    profiles : set → property → (centres, shares) or (labels, means), two sequences of one length.
        The sets may have different centres, and a set may lack a property
    path : of the figure, without an ending
    formats : endings of the files
    titles : of panels, where the name of the property is not to be it

    Returns
    -------
    list of Path, one for each format

    Raises
    ------
    ValueError
        Where there is nothing to draw, or centres and values differ in length; names set and property.

    >>> import tempfile
    >>> profiles = {"reference": {"degree": ([1, 2, 3], [0.2, 0.5, 0.3])}}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [file.name for file in distributions(profiles, f"{folder}/shapes", formats=["png"])]
    ['shapes.png']
    """
    checked = {name: {k: _checked(name, k, v) for k, v in own.items()} for name, own in profiles.items()}
    properties = list(dict.fromkeys(key for own in checked.values() for key in own))
    if not properties:
        raise ValueError("no set has a property to draw")
    with reproducible():
        return save(_draw(checked, properties, titles or {}), path, formats)


def _checked(name: str, key: str, profile: Profile) -> tuple[list[Any], Array]:
    places, values = list(np.asarray(profile[0]).tolist()), np.asarray(profile[1], dtype=np.float64)
    if values.shape != (len(places),):
        raise ValueError(f"{name}, {key}: {len(places)} centres and values of shape {values.shape}")
    return places, values


def _draw(
    profiles: Mapping[str, Mapping[str, Any]], properties: Sequence[str], titles: Mapping[str, str]
) -> Figure:
    from matplotlib.figure import Figure

    across = min(len(properties), 2)
    down = -(-len(properties) // across)
    figure = Figure(figsize=(4.4 * across, 2.7 * down + 0.5), layout="constrained")
    grid = figure.subplots(down, across, squeeze=False)
    handles: dict[str, Any] = {}
    for axes, key in zip(grid.flat, properties, strict=False):
        own = {name: found[key] for name, found in profiles.items() if key in found}
        labelled = any(isinstance(place, str) for places, _ in own.values() for place in places)
        (_bars if labelled else _curves)(axes, own, list(profiles))
        axes.set_title(titles.get(key, key), loc="left", fontsize=10.5)
        axes.set_ylabel("mean" if labelled else "share")
        axes.set_ylim(bottom=0)
        for handle, name in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(name, handle)
    for axes in grid.flat[len(properties) :]:
        axes.set_axis_off()
    known = [name for name in profiles if name in handles]
    figure.legend([handles[n] for n in known], known, loc="outside lower center", ncols=min(len(known), 5))
    return figure


def _colour(i: int) -> str:
    """Grey is the first set's."""
    return "#8c8c8c" if i == 0 else COLOURS[(i - 1) % len(COLOURS)]


def _curves(axes: Any, own: Mapping[str, Any], names: Sequence[str]) -> None:
    """Steps of the width of a bin; beyond the first and the last bin a set is zero."""
    ends: list[float] = []
    for name, (places, values) in own.items():
        i = names.index(name)
        x, y = padded(np.asarray(places, dtype=np.float64), values)
        ends += [(x[0] + x[1]) / 2, (x[-1] + x[-2]) / 2] if len(x) > 1 else []
        if i == 0:
            axes.fill_between(x, y, step="mid", color="#c9c9c9", linewidth=0, label=name)
            axes.step(x, y, where="mid", color=_colour(0), linewidth=0.8)
        else:
            dashes = LINES[(i - 1) % len(LINES)]
            axes.step(x, y, where="mid", color=_colour(i), linestyle=dashes, linewidth=1.5, label=name)
    if ends:
        axes.set_xlim(min(ends), max(ends))


def padded(x: Array, y: Array) -> tuple[Array, Array]:
    """Sorted centres with one more of value 0 on either side, as far as the next one is."""
    order = np.argsort(x, kind="stable")
    x, y = x[order], y[order]
    if not len(x):
        return x, y
    first, last = (x[1] - x[0], x[-1] - x[-2]) if len(x) > 1 else (1.0, 1.0)
    return np.concatenate([[x[0] - first], x, [x[-1] + last]]), np.concatenate([[0.0], y, [0.0]])


def _bars(axes: Any, own: Mapping[str, Any], names: Sequence[str]) -> None:
    labels = list(dict.fromkeys(str(place) for places, _ in own.values() for place in places))
    width = 0.8 / len(own)
    for j, (name, (places, values)) in enumerate(own.items()):
        x = [labels.index(str(place)) + width * (j - (len(own) - 1) / 2) for place in places]
        axes.bar(x, values, width=width, color=_colour(names.index(name)), label=name)
    upright = len(labels) >= CROWDED or max(map(len, labels), default=0) > 6
    axes.set_xticks(range(len(labels)), labels, rotation=90 if upright else 0, fontsize=8 if upright else 9)
    axes.grid(axis="x", visible=False)
