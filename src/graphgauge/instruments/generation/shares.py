"""Validity, uniqueness, novelty and all three together, as shares of the generated graphs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from torch import Tensor

from graphgauge.distances import Distance
from graphgauge.graphs import GraphSet
from graphgauge.instruments.generation.halves import Halves, Mask
from graphgauge.instruments.generation.measures import Array, Kept, Outcome, Prepared, as_kept, kept_floor
from graphgauge.instruments.generation.settings import Settings
from graphgauge.scores import isomorphism_numbers


@dataclass(frozen=True)
class Check:
    """A validity check and its name; None where every graph that could be read counts as valid.

    >>> Check("all graphs that could be read").name
    'all graphs that could be read'
    """

    name: str
    function: Callable[[GraphSet], Tensor] | None = None

    def __call__(self, graphs: GraphSet) -> Mask:
        """(G,) whether each graph is valid."""
        if self.function is None:
            return np.ones(len(graphs), dtype=bool)
        found = np.asarray(self.function(graphs))
        if found.shape != (len(graphs),) or found.dtype != np.bool_:
            raise ValueError(
                f"the validity check {self.name!r} must return one truth value for each of {len(graphs)} "
                f"graphs, got {found.dtype} of shape {found.shape}"
            )
        return found


@dataclass(frozen=True)
class Checked:
    """Graphs with their `identity` columns, which of them are valid, and how many were given."""

    graphs: GraphSet
    valid: Mask
    listed: int


@dataclass(frozen=True)
class Shares:
    """`valid`, `unique`, `novel` and `vun`; one classification of all graphs serves every part."""

    def fewest_rows(self, settings: Settings) -> tuple[int, int]:
        return 1, 1

    def prepare(self, y: Checked, halves: Halves, settings: Settings, kept: Kept | None = None) -> Prepared:
        return _SharesPrepared(y, halves, kept)


class _SharesPrepared:
    def __init__(self, y: Checked, halves: Halves, kept: Kept | None) -> None:
        self.y, self.halves = y, halves
        if kept is None:
            numbers = _classes([y])[0]
            self.floor = self._parts(_Classified(numbers, y.valid), halves.a, numbers)
        else:
            self.floor = kept_floor(kept)
        self.kept = as_kept(self.floor)

    def score(self, x: Checked, parts: Mask) -> Outcome:
        numbers, of_reference = _classes([x, self.y])
        generated = _Classified(numbers, x.valid)
        whole = generated.shares(np.ones(len(numbers), dtype=bool), of_reference)
        readable = len(numbers) / x.listed
        some = self._parts(generated, parts, of_reference)
        out = {}
        for name, value in whole.items():
            scale = readable if name in OF_LISTED else 1.0
            sizes = {"of": x.listed if name in OF_LISTED else len(numbers), "n": x.listed}
            result = Distance(
                value * scale, name, sizes | {"m": len(of_reference)}, (0.0, 1.0), lower_is_better=False
            )
            out[name] = (result, some[name] * scale)
        return out

    def _parts(self, of: _Classified, parts: Mask, reference: Array) -> dict[str, Array]:
        found = [of.shares(parts[:, r], reference[self.halves.b[:, r]]) for r in range(self.halves.count)]
        return {name: np.array([one[name] for one in found]) for name in NAMES}


NAMES = ("valid", "unique", "novel", "vun")
# Shares of all graphs that were given, also of those that could not be read.
OF_LISTED = ("valid", "vun")


@dataclass(frozen=True)
class _Classified:
    """Isomorphism class (G,) and validity (G,) of every graph."""

    numbers: Array
    valid: Mask

    def shares(self, part: Mask, reference: Array) -> Mapping[str, float]:
        """All four of one part against the classes of one part of the reference."""
        numbers, valid = self.numbers[part], self.valid[part]
        first = np.zeros(numbers.size, dtype=bool)
        first[np.unique(numbers, return_index=True)[1]] = True
        novel = ~np.isin(numbers, reference)
        found: dict[str, Any] = {"valid": valid, "unique": first, "novel": novel}
        found["vun"] = valid & first & novel
        return {name: float(found[name].mean()) for name in NAMES}


def _classes(sets: Sequence[Checked]) -> list[Array]:
    """Isomorphism classes of all graphs of all sets, numbered together: a (G,) array for each set."""
    graphs = [of.graphs for of in sets]
    label, edge_label = ("identity" if "identity" in c else None for c in (graphs[0].node, graphs[0].edge))
    return isomorphism_numbers(graphs, label, edge_label)
