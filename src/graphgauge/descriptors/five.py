"""The 58 orbits of the 21 connected graphs of 5 nodes, by listing every one of them in a graph."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import Any

import numpy as np

from graphgauge.compiling import Ints, loop
from graphgauge.descriptors.simple import Rows

Floats = np.ndarray[Any, np.dtype[np.float64]]

# Edges of the graphlets as Pržulj numbers them, from her G9 on. The orbits of each are numbered on and on, by
# ascending degree of a node plus degrees of its neighbours, which no two orbits of a graphlet share.
GRAPHLETS = {
    "path of 5": "01 12 23 34",
    "fork": "01 12 23 24",
    "star of 4": "04 14 24 34",
    "bull": "01 12 13 23 34",
    "triangle with a tail of 2": "01 12 23 24 34",
    "cricket": "04 14 23 24 34",
    "5-cycle": "01 12 23 34 04",
    "banner": "01 12 23 34 14",
    "dart": "01 12 13 14 23 24",
    "butterfly": "04 14 24 34 01 23",
    "kite": "01 13 14 23 24 34",
    "complete bipartite 2, 3": "02 03 04 12 13 14",
    "house": "01 12 23 03 04 34",
    "three triangles on an edge": "03 04 13 14 23 24 34",
    "4-clique with a leaf": "04 12 13 14 23 24 34",
    "gem": "01 04 12 13 14 23 34",
    "complete bipartite 2, 3 and an edge": "02 03 04 12 13 14 24",
    "4-clique with a node on two": "01 03 04 13 14 23 24 34",
    "wheel": "01 03 04 12 14 23 24 34",
    "5-clique without an edge": "01 03 04 12 13 14 23 24 34",
    "5-clique": "01 02 03 04 12 13 14 23 24 34",
}


def five_node_orbits(rows: Rows) -> Ints:
    """Induced connected subgraphs of 5 nodes at every node, by its place in them: (N, 58) int64."""
    orbits: Ints = list_fives(*rows, orbit_table())
    return orbits


def trees(rows: Rows) -> Floats:
    """At least as many as there are connected subgraphs of 5 nodes: (N,) float64, each at a node of its own.

    Every one has a spanning tree, a star, a fork or a path of 5 nodes, and those follow from degrees, where
    nodes that may meet are counted apart. A large clique has 125 times as many; sparse graphs have few more.
    """
    d = np.diff(rows.ptr).astype(np.float64)
    row = np.repeat(np.arange(d.size), np.diff(rows.ptr))
    beyond = d[rows.neighbour] - 1
    total = np.bincount(row, weights=beyond, minlength=d.size)
    squares = np.bincount(row, weights=beyond**2, minlength=d.size)
    stars = d * (d - 1) * (d - 2) * (d - 3) / 24
    forks = (d - 1) * (d - 2) / 2 * total
    paths = (total**2 - squares) / 2
    return np.asarray(stars + forks + paths)


@cache
def orbit_table() -> Ints:
    """Orbit, from 0, of each of 5 nodes for every set of edges between them: (1024, 5); −1: in pieces.

    Bit b of the row number is the b-th of the pairs 01, 02, 12, 03, 13, 23, 04, 14, 24, 34.
    """
    pairs = sorted(combinations(range(5), 2), key=lambda pair: pair[::-1])
    places, start = {}, 0
    for edges in GRAPHLETS.values():
        key = tuple(sorted(_sums({(int(edge[0]), int(edge[1])) for edge in edges.split()})))
        places[key] = {total: start + i for i, total in enumerate(sorted(set(key)))}
        start += len(places[key])
    table = np.full((1024, 5), -1, np.int64)
    for code in range(1024):
        sums = _sums({pair for b, pair in enumerate(pairs) if code >> b & 1})
        place = places.get(tuple(sorted(sums)))
        if place is not None:
            table[code] = [place[total] for total in sums]
    return table


def _sums(edges: set[tuple[int, int]]) -> list[int]:
    """Degree of each of 5 nodes plus the degrees of its neighbours."""
    A = np.zeros((5, 5), np.int64)
    for a, b in edges:
        A[a, b] = A[b, a] = 1
    degree = A.sum(0)
    total: list[int] = (degree + A @ degree).tolist()
    return total


@loop
def list_fives(node_ptr: Ints, ptr: Ints, neighbour: Ints, table: Ints) -> Ints:
    """Every connected set of 5 nodes once, grown from its first node: `table[code]` says where it counts.

    After each node chosen, those after the root that it is first to touch become options, beside the options
    that were left. `touched` holds, bit by bit, which of the nodes chosen are a node's neighbours.
    """
    orbits = np.zeros((ptr.size - 1, 58), np.int64)
    for g in range(node_ptr.size - 1):
        low, n = node_ptr[g], node_ptr[g + 1] - node_ptr[g]
        touched = np.zeros(n, np.int64)
        options = np.empty((4, n), np.int64)
        chosen = np.empty(5, np.int64)
        end, now, code = np.zeros(4, np.int64), np.zeros(4, np.int64), np.zeros(5, np.int64)
        for root in range(low, low + n):
            chosen[0] = root
            end[0] = _touch(root, root, 0, low, ptr, neighbour, touched, options[0], 0)
            now[0] = 0
            depth = 0
            while depth >= 0:  # options[depth] may follow chosen[:depth + 1]
                if now[depth] == end[depth]:
                    _untouch(chosen[depth], depth, low, ptr, neighbour, touched)
                    depth -= 1
                    continue
                i = options[depth, now[depth]]
                now[depth] += 1
                chosen[depth + 1] = i
                code[depth + 1] = code[depth] | touched[i - low] << (depth * (depth + 1) // 2)
                if depth == 3:
                    for k in range(5):
                        orbits[chosen[k], table[code[4], k]] += 1
                    continue
                rest = 0
                for a in range(now[depth], end[depth]):
                    options[depth + 1, rest] = options[depth, a]
                    rest += 1
                depth += 1
                now[depth] = 0
                end[depth] = _touch(root, i, depth, low, ptr, neighbour, touched, options[depth], rest)
    return orbits


@loop
def _touch(
    root: int,
    i: int,
    place: int,
    low: int,
    ptr: Ints,
    neighbour: Ints,
    touched: Ints,
    options: Ints,
    count: int,
) -> int:
    """Mark the neighbours of a chosen node; those after the root that are new become options."""
    for e in range(ptr[i], ptr[i + 1]):
        j = neighbour[e]
        if j > root and touched[j - low] == 0:
            options[count] = j
            count += 1
        touched[j - low] |= 1 << place
    return count


@loop
def _untouch(i: int, place: int, low: int, ptr: Ints, neighbour: Ints, touched: Ints) -> None:
    for e in range(ptr[i], ptr[i + 1]):
        touched[neighbour[e] - low] &= ~(1 << place)
