"""NSPDK features: pairs of neighbourhoods at a distance, counted (Costa & De Grave, 2010)."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from graphgauge.compiling import Ints
from graphgauge.descriptors.columns import Array, label_rows
from graphgauge.descriptors.neighbourhoods import ball_numbers, mix_rows, pair_counts
from graphgauge.descriptors.numbers import PairVocabulary
from graphgauge.graphs import GraphError, GraphSet


def nspdk_features(
    graphs: GraphSet,
    *,
    radius: int = 4,
    distance: int = 4,
    labels: str | None = None,
    edge_labels: str | None = None,
    normalise: bool = False,
    vocabulary: PairVocabulary | None = None,
) -> csr_array:
    """Counts of pairs of balls: φ(G)_(r, d, A, B) = pairs of nodes at distance d whose r-balls are A and B.

    The r-ball of a node is the subgraph induced by the nodes at distance ≤ r, with the node marked and all
    labels kept; r runs from 0 to `radius` and d from 0 to `distance`. Every unordered pair is counted once, a
    node with itself at d = 0; nodes of different components are at no distance. The kernel φ(G)·φ(H) is the
    neighbourhood subgraph pairwise distance kernel.

    Balls are compared by colour refinement inside the ball, starting from labels and distances to the marked
    node, until no class splits. Isomorphic balls are always equal; different ones are told apart unless
    refinement cannot do it (a hub joined to a 6-cycle, and to two triangles). The result is a 64-bit number
    made by fixed integer arithmetic (splitmix64), which neither the process nor PYTHONHASHSEED changes. Among
    n different features two share a column with probability about n² / 2⁶⁵: 3·10⁻⁸ for a million of them.
    Costa and De Grave hash distances inside the ball instead, also an invariant that is not complete; the
    code used by paper C folds Python's salted hash into 2¹⁶ columns, so its numbers change from run to run.

    Parameters
    ----------
    radius, distance : the largest r and d; 4 and 4 as in the released code of paper C ("complexity 4")
    labels : a node column of whole numbers (N,) or (N, k), a row being one label; None takes the degree, as
        the released code does where there are no features
    edge_labels : an edge column of the same kind; None has none
    normalise : scale each block (r, d) of a graph to length 1, then the whole row, as the published kernel
    vocabulary : the columns, extended in place: sets described with one are comparable; None starts a new one

    Returns
    -------
    (G, C) sparse, float64; counts, or rows of length 1 with `normalise`. Columns of a fresh vocabulary do not
    depend on the order of graphs or nodes.

    Raises
    ------
    GraphError : a directed set, no such column, a label that is not whole
    ValueError : a negative radius or distance

    Cost: the balls and close pairs of each node; on dense graphs every ball is the whole graph, and radius 1
    or 2 is enough.

    >>> both = GraphSet.from_edges([[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)],
    ...                             [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]])
    >>> nspdk_features(both, radius=0, distance=3).toarray().sum(1).tolist()    # 6 + 6 + 6 + 3, and 6 + 6
    [21.0, 12.0]
    """
    if radius < 0 or distance < 0:
        raise ValueError(f"radius and distance must be 0 or more, got {radius} and {distance}")
    if graphs.directed:
        raise GraphError("NSPDK is defined for undirected graphs, and this set is directed")
    vocabulary = PairVocabulary() if vocabulary is None else vocabulary
    csr = graphs.csr
    ptr, neighbour = csr.ptr.cpu().numpy(), csr.source.cpu().numpy()
    bond = mix_rows(label_rows(graphs, edge_labels, "edge"))[csr.edge.cpu().numpy()]
    balls = ball_numbers(ptr, neighbour, mix_rows(label_rows(graphs, labels)), bond, radius)
    node_ptr = graphs.node_ptr.cpu().numpy()
    offset, number, block, count = pair_counts(node_ptr, ptr, neighbour, balls, distance)
    value = count.astype(np.float64)
    if normalise:
        value = _normalised(value, offset, block, (radius + 1) * (distance + 1))
    column = vocabulary.columns(number)
    features = csr_array((value, column, offset), shape=(graphs.num_graphs, len(vocabulary)))
    features.sort_indices()
    return features


def _normalised(value: Array, offset: Ints, block: Ints, blocks: int) -> Array:
    """Every (graph, block) scaled to length 1, then every graph."""
    graph = np.repeat(np.arange(offset.size - 1), np.diff(offset))
    for group in (graph * blocks + block, graph):
        value = value / np.sqrt(np.bincount(group, weights=value * value))[group]
    return value
