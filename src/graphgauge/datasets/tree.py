"""Uniform random labelled trees, from Prüfer codes."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphgauge.compiling import loop
from graphgauge.datasets.entry import generated
from graphgauge.datasets.options import whole
from graphgauge.datasets.packing import Ints, even_ptr, pack
from graphgauge.graphs import GraphSet


def tree(rng: np.random.Generator, size: int, *, nodes: int = 100) -> GraphSet:
    """`size` trees, each uniform among the n^(n-2) labelled trees of n nodes.

    A tree and its Prüfer code (n - 2 node numbers) determine each other, so uniform codes give uniform
    trees. Time is linear in the number of nodes.

    Parameters
    ----------
    rng : where chance comes from
    size : number of graphs
    nodes : nodes n of every tree, at least 1

    >>> tree(np.random.default_rng(0), 2, nodes=5).edges_per_graph.tolist()
    [8, 8]
    """
    whole("size", size, 0)
    whole("nodes", nodes, 1)
    codes = rng.integers(0, nodes, (size, max(nodes - 2, 0)))
    u, v = _decode(codes, nodes)
    return pack(u, v, even_ptr(size, nodes))


@loop
def _decode(codes: Any, nodes: int) -> Any:
    size = codes.shape[0]
    u, v = np.empty(size * (nodes - 1), np.int64), np.empty(size * (nodes - 1), np.int64)
    degree = np.empty(nodes, np.int64)
    e = 0
    for g in range(size):
        degree[:] = 1
        for node in codes[g]:
            degree[node] += 1
        low = -1  # no leaf is left below or at this number, save the current one
        leaf = -1
        for node in codes[g]:
            if leaf < 0:
                low += 1
                while degree[low] != 1:
                    low += 1
                leaf = low
            u[e], v[e] = g * nodes + leaf, g * nodes + node
            e += 1
            degree[leaf] = 0
            degree[node] -= 1
            leaf = node if degree[node] == 1 and node < low else -1
        if nodes > 1:  # two nodes are left: the last one, and the current or next leaf
            if leaf < 0:
                low += 1
                while degree[low] != 1:
                    low += 1
                leaf = low
            u[e], v[e] = g * nodes + leaf, (g + 1) * nodes - 1
            e += 1
    return u, v


def decode_plain(codes: Ints, nodes: int) -> tuple[Ints, Ints]:
    """The plain twin of the compiled decoding: the lowest leaf is joined to the next number of the code."""
    u, v = [], []
    for g, code in enumerate(codes):
        degree = 1 + np.bincount(code, minlength=nodes)
        for node in code:
            leaf = int(np.flatnonzero(degree == 1)[0])
            u.append(g * nodes + leaf)
            v.append(g * nodes + int(node))
            degree[leaf] = 0
            degree[node] -= 1
        if nodes > 1:
            a, b = np.flatnonzero(degree == 1)
            u.append(g * nodes + int(a))
            v.append(g * nodes + int(b))
    return np.array(u, np.int64), np.array(v, np.int64)


TREE = generated(
    tree,
    "uniform random labelled trees",
    "Prüfer. Neuer Beweis eines Satzes über Permutationen. Arch. Math. Phys. 27, 1918",
)
