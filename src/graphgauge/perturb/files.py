"""Pair sets on disk: one safetensors file with every setting, seed and hash in its header."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from torch import Tensor

from graphgauge.graphs import GraphError, Pairs
from graphgauge.graphs.file_safetensors import graphs_of, load, save, tensors_of

FORMAT = "graphgauge-pairs"
VERSION = "1"
_SIDES = ("left", "right")
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
    >>> from graphgauge.graphs import GraphSet
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
    tensors = {
        "truth": pairs.truth, **tensors_of(pairs.left, "left."), **tensors_of(pairs.right, "right.")
    }  # fmt: skip
    header = {
        "format": FORMAT,
        "version": VERSION,
        "left_directed": str(pairs.left.directed).lower(),
        "right_directed": str(pairs.right.directed).lower(),
        "meta": meta,
        "meta_hash": _digest(meta),
        **_hashes(pairs),
    }
    save(path, tensors, header)


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
        return _pairs(*load(path))
    except GraphError as error:
        raise GraphError(f"{path}: {error}") from error


def _pairs(header: dict[str, str], tensors: dict[str, Tensor]) -> Pairs:
    if header.get("format") != FORMAT:
        raise GraphError(f"not a pair set: its header says format {header.get('format')!r}, not {FORMAT!r}")
    if header.get("version") != VERSION:
        raise GraphError(f"pair set version {header.get('version')!r}; this reader knows {VERSION!r}")
    if "truth" not in tensors:
        raise GraphError("the tensor 'truth' is missing")
    unknown = sorted(n for n in tensors if n != "truth" and n.partition(".")[0] not in _SIDES)
    if unknown:
        raise GraphError(f"the tensors {unknown} are no part of a pair set")
    left, right = (graphs_of(tensors, _directed(header, side), f"{side}.") for side in _SIDES)
    pairs = Pairs(left, right, tensors["truth"], _meta(header)).check()
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


def _directed(header: dict[str, str], side: str) -> bool:
    directed = header.get(f"{side}_directed")
    if directed not in ("true", "false"):
        raise GraphError(f"its header says {side}_directed {directed!r}, not 'true' or 'false'")
    return directed == "true"


def _named(path: str | Path) -> Path:
    path = Path(path)
    if path.suffix != ".safetensors":
        raise GraphError(f"{path}: pair sets are .safetensors files")
    return path
