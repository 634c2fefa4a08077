"""One sign for every eigenvector, by a rule that no node order changes where that is possible."""

from __future__ import annotations

import numpy as np

from graphgauge.compiling import Ints, loop
from graphgauge.encodings.rows import Doubles

TIE = 1e-6  # entries nearer than this, relative to the largest of their vector, count as equal


@loop
def fix_signs(node_ptr: Ints, vectors: Doubles) -> None:
    """Turn every column of every graph such that its largest entry in magnitude is positive; in place.

    Where the highest and the lowest entry are equally large, the second highest and second lowest decide,
    and so on: the values alone, whatever the order of the nodes. Where all agree, v and −v hold the same
    values (the vector is odd under a symmetry of the graph, as a rule) and the first node with an entry
    gets a positive one.
    """
    for g in range(node_ptr.size - 1):
        for c in range(vectors.shape[1]):
            v = vectors[node_ptr[g] : node_ptr[g + 1], c]
            high, low = 0.0, 0.0
            for x in v:
                high, low = max(high, x), min(low, x)
            tie = TIE * max(high, -low)
            turned = high + low < -tie
            if abs(high + low) <= tie and tie > 0:
                turned = _negative(v, tie)
            if turned:
                v *= -1.0


@loop
def _negative(v: Doubles, tie: float) -> bool:
    """Whether −v comes before v where their values, sorted, are compared; see `fix_signs`."""
    ascending = np.sort(v)
    n = v.size
    for i in range((n + 1) // 2):
        difference = ascending[n - 1 - i] + ascending[i]
        if abs(difference) > tie:
            return bool(difference < 0)
    for x in v:
        if abs(x) > tie:
            return bool(x < 0)
    return False
