"""The split of stored sets that come without one."""

from __future__ import annotations

import numpy as np

from graphgauge.datasets.options import stream
from graphgauge.datasets.packing import Ints

PARTS = ("train", "val", "test")


def part(split: str, graphs: int) -> Ints:
    """Ascending numbers of the graphs of a split: a fifth for "test", a fifth of the rest for "val".

    The fixed shuffle depends on the number of graphs alone. The shares are those of GRAN and SPECTRE.

    >>> [part(split, 200).size for split in PARTS]
    [128, 32, 40]
    """
    learnt = graphs * 4 // 5
    val = learnt // 5
    at = {"train": (val, learnt), "val": (0, val), "test": (learnt, graphs)}[split]
    return np.sort(stream("parts", 0, "all").permutation(graphs)[slice(*at)])
