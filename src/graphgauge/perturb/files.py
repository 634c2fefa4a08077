"""Pair sets on disk: one safetensors file with every setting, seed and hash in its header."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from graphgauge.atomic import replacing
from graphgauge.graphs import GraphError, GraphSet, Pairs

FORMAT = "graphgauge-pairs"
VERSION = "1"
_POINTERS = ("node_ptr", "edge_index", "edge_ptr")
_LEVELS = ("node", "edge", "graph")
_HASHES = ("left_hash", "right_hash", "pairs_hash")


def write_pairs(path: str | Path, pairs: Pairs) -> None:
    """Write pairs to a .safetensors file, whole or not at all.

    Tensors: ``left.node_ptr``, ``left.edge_index``, ``left.edge_ptr``, columns as ``left.node.NAME`` and so
    on, the same for ``right``, and ``truth``. Header: format and version, directedness of both sides, `meta`
    as JSON, and the SHA-256 of left, right, the whole, and the text of `meta`.

    Raises
    ------
    GraphError
        the path does not end in .safetensors, or `meta` is not JSON

    >>> import tempfile
    >>> from graphgauge.perturb import make_pairs
    >>> pairs = make_pairs(GraphSet.from_edges([[(0, 1), (1, 2)]]), noise=0.1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_pairs(f"{folder}/pairs.safetensors", pairs)
    ...     same = read_pairs(f"{folder}/pairs.safetensors")
    >>> same.content_hash == pairs.content_hash, same.meta == pairs.meta
    (True, True)
    """
    path = _named(path)
    try:
        meta = json.dumps(dict(pairs.meta), sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise GraphError(f"{path}: the meta of the pairs is not JSON ({error})") from error
    tensors = {"truth": pairs.truth, **_tensors("left", pairs.left), **_tensors("right", pairs.right)}
    header = {
        "format": FORMAT,
        "version": VERSION,
        "left_directed": str(pairs.left.directed).lower(),
        "right_directed": str(pairs.right.directed).lower(),
        "meta": meta,
        "meta_hash": _digest(meta),
        **_hashes(pairs),
    }
    # Tensors that share storage are refused by the format, so each is stored as a copy of its own.
    stored = {name: value.detach().cpu().contiguous().clone() for name, value in tensors.items()}
    with replacing(path) as temporary:
        save_file(stored, temporary, metadata=header)


def read_pairs(path: str | Path) -> Pairs:
    """Read pairs that `write_pairs` wrote; every hash, edge and the matching are checked.

    Raises
    ------
    GraphError
        naming the file: not a whole safetensors file, not a pair set, another version, a tensor missing or
        foreign, a content that does not have the hash in the header
    FileNotFoundError
        there is no such file
    """
    path = _named(path)
    if not path.is_file():
        raise FileNotFoundError(f"{path}: there is no such file")
    try:
        with safe_open(path, framework="pt", device="cpu") as file:
            header = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise GraphError(f"{path}: not a whole safetensors file ({error})") from error
    try:
        return _pairs(header, tensors)
    except GraphError as error:
        raise GraphError(f"{path}: {error}") from error


def _pairs(header: dict[str, str], tensors: dict[str, Tensor]) -> Pairs:
    if header.get("format") != FORMAT:
        raise GraphError(f"not a pair set: its header says format {header.get('format')!r}, not {FORMAT!r}")
    if header.get("version") != VERSION:
        raise GraphError(f"pair set version {header.get('version')!r}; this reader knows {VERSION!r}")
    if "truth" not in tensors:
        raise GraphError("the tensor 'truth' is missing")
    pairs = Pairs(
        _graphs("left", header, tensors), _graphs("right", header, tensors), tensors["truth"], _meta(header)
    ).check()
    unknown = set(tensors) - {"truth", *_tensors("left", pairs.left), *_tensors("right", pairs.right)}
    if unknown:
        raise GraphError(f"the tensors {sorted(unknown)} are no part of a pair set")
    for name, value in _hashes(pairs).items():
        if header.get(name) != value:
            raise GraphError(f"damaged: {name} in the header is {header.get(name)}, of the content {value}")
    return pairs


def _meta(header: dict[str, str]) -> dict[str, Any]:
    try:
        meta = json.loads(header.get("meta", ""))
    except json.JSONDecodeError as error:
        raise GraphError(f"its meta is not JSON ({error})") from error
    if not isinstance(meta, dict):
        raise GraphError(f"its meta is not a JSON object but {type(meta).__name__}")
    expected = header.get("meta_hash")  # files of the first days have none
    if expected not in (None, _digest(header["meta"])):
        raise GraphError(f"damaged: meta_hash in the header is {expected}, its meta is {header['meta']}")
    return meta


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _hashes(pairs: Pairs) -> dict[str, str]:
    return dict(
        zip(_HASHES, (pairs.left.content_hash, pairs.right.content_hash, pairs.content_hash), strict=True)
    )


def _tensors(side: str, graphs: GraphSet) -> dict[str, Tensor]:
    tensors: dict[str, Tensor] = {f"{side}.{name}": getattr(graphs, name) for name in _POINTERS}
    for level in _LEVELS:
        tensors |= {f"{side}.{level}.{name}": value for name, value in getattr(graphs, level).items()}
    return tensors


def _graphs(side: str, header: dict[str, str], tensors: dict[str, Tensor]) -> GraphSet:
    missing = [f"{side}.{name}" for name in _POINTERS if f"{side}.{name}" not in tensors]
    if missing:
        raise GraphError(f"the tensors {missing} are missing")
    directed = header.get(f"{side}_directed")
    if directed not in ("true", "false"):
        raise GraphError(f"its header says {side}_directed {directed!r}, not 'true' or 'false'")

    def columns(level: str) -> dict[str, Tensor]:
        start = f"{side}.{level}."
        return {name.removeprefix(start): value for name, value in tensors.items() if name.startswith(start)}

    return GraphSet(
        tensors[f"{side}.node_ptr"],
        tensors[f"{side}.edge_index"],
        tensors[f"{side}.edge_ptr"],
        columns("node"),
        columns("edge"),
        columns("graph"),
        directed=directed == "true",
    )


def _named(path: str | Path) -> Path:
    path = Path(path)
    if path.suffix != ".safetensors":
        raise GraphError(f"{path}: pair sets are .safetensors files")
    return path
