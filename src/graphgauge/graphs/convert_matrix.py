"""Adjacency matrices, dense or SciPy sparse, in and out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import torch
from torch import Tensor

from graphgauge.graphs.convert_edges import refuse_duplicates
from graphgauge.graphs.errors import GraphError
from graphgauge.graphs.pack import Array, Rules, exact, pack, rule

if TYPE_CHECKING:
    from graphgauge.graphs.graphset import GraphSet


def from_adjacency(matrices: Any, *, weighted: bool = False, **rules: Unpack[Rules]) -> GraphSet:
    """A set from square matrices; entry (u, v) other than zero is the edge u → v.

    Parameters
    ----------
    matrices : one matrix or several, each a SciPy sparse matrix, an array or a tensor of shape (n, n)
    weighted : True keeps the entries as the edge column ``edge_weight`` (float64) and wants equal weights in
        both directions; False refuses entries other than 0 and 1
    rules : see `graphgauge.graphs.pack.Rules`. An asymmetric matrix is directed input; an entry stored twice
        in a sparse matrix is a duplicate edge; a stored zero is no edge

    >>> from graphgauge import GraphSet
    >>> GraphSet.from_adjacency([np.diag([1, 0], 1) + np.diag([1, 0], -1)]).nodes_per_graph.tolist()
    [3]
    """
    listed = list(_several(matrices))
    parts = [_entries(matrix, g) for g, matrix in enumerate(listed)]
    if not weighted:
        _refuse_weights(parts)
    empty = np.zeros(0, dtype=np.int64)
    counts = np.array([n for n, _, _, _ in parts], dtype=np.int64)
    edge_counts = np.array([u.size for _, u, _, _ in parts], dtype=np.int64)
    source = np.concatenate([u for _, u, _, _ in parts] or [empty])
    target = np.concatenate([v for _, _, v, _ in parts] or [empty])
    weights = [_as_float(w, g) for g, (*_, w) in enumerate(parts)] if weighted else []
    weight = np.concatenate([*weights, empty.astype(np.float64)])
    graphs = pack(
        counts, edge_counts, source, target, ordered=True, rules=rules,
        edge={"edge_weight": weight} if weighted else None,
    )  # fmt: skip
    if weighted and not graphs.directed and rule(rules, "duplicates") != "keep":
        _refuse_unequal_weights(graphs)
    return graphs


def to_adjacency(graphs: GraphSet, *, sparse: bool = True, weight: str | None = None) -> list[Any]:
    """One (n, n) matrix for each graph: int64 zeros and ones, or the values of the edge column `weight`.

    Parameters
    ----------
    sparse : SciPy CSR arrays, else dense arrays
    weight : name of a one-dimensional edge column

    >>> from graphgauge import GraphSet
    >>> GraphSet.from_edges([[(0, 1)]], num_nodes=[3]).to_adjacency(sparse=False)[0].tolist()
    [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    """
    from scipy.sparse import csr_array

    refuse_duplicates(graphs, "a matrix would add them up")
    values = np.ones(graphs.num_edges, dtype=np.int64)
    if weight is not None:
        if weight not in graphs.edge or graphs.edge[weight].dim() != 1:
            raise GraphError(f"there is no one-dimensional edge column {weight!r}")
        values = graphs.edge[weight].cpu().numpy()
    source, target = (graphs.edge_index - graphs.node_ptr[graphs.edge_batch]).cpu().numpy()
    ends, out = graphs.edge_ptr.tolist(), []
    for g, n in enumerate(graphs.nodes_per_graph.tolist()):
        e = slice(ends[g], ends[g + 1])
        matrix = csr_array((values[e], (source[e], target[e])), shape=(n, n))
        out.append(matrix if sparse else matrix.toarray())
    return out


Part = tuple[int, Array, Array, Array]


def _several(matrices: Any) -> Iterable[Any]:
    single = _is_sparse(matrices) or (isinstance(matrices, np.ndarray | Tensor) and matrices.ndim == 2)
    return [matrices] if single else matrices


def _is_sparse(matrix: Any) -> bool:
    from scipy.sparse import issparse

    return bool(issparse(matrix))


def _entries(matrix: Any, g: int) -> Part:
    """Order, row, column and value of every entry other than zero."""
    array: Any = matrix if _is_sparse(matrix) else _dense(matrix, g)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise GraphError(f"graph {g}: an adjacency matrix is square, this one has the shape {array.shape}")
    if array.dtype.kind not in "biuf":
        raise GraphError(f"graph {g}: an adjacency matrix holds real numbers, this one {array.dtype}")
    if _is_sparse(array):
        coo = array.tocoo()
        u, v, w = coo.row.astype(np.int64), coo.col.astype(np.int64), coo.data
        keep = w != 0
        u, v, w = u[keep], v[keep], w[keep]
    else:
        u, v = np.nonzero(array)
        w = array[u, v]
    bad = ~np.isfinite(w)
    if bad.any():
        e = int(np.flatnonzero(bad)[0])
        raise GraphError(f"graph {g}: entry ({u[e]}, {v[e]}) of the adjacency matrix is {w[e]}")
    return int(array.shape[0]), u, v, w


def _dense(matrix: Any, g: int) -> Array:
    if isinstance(matrix, Tensor):
        if matrix.layout != torch.strided:
            raise GraphError(f"graph {g}: a sparse tensor; give a SciPy sparse matrix or a dense tensor")
        matrix = exact(matrix)
    try:
        return np.asarray(matrix)
    except ValueError as error:
        raise GraphError(f"graph {g}: an adjacency matrix is square, not {matrix!r:.60}") from error


def _as_float(weight: Array, g: int) -> Array:
    out = weight.astype(np.float64)
    if weight.dtype.kind in "iu" and (out.astype(weight.dtype) != weight).any():
        raise GraphError(f"graph {g}: weights of type {weight.dtype} would be rounded to float64")
    return out


def _refuse_weights(parts: list[Part]) -> None:
    for g, (_, u, v, w) in enumerate(parts):
        if (w != 1).any():
            e = int(np.flatnonzero(w != 1)[0])
            raise GraphError(
                f"graph {g}: edge ({u[e]}, {v[e]}) has the weight {w[e]}; weighted=True keeps weights"
            )


def _refuse_unequal_weights(graphs: GraphSet) -> None:
    source, target = graphs.edge_index.numpy()
    weight = graphs.edge["edge_weight"].numpy()
    there, back = np.lexsort((target, source)), np.lexsort((source, target))
    differ = np.flatnonzero(weight[there] != weight[back])
    if differ.size:
        e = int(there[differ[0]])
        g = int(graphs.edge_batch[e])
        u, v = (graphs.edge_index[:, e] - graphs.node_ptr[g]).tolist()
        raise GraphError(
            f"graph {g}: edge ({u}, {v}) has another weight than its reverse; "
            'directed="keep" keeps both weights'
        )
