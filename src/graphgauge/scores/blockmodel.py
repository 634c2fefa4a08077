"""Stochastic block models: the blocks of a graph, and whether it looks like a draw with given chances.

Blocks are found by minimum description length for a simple graph without degree correction: with n nodes in B
blocks of n_r nodes, M_rs pairs and e_rs edges between blocks r and s,

    L = ln n + ln C(n−1, B−1) + ln(n! / Π_r n_r!) + Σ_{r≤s} ln((M_rs + 1) C(M_rs, e_rs)),

in nats: the number of blocks, their sizes, their nodes, the numbers of edges between them and which pairs
those are (Peixoto, Phys. Rev. E 95, 2017, for the principle). The search is deterministic.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor

from graphgauge.compiling import Ints, loop
from graphgauge.graphs import GraphError, GraphSet
from graphgauge.graphs.convert_edges import refuse_duplicates

Array = np.ndarray[Any, Any]
_SMALLEST_GAIN = 1e-9  # nats; less is rounding


def is_block_model(
    graphs: GraphSet,
    *,
    p_in: float = 0.3,
    p_out: float = 0.005,
    blocks: tuple[int, int] = (2, 5),
    sizes: tuple[int, int] = (20, 40),
    least: float = 0.9,
) -> Tensor:
    """Whether each graph looks like a draw from a block model with given chances: (G,) bool.

    The published test (Martinkus et al., SPECTRE, ICML 2022, section 5, and the code after it): fit blocks;
    their number and all their sizes must be in range; then for each block and each ordered pair of blocks the
    share of pairs of nodes that are edges, p̂, gives W = (p̂ − p)² / (p̂ (1 − p̂) + 10⁻⁶) with p = `p_in` or
    `p_out`, and the mean over all of 1 − F(W), F the χ² distribution with one degree of freedom, must exceed
    `least`. W is a Wald statistic for one pair of nodes: it is not multiplied by their number, so the test
    compares shares and does not get sharper in larger blocks. A pair of blocks without any edge has W = 25 by
    default and costs its whole part of the mean, so the test refuses some true draws: of draws with the
    default chances, 2 to 5 blocks and 20 to 40 nodes in each, it accepts 92 %.

    Published code fits a degree-corrected model by graph-tool's Markov chain, which is random; here blocks
    are those of `blocks_of`, and the same graph has the same answer. Isolated nodes belong to blocks like
    others.

    Parameters
    ----------
    p_in, p_out : chances of an edge inside a block and between two
    blocks : smallest and largest number of blocks
    sizes : smallest and largest number of nodes of a block
    least : the mean must be larger; between 0 and 1

    >>> five = [(i, j) for i in range(5) for j in range(i)]
    >>> two = [*five, *[(i + 5, j + 5) for i, j in five], (0, 5)]
    >>> is_block_model(GraphSet.from_edges([two, five]), p_in=1, p_out=0.04, sizes=(5, 5)).tolist()
    [True, False]
    """
    for name, value in (("p_in", p_in), ("p_out", p_out), ("least", least)):
        if not 0 <= value <= 1:
            raise ValueError(f"{name} must be between 0 and 1, got {value}")
    for name, (low, high) in (("blocks", blocks), ("sizes", sizes)):
        if not 1 <= low <= high:
            raise ValueError(f"{name} must be two numbers, 1 ≤ smallest ≤ largest, got ({low}, {high})")
    n = graphs.nodes_per_graph.cpu()
    out = (n >= blocks[0] * sizes[0]) & (n <= blocks[1] * sizes[1])  # others cannot be divided so
    for g in out.nonzero()[:, 0].tolist():
        one = graphs[g].structure()
        counts, edges = _counted(one, blocks_of(one).numpy())
        fits = blocks[0] <= counts.size <= blocks[1] and sizes[0] <= counts.min() <= counts.max() <= sizes[1]
        out[g] = bool(fits) and _mean_p(counts, edges, p_in, p_out) > least
    return out


def blocks_of(graphs: GraphSet) -> Tensor:
    """Block of every node, by minimum description length (see the head of this file): (N,) int64.

    The search starts from communities (greedy modularity, short random walks) and from one block. It moves
    single nodes, merges blocks and splits them in two as long as the description gets shorter, and keeps the
    shortest. A local optimum: no promise that no shorter one exists.

    Returns
    -------
    (N,) int64, numbered 0, 1, … inside each graph in the order of their first nodes

    >>> two_triangles = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]
    >>> blocks_of(GraphSet.from_edges([two_triangles])).tolist()
    [0, 0, 0, 1, 1, 1]
    """
    if graphs.directed:
        raise GraphError("the set is marked directed; block models are fitted to undirected graphs")
    refuse_duplicates(graphs, "block models are fitted to simple graphs")
    loops = graphs.edge_index[0] == graphs.edge_index[1]
    if loops.any():
        g = int(graphs.edge_batch[loops][0])
        raise GraphError(f"graph {g} has a self-loop; block models are fitted to simple graphs")
    found = [_best(one) for one in graphs.structure() if one.num_nodes]
    return torch.from_numpy(np.concatenate([np.zeros(0, dtype=np.int64), *found]))


def description_length(graph: GraphSet, block: Tensor) -> float:
    """L of one graph in nats, for given blocks of its nodes (N,).

    >>> description_length(GraphSet.from_edges([[(0, 1)]]), torch.tensor([0, 0]))  # ln 2 + ln 2
    1.3862943611198906
    """
    counts, edges = _counted(graph, np.unique(block.numpy(), return_inverse=True)[1])
    return float(_length(counts, edges, _log_factorials(graph.num_nodes)))


# ── the published test ─────────────────────────────────────────────────────────────────────────────────────


def _counted(graph: GraphSet, block: Array) -> tuple[Array, Array]:
    """Nodes of each block (B,) and edges between blocks (B, B); inside a block each edge once."""
    b = int(block.max(initial=-1)) + 1
    source, target = graph.edge_index.numpy()
    edges = np.bincount(block[source] * b + block[target], minlength=b * b).reshape(b, b)
    edges[np.diag_indices(b)] //= 2
    return np.bincount(block, minlength=b), edges.astype(np.int64)


def _mean_p(counts: Array, edges: Array, p_in: float, p_out: float) -> float:
    from scipy.stats import chi2

    pairs = np.outer(counts, counts)
    pairs[np.diag_indices(counts.size)] = counts * (counts - 1) // 2
    expected = np.where(np.eye(counts.size, dtype=bool), p_in, p_out)
    share = edges / np.maximum(pairs, 1)
    wald = (share - expected) ** 2 / (share * (1 - share) + 1e-6)
    return float(chi2.sf(wald, 1).mean())


# ── the search ─────────────────────────────────────────────────────────────────────────────────────────────


def _best(graph: GraphSet) -> Array:
    """Blocks of one graph, (n,)."""
    logs = _log_factorials(graph.num_nodes)
    csr = graph.csr
    ptr, neighbour = csr.ptr.numpy(), csr.source.numpy()
    tried = [_refined(graph, ptr, neighbour, start, logs) for start in _starts(graph)]
    block = min(tried, key=lambda found: found[0])[1]
    first = np.unique(block, return_index=True)[1]
    rank = np.empty(first.size, dtype=np.int64)
    rank[np.argsort(first)] = np.arange(first.size)
    ordered: Array = rank[block]
    return ordered


def _starts(graph: GraphSet) -> list[Array]:
    import igraph

    n = graph.num_nodes
    source, target = graph.edge_index.numpy()
    once = source < target
    listed = list(zip(source[once].tolist(), target[once].tolist(), strict=True))
    starts = [np.zeros(n, dtype=np.int64)]
    if listed:
        net = igraph.Graph(n=n, edges=listed)
        found = (net.community_fastgreedy(), net.community_walktrap())
        starts += [np.array(f.as_clustering().membership, dtype=np.int64) for f in found]
    return starts


def _refined(graph: GraphSet, ptr: Array, neighbour: Array, block: Array, logs: Array) -> tuple[float, Array]:
    """Moves and merges, then splits one at a time, until nothing gets shorter."""
    length, block = _settled(ptr, neighbour, block, logs)
    while True:
        for split in _splits(graph, block):
            other_length, other = _settled(ptr, neighbour, split, logs)
            if other_length < length - _SMALLEST_GAIN:
                length, block = other_length, other
                break
        else:
            return length, block


def _settled(ptr: Array, neighbour: Array, block: Array, logs: Array) -> tuple[float, Array]:
    block = np.unique(block, return_inverse=True)[1].astype(np.int64)
    length = settle(ptr, neighbour, block, logs)
    return float(length), np.unique(block, return_inverse=True)[1].astype(np.int64)


def _splits(graph: GraphSet, block: Array) -> Iterator[Array]:
    """The blocks with one of them split in two: by the second eigenvector of its Laplacian, which parts
    communities, and by the lowest of its adjacency matrix, which parts nodes that are joined to each other.
    """
    source, target = graph.edge_index.numpy()
    for r in range(int(block.max()) + 1):
        inside = np.flatnonzero(block == r)
        if inside.size < 2:
            continue
        place = np.full(graph.num_nodes, -1)
        place[inside] = np.arange(inside.size)
        kept = (block[source] == r) & (block[target] == r)
        adjacency = np.zeros((inside.size, inside.size))
        adjacency[place[source[kept]], place[target[kept]]] = 1
        second = np.linalg.eigh(np.diag(adjacency.sum(axis=1)) - adjacency)[1][:, 1]
        lowest = np.linalg.eigh(adjacency)[1][:, 0]
        for apart in (second > np.median(second), lowest > 0):
            split = block.copy()
            split[inside[apart]] = int(block.max()) + 1
            yield split


def _log_factorials(n: int) -> Array:
    """ln 0!, ln 1!, …, up to the number of pairs of n nodes and one more."""
    most = max(n * n // 4, n * (n - 1) // 2, n) + 2
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, most + 1)))])


@loop
def settle(ptr: Ints, neighbour: Ints, block: Ints, logs: Array) -> float:
    """Move single nodes and merge blocks while L falls; `block` is changed in place, L returned.

    A node goes to the block, also a new one, where L is smallest; sweeps go on until no node moves, then the
    best merge is made, and so on.
    """
    n = block.size
    b = block.max() + 2  # one more that is empty
    counts, edges = _tables(ptr, neighbour, block, b)
    while True:
        moved = True
        while moved:
            moved = False
            for i in range(n):
                if counts[b - 1] > 0:
                    b += 1
                    counts, edges = _tables(ptr, neighbour, block, b)
                if _move(ptr, neighbour, block, counts, edges, i, logs):
                    moved = True
        if not _merge(block, counts, edges, logs):
            return float(_length(counts, edges, logs))


@loop
def _tables(ptr: Ints, neighbour: Ints, block: Ints, b: int) -> tuple[Ints, Ints]:
    counts = np.zeros(b, dtype=np.int64)
    edges = np.zeros((b, b), dtype=np.int64)
    for i in range(block.size):
        counts[block[i]] += 1
        for e in range(ptr[i], ptr[i + 1]):
            edges[block[i], block[neighbour[e]]] += 1
    for r in range(b):
        edges[r, r] //= 2
    return counts, edges


@loop
def _pair(counts: Ints, edges: Ints, r: int, s: int, logs: Array) -> float:
    """ln((M + 1) C(M, e)) of the pairs of nodes of two blocks, or of one."""
    pairs = counts[r] * (counts[r] - 1) // 2 if r == s else counts[r] * counts[s]
    part: float = logs[pairs + 1] - logs[edges[r, s]] - logs[pairs - edges[r, s]]
    return part


@loop
def _rows(counts: Ints, edges: Ints, r: int, s: int, logs: Array) -> float:
    """All parts of L that depend on the nodes of two blocks, the number of blocks apart."""
    total: float = _pair(counts, edges, r, s, logs) - logs[counts[r]] - logs[counts[s]]
    total += _pair(counts, edges, r, r, logs) + _pair(counts, edges, s, s, logs)
    for t in range(counts.size):
        if t != r and t != s and counts[t] > 0:
            total += _pair(counts, edges, r, t, logs) + _pair(counts, edges, s, t, logs)
    return total


@loop
def _number_of_blocks(counts: Ints, logs: Array) -> float:
    """ln C(n−1, B−1) for the blocks that have nodes."""
    n, b = counts.sum(), 0
    for r in range(counts.size):
        b += counts[r] > 0
    part: float = logs[n - 1] - logs[b - 1] - logs[n - b]
    return part


@loop
def _length(counts: Ints, edges: Ints, logs: Array) -> float:
    n = counts.sum()
    total: float = math.log(n) + _number_of_blocks(counts, logs) + logs[n]
    for r in range(counts.size):
        total -= logs[counts[r]]
        for s in range(r, counts.size):
            total += _pair(counts, edges, r, s, logs)
    return total


@loop
def _shift(counts: Ints, edges: Ints, degree: Ints, r: int, s: int) -> None:
    """Take a node with `degree` (B,) neighbours in each block from block r to block s."""
    for t in range(counts.size):
        if t != r and t != s:
            edges[r, t] -= degree[t]
            edges[t, r] -= degree[t]
            edges[s, t] += degree[t]
            edges[t, s] += degree[t]
    edges[r, r] -= degree[r]
    edges[s, s] += degree[s]
    edges[r, s] += degree[r] - degree[s]
    edges[s, r] = edges[r, s]
    counts[r] -= 1
    counts[s] += 1


@loop
def _move(ptr: Ints, neighbour: Ints, block: Ints, counts: Ints, edges: Ints, i: int, logs: Array) -> bool:
    """Put node i where L is smallest; True where it moved."""
    degree = np.zeros(counts.size, dtype=np.int64)
    for e in range(ptr[i], ptr[i + 1]):
        degree[block[neighbour[e]]] += 1
    home = block[i]
    best, gain, empty_tried = home, _SMALLEST_GAIN, False
    for s in range(counts.size):
        if s == home or (counts[s] == 0 and (empty_tried or counts[home] == 1)):
            continue
        empty_tried = empty_tried or counts[s] == 0
        before = _rows(counts, edges, home, s, logs) + _number_of_blocks(counts, logs)
        _shift(counts, edges, degree, home, s)
        after = _rows(counts, edges, home, s, logs) + _number_of_blocks(counts, logs)
        _shift(counts, edges, degree, s, home)
        if before - after > gain:
            best, gain = s, before - after
    if best == home:
        return False
    _shift(counts, edges, degree, home, best)
    block[i] = best
    return True


@loop
def _merge(block: Ints, counts: Ints, edges: Ints, logs: Array) -> bool:
    """Merge the two blocks whose union makes L shortest; False where no union makes it shorter."""
    now = _length(counts, edges, logs)
    best_r, best_s, best = -1, -1, now - _SMALLEST_GAIN
    for r in range(counts.size):
        for s in range(r):
            if counts[r] == 0 or counts[s] == 0:
                continue
            n, e = _merged(counts, edges, r, s)
            length = _length(n, e, logs)
            if length < best:
                best_r, best_s, best = r, s, length
    if best_r < 0:
        return False
    n, e = _merged(counts, edges, best_r, best_s)
    counts[:] = n
    edges[:] = e
    for i in range(block.size):
        if block[i] == best_r:
            block[i] = best_s
    return True


@loop
def _merged(counts: Ints, edges: Ints, r: int, s: int) -> tuple[Ints, Ints]:
    """Tables with the nodes of block r in block s."""
    n, e = counts.copy(), edges.copy()
    e[s, s] += e[r, r] + e[r, s]
    for t in range(counts.size):
        if t != r and t != s:
            e[s, t] += e[r, t]
            e[t, s] = e[s, t]
    e[r, :] = 0
    e[:, r] = 0
    n[s] += n[r]
    n[r] = 0
    return n, e
