"""Edge noise (paper A, section 4): a correlated copy of every graph of a set, all at once."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from torch import Tensor

from graphgauge.graphs import GraphError, GraphSet
from graphgauge.perturb.edges import Edges, pack, simple_edges
from graphgauge.perturb.kernels import Ints

Floats = np.ndarray[Any, np.dtype[np.float64]]


class NoiseModel(Protocol):
    """A function of graphs, η, a source of randomness and, as an option, new numbers for the nodes."""

    def __call__(
        self, graphs: GraphSet, noise: float, rng: np.random.Generator, new_id: Tensor | None = None
    ) -> GraphSet: ...


def add_remove(
    graphs: GraphSet, noise: float, rng: np.random.Generator, new_id: Tensor | None = None
) -> GraphSet:
    """Remove each edge with probability η and add as many on average, so that the degree stays.

    A graph with N nodes, m undirected edges and M = N(N−1)/2 node pairs has (paper A, section 4)

        p_remove = η        p_add = η·m / (M − m)

    for every edge and every non-edge on its own. (The paper writes η|E| / (N(N−1) − |E|); the sums balance
    when |E| counts both directions, |E| = 2m.) On average η·m edges go and η·m come.

    Parameters
    ----------
    graphs : GraphSet of simple undirected graphs; columns are dropped
    noise : η in [0, 1)
    rng : source of all randomness
    new_id : (N,) int64, optional: number the nodes of the result anew, as `GraphSet.relabel` does

    Returns
    -------
    GraphSet with the same nodes, edges by (target, source)

    Raises
    ------
    GraphError
        η outside [0, 1); a graph that is not simple and undirected; a graph too dense for η, that is
        η > M/m − 1. A complete graph has bound 0: it cannot gain what it loses.

    >>> cycle = GraphSet.from_edges([[(i, (i + 1) % 50) for i in range(50)]])
    >>> noisy = add_remove(cycle, 0.2, np.random.default_rng(0))
    >>> noisy.num_nodes, 60 < noisy.num_edges < 140
    (50, True)
    """
    return _perturb(graphs, noise, rng, new_id, removes=True)


def add_only(
    graphs: GraphSet, noise: float, rng: np.random.Generator, new_id: Tensor | None = None
) -> GraphSet:
    """Keep every edge and add η·m on average: for graphs of low degree, which must not fall apart.

    p_remove = 0 and p_add = η·m / (M − m), as in `add_remove` (paper A, section 4, for molecules). A complete
    graph has no pair to join and stays as it is; any other graph too dense for η (η > M/m − 1) raises.
    Parameters, result and errors are those of `add_remove`.

    >>> path = GraphSet.from_edges([[(0, 1), (1, 2), (2, 3)]])
    >>> add_only(path, 0.5, np.random.default_rng(0)).num_edges >= path.num_edges
    True
    """
    return _perturb(graphs, noise, rng, new_id, removes=False)


# Name → noise model.
NOISE: dict[str, NoiseModel] = {
    "add-remove": add_remove,
    "add": add_only,
}


def _perturb(
    graphs: GraphSet, noise: float, rng: np.random.Generator, new_id: Tensor | None, *, removes: bool
) -> GraphSet:
    if isinstance(noise, bool) or not isinstance(noise, int | float | np.integer | np.floating):
        raise GraphError(f"the noise level η must be a number, got {noise!r}")
    if not 0 <= noise < 1:
        raise GraphError(f"the noise level η must be at least 0 and below 1, got {noise}")
    edges = simple_edges(graphs)
    probability = addition_probability(np.diff(edges.node_ptr), np.diff(edges.ptr), noise, balance=removes)
    low, high = sample_non_edges(edges, probability, rng)
    keep = np.ones(edges.low.size + low.size, np.bool_)
    if removes:
        keep[darts(np.array([edges.low.size]), np.array([noise]), rng)] = False
    return pack(
        np.concatenate([edges.low, low]),
        np.concatenate([edges.high, high]),
        graphs,
        keep,
        None if new_id is None else new_id.cpu().numpy(),
    )


def addition_probability(nodes: Ints, edges: Ints, noise: float, *, balance: bool = True) -> Floats:
    """p_add = η·m / (M − m) of every graph: (G,); 0 for a graph without edges.

    Parameters
    ----------
    nodes, edges : (G,) nodes N and undirected edges m of each graph
    noise : η
    balance : refuse a complete graph as well (η > 0), since it cannot gain the edges that it loses

    >>> addition_probability(np.array([5, 4, 1]), np.array([4, 0, 0]), 0.25).round(3).tolist()
    [0.167, 0.0, 0.0]
    """
    free = nodes * (nodes - 1) // 2 - edges
    wanted = noise * edges
    # One rounding error of slack: at η = M/m − 1 exactly, every non-edge is added.
    dense = wanted > free * (1 + 1e-12)
    if not balance:
        dense &= free > 0
    if dense.any():
        g = int(dense.argmax())
        n, m = int(nodes[g]), int(edges[g])
        others = int(dense.sum()) - 1
        raise GraphError(
            f"graph {g}: N = {n} nodes and m = {m} edges allow a noise level η up to "
            f"N(N−1)/2m − 1 = {free[g] / m:.6g}, got η = {noise:g}"
            + (f" ({others} more graphs are too dense)" if others else "")
        )
    probability: Floats = np.minimum(wanted / np.maximum(free, 1), 1.0)
    return probability


def darts(sizes: Ints, probability: Floats, rng: np.random.Generator) -> Ints:
    """Positions, some of them repeatedly, such that each of the `sizes` places of segment g is among them
    with probability ``probability[g]``, on its own.

    Throw Poisson(R·λ) darts at the R places of a segment, where λ = −ln(1 − p): the darts on each place are
    Poisson(λ) and independent of the others', so it is hit at least once with probability 1 − exp(−λ) = p.
    Exact, and no place is looked at that is not hit. Positions count through all segments.

    >>> sorted(set(darts(np.array([2, 3]), np.array([1.0, 0.0]), np.random.default_rng(0)).tolist()))
    [0, 1]
    """
    # exp(−40) is below the resolution of a float64 random number: p = 1 stays certain.
    with np.errstate(divide="ignore"):
        rate = np.minimum(-np.log1p(-probability), 40.0)
    hits = rng.poisson(sizes * rate)
    start = np.cumsum(sizes) - sizes
    return np.repeat(start, hits) + rng.integers(0, np.repeat(sizes, hits), dtype=np.int64)


def sample_non_edges(edges: Edges, probability: Floats, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Each non-edge of graph g on its own with probability ``probability[g]``: (low, high), global ids.

    Non-edges are numbered without listing them: number r of a graph is the pair that has r non-edges and
    as many edges before it as have at most r non-edges before them. So k of them cost O(k log m).
    """
    nodes, owned = np.diff(edges.node_ptr), np.diff(edges.ptr)
    free = nodes * (nodes - 1) // 2 - owned
    free_ptr = np.concatenate([[0], np.cumsum(free)])
    rank = np.sort(darts(free, probability, rng))
    rank = rank[np.diff(rank, prepend=-1) > 0]
    owner = np.searchsorted(free_ptr, rank, side="right") - 1
    edges_before = np.searchsorted(edges.before, rank, side="right") - edges.ptr[owner]
    u, v = _pair(rank - free_ptr[owner] + edges_before)
    start = edges.node_ptr[owner]
    return start + u, start + v


def _pair(number: Ints) -> tuple[Ints, Ints]:
    """Pair (u, v), u < v, of number v(v−1)/2 + u."""
    v = ((1 + np.sqrt(1 + 8 * number.astype(np.float64))) / 2).astype(np.int64)
    # The root may be rounded over a whole number.
    v -= v * (v - 1) // 2 > number
    v += v * (v + 1) // 2 <= number
    return number - v * (v - 1) // 2, v
