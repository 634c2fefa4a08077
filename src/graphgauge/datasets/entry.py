"""What the table `DATASETS` knows about each dataset."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from graphgauge.datasets.options import known
from graphgauge.graphs import GraphSet

# Given how many graphs there are, the numbers of those that are wanted. A reader handed None reads all.
Pick = Callable[[int], "np.ndarray[Any, Any]"] | None
# Makes files of a dataset appear in a folder, or raises.
Loader = Callable[[Path], None]
Counts = tuple[int, int, int]  # graphs, nodes, ordered edges

WHOLE = "all"  # the one split of a large graph
ORDER = 100  # nodes of a breadth-first sample (paper A, table C.1)


@dataclass(frozen=True)
class Dataset:
    """One entry of the table.

    Parameters
    ----------
    kind : "generated" (drawn from a seed), "stored" (many graphs in files) or "large" (one graph, sampled)
    read : generated: ``(rng, size, **options)``; stored and large: ``(path, split, pick, **options)``
    about : one line for a person
    licence, source, citation : of the data
    sizes : graphs that `base` gives for a split unless told otherwise; a split not named here gives all
    files : split → files that hold it, relative to a data home, the best first
    loaders : how to get the files, by a name for messages (a loader's call or an address), the best first
    counts : split → graphs, nodes and ordered edges it must have
    stand_in : split → split that answers for it in `base` while its own files are not at hand
    """

    kind: Literal["generated", "stored", "large"]
    read: Callable[..., GraphSet]
    about: str
    licence: str
    source: str
    citation: str
    sizes: Mapping[str, int] = field(default_factory=dict)
    files: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    loaders: Mapping[str, Loader] = field(default_factory=dict)
    counts: Mapping[str, Counts] = field(default_factory=dict)
    stand_in: Mapping[str, str] = field(default_factory=dict)

    @property
    def splits(self) -> tuple[str, ...]:
        """Splits that `load` takes."""
        return tuple(self.sizes) if self.kind == "generated" else tuple(self.files)

    @property
    def options(self) -> dict[str, Any]:
        """Options of `base` and their defaults."""
        if self.kind == "large":
            return {"order": ORDER}
        return known(self.read)


_PAPER_A = {"train": 5000, "val": 500, "test": 500}


def generated(
    read: Callable[..., GraphSet], about: str, citation: str, sizes: Mapping[str, int] = _PAPER_A
) -> Dataset:
    """The entry of a family of random graphs: nothing to fetch, nobody's rights."""
    return Dataset(
        kind="generated",
        read=read,
        about=about,
        licence="none needed: generated on this machine",
        source="graphgauge",
        citation=citation,
        sizes=sizes,
    )
