"""JSON lines: one graph a line, for people and for other programs."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Unpack, cast

import numpy as np
from torch import Tensor

from graphgauge.atomic import replacing
from graphgauge.graphs.convert_edges import edge_pairs, listed_once
from graphgauge.graphs.errors import GraphError
from graphgauge.graphs.graphset import GraphSet
from graphgauge.graphs.pack import Array, Rules, as_tensor, pack, rule

# Key in the line → level and column name. Any other column stands in "node", "edge" or "graph" by name.
_SHORT = {"node_attr": ("node", "x"), "edge_attr": ("edge", "edge_attr"), "y": ("graph", "y")}
_LEVELS = ("node", "edge", "graph")
_KEYS = {"num_nodes", "edges", "directed", *_SHORT, *_LEVELS}

MAX_BYTES = 2**33


def read(
    path: Path, *, both_ways: bool = False, max_bytes: int = MAX_BYTES, **rules: Unpack[Rules]
) -> GraphSet:
    """Read ``{"num_nodes": n, "edges": [[u, v], …]}`` lines; undirected edges are listed once.

    Parameters
    ----------
    both_ways : the file lists every undirected edge in both directions
    max_bytes : most bytes of text, unpacked; more is an error
    rules : see `graphgauge.graphs.pack.Rules`
    """
    numbers, items = [], []
    for number, text in _lines(path, max_bytes):
        numbers.append(number)
        items.append(_item(text, number))
    directed = [item.get("directed", False) for item in items]
    for number, kind in zip(numbers, directed, strict=True):
        if kind != directed[0]:
            raise GraphError(f"line {number}: a file holds directed or undirected graphs, not both")
    if directed and directed[0] and "directed" not in rules:
        rules["directed"] = "keep"
    ordered = both_ways or any(directed) or rule(rules, "directed") != "error"
    edges = [_edges(item, number) for item, number in zip(items, numbers, strict=True)]
    pairs = np.concatenate(edges) if edges else np.zeros((0, 2), dtype=np.int64)
    sizes = {
        "node": np.array([item["num_nodes"] for item in items], dtype=np.int64),
        "edge": np.array([len(listed) for listed in edges], dtype=np.int64),
        "graph": np.ones(len(items), dtype=np.int64),
    }
    columns = {level: _columns(level, items, numbers, sizes[level]) for level in _LEVELS}
    try:
        return pack(
            sizes["node"], sizes["edge"], pairs[:, 0], pairs[:, 1], ordered=ordered, rules=rules, **columns
        )
    except GraphError as error:
        named = re.match(r"graph (\d+)", str(error))
        where = f"line {numbers[int(named[1])]}: " if named else ""
        raise GraphError(f"{where}{error}") from error


def write(path: Path, graphs: GraphSet) -> None:
    """Write one line a graph; raises where an undirected edge has other column values than its reverse."""
    for level in _LEVELS:
        for name, value in getattr(graphs, level).items():
            if value.is_complex():
                raise GraphError(f"{level} column {name!r} is {value.dtype}, which JSON does not have")
    keep = listed_once(graphs)
    pairs, edge_ptr = edge_pairs(graphs, keep)
    rows = {
        "node": {name: value.tolist() for name, value in graphs.node.items()},
        "edge": {name: value[keep].tolist() for name, value in graphs.edge.items()},
        "graph": {name: value.tolist() for name, value in graphs.graph.items()},
    }
    ends = {"node": graphs.node_ptr.tolist(), "edge": edge_ptr, "graph": list(range(len(graphs) + 1))}
    short = {home: key for key, home in _SHORT.items()}
    with replacing(path) as temporary, _create(path, temporary) as binary:
        for g, n in enumerate(graphs.nodes_per_graph.tolist()):
            line: dict[str, Any] = {"num_nodes": n, "edges": pairs[edge_ptr[g] : edge_ptr[g + 1]]}
            if graphs.directed:
                line["directed"] = True
            for level, named in rows.items():
                for name, values in named.items():
                    part = values[ends[level][g] : ends[level][g + 1]]
                    value = part[0] if level == "graph" else part
                    if (level, name) in short:
                        line[short[level, name]] = value
                    else:
                        line.setdefault(level, {})[name] = value
            try:
                text = json.dumps(line, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
            except ValueError as error:
                raise GraphError(f"graph {g}: JSON has no NaN or infinity") from error
            binary.write(text.encode() + b"\n")


@contextmanager
def _create(path: Path, place: Path) -> Iterator[IO[bytes]]:
    """A new file at `place`, packed where the name of `path` says so; equal sets make equal bytes."""
    with place.open("wb") as file:
        if not _packed(path):
            yield file
            return
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
            yield cast(IO[bytes], packed)


def _packed(path: Path) -> bool:
    return path.name.lower().endswith(".gz")


def _lines(path: Path, max_bytes: int) -> Iterator[tuple[int, str]]:
    left, number = max_bytes, 0
    try:
        with gzip.open(path) if _packed(path) else path.open("rb") as file:
            while raw := file.readline(left + 1):
                number += 1
                left -= len(raw)
                if left < 0:
                    raise GraphError(f"line {number}: more than max_bytes={max_bytes} bytes of text")
                if raw.strip():
                    yield number, raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise GraphError(f"line {number}: not text in UTF-8 ({error.reason})") from error
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise GraphError(f"line {number + 1}: not a whole gzip file ({error})") from error


def _item(text: str, number: int) -> dict[str, Any]:
    try:
        item = json.loads(text, object_pairs_hook=_object)
    except GraphError as error:
        raise GraphError(f"line {number}: {error}") from error
    except (ValueError, RecursionError) as error:
        raise GraphError(f"line {number}: not JSON ({error})") from error
    if not isinstance(item, dict):
        raise GraphError(f"line {number}: a graph is a JSON object, this is a {type(item).__name__}")
    unknown = sorted(set(item) - _KEYS)
    if unknown:
        raise GraphError(f"line {number}: unknown keys {unknown}; the keys are {sorted(_KEYS)}")
    n = item.get("num_nodes")
    if type(n) is not int or not 0 <= n < 2**31:
        raise GraphError(f"line {number}: num_nodes must be a whole number from 0, it is {n!r}")
    if not isinstance(item.get("directed", False), bool):
        raise GraphError(f"line {number}: directed must be true or false, it is {item['directed']!r}")
    return item


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object, whose keys JSON itself does not want to be different."""
    out = dict(pairs)
    if len(out) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise GraphError(f"the key {twice!r} is there twice")
    return out


