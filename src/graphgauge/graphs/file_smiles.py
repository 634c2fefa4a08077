"""SMILES files: one molecule a line (.smi) or a column of a table (.csv)."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from graphgauge.atomic import write_text
from graphgauge.graphs.convert_smiles import from_smiles, to_smiles
from graphgauge.graphs.errors import GraphError
from graphgauge.graphs.graphset import GraphSet

_HEADERS = ("smiles", "smile", "canonical_smiles")


def read_smi(path: Path, *, kekulise: bool = False, invalid: Literal["error", "drop"] = "error") -> GraphSet:
    """The first word of every line; empty lines and a heading "smiles" are passed over."""
    texts, _ = smi_texts(path)
    return from_smiles(texts, kekulise=kekulise, invalid=invalid)


def smi_texts(path: Path) -> tuple[list[str], None]:
    """The texts that `read_smi` reads, and no columns."""
    lines = [line.split() for line in io.StringIO(_text(path), newline=None)]
    listed = [words[0] for words in lines if words]
    if listed and listed[0].lower() in _HEADERS:
        del listed[0]
    return listed, None


def read_csv(
    path: Path,
    *,
    column: str | None = None,
    y: str | Sequence[str] | None = None,
    kekulise: bool = False,
    invalid: Literal["error", "drop"] = "error",
) -> GraphSet:
    """A table with a heading.

    Parameters
    ----------
    column : heading of the SMILES; None takes the one column called "smiles" in any case
    y : heading or headings of numbers to keep as the graph column ``y`` (float64)
    """
    texts, targets = csv_texts(path, column=column, y=y)
    return from_smiles(texts, kekulise=kekulise, invalid=invalid, graph=targets)


def csv_texts(
    path: Path, *, column: str | None = None, y: str | Sequence[str] | None = None
) -> tuple[list[str], dict[str, Any] | None]:
    """The texts that `read_csv` reads, and the columns that it keeps beside them."""
    reader = csv.reader(io.StringIO(_text(path), newline=""))
    try:
        table = list(reader)
    except csv.Error as error:
        raise GraphError(f"line {reader.line_num}: {error}") from error
    if not table:
        raise GraphError("an empty table has no heading")
    heading, rows = table[0], [row for row in table[1:] if row]
    for number, row in enumerate(rows, start=1):
        if len(row) != len(heading):
            raise GraphError(f"row {number} has {len(row)} cells, the heading {len(heading)}")
    at = _position(heading, column)
    targets = None
    if y is not None:
        names = [y] if isinstance(y, str) else list(y)
        places = [_position(heading, name) for name in names]
        values = np.array([[_number(row[p], r) for p in places] for r, row in enumerate(rows, 1)])
        values = values.reshape(len(rows), len(names))
        targets = {"y": values[:, 0] if isinstance(y, str) else values}
    return [row[at] for row in rows], targets


def write_smi(path: Path, graphs: GraphSet) -> None:
    """One SMILES a line; see `to_smiles` for what it keeps."""
    write_text(path, "".join(f"{text}\n" for text in to_smiles(graphs)))


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise GraphError(f"not text in UTF-8 ({error.reason} at byte {error.start})") from error


def _position(heading: list[str], name: str | None) -> int:
    fitting = [
        i
        for i, cell in enumerate(heading)
        if (cell.strip().lower() in _HEADERS if name is None else cell == name)
    ]
    if len(fitting) != 1:
        wanted = "called SMILES" if name is None else repr(name)
        raise GraphError(f"{len(fitting)} columns {wanted} in the heading {heading}")
    return fitting[0]


def _number(cell: str, row: int) -> float:
    try:
        if "_" in cell:
            raise ValueError("digits are not grouped in a table")
        return float(cell)
    except ValueError as error:
        raise GraphError(f"row {row}: {cell!r} is not a number") from error
