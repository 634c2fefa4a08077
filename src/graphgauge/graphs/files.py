"""Graph sets on disk: one table from file ending to reader and writer (docs/graph-files.md)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from graphgauge.graphs import file_jsonl, file_npz, file_pickle, file_safetensors, file_smiles
from graphgauge.graphs.errors import GraphError
from graphgauge.graphs.graphset import GraphSet

READERS: dict[str, Callable[..., GraphSet]] = {
    ".safetensors": file_safetensors.read,
    ".jsonl": file_jsonl.read,
    ".jsonl.gz": file_jsonl.read,
    ".npz": file_npz.read,
    ".smi": file_smiles.read_smi,
    ".csv": file_smiles.read_csv,
}

WRITERS: dict[str, Callable[[Path, GraphSet], None]] = {
    ".safetensors": file_safetensors.write,
    ".jsonl": file_jsonl.write,
    ".jsonl.gz": file_jsonl.write,
    ".npz": file_npz.write,
    ".smi": file_smiles.write_smi,
}

# Formats that a file ending alone does not open: unpickling is asked for by name, and so is a reading of
# text as SMILES whatever the file is called.
BY_NAME: dict[str, Callable[..., GraphSet]] = {
    "networkx-pickle": file_pickle.read,
    "smiles": file_smiles.read_smi,
}
PICKLE_ENDINGS = (".pkl", ".p", ".pickle", ".dat", ".gpickle")


def read(path: str | Path, *, format: str | None = None, **options: Any) -> GraphSet:
    """A graph set from a file.

    Parameters
    ----------
    path : a .safetensors, .jsonl, .jsonl.gz, .npz, .smi or .csv file
    format : one of these endings where the name of the file has another, "smiles" (one a line, as in .smi)
        or "networkx-pickle"
    options : what the reader of the format takes: rules for odd input (`graphgauge.graphs.pack.Rules`),
        ``both_ways`` for .jsonl, ``attributes`` for .npz and pickles, ``column`` and ``y`` for .csv,
        ``max_bytes`` for formats that unpack

    Raises
    ------
    GraphError naming the file (and line, graph, edge or array) where its content is not a valid graph set
    """
    path = Path(path)
    read_file = reader(path, format)
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder")
    try:
        graphs: GraphSet = read_file(path, **options)
    except GraphError as error:
        raise GraphError(f"{path}: {error}") from error
    return graphs


def reader(path: Path, format: str | None = None) -> Callable[..., GraphSet]:
    """The reader of a file, by the ending of its name or by the format asked for."""
    return _pick(path, {**READERS, **BY_NAME} if format else READERS, format)


def write(path: str | Path, graphs: GraphSet) -> None:
    """A graph set to a file, whole or not at all; the ending of the name says which format.

    Only .safetensors keeps everything and every type; another format that would lose something raises
    `GraphError`, except that .jsonl gives numbers back as int64 and float64 and .smi keeps molecules only.
    """
    path = Path(path)
    if not isinstance(graphs, GraphSet):
        raise TypeError(f"{path}: write takes a GraphSet, got a {type(graphs).__name__}")
    writer = _pick(path, WRITERS, None)
    try:
        writer(path, graphs)
    except GraphError as error:
        raise GraphError(f"{path}: {error}") from error


def _pick(path: Path, table: dict[str, Callable[..., Any]], format: str | None) -> Callable[..., Any]:
    if format is not None:
        found = table.get(format) or table.get(f".{format}")
        if found is None:
            raise GraphError(f"{path}: unknown format {format!r}; the formats are {sorted(table)}")
        return found
    name = path.name.lower()
    for ending, function in table.items():
        if name.endswith(ending):
            return function
    if name.endswith(PICKLE_ENDINGS):
        raise GraphError(
            f"{path}: may be a pickle, which is not opened by its name; for graphs pickled by networkx "
            'say format="networkx-pickle" (nothing in the file is executed)'
        )
    hint = '; for a list of SMILES say format="smiles"' if name.endswith(".txt") and table is READERS else ""
    raise GraphError(f"{path}: no format has this ending; the endings are {sorted(table)}{hint}")
