"""Stochastic block models with blocks of random sizes, in one compiled pass over all pairs of nodes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from graphgauge.compiling import loop
from graphgauge.datasets.packing import Ints, pack
from graphgauge.graphs import GraphSet

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Edges = NDArray[np.int32]
Columns = dict[str, Ints]
NO_PATTERN = np.zeros((0, 0, 0), np.bool_)


def place(rng: np.random.Generator, counts: Ints) -> tuple[Ints, Ints, Ints]:
    """Nodes of all graphs in random order: the block of each, its number in the block, and the pointers.

    Parameters
    ----------
    counts : (G, K) nodes of every block of every graph

    >>> block, number, ptr = place(np.random.default_rng(0), np.array([[2, 1]]))
    >>> sorted(zip(block.tolist(), number.tolist())), ptr.tolist()
    ([(0, 0), (0, 1), (1, 0)], [0, 3])
    """
    graphs, blocks = counts.shape
    node_ptr = np.concatenate([[0], np.cumsum(counts.sum(1))])
    sizes = counts.reshape(-1)
    block = np.repeat(np.tile(np.arange(blocks), graphs), sizes)
    number = np.arange(block.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    order = shuffle(rng, node_ptr)
    return block[order], number[order], node_ptr


def shuffle(rng: np.random.Generator, node_ptr: Ints) -> Ints:
    """A random order of the nodes inside every graph: old global ids, graph after graph, (N,).

    >>> shuffle(np.random.default_rng(0), np.array([0, 1, 2])).tolist()
    [0, 1]
    """
    graph = np.repeat(np.arange(node_ptr.size - 1), np.diff(node_ptr))
    return np.argsort(graph + rng.random(graph.size), kind="stable")


def block_edges(
    rng: np.random.Generator,
    node_ptr: Ints,
    block: Ints,
    chance: Floats,
    *,
    number: Ints | None = None,
    patterns: Bools = NO_PATTERN,
    pattern: Ints | None = None,
) -> Edges:
    """Edges u < v, (2, E) int32, of graphs in which a pair of nodes is joined with the chance of its blocks.

    Parameters
    ----------
    node_ptr : (G+1,)
    block : (N,) block of every node
    chance : (K, K) symmetric
    number : (N,) number of the node in its block, where there are patterns
    patterns : (P, s, s) symmetric; where there are some, the last block is no random graph but one of them
    pattern : (G,) which one
    """
    sizes = np.diff(node_ptr)
    pairs = int((sizes * (sizes - 1) // 2).sum())
    # Twelve standard deviations above the mean of the densest case, and the edges of the patterns.
    fixed = int(patterns.sum(axis=(1, 2)).max(initial=0)) // 2 * sizes.size
    room = math.ceil(pairs * float(chance.max()) + 12 * math.sqrt(pairs)) + fixed
    none = np.zeros(0, np.int64)
    edges, count = _pairs(
        rng, node_ptr, block, chance, none if number is None else number, patterns,
        none if pattern is None else pattern, min(room, pairs),
    )  # fmt: skip
    assert count <= edges.shape[1], "more edges than room"
    return edges[:, :count]  # type: ignore[no-any-return]


def joined(parts: list[tuple[Edges, Ints, Columns]]) -> GraphSet:
    """One set of the graphs of several parts (edges, node pointers, node columns), packed at once.

    A full set is gigabytes of edges: parts give theirs as half-sized numbers, and no part is packed alone.
    """
    offsets = np.cumsum([0] + [ptr[-1] for _, ptr, _ in parts])
    node_ptr = np.concatenate(
        [[0], *(ptr[1:] + first for (_, ptr, _), first in zip(parts, offsets, strict=False))]
    )
    u, v = np.concatenate(
        [edges + np.int32(first) for (edges, _, _), first in zip(parts, offsets, strict=False)], axis=1
    )
    columns = {name: np.concatenate([part[name] for _, _, part in parts]) for name in parts[0][2]}
    node = {name: torch.from_numpy(values) for name, values in columns.items()}
    return pack(u, v, node_ptr).with_columns(node=node)


@loop
def _pairs(
    rng: Any, node_ptr: Any, block: Any, chance: Any, number: Any, patterns: Any, pattern: Any, room: int
) -> Any:
    edges = np.empty((2, room), np.int32)
    count = 0
    last = chance.shape[0] - 1
    fixed = patterns.shape[0] > 0
    for g in range(node_ptr.size - 1):
        for i in range(node_ptr[g], node_ptr[g + 1]):
            for j in range(i + 1, node_ptr[g + 1]):
                if fixed and block[i] == last and block[j] == last:
                    joined = patterns[pattern[g], number[i], number[j]]
                else:
                    joined = rng.random() < chance[block[i], block[j]]
                if joined:
                    if count < room:
                        edges[0, count], edges[1, count] = i, j
                    count += 1
    return edges, count
