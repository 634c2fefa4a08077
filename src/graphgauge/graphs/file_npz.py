"""NumPy archives: the packed arrays with node numbers that start at 0 within each graph."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Unpack

import numpy as np
import torch
from torch import Tensor

from graphgauge.atomic import replacing
from graphgauge.graphs.errors import GraphError
from graphgauge.graphs.graphset import GraphSet
from graphgauge.graphs.pack import Array, Rules, names_taken, pack, whole

_POINTERS = ("node_ptr", "edge_ptr", "edge_index")
_LEVELS = ("node", "edge", "graph")

MAX_BYTES = 2**33


def write(path: Path, graphs: GraphSet) -> None:
    """Write a set; columns are named ``node.NAME``, ``edge.NAME`` and ``graph.NAME``."""
    local = graphs.edge_index - graphs.node_ptr[graphs.edge_batch]
    tensors = {"node_ptr": graphs.node_ptr, "edge_ptr": graphs.edge_ptr, "edge_index": local}
    for level in _LEVELS:
        tensors |= {f"{level}.{name}": value for name, value in getattr(graphs, level).items()}
    arrays = {"directed": np.array(graphs.directed)}
    for name, value in tensors.items():
        if value.dtype == torch.bfloat16 or value.is_complex():
            raise GraphError(f"column {name!r} is {value.dtype}, which this format does not hold")
        arrays[name] = value.detach().cpu().numpy()
    with replacing(path) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)


def read(
    path: Path,
    *,
    attributes: Collection[str] | None = None,
    max_bytes: int = MAX_BYTES,
    **rules: Unpack[Rules],
) -> GraphSet:
    """Read ``node_ptr``, ``edge_ptr``, ``edge_index`` (undirected edges both ways) and columns.

    An array without a level in its name belongs to the level its name begins with (``node_type``), else to
    the one level that has as many rows.

    Parameters
    ----------
    attributes : names of the columns to take; None takes all and refuses what is no column
    max_bytes : most bytes of all arrays unpacked, as the archive declares them; more is an error
    rules : see `graphgauge.graphs.pack.Rules`
    """
    arrays = _arrays(path, max_bytes)
    missing = [name for name in _POINTERS if name not in arrays]
    if missing:
        raise GraphError(f"the arrays {missing} are missing")
    directed = arrays.pop("directed", np.array(False))
    if directed.shape != () or directed.dtype != bool:
        raise GraphError("the array 'directed' must be one truth value")
    if directed and "directed" not in rules:
        rules["directed"] = "keep"
    edge_index = whole(arrays.pop("edge_index"), "edge_index")
    if edge_index.ndim != 2 or edge_index.shape[0] != 2:
        raise GraphError(f"edge_index must have the shape (2, E), it has {edge_index.shape}")
    counts = _counts("node_ptr", arrays.pop("node_ptr"))
    edge_counts = _counts("edge_ptr", arrays.pop("edge_ptr"))
    if counts.size != edge_counts.size:
        raise GraphError(f"node_ptr says {counts.size} graphs, edge_ptr {edge_counts.size}")
    if int(edge_counts.sum()) != edge_index.shape[1]:
        raise GraphError(
            f"edge_ptr ends at {int(edge_counts.sum())}, but there are {edge_index.shape[1]} edges"
        )
    sizes = {"node": int(counts.sum()), "edge": edge_index.shape[1], "graph": counts.size}
    columns: dict[str, dict[str, Tensor]] = {level: {} for level in _LEVELS}
    for name in _taken(arrays, attributes, bool(sizes["node"] and sizes["edge"])):
        array = arrays[name]
        level, column = _home(name, array, sizes)
        columns[level][column] = torch.from_numpy(array.astype(array.dtype.newbyteorder("=")))
    return pack(counts, edge_counts, edge_index[0], edge_index[1], ordered=True, rules=rules, **columns)


def _taken(arrays: Collection[str], attributes: Collection[str] | None, complete: bool) -> list[str]:
    """Arrays that `attributes` asks for, by their whole name or without the level before the point."""
    short = {name: name.partition(".")[2] or name for name in arrays}
    taken = names_taken({*short, *short.values()}, attributes, complete)
    return [name for name in arrays if name in taken or short[name] in taken]


def _arrays(path: Path, max_bytes: int) -> dict[str, Array]:
    """Every array of the archive, after its declared size was checked against the size that is there."""
    out = {}
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            total = sum(member.file_size for member in members)
            if total > max_bytes:
                raise GraphError(f"{total} bytes unpacked are more than max_bytes={max_bytes}")
            for member in members:
                name = member.filename.removesuffix(".npy")
                if name in out:
                    raise GraphError(f"the array {name!r} is there twice")
                out[name] = _array(archive, member, name)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        if isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError):
            raise
        raise GraphError(f"not a whole .npz file ({error})") from error
    return out


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str) -> Array:
    headers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    try:
        with archive.open(member) as file:
            magic = np.lib.format.read_magic(file)
            if magic not in headers:
                raise GraphError(f"the array {name!r} has the unknown version {magic}")
            shape, fortran, dtype = headers[magic](file)
            if dtype.kind not in "biuf" or dtype.itemsize > 8:
                raise GraphError(f"the array {name!r} holds {dtype}, not numbers")
            count = 1
            for length in shape:
                count *= length
            size = member.file_size - file.tell()
            if min(shape, default=0) < 0 or count * dtype.itemsize != size:
                raise GraphError(f"the array {name!r} says shape {shape} of {dtype}, but has {size} bytes")
            data = file.read(size)
    except ValueError as error:
        if isinstance(error, GraphError):
            raise
        raise GraphError(f"the array {name!r} is broken ({error})") from error
    if count * dtype.itemsize != len(data):
        raise GraphError(f"the array {name!r} says shape {shape} of {dtype}, but has {len(data)} bytes")
    array = np.frombuffer(data, dtype=dtype)
    return array.reshape(shape[::-1]).T if fortran else array.reshape(shape)


def _counts(name: str, ptr: Array) -> Array:
    ptr = whole(ptr, name)
    if ptr.ndim != 1 or ptr.size == 0 or ptr[0] != 0:
        raise GraphError(f"{name} must be one-dimensional and start at 0")
    falls = np.flatnonzero(ptr[1:] < ptr[:-1])
    if falls.size:
        raise GraphError(f"{name} decreases at graph {int(falls[0])}")
    return np.diff(ptr)


def _home(name: str, array: Array, sizes: Mapping[str, int]) -> tuple[str, str]:
    """Level and column name of an array."""
    level, dot, column = name.partition(".")
    if dot and level in _LEVELS:
        if not column:
            raise GraphError(f"the array {name!r} has no column name")
        return level, column
    begins = name.partition("_")[0]
    if begins in _LEVELS:
        return begins, name
    rows = array.shape[0] if array.ndim else -1
    fitting = [level for level, size in sizes.items() if size == rows]
    if name == "y" and "graph" in fitting:
        return "graph", name
    if len(fitting) != 1:
        raise GraphError(
            f"the array {name!r} with the shape {array.shape} fits the levels {fitting}, not one; "
            "call it node.…, edge.… or graph.…, or name the columns to take in attributes=[…]"
        )
    return fitting[0], name
