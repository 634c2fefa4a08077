"""Compiled weights of messages by degrees."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphgauge.compiling import loop

Ints = np.ndarray[Any, np.dtype[np.int64]]
Doubles = np.ndarray[Any, np.dtype[np.float64]]


@loop
def symmetric(ptr: Ints, source: Ints, sent: Ints) -> Doubles:
    """1 / sqrt(d_j d_i) of every entry of a CSR: d_j = sent_source, d_i the entries of its row, at least 1.

    >>> symmetric(np.array([0, 2]), np.array([0, 1]), np.array([8, 0])).round(2).tolist()
    [0.25, 0.71]
    """
    out = np.empty(source.size)
    for i in range(ptr.size - 1):
        mine = 1 / np.sqrt(max(ptr[i + 1] - ptr[i], 1))
        for e in range(ptr[i], ptr[i + 1]):
            out[e] = mine / np.sqrt(max(sent[source[e]], 1))
    return out
