"""The two npz layouts of stored data: a set of graphs, and one large graph. Plain arrays, never pickles."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch

from graphgauge.datasets.entry import Pick
from graphgauge.datasets.errors import DatasetError
from graphgauge.datasets.home import arrays
from graphgauge.datasets.packing import packed, simple
from graphgauge.graphs import GraphSet

Arrays = dict[str, np.ndarray[Any, Any]]

# Names of the layouts (docs/datasets.md); an array of objects under one of them is never passed over.
_SET = ("node_ptr", "edge_ptr", "edge_index")
_SET_COLUMNS = ("node_type", "edge_type", "y", "kept")
_ONE = (
    "num_nodes", "edge_index", "adj_indices", "adj_indptr", "adj_shape", "label", "train_idx", "val_idx",
    "test_idx", "feat_data", "feat_indices", "feat_indptr", "feat_shape", "feature_known",
    "isolated_missing_test",
)  # fmt: skip


def read_set(path: Path, split: str = "", pick: Pick = None) -> GraphSet:
    """A set of graphs from an npz file (which holds one split), all or those picked.

    Arrays: ``node_ptr`` (G+1), ``edge_ptr`` (G+1), ``edge_index`` (2, E) with node numbers from 0 in each
    graph and both directions of every edge; optional ``node_type`` (N) → node column ``x`` (N, 1),
    ``edge_type`` (E) → edge column ``edge_attr``, ``y`` (G) → graph column ``y``, and ``kept`` (G), a mask
    of the graphs to use. Graphs and edges keep the order of the file.
    """
    stored = arrays(path, *_SET, used=_SET_COLUMNS)
    with about(path):
        graphs = _pack(stored)
        if "kept" in stored:
            if stored["kept"].dtype != bool:
                raise DatasetError(f"kept must be a mask, it holds {stored['kept'].dtype}")
            graphs = graphs[stored["kept"]]
    return graphs if pick is None else graphs[pick(len(graphs))]


@contextmanager
def about(path: Path) -> Iterator[None]:
    """What is found wrong with the content of a file names the file."""
    try:
        yield
    except ValueError as error:
        raise DatasetError(f"{path}: {error}") from error


def whole_numbers(stored: Arrays, name: str) -> Any:
    """A stored array as int64; other numbers are refused, not rounded."""
    array = stored[name]
    if array.dtype.kind not in "iu" and array.size:
        raise DatasetError(f"{name} must be whole numbers, it holds {array.dtype}")
    return np.ascontiguousarray(array, np.int64)


def _pack(stored: Arrays) -> GraphSet:
    node_ptr, edge_ptr = whole_numbers(stored, "node_ptr"), whole_numbers(stored, "edge_ptr")
    edge_index = whole_numbers(stored, "edge_index")
    if node_ptr.size != edge_ptr.size:
        raise DatasetError(f"node_ptr says {node_ptr.size - 1} graphs, edge_ptr {edge_ptr.size - 1}")
    if edge_ptr[-1:].sum() != edge_index.shape[-1]:
        raise DatasetError(f"edge_ptr ends at {edge_ptr[-1]}, but there are {edge_index.shape[-1]} edges")
    first = np.repeat(node_ptr[:-1], np.diff(edge_ptr))
    graphs = packed(edge_index + first, edge_ptr, node_ptr).check()
    _require_simple(graphs)
    return graphs.with_columns(
        node={"x": _types(stored, "node_type")[:, None]} if "node_type" in stored else {},
        edge={"edge_attr": _types(stored, "edge_type")} if "edge_type" in stored else {},
        graph={"y": torch.from_numpy(np.ascontiguousarray(stored["y"], np.float64))} if "y" in stored else {},
    )


def set_arrays(graphs: GraphSet) -> Arrays:
    """The arrays of `read_set` for a set of graphs, ready to be stored."""
    first = graphs.node_ptr[graphs.edge_batch]
    out: Arrays = {
        "node_ptr": graphs.node_ptr.numpy(),
        "edge_ptr": graphs.edge_ptr.numpy(),
        "edge_index": (graphs.edge_index - first).numpy().astype(np.int32),
    }
    for column, array in ((graphs.x, "node_type"), (graphs.edge_attr, "edge_type"), (graphs.y, "y")):
        if column is not None:
            out[array] = column.reshape(-1).numpy()
    return out


def read_one(path: Path) -> tuple[GraphSet, Arrays]:
    """One large graph from an npz file, and the file's other arrays.

    Arrays: ``num_nodes`` and ``edge_index`` (2, E), or a sparse adjacency matrix ``adj_indices``,
    ``adj_indptr``, ``adj_shape``. Direction, repeats and self-loops are dropped.
    """
    stored = arrays(path, used=_ONE)
    with about(path):
        source, target, count = _raw_edges(stored)
    return one_graph(str(path), source, target, count), stored


def _raw_edges(stored: Arrays) -> tuple[Any, Any, int]:
    """Source, target and number of nodes."""
    if "edge_index" in stored and "num_nodes" in stored:
        if stored["num_nodes"].size != 1 or stored["num_nodes"].dtype.kind not in "iu":
            raise DatasetError(f"num_nodes must be one whole number, it is {stored['num_nodes']}")
        edge_index = whole_numbers(stored, "edge_index")
        if edge_index.ndim != 2 or edge_index.shape[0] != 2:
            raise DatasetError(f"edge_index must have the shape (2, E), it has {edge_index.shape}")
        return *edge_index, int(stored["num_nodes"].reshape(()))
    if {"adj_indices", "adj_indptr", "adj_shape"} <= stored.keys():
        count = int(stored["adj_shape"][0])
        source = np.repeat(np.arange(count), np.diff(whole_numbers(stored, "adj_indptr")))
        return source, whole_numbers(stored, "adj_indices"), count
    raise DatasetError(f"expected num_nodes and edge_index, got arrays {', '.join(stored)}")


def one_graph(where: str, source: Any, target: Any, count: int) -> GraphSet:
    """One simple undirected graph from raw edges, or an error that names the first edge out of range."""
    bad = np.flatnonzero((np.minimum(source, target) < 0) | (np.maximum(source, target) >= count))
    if bad.size:
        e = int(bad[0])
        raise DatasetError(f"{where}: edge {e} ({source[e]}, {target[e]}) is outside its {count} nodes")
    return simple(source, target, np.array([0, count]))


def _require_simple(graphs: GraphSet) -> None:
    source, target = graphs.edge_index
    if (source == target).any():
        raise DatasetError(
            f"expected no self-loop, got one at edge {int((source == target).nonzero()[0, 0])}"
        )
    rows = graphs.csr
    if ((rows.source.diff() == 0) & (rows.target.diff() == 0)).any():
        raise DatasetError("expected every edge once each way, got some twice")


def _types(stored: Arrays, name: str) -> torch.Tensor:
    return torch.from_numpy(whole_numbers(stored, name))
