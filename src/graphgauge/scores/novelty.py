"""Uniqueness and novelty of generated graphs, by exact isomorphism.

Every function gives a truth value for each generated graph, (G,), so that shares can be taken and combined;
the share of graphs that are valid, unique and novel at once is the field's V.U.N. Structure decides, and
labels of nodes and edges where they are given.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor

from graphgauge.graphs import GraphError, GraphSet
from graphgauge.graphs.structure import isomorphism_classes

Array = np.ndarray[Any, Any]
Label = str | Sequence[str] | None


def unique(graphs: GraphSet, label: Label = None, edge_label: Label = None) -> Tensor:
    """Whether each graph is the first of its isomorphism class: (G,) bool.

    The mean is the field's uniqueness: classes / graphs, in (0, 1], higher is better.

    Parameters
    ----------
    label : node column of whole numbers, or several, that isomorphic nodes must share; None compares
        structure only
    edge_label : the same for edges; molecules that differ in a bond alone then differ

    >>> path, same, triangle = [(0, 1), (1, 2)], [(0, 2), (2, 1)], [(0, 1), (1, 2), (2, 0)]
    >>> unique(GraphSet.from_edges([path, same, triangle])).tolist()
    [True, False, True]
    """
    return _first(isomorphism_numbers([graphs], label, edge_label)[0])


def novel(generated: GraphSet, reference: GraphSet, label: Label = None, edge_label: Label = None) -> Tensor:
    """Whether each generated graph is isomorphic to no reference graph: (G,) bool.

    The mean is the field's novelty, in [0, 1], higher is better. Labels as in `unique`.

    >>> seen = GraphSet.from_edges([[(0, 1), (1, 2)]])
    >>> novel(GraphSet.from_edges([[(2, 0), (0, 1)], [(0, 1)]]), seen).tolist()
    [False, True]
    """
    return unique_and_novel(generated, reference, label, edge_label)[1]


def unique_and_novel(
    generated: GraphSet, reference: GraphSet, label: Label = None, edge_label: Label = None
) -> tuple[Tensor, Tensor]:
    """`unique` and `novel` of the generated graphs, by one classification of both sets: (G,), (G,) bool.

    >>> seen = GraphSet.from_edges([[(0, 1), (1, 2)]])
    >>> both = unique_and_novel(GraphSet.from_edges([[(2, 0), (0, 1)], [(0, 1)], [(0, 1)]]), seen)
    >>> [part.tolist() for part in both]
    [[True, True, False], [False, True, True]]
    """
    ours, theirs = isomorphism_numbers([generated, reference], label, edge_label)
    return _first(ours), torch.from_numpy(~np.isin(ours, theirs))


def isomorphism_numbers(
    sets: Sequence[GraphSet], label: Label = None, edge_label: Label = None
) -> list[Array]:
    """Isomorphism class of every graph of several sets, numbered over all of them: (G,) int64 for each set.

    Parameters
    ----------
    label, edge_label : as in `unique`; every set needs the columns

    Raises
    ------
    GraphError naming the set where a column is missing or is not whole; where an edge is there twice; where
    an edge has another label than its reverse

    >>> a, b = GraphSet.from_edges([[(0, 1)], [(0, 1), (1, 2)]]), GraphSet.from_edges([[(0, 2), (0, 1)]])
    >>> [numbers.tolist() for numbers in isomorphism_numbers([a, b])]
    [[0, 1], [1]]
    """
    together = GraphSet.concat([graphs.structure() for graphs in sets])
    classes = isomorphism_classes(
        together, initial=_labels(sets, "node", label), edge_initial=_labels(sets, "edge", edge_label)
    )
    ends = np.cumsum([0, *(len(graphs) for graphs in sets)]).tolist()
    return [classes.cpu().numpy()[a:b] for a, b in pairwise(ends)]


def _first(numbers: Array) -> Tensor:
    first = np.zeros(numbers.size, dtype=bool)
    first[np.unique(numbers, return_index=True)[1]] = True
    return torch.from_numpy(first)


def _labels(sets: Sequence[GraphSet], level: str, names: Label) -> Tensor | None:
    """One number for every node or edge of all sets, equal where all the named columns are."""
    columns = [names] if isinstance(names, str) else list(names or ())
    if not columns:
        return None
    code: Array | None = None
    for name in columns:
        rows = [_whole(graphs, s, level, name) for s, graphs in enumerate(sets)]
        widths = [row.shape[1] for row in rows]
        if len(set(widths)) > 1:
            raise GraphError(f"{level} column {name!r} has different widths in the sets: {widths}")
        for values in np.concatenate(rows).T:
            kinds, rank = np.unique(values, return_inverse=True)
            code = rank if code is None else np.unique(code * kinds.size + rank, return_inverse=True)[1]
    return None if code is None else torch.from_numpy(code.astype(np.int64)).to(sets[0].device)


def _whole(graphs: GraphSet, s: int, level: str, name: str) -> Array:
    """A label column as rows of whole numbers: (N, k) or (E, k)."""
    columns = getattr(graphs, level)
    if name not in columns:
        raise GraphError(f"set {s} has no {level} column {name!r}; its {level} columns are {sorted(columns)}")
    values = columns[name].detach().cpu().numpy()
    values = values.reshape(len(values), int(np.prod(values.shape[1:])))
    with np.errstate(invalid="ignore"):  # NaN is told below
        whole: Array = values.astype(np.int64)
    if not np.array_equal(whole, values):
        row, k = np.argwhere(whole != values)[0]
        raise GraphError(
            f"set {s}: {level} {row} has {values[row, k]} in {name!r}, and labels are whole numbers"
        )
    return whole
