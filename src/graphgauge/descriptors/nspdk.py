"""NSPDK features: pairs of neighbourhoods at a distance, counted (Costa & De Grave, 2010)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_array

from graphgauge.compiling import Ints
from graphgauge.descriptors.columns import Array, label_rows
from graphgauge.descriptors.neighbourhoods import (
    ball_numbers,
    close_pairs,
    mix_rows,
    pair_counts,
    row_words,
)
from graphgauge.descriptors.numbers import PairVocabulary, Words
from graphgauge.graphs import GraphSet
from graphgauge.graphs.errors import GraphError, TooLargeError

BYTES = 80  # of memory for an entry, most of them for its column where no other graph has it
ROOM = 1 << 22  # entries that graphs described at once may have; more where one graph needs more


def nspdk_features(
    graphs: GraphSet,
    *,
    radius: int = 4,
    distance: int = 4,
    labels: str | None = None,
    edge_labels: str | None = None,
    normalise: bool = False,
    vocabulary: PairVocabulary | None = None,
    most: float = 10**8,
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
    most : refuse before counting if the set may have more entries than this, by its pairs of nodes at a
        distance ≤ `distance`; an entry takes up to 80 bytes

    Returns
    -------
    (G, C) sparse, float64; counts, or rows of length 1 with `normalise`. Columns of a fresh vocabulary do not
    depend on the order of graphs or nodes.

    Raises
    ------
    GraphError : a directed set, no such column, a label that is not whole
    TooLargeError : a set that may have more than `most` entries, naming the graph that may have the most
    ValueError : a negative radius or distance

    Cost: the balls and close pairs of each node; nodes of one label with the same neighbours (leaves of a
    star) share their balls. On dense graphs every ball is the whole graph, and radius 1 or 2 is enough.

    >>> both = GraphSet.from_edges([[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)],
    ...                             [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]])
    >>> nspdk_features(both, radius=0, distance=3).toarray().sum(1).tolist()    # 6 + 6 + 6 + 3, and 6 + 6
    [21.0, 12.0]
    """
    if radius < 0 or distance < 0:
        raise ValueError(f"radius and distance must be 0 or more, got {radius} and {distance}")
    if graphs.directed:
        raise GraphError(
            "NSPDK is defined for undirected graphs, and this set is directed; make it with "
            'directed="symmetrise"'
        )
    vocabulary = PairVocabulary() if vocabulary is None else vocabulary
    csr = graphs.csr
    node_ptr = graphs.node_ptr.cpu().numpy()
    ptr, neighbour = csr.ptr.cpu().numpy(), csr.source.cpu().numpy()
    label = mix_rows(label_rows(graphs, labels))
    bond = mix_rows(label_rows(graphs, edge_labels, "edge"))[csr.edge.cpu().numpy()]
    owner = np.repeat(np.arange(graphs.num_graphs), np.diff(node_ptr))
    like = _first_of(row_words(owner, ptr, neighbour, label, bond))
    caps = [_pairs_of_kinds(owner, kind, graphs.num_graphs) for kind in (_first_of(label), like)]
    pairs = close_pairs(node_ptr, ptr, neighbour, distance, radius, caps[1], most)
    at_0, beyond = (np.minimum(pairs, cap[:, None]).sum(1) for cap in caps)
    entries = at_0 + radius * beyond
    _refuse_too_many(entries, most, graphs)
    balls = ball_numbers(ptr, neighbour, label, bond, radius, like)
    old, index = len(vocabulary), np.int32 if len(vocabulary) + entries.sum() < 2**31 else np.int64
    offsets, values, columns = [np.zeros(1, index)], [np.zeros(0)], [np.zeros(0, index)]
    for part in _parts(entries):
        bounds = node_ptr[part.start : part.stop + 1]
        offset, number, block, count = pair_counts(bounds, ptr, neighbour, balls, pairs[part])
        value = count.astype(np.float64)
        if normalise:
            value = _normalised(value, offset, block, (radius + 1) * (distance + 1))
        offsets.append((offsets[-1][-1] + offset[1:]).astype(index))
        values.append(value)
        columns.append(vocabulary.enter(number).astype(index))
    vocabulary.settle(old, columns)
    value, column, offset = np.concatenate(values), np.concatenate(columns), np.concatenate(offsets)
    features = csr_array((value, column, offset), shape=(graphs.num_graphs, len(vocabulary)))
    features.sort_indices()
    return features


def _first_of(key: Words) -> Ints:
    """The first place of every number."""
    _, first, group = np.unique(key, return_index=True, return_inverse=True)
    return np.asarray(first[group], dtype=np.int64)


def _pairs_of_kinds(owner: Ints, kind: Ints, graphs: int) -> Ints:
    """Unordered pairs of different or equal kinds among each graph's nodes: (G,)."""
    alone = np.unique(owner * (kind.max(initial=0) + 1) + kind, return_index=True)[1]
    kinds = np.bincount(owner[alone], minlength=graphs)
    return np.asarray(kinds * (kinds + 1) // 2)


def _refuse_too_many(entries: Ints, most: float, graphs: GraphSet) -> None:
    if entries.sum() > most:
        g = int(entries.argmax())
        raise TooLargeError(
            f"graph {g} with its {int(graphs.nodes_per_graph[g])} nodes may have {entries[g]:.2g} NSPDK "
            f"entries or more, and the set more than most={most:.2g}, {most * BYTES / 1e9:.2g} GB in all; "
            "take a smaller radius or distance or fewer graphs, or raise most"
        )


def _parts(entries: Ints) -> Iterator[slice]:
    """Graphs that follow one another, with no more entries together than `ROOM`, or one graph."""
    start, room = 0, 0
    for g, more in enumerate(entries.tolist()):
        if room + more > ROOM and g > start:
            yield slice(start, g)
            start, room = g, 0
        room += more
    if start < entries.size:
        yield slice(start, entries.size)


def _normalised(value: Array, offset: Ints, block: Ints, blocks: int) -> Array:
    """Every (graph, block) scaled to length 1, then every graph."""
    graph = np.repeat(np.arange(offset.size - 1), np.diff(offset))
    for group in (graph * blocks + block, graph):
        value = value / np.sqrt(np.bincount(group, weights=value * value))[group]
    return value
