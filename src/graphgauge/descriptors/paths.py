"""Lengths of shortest paths between all pairs of nodes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import torch
from torch import Tensor

from graphgauge.compiling import Ints, loop
from graphgauge.descriptors.histograms import shares
from graphgauge.descriptors.simple import simple_rows
from graphgauge.graphs import GraphError, GraphSet


def path_length_histogram(
    graphs: GraphSet, *, max_length: int | None = None, normalise: bool = True
) -> Tensor:
    """Share of the pairs of nodes of each graph that are 1, 2, … steps apart; last, of those with no path.

    Parameters
    ----------
    max_length : the longest length with a column; None takes the longest of the set. Two sets are compared
        column by column, so both need the same number, or one call on both together
    normalise : False gives counts of unordered pairs, which sum to n (n − 1) / 2

    Returns
    -------
    (G, max_length + 1) float64, rows that sum to 1; column k is length k + 1, the last column pairs in
    different components. A graph of fewer than two nodes is a row of 0

    Raises
    ------
    GraphError
        for a length above `max_length`, naming the graph, and for graphs that are not simple and undirected

    Cost: one breadth-first search from every node, O(n m) a graph at worst. A search stops when it has met
    every node, and looks from the nodes not yet met where that is shorter, so dense graphs cost O(n²).

    >>> path_length_histogram(GraphSet.from_edges([[(0, 1), (1, 2)]], [4]), normalise=False).tolist()
    [[2.0, 1.0, 3.0]]
    """
    pairs, widest = _lengths(graphs)
    longest = int(widest.max(initial=0))
    last = longest if max_length is None else max_length
    if last < longest:
        g = int(widest.argmax())
        raise GraphError(f"graph {g} has a shortest path of length {longest}, above max_length={max_length}")
    counts = np.zeros((len(graphs), last + 1))
    width = min(last, pairs.shape[1])
    counts[:, :width] = pairs[:, :width]
    n = graphs.nodes_per_graph.cpu().numpy()
    counts[:, last] = n * (n - 1) // 2 - pairs.sum(1)
    out = torch.from_numpy(counts).to(graphs.device)
    return shares(out) if normalise else out


def diameter(graphs: GraphSet) -> Tensor:
    """Length of the longest shortest path of each graph: (G, 1) float64.

    Pairs without a path are left out, so a graph in pieces has the largest diameter of its pieces; graphs
    without edges have 0. The cost is that of `path_length_histogram`.

    >>> diameter(GraphSet.from_edges([[(0, 1), (1, 2), (3, 4)], []], [5, 1])).tolist()
    [[2.0], [0.0]]
    """
    return torch.from_numpy(_lengths(graphs)[1]).to(graphs.device, torch.float64)[:, None]


def _lengths(graphs: GraphSet) -> tuple[Ints, Ints]:
    """Unordered pairs at each length from 1 (G, longest), and the longest length of each graph (G,)."""
    node_ptr, ptr, neighbour = simple_rows(graphs)
    flat, offset = path_lengths(node_ptr, ptr, neighbour)
    longest = np.diff(offset)
    pairs = np.zeros((len(graphs), int(longest.max(initial=0))), np.int64)
    row = np.repeat(np.arange(len(graphs)), longest)
    pairs[row, np.arange(flat.size) - offset[row]] = flat
    return pairs, longest


@loop
def path_lengths(node_ptr: Ints, ptr: Ints, neighbour: Ints) -> tuple[Ints, Ints]:
    """Pairs at length 1, 2, … of one graph after another, and where each graph's lengths start (G+1,)."""
    graphs = node_ptr.size - 1
    offset = np.zeros(graphs + 1, np.int64)
    flat = np.empty(ptr.size - 1, np.int64)  # a graph of n nodes has fewer than n lengths
    for g in range(graphs):
        low, high = node_ptr[g], node_ptr[g + 1]
        found = np.zeros(high - low + 1, np.int64)
        length = np.empty(high - low, np.int64)
        queue = np.empty(high - low, np.int64)
        for i in range(low, high):
            _search(i, low, ptr, neighbour, length, queue, found)
        longest = 0
        while longest + 1 < found.size and found[longest + 1]:
            flat[offset[g] + longest] = found[longest + 1] // 2
            longest += 1
        offset[g + 1] = offset[g] + longest
    return flat[: offset[graphs]], offset


@loop
def _search(start: int, low: int, ptr: Ints, neighbour: Ints, length: Ints, queue: Ints, found: Ints) -> None:
    """Breadth-first search from one node: adds to `found` how many nodes are how far away."""
    n = length.size
    length[:] = -1
    length[start - low] = 0
    queue[0] = start
    first, end, step = 0, 1, 0
    away = ptr[low + n] - ptr[low] - (ptr[start + 1] - ptr[start])  # ends of edges at nodes not met
    while first < end and end < n:
        last = end
        step += 1
        ahead = 0
        for q in range(first, last):
            ahead += ptr[queue[q] + 1] - ptr[queue[q]]
        if 8 * ahead <= away + n:  # from the nodes met last
            for q in range(first, last):
                for e in range(ptr[queue[q]], ptr[queue[q] + 1]):
                    j = neighbour[e]
                    if length[j - low] < 0:
                        length[j - low] = step
                        queue[end] = j
                        end += 1
        else:  # from the nodes not met: each stops at its first neighbour that was met last
            for j in range(low, low + n):
                if length[j - low] < 0:
                    for e in range(ptr[j], ptr[j + 1]):
                        if length[neighbour[e] - low] == step - 1:
                            length[j - low] = step
                            queue[end] = j
                            end += 1
                            break
        for q in range(last, end):
            away -= ptr[queue[q] + 1] - ptr[queue[q]]
        found[step] += end - last
        first = last


def path_lengths_plain(node_ptr: Ints, ptr: Ints, neighbour: Ints) -> tuple[Ints, Ints]:
    """The twin of `path_lengths` in plain NumPy, by products of matrices."""
    listed = [np.zeros(0, np.int64)]
    for low, high in pairwise(node_ptr):
        row = np.repeat(np.arange(low, high), np.diff(ptr[low : high + 1])) - low
        A = np.zeros((high - low, high - low), bool)
        A[row, neighbour[ptr[low] : ptr[high]] - low] = True
        met, pairs = np.eye(high - low, dtype=bool), []
        while (new := (met.astype(float) @ A > 0) & ~met).any():
            pairs.append(int(new.sum()) // 2)
            met |= new
        listed.append(np.array(pairs, np.int64))
    return np.concatenate(listed), np.cumsum([part.size for part in listed])
