"""Sets of nodes as rows of 64-bit words: an intersection of 64 nodes is one instruction."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import intrinsic

from graphgauge.compiling import Ints, loop

Words = np.ndarray[Any, np.dtype[np.uint64]]
ONE = np.uint64(1)


@intrinsic
def ones(typing_context: Any, word: Any) -> Any:
    """Number of ones in a 64-bit word, an int64."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


@intrinsic
def lowest(typing_context: Any, word: Any) -> Any:
    """Place of the lowest one of a 64-bit word that is not 0, an int64."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        from llvmlite import ir  # type: ignore[import-untyped]

        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), generate


@loop
def bit_rows(low: int, high: int, ptr: Ints, neighbour: Ints) -> Words:
    """Neighbours of the nodes `low` to `high` as bits: (high − low, words)."""
    n = high - low
    bits = np.zeros((n, (n + 63) // 64), np.uint64)
    for i in range(n):
        for e in range(ptr[low + i], ptr[low + i + 1]):
            j = neighbour[e] - low
            bits[i, j >> 6] |= ONE << np.uint64(j & 63)
    return bits


@loop
def shared(one: Words, other: Words) -> int:
    """Size of the intersection of two sets."""
    total = 0
    for w in range(one.size):
        total += ones(one[w] & other[w])
    return total


@loop
def holds(row: Words, j: int) -> bool:
    """Whether j is in the set."""
    return bool(row[j >> 6] >> np.uint64(j & 63) & ONE)


@loop
def above(j: int) -> np.uint64:
    """The places of a word above that of node j."""
    return ~(((ONE << np.uint64(j & 63)) - ONE) | (ONE << np.uint64(j & 63)))
