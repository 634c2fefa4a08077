"""What the table `DATASETS` knows about each dataset."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from graphgauge.graphs import GraphSet

# Given how many graphs there are, which of them are wanted; None wants all.
Pick = Callable[[int], "np.ndarray[Any, Any]"] | None
Counts = tuple[int, int, int]  # graphs, nodes, ordered edges


@dataclass(frozen=True)
class Dataset:
    """One line of the table.

    Parameters
    ----------
    kind : "generated" (drawn from a seed), "stored" (many graphs in files) or "large" (one graph, sampled)
    read : generated: (rng, size, **options) → GraphSet; stored and large: (places, split, pick, **options)
    licence, source, citation : of the data, for the card
    splits : names that `load` takes; empty for one large graph
    sizes : graphs that `base` gives for a split unless told otherwise; a split not named here gives all
    counts : graphs, nodes and ordered edges that the data must have, by split ("all" for one large graph)
    stand_in : split that `base` may answer from other data, and the name of that data's split
    """

    kind: Literal["generated", "stored", "large"]
    read: Callable[..., GraphSet]
    licence: str
    source: str
    citation: str
    splits: tuple[str, ...] = ()
    sizes: Mapping[str, int] = field(default_factory=dict)
    counts: Mapping[str, Counts] = field(default_factory=dict)
    stand_in: Mapping[str, str] = field(default_factory=dict)


def generated(read: Callable[..., GraphSet], citation: str) -> Dataset:
    """The entry of a family of random graphs: nothing to fetch, nobody's rights, sizes of paper A."""
    return Dataset(
        kind="generated",
        read=read,
        licence="none needed: generated on this machine",
        source="graphgauge",
        citation=citation,
        splits=("train", "val", "test"),
        sizes={"train": 5000, "val": 500, "test": 500},
    )
