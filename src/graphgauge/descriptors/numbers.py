"""Columns of 64-bit numbers: an open hash table that grows and never renumbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from graphgauge.compiling import Ints, loop

Words = np.ndarray[Any, np.dtype[np.uint64]]
Columns = np.ndarray[Any, np.dtype[Any]]  # whole numbers of 32 or 64 bits


@dataclass(eq=False)
class PairVocabulary:
    """Columns of 64-bit numbers, 0, 1, … in the order of their coming; it grows, and never renumbers.

    Numbers are taken to be well mixed, as the NSPDK features are: their last bits say where to look.

    >>> v = PairVocabulary()
    >>> v.columns(np.array([7, 5, 7], np.uint64)).tolist(), v.columns(np.array([9, 5], np.uint64)).tolist()
    ([1, 0, 1], [2, 0])
    >>> len(v)
    3
    """

    size: int = 0
    key: Words = field(default_factory=lambda: np.zeros(64, np.uint64), repr=False)
    value: Ints = field(default_factory=lambda: np.full(64, -1, np.int64), repr=False)  # -1: a free place

    def __len__(self) -> int:
        return self.size

    def columns(self, numbers: Words) -> Ints:
        """Column of every number; new ones get the next free columns, the smaller number first."""
        old = self.size
        found = self.enter(numbers)
        self.settle(old, [found])
        return found

    def enter(self, numbers: Words) -> Ints:
        """Column of every number; new ones get the next free columns, in the order of their coming."""
        found: Ints
        self.key, self.value, self.size, found = look_up(self.key, self.value, self.size, numbers)
        return found

    def settle(self, old: int, found: Sequence[Columns]) -> None:
        """Number the columns from `old` on anew, the smaller number first, here and in what `enter` found."""
        fresh = self.size - old
        if not fresh:
            return
        column = np.empty(fresh, np.int64)
        column[np.argsort(numbers_from(self.key, self.value, old, fresh))] = np.arange(old, old + fresh)
        for places in (self.value, *found):
            renumber(places, old, column)


@loop
def look_up(key: Words, value: Ints, size: int, numbers: Words) -> tuple[Words, Ints, int, Ints]:
    """Value of every number; unknown ones are entered with the values size, size + 1, …

    Returns the table (longer where it would be more than two thirds full), its new size, and the values.
    """
    found = np.empty(numbers.size, np.int64)
    for i in range(numbers.size):
        if 3 * (size + 1) > 2 * key.size:
            key, value = _longer(key, value)
        place = _place(key, value, numbers[i])
        if value[place] < 0:
            key[place], value[place] = numbers[i], size
            size += 1
        found[i] = value[place]
    return key, value, size, found


@loop
def numbers_from(key: Words, value: Ints, old: int, fresh: int) -> Words:
    """The numbers with the values old, old + 1, …, in this order: (fresh,)."""
    out = np.empty(fresh, np.uint64)
    for i in range(key.size):
        if value[i] >= old:
            out[value[i] - old] = key[i]
    return out


@loop
def renumber(values: Columns, old: int, column: Ints) -> None:
    """``column[v - old]`` in the place of every value v from `old` on."""
    for i in range(values.size):
        if values[i] >= old:
            values[i] = column[values[i] - old]


@loop
def _place(key: Words, value: Ints, number: np.uint64) -> np.int64:
    """Where a number is, or the free place where it belongs."""
    place = np.int64(number & np.uint64(key.size - 1))
    while value[place] >= 0 and key[place] != number:
        place = (place + 1) & (key.size - 1)
    return place


@loop
def _longer(key: Words, value: Ints) -> tuple[Words, Ints]:
    """The same table with twice the places."""
    keys, values = np.zeros(2 * key.size, np.uint64), np.full(2 * key.size, -1, np.int64)
    for i in range(key.size):
        if value[i] >= 0:
            place = _place(keys, values, key[i])
            keys[place], values[place] = key[i], value[i]
    return keys, values
