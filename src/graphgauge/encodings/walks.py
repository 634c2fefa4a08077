"""Random walks: how likely a walk is back where it began, after 1, 2, … steps."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from graphgauge.compiling import Ints, loop, loose_loop
from graphgauge.encodings.checks import width
from graphgauge.encodings.rows import Doubles, Rows, rows_of
from graphgauge.graphs import GraphSet

TOGETHER = 32  # start nodes that walk at once: a row of them fills whole vector registers


def random_walk(graphs: GraphSet, k: int, *, space_dim: float = 0.0, weight: str | None = None) -> Tensor:
    """Probability that a random walk is back at its start after t = 1 … k steps: column t − 1 is diag(P^t).

    P = D⁻¹ A: a step takes each outgoing edge with equal probability, or in proportion to its weight.
    Exact, not sampled. No choice of sign, basis or node order enters, so symmetric nodes get equal rows.

    The walks of `TOGETHER` neighbouring nodes go on at once and stay where they can reach, so the work is
    O(N × k × edges within k / 2 steps) and the memory that of the graph, whatever its size.

    Parameters ----------
    graphs : G graphs of N nodes, directed or not; a self-loop is a step like any other, and an edge that is
        there
        twice counts once
    k : number of columns
    space_dim : column t is multiplied by t^(space_dim / 2), which makes up for the decay in a space of that
        dimension
    weight : edge column of weights, 0 or more, that add up where an edge is there twice; None ignores weights

    Returns
    -------
    (N, k) float64 in [0, 1] (where space_dim is 0); a node without outgoing edges is a row of 0

    Raises
    ------
    GraphError
        for weights that cannot be used and edges that leave their graph
    ValueError
        for k below 1

    Source: Dwivedi et al., Graph Neural Networks with Learnable Structural and Positional Representations,
    ICLR 2022.

    >>> triangle_and_lone_node = GraphSet.from_edges([[(0, 1), (1, 2), (2, 0)]], [4])
    >>> random_walk(triangle_and_lone_node, 3).tolist()[2:]
    [[0.0, 0.5, 0.25], [0.0, 0.0, 0.0]]
    """
    k = width(k)
    rows = rows_of(graphs, weight=weight, loops=True)
    out = np.zeros((rows.nodes, k))
    returns(rows.node_ptr, rows.ptr, rows.neighbour, steps(rows), k if graphs.directed else k // 2, out)
    if space_dim:
        out *= np.arange(1, k + 1) ** (space_dim / 2)
    return torch.from_numpy(out).to(graphs.device)


def steps(rows: Rows) -> Doubles:
    """Probability of the step along every edge, given that the walk is at its source."""
    leaving = np.bincount(rows.neighbour, weights=rows.weight, minlength=rows.nodes)
    return rows.weight / leaving[rows.neighbour] if rows.neighbour.size else rows.weight


@loop
def returns(node_ptr: Ints, ptr: Ints, neighbour: Ints, step: Doubles, distance: int, out: Doubles) -> None:
    """diag(P^t) of every graph. A row of `now` is a node, a column one of the walks.

    Nodes farther than `distance` from a start are left out: no walk is back from there in time.
    """
    largest = 0
    for g in range(node_ptr.size - 1):
        largest = max(largest, node_ptr[g + 1] - node_ptr[g])
    now, after = np.zeros((largest, TOGETHER)), np.zeros((largest, TOGETHER))
    reached, listed = np.empty(largest, dtype=np.int64), np.zeros(largest, dtype=np.bool_)
    for g in range(node_ptr.size - 1):
        low, high = node_ptr[g], node_ptr[g + 1]
        for first in range(low, high, TOGETHER):
            walkers = min(TOGETHER, high - first)
            columns = (walkers + 7) // 8 * 8
            count = reach(first - low, walkers, low, ptr, neighbour, distance, reached, listed)
            for w in range(walkers):
                now[first - low + w, w] = 1.0
            for t in range(out.shape[1]):
                one_step(reached[:count], low, columns, ptr, neighbour, step, now, after)
                now, after = after, now
                for w in range(walkers):
                    out[first + w, t] = now[first - low + w, w]
            for r in reached[:count]:
                now[r] = 0.0
                after[r] = 0.0


@loop
def reach(
    first: int,
    walkers: int,
    low: int,
    ptr: Ints,
    neighbour: Ints,
    distance: int,
    reached: Ints,
    listed: np.ndarray[tuple[int], np.dtype[np.bool_]],
) -> int:
    """Nodes from which a start node is at most `distance` steps away, in `reached`: how many."""
    count = 0
    for i in range(first, first + walkers):
        reached[count], listed[i] = i, True
        count += 1
    done = 0
    for _ in range(distance):
        end = count
        if done == end:
            break
        for r in range(done, end):
            i = low + reached[r]
            for e in range(ptr[i], ptr[i + 1]):
                j = neighbour[e] - low
                if not listed[j]:
                    listed[j] = True
                    reached[count] = j
                    count += 1
        done = end
    for r in range(count):
        listed[reached[r]] = False
    return count


@loose_loop
def one_step(
    reached: Ints,
    low: int,
    columns: int,
    ptr: Ints,
    neighbour: Ints,
    step: Doubles,
    now: Doubles,
    after: Doubles,
) -> None:
    """after_i = Σ over edges j → i of step_ji now_j, at the nodes that matter."""
    for i in reached:
        target = after[i]
        target[:columns] = 0.0
        for e in range(ptr[low + i], ptr[low + i + 1]):
            probability, source = step[e], now[neighbour[e] - low]
            for w in range(columns):
                target[w] += probability * source[w]
