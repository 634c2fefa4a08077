"""Triangles, 4-cycles, diamonds and 4-cliques at every node: all that 4-node orbits need beside degrees.

Two ways with the same answer. Small or dense graphs are rows of bits: with n nodes, w = ⌈n/64⌉ words a row, T
triangles and H paths of 3 nodes whose ends are not joined, the cost is O((n² + min(T, H)) w). Large
sparse graphs are walked along their rows: O(Σ d²) plus the shorter of two walks for every triangle.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graphgauge.compiling import Ints, loop
from graphgauge.descriptors.bits import ONE, Words, above, bit_rows, holds, lowest, shared

Counts = np.ndarray[Any, np.dtype[np.int32]]

LARGEST_DENSE = 4096  # nodes; the matrix of shared neighbours then takes 64 MB


@loop
def edge_triangles(node_ptr: Ints, ptr: Ints, neighbour: Ints) -> Ints:
    """Triangles over every edge, in the order of the rows: (E,)."""
    over = np.zeros(neighbour.size, np.int64)
    cursor = ptr[:-1].copy()
    for g in range(node_ptr.size - 1):
        low, high = node_ptr[g], node_ptr[g + 1]
        if is_dense(low, high, ptr):
            bits = bit_rows(low, high, ptr, neighbour)
            for i in range(low, high):
                for e in range(cursor[i], ptr[i + 1]):
                    j = neighbour[e]
                    over[e] = shared(bits[i - low], bits[j - low])
                    over[cursor[j]] = over[e]  # rows ascend: i comes next in the row of j
                    cursor[j] += 1
        else:
            mark = np.full(high - low, -1, np.int64)
            for i in range(low, high):
                for e in range(ptr[i], ptr[i + 1]):
                    mark[neighbour[e] - low] = i
                for e in range(ptr[i], ptr[i + 1]):
                    j = neighbour[e]
                    for f in range(ptr[j], ptr[j + 1]):
                        over[e] += mark[neighbour[f] - low] == i
    return over


@loop
def node_subgraphs(node_ptr: Ints, ptr: Ints, neighbour: Ints, over: Ints) -> tuple[Ints, Ints, Ints]:
    """4-cycles through each node, diamonds with it at an end of degree 2, 4-cliques with it; (N,) each.

    They are counted as subgraphs, whatever other edges there are. `over` is `edge_triangles`.
    """
    cycles = np.zeros(ptr.size - 1, np.int64)
    ends, cliques = np.zeros_like(cycles), np.zeros_like(cycles)
    for g in range(node_ptr.size - 1):
        low, high = node_ptr[g], node_ptr[g + 1]
        if is_dense(low, high, ptr):
            dense_subgraphs(low, high, ptr, neighbour, cycles, ends, cliques)
        else:
            sparse_subgraphs(low, high, ptr, neighbour, over, cycles, ends, cliques)
    return cycles, ends, cliques


@loop
def is_dense(low: int, high: int, ptr: Ints) -> bool:
    """Whether rows of bits are the cheaper way for the graph of the nodes `low` to `high`."""
    n = high - low
    words = (n + 63) // 64
    if words <= 2 or n > LARGEST_DENSE:
        return words <= 2
    walks = 0
    for i in range(low, high):
        walks += (ptr[i + 1] - ptr[i]) ** 2
    return n * n * words <= 8 * walks


@loop
def dense_subgraphs(
    low: int, high: int, ptr: Ints, neighbour: Ints, cycles: Ints, ends: Ints, cliques: Ints
) -> None:
    """The counts of one graph, by rows of bits; over its triangles or its open pairs, whichever are fewer."""
    n = high - low
    bits = bit_rows(low, high, ptr, neighbour)
    common = np.zeros((n, n), np.int32)
    closed, opened = 0, 0
    for i in range(n):
        for j in range(i + 1, n):
            c = shared(bits[i], bits[j])
            common[i, j] = c
            common[j, i] = c
            cycles[low + i] += c * (c - 1) // 2
            cycles[low + j] += c * (c - 1) // 2
            if holds(bits[i], j):
                closed += c
            else:
                opened += c
    if closed <= 3 * opened:  # three for every triangle
        _over_triangles(bits, common, ends[low:high], cliques[low:high])
    else:
        _over_open_pairs(bits, common, ends[low:high], cliques[low:high])
    for i in range(low, high):
        cliques[i] //= 3  # a clique was met in each of its triangles at i


@loop
def _over_triangles(bits: Words, common: Counts, ends: Ints, cliques: Ints) -> None:
    """Each triangle i < j < k, and what its corners have in common."""
    n, words = bits.shape
    both = np.zeros(words, np.uint64)
    for i in range(n):
        for j in range(i + 1, n):
            if common[i, j] == 0 or not holds(bits[i], j):
                continue
            for w in range(words):
                both[w] = bits[i, w] & bits[j, w]
            for w in range(j >> 6, words):
                rest = both[w]
                if w == j >> 6:
                    rest &= above(j)
                while rest:
                    k = (w << 6) + lowest(rest)
                    rest &= rest - ONE
                    ends[i] += common[j, k] - 1
                    ends[j] += common[i, k] - 1
                    ends[k] += common[i, j] - 1
                    if common[i, j] > 1:
                        c = shared(both, bits[k])
                        cliques[i] += c
                        cliques[j] += c
                        cliques[k] += c


@loop
def _over_open_pairs(bits: Words, common: Counts, ends: Ints, cliques: Ints) -> None:
    """All pairs of neighbours of each node, less those that are not joined.

    Over all pairs j, k of neighbours of i the nodes that j and k share are closed walks of 4 steps from i,
    Σ_j c_ij², less those that turn back at once; and the pairs j, k, l of which j is joined to both others
    are Σ_j c_ij (c_ij − 1)/2.
    """
    n, words = bits.shape
    degree = np.zeros(n, np.int64)
    for i in range(n):
        degree[i] = shared(bits[i], bits[i])
    for i in range(n):
        walks = degree[i] * degree[i]
        for j in range(n):
            c = np.int64(common[i, j])
            walks += c * c
            if holds(bits[i], j):
                walks -= degree[j] + c
                cliques[i] += c * (c - 1) // 2
        ends[i] += walks // 2
    both = np.zeros(words, np.uint64)
    for j in range(n):
        for k in range(j + 1, n):
            if common[j, k] == 0 or holds(bits[j], k):
                continue
            for w in range(words):
                both[w] = bits[j, w] & bits[k, w]
            for w in range(words):
                rest = both[w]
                while rest:
                    i = (w << 6) + lowest(rest)
                    rest &= rest - ONE
                    ends[i] -= common[j, k]
                    cliques[i] -= shared(both, bits[i])


@loop
def sparse_subgraphs(
    low: int, high: int, ptr: Ints, neighbour: Ints, over: Ints, cycles: Ints, ends: Ints, cliques: Ints
) -> None:
    n = high - low
    meets = np.zeros(n, np.int64)  # common neighbours of i and every other node
    place = np.full(n, -1, np.int64)  # place of the edge from i
    in_both = np.full(n, -1, np.int64)  # the edge (i, j) over which a node was last a third corner
    third = np.empty(n, np.int64)
    for i in range(low, high):
        for e in range(ptr[i], ptr[i + 1]):
            j = neighbour[e]
            place[j - low] = e
            for f in range(ptr[j], ptr[j + 1]):
                meets[neighbour[f] - low] += 1
        for e in range(ptr[i], ptr[i + 1]):
            j = neighbour[e]
            for f in range(ptr[j], ptr[j + 1]):
                k = neighbour[f]
                c = meets[k - low]
                meets[k - low] = 0
                if k != i:
                    cycles[i] += c * (c - 1) // 2
            if j < i or over[e] == 0:
                continue
            found = 0
            for f in range(ptr[j], ptr[j + 1]):
                k = neighbour[f]
                at = place[k - low]
                if k > j and at >= 0:
                    ends[i] += over[f] - 1
                    ends[j] += over[at] - 1
                    ends[k] += over[e] - 1
                    in_both[k - low] = e
                    third[found] = k
                    found += 1
            for a in range(found - 1):
                k = third[a]
                if (found - a) * 8 < ptr[k + 1] - ptr[k]:
                    for b in range(a + 1, found):
                        if has(ptr, neighbour, k, third[b]):
                            _clique(cliques, i, j, k, third[b])
                else:
                    for f in range(ptr[k], ptr[k + 1]):
                        if neighbour[f] > k and in_both[neighbour[f] - low] == e:
                            _clique(cliques, i, j, k, neighbour[f])
        for e in range(ptr[i], ptr[i + 1]):
            place[neighbour[e] - low] = -1


@loop
def _clique(cliques: Ints, a: int, b: int, c: int, d: int) -> None:
    cliques[a] += 1
    cliques[b] += 1
    cliques[c] += 1
    cliques[d] += 1


@loop
def has(ptr: Ints, neighbour: Ints, i: int, j: int) -> bool:
    """Whether j is in the row of i, by bisection."""
    low, high = ptr[i], ptr[i + 1]
    while low < high:
        middle = (low + high) // 2
        if neighbour[middle] < j:
            low = middle + 1
        else:
            high = middle
    return bool(low < ptr[i + 1] and neighbour[low] == j)


def edge_triangles_plain(node_ptr: Ints, ptr: Ints, neighbour: Ints) -> Ints:
    """The twin of `edge_triangles` in plain NumPy, by one product of matrices."""
    A, row = _matrix(ptr, neighbour)
    over: Ints = (A @ A)[row, neighbour].astype(np.int64)
    return over


def node_subgraphs_plain(node_ptr: Ints, ptr: Ints, neighbour: Ints, over: Ints) -> tuple[Ints, Ints, Ints]:
    """The twin of `node_subgraphs` in plain NumPy: O(N³) for the whole set."""
    A, _ = _matrix(ptr, neighbour)
    common = A @ A
    others = common - np.diag(np.diag(common))
    cycles = (others * (others - 1) / 2).sum(1).astype(np.int64)
    ends, cliques = np.empty_like(cycles), np.empty_like(cycles)
    for i in range(len(A)):
        near = A[i].nonzero()[0]
        inner = A[np.ix_(near, near)]
        ends[i] = round((inner * (common[np.ix_(near, near)] - 1)).sum() / 2)
        cliques[i] = round(np.trace(inner @ inner @ inner) / 6)
    return cycles, ends, cliques


def _matrix(ptr: Ints, neighbour: Ints) -> tuple[np.ndarray[Any, Any], Ints]:
    """Adjacency of the whole set, in float64 for the sake of fast products, and the row of every edge."""
    row = np.repeat(np.arange(ptr.size - 1), np.diff(ptr))
    A = np.zeros((ptr.size - 1, ptr.size - 1))
    A[row, neighbour] = 1
    return A, row
