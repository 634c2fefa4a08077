"""Our own format: the packed tensors in a safetensors file, memory-mapped when read."""

from __future__ import annotations

import json
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
    from safetensors.torch import save_file

    tensors: dict[str, Tensor] = {name: getattr(graphs, name) for name in _POINTERS}
    for level in _LEVELS:
        tensors |= {f"{level}.{name}": value for name, value in getattr(graphs, level).items()}
    stored = {name: value.detach().cpu().contiguous().clone() for name, value in tensors.items()}
    about = json.dumps({"format": FORMAT, "version": VERSION, "directed": graphs.directed})
    with replacing(path) as temporary:
        save_file(stored, temporary, metadata={KEY: about})


def read(path: Path) -> GraphSet:
    """Map the file into memory and check every tensor; nothing is copied."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt", device="cpu") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise GraphError(f"not a whole safetensors file ({error})") from error
    directed = _directed(metadata.get(KEY))
    missing = [name for name in _POINTERS if name not in tensors]
    if missing:
        raise GraphError(f"the tensors {missing} are missing")
    columns: dict[str, dict[str, Tensor]] = {level: {} for level in _LEVELS}
    for name in sorted(set(tensors) - set(_POINTERS)):
        level, dot, column = name.partition(".")
        if level not in _LEVELS or not dot or not column:
            raise GraphError(f"the tensor {name!r} is no part of a graph set")
        columns[level][column] = tensors[name]
    graphs = GraphSet(
        tensors["node_ptr"], tensors["edge_index"], tensors["edge_ptr"],
        columns["node"], columns["edge"], columns["graph"], directed=directed,
    )  # fmt: skip
    return graphs.check()


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