def _edges(item: Mapping[str, Any], number: int) -> Array:
    listed = item.get("edges")
    if not isinstance(listed, list):
        raise GraphError(f"line {number}: edges must be a list of [u, v]")
    for pair in listed:
        if not isinstance(pair, list) or len(pair) != 2 or any(type(v) is not int for v in pair):
            raise GraphError(f"line {number}: edge {json.dumps(pair)} is not a pair of whole numbers")
    try:
        return np.array(listed, dtype=np.int64).reshape(-1, 2)
    except OverflowError as error:
        raise GraphError(f"line {number}: a node id does not fit into 64 bits") from error


def _named(item: Mapping[str, Any], level: str, number: int) -> dict[str, Any]:
    columns = item.get(level, {})
    if not isinstance(columns, dict):
        raise GraphError(f"line {number}: {level!r} must map column names to values")
    short = {name: item[key] for key, (where, name) in _SHORT.items() if where == level and key in item}
    twice = sorted(set(short) & set(columns))
    if twice:
        raise GraphError(f"line {number}: {level} columns {twice} are given twice")
    return {**short, **columns}


def _columns(level: str, items: list[dict[str, Any]], numbers: list[int], sizes: Array) -> dict[str, Tensor]:
    named = [_named(item, level, number) for item, number in zip(items, numbers, strict=True)]
    out = {}
    for name in dict.fromkeys(name for columns in named for name in columns):
        values: list[Any] = []
        for columns, number, size in zip(named, numbers, sizes.tolist(), strict=True):
            if name not in columns:
                raise GraphError(f"line {number}: no {level} column {name!r}, other lines have it")
            part = [columns[name]] if level == "graph" else columns[name]
            if not isinstance(part, list) or len(part) != size:
                raise GraphError(f"line {number}: {level} column {name!r} must be a list of {size}")
            values.extend(part)
        out[name] = as_tensor(values, f"{level} column {name!r}")
    return out
