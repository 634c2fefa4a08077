"""Our own format: the packed tensors in a safetensors file, memory-mapped when read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from torch import Tensor

from graphgauge.atomic import replacing
from graphgauge.graphs.errors import GraphError
from graphgauge.graphs.graphset import GraphSet

# The one entry of the metadata: several would be stored in random order, and equal sets in unequal bytes.
KEY = "graphgauge"
FORMAT = "graphset"
VERSION = 1
_POINTERS = ("node_ptr", "edge_index", "edge_ptr")
_LEVELS = ("node", "edge", "graph")


def write(path: Path, graphs: GraphSet) -> None:
    """Write a set; columns are named ``node.NAME``, ``edge.NAME`` and ``graph.NAME``."""
    about = json.dumps({"format": FORMAT, "version": VERSION, "directed": graphs.directed})
    save(path, tensors_of(graphs), {KEY: about})


def read(path: Path) -> GraphSet:
    """Map the file into memory and check every tensor; nothing is copied."""
    metadata, tensors = load(path)
    return graphs_of(tensors, _directed(metadata.get(KEY))).check()


# ── what other files made of graph sets need, too ──────────────────────────────────────────────────────────


def save(path: Path, tensors: Mapping[str, Tensor], metadata: dict[str, str]) -> None:
    """Write tensors, whole or not at all; each as a copy, since the format refuses shared storage."""
    from safetensors.torch import save_file

    stored = {name: value.detach().cpu().contiguous().clone() for name, value in tensors.items()}
    with replacing(path) as temporary:
        save_file(stored, temporary, metadata=metadata)


def load(path: Path) -> tuple[dict[str, str], dict[str, Tensor]]:
    """Metadata and memory-mapped tensors of a file."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt", device="cpu") as file:
            return file.metadata() or {}, {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise GraphError(f"not a whole safetensors file ({error})") from error


def tensors_of(graphs: GraphSet, prefix: str = "") -> dict[str, Tensor]:
    """All tensors of a set by their names in a file."""
    tensors: dict[str, Tensor] = {f"{prefix}{name}": getattr(graphs, name) for name in _POINTERS}
    for level in _LEVELS:
        tensors |= {f"{prefix}{level}.{name}": value for name, value in getattr(graphs, level).items()}
    return tensors


def graphs_of(tensors: Mapping[str, Tensor], directed: bool, prefix: str = "") -> GraphSet:
    """The set made of the tensors named `prefix`…; GraphError names missing and foreign ones."""
    own = {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}
    missing = [f"{prefix}{name}" for name in _POINTERS if name not in own]
    if missing:
        raise GraphError(f"the tensors {missing} are missing")
    columns: dict[str, dict[str, Tensor]] = {level: {} for level in _LEVELS}
    for name in sorted(set(own) - set(_POINTERS)):
        level, dot, column = name.partition(".")
        if level not in _LEVELS or not dot or not column:
            raise GraphError(f"the tensor {prefix + name!r} is no part of a graph set")
        columns[level][column] = own[name]
    node_ptr, edge_index, edge_ptr = (own[name] for name in _POINTERS)
    return GraphSet(
        node_ptr, edge_index, edge_ptr, columns["node"], columns["edge"], columns["graph"], directed
    )


def _directed(text: str | None) -> bool:
    """What the metadata say, checked."""
    try:
        about = json.loads(text or "null")
    except ValueError as error:
        raise GraphError(f"its metadata {KEY!r} are not JSON ({error})") from error
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise GraphError(f"not a graph set: its metadata {KEY!r} are {text!r}")
    if about.get("version") != VERSION:
        raise GraphError(f"graph set format version {about.get('version')!r}; this reader knows {VERSION}")
    directed = about.get("directed")
    if not isinstance(directed, bool):
        raise GraphError(f"its metadata say directed {directed!r}, not true or false")
    return directed
