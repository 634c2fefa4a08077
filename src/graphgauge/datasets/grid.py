"""Grids: one of the families on which measures of generated graphs are judged."""

from __future__ import annotations

import numpy as np

from graphgauge.datasets.entry import generated
from graphgauge.datasets.errors import DatasetError
from graphgauge.datasets.options import whole
from graphgauge.datasets.packing import pack
from graphgauge.graphs import GraphSet


def grid(rng: np.random.Generator, size: int, *, smallest: int = 10, largest: int = 19) -> GraphSet:
    """`size` grids of h × w nodes, each joined to the next in its row and in its column.

    All (largest - smallest + 1)² pairs of sides come once in random order, then all again, and so on. By
    default the first 100 graphs are the published set: all grids with sides 10, …, 19 (paper C). A grid
    has 2 h w - h - w edges.

    Parameters
    ----------
    rng : where chance comes from
    size : number of graphs
    smallest, largest : bounds of both sides, at least 1

    >>> grid(np.random.default_rng(0), 2, smallest=3, largest=3).edges_per_graph.tolist()
    [24, 24]
    """
    whole("size", size, 0)
    whole("smallest", smallest, 1)
    if whole("largest", largest, 1) < smallest:
        raise DatasetError(f"largest must be at least smallest={smallest}, got {largest}")
    lengths = largest - smallest + 1
    rounds = [rng.permutation(lengths**2) for _ in range(-(-size // lengths**2))]
    drawn = np.concatenate([np.empty(0, np.int64), *rounds])[:size]
    height, width = smallest + drawn // lengths, smallest + drawn % lengths
    node_ptr = np.concatenate([[0], np.cumsum(height * width)])
    node = np.arange(node_ptr[-1])
    end, row_length = np.repeat(node_ptr[1:], height * width), np.repeat(width, height * width)
    column = (node - np.repeat(node_ptr[:-1], height * width)) % row_length
    right, down = column + 1 < row_length, node + row_length < end
    u = np.concatenate([node[right], node[down]])
    v = np.concatenate([node[right] + 1, (node + row_length)[down]])
    return pack(u, v, node_ptr)


GRID = generated(
    grid,
    "grids with sides of 10 to 19 nodes",
    "You et al. GraphRNN. ICML 2018; Thompson et al. On Evaluation Metrics for Graph Generative Models. "
    "ICLR 2022",
    sizes={"train": 100, "val": 100, "test": 100},
)
