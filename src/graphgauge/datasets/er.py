"""Erdős–Rényi graphs by skipping: only the edges are touched, never the pairs that are not there."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from graphgauge.compiling import loop
from graphgauge.datasets.entry import generated
from graphgauge.datasets.options import number, whole
from graphgauge.datasets.packing import Ints, even_ptr, pack
from graphgauge.graphs import GraphSet


def er(rng: np.random.Generator, size: int, *, nodes: int = 100, degree: float = 8.0) -> GraphSet:
    """`size` graphs G(n, p): every pair of the n nodes is an edge with probability p = degree / (n - 1).

    Parameters
    ----------
    rng : where chance comes from
    size : number of graphs G, at least 0
    nodes : nodes n of every graph, at least 1
    degree : average degree, between 0 and n - 1

    The pairs of all graphs stand in one long line; the gaps between edges on it are geometric. Time and
    memory grow with the number of edges. Base dataset of paper A, table C.1: n = 100, degree 8.

    >>> graphs = er(np.random.default_rng(0), 3, nodes=10, degree=2)
    >>> graphs.num_graphs, graphs.num_nodes
    (3, 30)
    """
    whole("size", size, 0)
    whole("nodes", nodes, 1)
    number("degree", degree, 0, nodes - 1)
    u, v = edges(rng, size, nodes, degree / max(nodes - 1, 1))
    return pack(u, v, even_ptr(size, nodes))


def edges(rng: np.random.Generator, size: int, nodes: int, p: float) -> tuple[Ints, Ints]:
    """End nodes u < v (global ids) of the edges of `size` graphs G(nodes, p), in order."""
    return _unrank(positions(rng, size * (nodes * (nodes - 1) // 2), p), nodes)  # type: ignore[no-any-return]


def positions(rng: np.random.Generator, cells: int, p: float) -> Ints:
    """Ascending positions, among `cells` of them, that an independent coin of bias p marks.

    A gap of ⌊x / -ln(1-p)⌋ unmarked cells, x standard exponential, has exactly the geometric law.

    >>> positions(np.random.default_rng(0), 4, 1.0).tolist()
    [0, 1, 2, 3]
    """
    if p >= 1:
        return np.arange(cells, dtype=np.int64)
    if p <= 0 or cells == 0:
        return np.empty(0, np.int64)
    scale = -math.log1p(-p)
    batch = int(cells * p + 6 * math.sqrt(cells * p) + 16)
    parts: list[Ints] = []
    last = -1
    while last < cells:
        with np.errstate(over="ignore"):  # a gap too long for a number ends at `cells` like any long one
            gaps = np.minimum(rng.standard_exponential(batch) / scale, cells).astype(np.int64)
        gaps += 1
        gaps[0] += last
        part = np.cumsum(gaps, out=gaps)
        parts.append(part)
        last = int(part[-1])
    found = parts[0] if len(parts) == 1 else np.concatenate(parts)
    return found[: np.searchsorted(found, cells)]


@loop
def _unrank(cells: Any, nodes: int) -> Any:
    # Cells ascend, so graph and row are walked, not computed: no square root, no division.
    u, v = np.empty(cells.size, np.int64), np.empty(cells.size, np.int64)
    base, row, start = 0, 0, 0  # first node of the graph, row in it, cell where the row starts
    width = nodes - 1
    for e in range(cells.size):
        cell = cells[e]
        while cell >= start + width:
            start += width
            row += 1
            width -= 1
            if width <= 0:
                base, row, width = base + nodes, 0, nodes - 1
        u[e] = base + row
        v[e] = base + row + 1 + cell - start
    return u, v


def unrank_plain(cells: Ints, nodes: int) -> tuple[Ints, Ints]:
    """The plain numpy twin of the compiled unranking: upper triangle, row by row."""
    row, column = np.triu_indices(nodes, 1)
    base = cells // max(row.size, 1) * nodes
    cell = cells % max(row.size, 1)
    return base + row[cell], base + column[cell]


ER = generated(
    er,
    "Erdős–Rényi graphs G(n, p) of given average degree",
    "Gilbert. Random graphs. Ann. Math. Statist. 30, 1959; Erdős, Rényi. On random graphs. 1959",
)
