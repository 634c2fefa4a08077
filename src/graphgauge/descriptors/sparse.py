"""What the counting descriptors share: columns that mean the same in every set, lengths and means of rows."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse import csr_array, diags_array

from graphgauge.descriptors.encoder import batches
from graphgauge.graphs import GraphSet

Array = np.ndarray[Any, Any]


@dataclass(eq=False)
class Vocabulary:
    """Which column counts what: keys → 0, 1, … in the order of their coming; it grows, and never renumbers.

    Features made with the same vocabulary are comparable. A set described early has fewer columns than one
    described late; the missing ones are zeros, and `widened` adds them.

    >>> v = Vocabulary()
    >>> v.columns([b"a", b"b"]).tolist(), v.columns([b"b", b"c"]).tolist(), len(v)
    ([0, 1], [1, 2], 3)
    """

    column: dict[Hashable, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.column)

    def columns(self, keys: Sequence[Hashable]) -> Array:
        """Column of every key: (len(keys),) int64; unknown keys get the next free columns, in their order."""
        column = self.column
        found = (column.setdefault(key, len(column)) for key in keys)
        return np.fromiter(found, dtype=np.int64, count=len(keys))


def widened(features: csr_array, columns: int) -> csr_array:
    """The same rows with zero columns added up to `columns`; no entry is copied.

    >>> widened(csr_array(np.eye(2)), 3).shape
    (2, 3)
    """
    if features.shape[1] > columns:
        raise ValueError(f"features with {features.shape[1]} columns cannot be widened to {columns}")
    entries = (features.data, features.indices, features.indptr)
    return csr_array(entries, shape=(features.shape[0], columns))


def unit_rows(features: csr_array) -> csr_array:
    """Rows scaled to Euclidean length 1, so that their products are normalised kernels; zero rows stay zero.

    >>> unit_rows(csr_array([[0.0, 4.0], [0.0, 0.0]])).toarray().tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """
    length = np.sqrt(np.asarray(features.multiply(features).sum(axis=1), dtype=np.float64).reshape(-1))
    scale = np.divide(1.0, length, out=np.zeros_like(length), where=length > 0)
    return csr_array(diags_array(scale) @ features)


def mean_features(features: csr_array) -> Array:
    """Mean of the rows: (d,) float64. All that a linear-kernel MMD needs: MMD² = ‖mean φ_G − mean φ_R‖².

    This is the biased estimate (a V-statistic, never negative) in time linear in the number of graphs. The
    unbiased one leaves out the pairs of a graph with itself: replace ‖mean‖² of a side of n graphs by
    (n ‖mean‖² − mean of ‖φ_i‖²) / (n − 1).

    Raises
    ------
    ValueError : there is no row, so there is no mean

    >>> mean_features(csr_array([[1.0, 0.0], [0.0, 1.0]])).tolist()
    [0.5, 0.5]
    """
    if features.shape[0] == 0:
        raise ValueError("an empty set of graphs has no mean features")
    total: Array = np.asarray(features.sum(axis=0), dtype=np.float64).reshape(-1)
    return total / float(features.shape[0])


def mean_in_parts(
    graphs: GraphSet, describe: Callable[[GraphSet], csr_array], *, batch_nodes: int = 65_536
) -> Array:
    """`mean_features(describe(graphs))`, describing some graphs at a time: memory does not grow with the set.

    `describe` must name its columns with one vocabulary throughout.

    >>> from functools import partial
    >>> from graphgauge.descriptors import nspdk_features, PairVocabulary
    >>> graphs = GraphSet.from_edges([[(0, 1)], [(0, 1), (1, 2)]])
    >>> describe = partial(nspdk_features, radius=0, distance=1, vocabulary=PairVocabulary())
    >>> float(mean_in_parts(graphs, describe, batch_nodes=2).sum())    # (2 + 1 and 3 + 2 pairs) / 2
    4.0
    """
    if not len(graphs):
        raise ValueError("an empty set of graphs has no mean features")
    total = np.zeros(0)
    for part in batches(graphs, batch_nodes):
        features = describe(part)
        total = np.pad(total, (0, max(0, features.shape[1] - total.size)))
        total[: features.shape[1]] += len(part) * mean_features(features)
    return total / len(graphs)
