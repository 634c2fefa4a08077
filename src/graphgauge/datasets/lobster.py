"""Lobsters: trees in which every node is at most two steps from a path."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphgauge.compiling import loop
from graphgauge.datasets.entry import generated
from graphgauge.datasets.errors import DatasetError
from graphgauge.datasets.options import number, whole
from graphgauge.datasets.packing import pack
from graphgauge.graphs import GraphSet

_ATTEMPTS = 100_000  # lobsters thrown away in a row before a size is given up


def lobster(
    rng: np.random.Generator,
    size: int,
    *,
    backbone: int = 80,
    p1: float = 0.7,
    p2: float = 0.7,
    smallest: int = 10,
    largest: int = 100,
) -> GraphSet:
    """`size` random lobsters of networkx's law, kept if they have between 10 and 100 nodes (paper C).

    A path has ⌊2 b u + ½⌋ nodes, u uniform in [0, 1). While a coin of bias p₁ falls on its face, a node of
    the path gets one more leg; after each leg, while a coin of bias p₂ does, the leg gets one more claw.
    Lobsters of another size are thrown away.

    Parameters
    ----------
    rng : where chance comes from
    size : number of graphs
    backbone : b, mean number of nodes of the path before the choice by size, at least 1
    p1, p2 : chances of one more leg and one more claw, at least 0, at most 0.999
    smallest, largest : bounds of the number of nodes, at least 1

    Raises
    ------
    DatasetError
        also if 100,000 lobsters in a row have another size.

    >>> graphs = lobster(np.random.default_rng(0), 2)
    >>> (graphs.edges_per_graph == 2 * (graphs.nodes_per_graph - 1)).tolist()
    [True, True]
    """
    whole("size", size, 0)
    whole("backbone", backbone, 1)
    whole("smallest", smallest, 1)
    if whole("largest", largest, 1) < smallest:
        raise DatasetError(f"largest must be at least smallest={smallest}, got {largest}")
    chances = float(number("p1", p1, 0, 0.999)), float(number("p2", p2, 0, 0.999))
    u, v, node_ptr = _grow(rng, size, backbone, *chances, smallest, largest)
    if node_ptr[-1] < 0:
        raise DatasetError(
            f"{_ATTEMPTS} lobsters in a row had fewer than {smallest} or more than {largest} nodes; "
            f"backbone={backbone}, p1={p1}, p2={p2} hardly ever give that size"
        )
    return pack(u, v, node_ptr)


@loop
def _grow(rng: Any, size: int, backbone: int, p1: float, p2: float, smallest: int, largest: int) -> Any:
    u, v = np.empty(size * largest, np.int64), np.empty(size * largest, np.int64)
    node_ptr = np.zeros(size + 1, np.int64)
    e = 0
    for g in range(size):
        first, start = node_ptr[g], e
        n, left = 0, _ATTEMPTS
        while n < smallest or n > largest:
            if left == 0:
                node_ptr[size] = -1
                return u, v, node_ptr
            left -= 1
            e = start
            path = n = int(2 * rng.random() * backbone + 0.5)
            if n > largest:
                continue
            for i in range(1, n):
                u[e], v[e] = first + i - 1, first + i
                e += 1
            for i in range(path):
                while n <= largest and rng.random() < p1:
                    leg = n
                    u[e], v[e] = first + i, first + leg
                    e, n = e + 1, n + 1
                    while n <= largest and rng.random() < p2:
                        u[e], v[e] = first + leg, first + n
                        e, n = e + 1, n + 1
        node_ptr[g + 1] = first + n
    return u[:e].copy(), v[:e].copy(), node_ptr


LOBSTER = generated(
    lobster,
    "random lobsters of 10 to 100 nodes",
    "Hagberg, Schult, Swart. NetworkX. SciPy 2008; Liao et al. Graph Recurrent Attention Networks. NeurIPS "
    "2019; Thompson et al. On Evaluation Metrics for Graph Generative Models. ICLR 2022",
    sizes={"train": 100, "val": 100, "test": 100},
)
