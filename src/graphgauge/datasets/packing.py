"""From undirected edge lists of many graphs to one packed `GraphSet`: both ways, simple, sorted."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from graphgauge.compiling import loop
from graphgauge.graphs import GraphSet

Ints = NDArray[np.int64]


def pack(u: Ints, v: Ints, node_ptr: Ints) -> GraphSet:
    """A `GraphSet` of simple undirected graphs from their edges, in O(N + E).

    Parameters
    ----------
    u, v : (E,) end nodes in global ids, every undirected edge once, any order, no self-loop
    node_ptr : (G+1,) first node of every graph

    Returns
    -------
    GraphSet with 2E ordered edges, sorted by source and then target.

    >>> pack(np.array([2, 0]), np.array([1, 2]), np.array([0, 3, 4])).edge_index.tolist()
    [[0, 1, 2, 2], [2, 2, 0, 1]]
    """
    edge_index, row_ptr = _both_ways(u, v, int(node_ptr[-1]))
    return packed(edge_index, row_ptr[node_ptr], node_ptr)


def packed(edge_index: Ints, edge_ptr: Ints, node_ptr: Ints) -> GraphSet:
    """A `GraphSet` around ready arrays: no copy."""
    return GraphSet(
        node_ptr=torch.from_numpy(np.ascontiguousarray(node_ptr, np.int64)),
        edge_index=torch.from_numpy(np.ascontiguousarray(edge_index, np.int64)),
        edge_ptr=torch.from_numpy(np.ascontiguousarray(edge_ptr, np.int64)),
    )


def even_ptr(size: int, nodes: int) -> Ints:
    """Node pointers of `size` graphs of `nodes` nodes each: (size+1,)."""
    return np.arange(size + 1, dtype=np.int64) * nodes


def simple(u: Ints, v: Ints, node_ptr: Ints) -> GraphSet:
    """Like `pack` for raw edges: directions, repeats and self-loops are allowed and removed.

    >>> simple(np.array([0, 1, 1]), np.array([1, 0, 1]), np.array([0, 2])).edge_index.tolist()
    [[0, 1], [1, 0]]
    """
    n = max(int(node_ptr[-1]), 1)
    low, high = np.minimum(u, v).astype(np.int64), np.maximum(u, v).astype(np.int64)
    code = np.unique(low[low != high] * n + high[low != high])
    return pack(code // n, code % n, node_ptr)


@loop
def _both_ways(u: Any, v: Any, n: int) -> Any:
    ptr = np.zeros(n + 1, np.int64)
    ascending = True
    for e in range(u.size):
        ptr[u[e] + 1] += 1
        ptr[v[e] + 1] += 1
        ascending &= u[e] < v[e]
        if e:
            ascending &= u[e - 1] < u[e] or (u[e - 1] == u[e] and v[e - 1] < v[e])
    for i in range(n):
        ptr[i + 1] += ptr[i]
    edges = np.empty((2, 2 * u.size), np.int64)
    at = ptr[:-1].copy()
    for i in range(n):
        edges[0, ptr[i] : ptr[i + 1]] = i
    # With u < v in order, row i gets its lower neighbours while smaller rows are read, and only then its
    # higher ones: it comes out sorted.
    loose = edges[1] if ascending else np.empty(2 * u.size, np.int64)
    for e in range(u.size):
        loose[at[u[e]]] = v[e]
        at[u[e]] += 1
        loose[at[v[e]]] = u[e]
        at[v[e]] += 1
    if not ascending:  # The transpose of a symmetric matrix is itself, and its rows come out sorted.
        at[:] = ptr[:-1]
        for i in range(n):
            for k in range(ptr[i], ptr[i + 1]):
                edges[1, at[loose[k]]] = i
                at[loose[k]] += 1
    return edges, ptr


def both_ways_plain(u: Ints, v: Ints, n: int) -> tuple[Ints, Ints]:
    """The plain numpy twin of the compiled kernel of `pack`."""
    rows, columns = np.concatenate([u, v]), np.concatenate([v, u])
    order = np.lexsort((columns, rows))
    return np.stack([rows[order], columns[order]]), np.searchsorted(rows[order], np.arange(n + 1))
