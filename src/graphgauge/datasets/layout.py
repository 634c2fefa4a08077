"""The two npz layouts of stored data: a set of graphs, and one large graph. Plain arrays, never pickles."""

from __future__ import annotations

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


def read_set(path: Path, split: str = "", pick: Pick = None) -> GraphSet:
    """A set of graphs from an npz file (which holds one split), all or those picked.

    Arrays: ``node_ptr`` (G+1), ``edge_ptr`` (G+1), ``edge_index`` (2, E) with node numbers from 0 in each
    graph and both directions of every edge; optional ``node_type`` (N) → node column ``x`` (N, 1),
    ``edge_type`` (E) → edge column ``edge_attr``, ``y`` (G) → graph column ``y``, and ``kept`` (G), a mask
    of the graphs to use. Graphs and edges keep the order of the file.
    """
    stored = arrays(path, "node_ptr", "edge_ptr", "edge_index")
    try:
        graphs = _pack(stored)
    except ValueError as error:
        raise DatasetError(f"{path}: {error}") from error
    graphs = graphs[stored["kept"]] if "kept" in stored else graphs
    return graphs if pick is None else graphs[pick(len(graphs))]


def _pack(stored: Arrays) -> GraphSet:
    node_ptr = stored["node_ptr"].astype(np.int64)
    edge_ptr = stored["edge_ptr"].astype(np.int64)
    first = np.repeat(node_ptr[:-1], np.diff(edge_ptr))
    graphs = packed(stored["edge_index"].astype(np.int64) + first, edge_ptr, node_ptr).check()
    _require_simple(graphs)
    return graphs.with_columns(
        node={"x": _tensor(stored["node_type"], np.int64)[:, None]} if "node_type" in stored else {},
        edge={"edge_attr": _tensor(stored["edge_type"], np.int64)} if "edge_type" in stored else {},
        graph={"y": _tensor(stored["y"], np.float64)} if "y" in stored else {},
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
    stored = arrays(path)
    if "edge_index" in stored and "num_nodes" in stored:
        count = int(stored["num_nodes"])
        source, target = stored["edge_index"].astype(np.int64)
    elif {"adj_indices", "adj_indptr", "adj_shape"} <= stored.keys():
        count = int(stored["adj_shape"][0])
        source = np.repeat(np.arange(count), np.diff(stored["adj_indptr"]))
        target = stored["adj_indices"].astype(np.int64)
    else:
        raise DatasetError(f"{path}: expected num_nodes and edge_index, got arrays {', '.join(stored)}")
    return one_graph(str(path), source, target, count), stored


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


def _tensor(array: np.ndarray[Any, Any], dtype: Any) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(array, dtype))
