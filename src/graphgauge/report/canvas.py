"""What all figures share: colours, style, and files that are the same bytes for the same input."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Okabe and Ito's palette without its yellow, which is hard to see on white; colour-blind readers tell these
# apart, and the markers do so in print.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
ENDINGS = ("png", "svg", "pdf")
STYLE = {
    "svg.hashsalt": "graphgauge",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.alpha": 0.25,
    "font.size": 10,
    "legend.frameon": False,
}


def reproducible() -> AbstractContextManager[None]:
    """The style of all figures, for a with block."""
    import matplotlib

    context: AbstractContextManager[None] = matplotlib.rc_context(STYLE)
    return context


def save(figure: Figure, path: str | Path, formats: Sequence[str] = ENDINGS) -> list[Path]:
    """Write a figure as `path` with each ending; the folder is made where it is not there.

    Laid out once: saved first or last, a file has the same bytes.
    """
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    stem = Path(path)
    stem.parent.mkdir(parents=True, exist_ok=True)
    written = [stem.with_name(f"{stem.name}.{ending}") for ending in formats]
    for file, ending in zip(written, formats, strict=True):
        figure.savefig(file, dpi=160, metadata=_undated(ending))
    return written


def file_name(*parts: str) -> str:
    """A name without characters that a file system may refuse.

    >>> file_name("alignment", "a/b c")
    'alignment-a_b_c'
    """
    return "-".join(re.sub(r"[^A-Za-z0-9._-]+", "_", part) for part in parts if part)


def _undated(ending: str) -> dict[str, Any] | None:
    """No date in the file."""
    return {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(ending)
