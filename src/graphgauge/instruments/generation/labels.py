"""Which labels both sides have, and the numbers that stand for them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from graphgauge.graphs import GraphError, GraphSet
from graphgauge.instruments.generation.settings import Settings

# Columns that are taken for labels where none are named, the first that both sides have.
AUTOMATIC: dict[str, tuple[str, ...]] = {"node": ("node_type", "x"), "edge": ("edge_type", "edge_attr")}
# What makes two atoms different beside their labels, where both sides have it.
ATOM_COLUMNS = ("charge", "hydrogens", "radicals", "isotope")

Rows = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Columns:
    """Names of the columns that are used; None for none."""

    node: str | None = None
    edge: str | None = None
    atom: tuple[str, ...] = ()


def shared_columns(reference: GraphSet, generated: GraphSet, settings: Settings) -> tuple[Columns, list[str]]:
    """Label columns that both sides have, and a notice for each that one side lacks.

    Raises
    ------
    GraphError : a column that the settings name is missing on one side, or of another width there
    """
    if settings.labels == "none":
        return Columns(), []
    found: dict[str, str | None] = {}
    notices: list[str] = []
    for level, named in (("node", settings.node_column), ("edge", settings.edge_column)):
        have = {"reference": getattr(reference, level), "generated": getattr(generated, level)}
        if named is not None:
            found[level] = _named(level, named, have)
            continue
        both = [name for name in AUTOMATIC[level] if all(_usable(name, side) for side in have.values())]
        found[level] = next((name for name in both if _alike(*(side[name] for side in have.values()))), None)
        if found[level] is None:
            notices += _notices(level, have)
    atom = tuple(c for c in ATOM_COLUMNS if c in reference.node and c in generated.node)
    return Columns(found["node"], found["edge"], atom if found["node"] == "node_type" else ()), notices


def _named(level: str, name: str, have: Mapping[str, Mapping[str, Tensor]]) -> str:
    for side, columns in have.items():
        if name not in columns:
            raise GraphError(
                f"the {side} graphs have no {level} column {name!r}; they have {sorted(columns)}"
            )
    widths = {side: math.prod(columns[name].shape[1:]) for side, columns in have.items()}
    if len(set(widths.values())) > 1:
        raise GraphError(f"the {level} column {name!r} is not equally wide on both sides: {widths}")
    return name


def _usable(name: str, columns: Mapping[str, Tensor]) -> bool:
    return name in columns and columns[name].dim() <= 2


def _alike(a: Tensor, b: Tensor) -> bool:
    """Whether two columns have one form: equally wide, both numbers or both whole numbers."""
    return a.shape[1:] == b.shape[1:] and a.is_floating_point() == b.is_floating_point()


def _notices(level: str, have: Mapping[str, Mapping[str, Tensor]]) -> list[str]:
    sides = {side: [n for n in AUTOMATIC[level] if n in columns] for side, columns in have.items()}
    if not any(sides.values()):
        return []
    if both := [n for n in AUTOMATIC[level] if all(n in columns for columns in have.values())]:
        forms = ", ".join(f"{_form(columns[both[0]])} in the {side} graphs" for side, columns in have.items())
        remedy = "both sides need it in one form, so convert one"
        return [f"{level} labels are ignored: {both[0]} holds {forms}; {remedy}"]
    text = " and ".join(f"the {side} graphs have {', '.join(n) or 'none'}" for side, n in sides.items())
    return [f"{level} labels are ignored: {text}, and both sides need the same in one form"]


def _form(column: Tensor) -> str:
    """What a column holds, in words.

    >>> _form(torch.zeros(4, 2)), _form(torch.zeros(4, dtype=torch.int64))
    ('floats, 2 a row', 'whole numbers')
    """
    width = f", {' × '.join(map(str, column.shape[1:]))} a row" if column.dim() > 1 else ""
    return ("floats" if column.is_floating_point() else "whole numbers") + width


@dataclass(frozen=True)
class Codec:
    """Rows of a column as class numbers 0, 1, … of the reference; T for a row that the reference lacks.

    Parameters
    ----------
    classes : (T, k) the distinct rows of the reference, sorted
    """

    classes: Rows

    @staticmethod
    def of(rows: Rows) -> Codec:
        return Codec(np.unique(rows, axis=0))

    @property
    def count(self) -> int:
        """Classes, the one for unknown rows included: T + 1."""
        return len(self.classes) + 1

    def codes(self, rows: Rows) -> Tensor:
        """(N,) int64.

        >>> Codec.of(np.array([[6], [8], [6]])).codes(np.array([[8], [6], [7]])).tolist()
        [1, 0, 2]
        """
        distinct, place = np.unique(rows, axis=0, return_inverse=True)
        known = {row.tobytes(): code for code, row in enumerate(self.classes)}
        code = np.array([known.get(row.tobytes(), len(known)) for row in distinct], dtype=np.int64)
        return torch.from_numpy(code[place.reshape(-1)])


@dataclass(frozen=True)
class Labels:
    """How the columns of one reference are read, on both sides.

    Parameters
    ----------
    columns : their names
    node, edge : codecs of node and edge labels; None where a column is missing or is not whole
    """

    columns: Columns
    node: Codec | None
    edge: Codec | None

    @staticmethod
    def of(reference: GraphSet, columns: Columns) -> Labels:
        node, edge = (_label_rows(reference, level, columns) for level in AUTOMATIC)
        return Labels(columns, *(None if rows is None else Codec.of(rows) for rows in (node, edge)))

    def notices(self) -> list[str]:
        """What is not used, and why."""
        return [
            f"{level} column {getattr(self.columns, level)!r} holds numbers that are not whole: the random "
            "GIN reads them; WL, NSPDK, uniqueness and novelty do not"
            for level in AUTOMATIC
            if getattr(self.columns, level) is not None and getattr(self, level) is None
        ]

    def encode(self, graphs: GraphSet) -> GraphSet:
        """The structure with other columns, for nodes and for edges alike.

        `label` has codes of the reference, `identity` the whole rows that isomorphic graphs must share, and
        `numbers` what a network reads where a row is a vector or is not whole.
        """
        columns = {level: self._encoded(graphs, level) for level in AUTOMATIC}
        return graphs.structure().with_columns(**columns)

    def _encoded(self, graphs: GraphSet, level: str) -> dict[str, Tensor]:
        name, codec = getattr(self.columns, level), getattr(self, level)
        if name is None:
            return {}
        out: dict[str, Tensor] = {}
        column: Tensor = getattr(graphs, level)[name]
        _check_finite(graphs, level, name)
        if codec is not None:
            rows = _label_rows(graphs, level, self.columns)
            if rows is None:
                odd = column[column != column.round()][:1].tolist()
                such = "".join(f", such as {value:g}" for value in odd)
                raise GraphError(
                    f"the {level} column {name!r} holds whole numbers in the reference, which are labels, "
                    f"and others in the generated graphs{such}; round these, "
                    "or labels='none' compares structure only"
                )
            out["label"] = codec.codes(rows)
            more = self.columns.atom if level == "node" else ()
            parts = [rows, *(graphs.node[other].cpu().numpy().reshape(-1, 1) for other in more)]
            out["identity"] = torch.from_numpy(np.concatenate(parts, axis=1))
        if codec is None or (column.dim() > 1 and column.shape[1] > 1):
            out["numbers"] = column.reshape(_flat(column.shape)).to(torch.float64)
        return out


def _label_rows(graphs: GraphSet, level: str, columns: Columns) -> Rows | None:
    """(N, k) int64 rows of the label column where every number is whole, else None."""
    name = getattr(columns, level)
    if name is None:
        return None
    values = getattr(graphs, level)[name].detach().cpu().numpy()
    values = values.reshape(_flat(values.shape))
    with np.errstate(invalid="ignore"):
        whole = values.astype(np.int64)
    return whole if np.array_equal(whole, values) else None


def _flat(shape: Sequence[int]) -> tuple[int, int]:
    """A vector for each row; −1 would have no meaning where there are no rows."""
    return shape[0], math.prod(shape[1:])


def _check_finite(graphs: GraphSet, level: str, name: str) -> None:
    """A number that is none would make every distance one."""
    column = getattr(graphs, level)[name]
    bad = (~torch.isfinite(column.reshape(_flat(column.shape))).all(dim=1)).nonzero()
    if len(bad):
        row = int(bad[0])
        of = graphs.batch if level == "node" else graphs.edge_batch
        raise GraphError(
            f"graph {int(of[row])}: {level} column {name!r}, row {row}, holds a number that is not finite"
        )
