"""PyG `Data` and `Batch` in and out (needs the extra [pyg])."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np
import torch
from torch import Tensor

from graphgauge.graphs.errors import GraphError
from graphgauge.graphs.pack import Array, Rules, names_taken, offsets, pack, whole

if TYPE_CHECKING:
    from graphgauge.graphs.graphset import GraphSet

Level = Literal["node", "edge", "graph"]

# Attributes whose level PyG itself fixes.
_STANDARD: dict[str, Level] = {
    "x": "node", "pos": "node", "z": "node",
    "edge_attr": "edge", "edge_weight": "edge", "edge_type": "edge",
}  # fmt: skip
# Attributes that say what is in the graph and never become columns.
_STRUCTURE = ("edge_index", "num_nodes", "batch", "ptr")


def from_pyg(
    data: Any,
    *,
    num_graphs: int | None = None,
    attributes: Collection[str] | None = None,
    levels: Mapping[str, Level] | None = None,
    **rules: Unpack[Rules],
) -> GraphSet:
    """A set from PyG `Data` objects or one `Batch`; edge order is kept.

    The number of nodes is ``Data.num_nodes`` where it was given, else the length of ``x``, ``pos`` or
    another ``node…`` attribute. It is never guessed from the edges: such a `Data` is refused.

    An attribute is a node, edge or graph column when it has n, m or one row (or no dimension) in *every*
    graph. Where several fit, a name with "edge" says edge, ``x``, ``pos``, ``z`` and a name with "node" say
    node, ``y`` and a name with "graph" say graph, any other name is tried as node, edge, graph in this
    order; ``levels={"name": "graph"}`` decides by hand. ``x``, ``pos`` and ``z`` with other rows than nodes,
    and ``edge_attr``, ``edge_weight`` and ``edge_type`` with other rows than edges, are refused.

    Parameters
    ----------
    data : one Data, a list of Data, or a Batch
    num_graphs : graphs of a batch that has no ``ptr`` (a batch vector cannot show a trailing empty graph)
    attributes : names to take; None takes all and refuses what is no column (text, lists of text, …)
    levels : level of an attribute by name
    rules : see `graphgauge.graphs.pack.Rules`. An ``edge_index`` lists undirected edges both ways

    >>> from graphgauge import GraphSet
    >>> from torch_geometric.data import Data
    >>> data = Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=3)
    >>> GraphSet.from_pyg([data, data]).nodes_per_graph.tolist()
    [3, 3]
    """
    if hasattr(data, "keys") and not isinstance(data, Mapping):
        if getattr(data, "batch", None) is not None or getattr(data, "ptr", None) is not None:
            return _from_batch(data, num_graphs, attributes, levels or {}, rules)
        data = [data]
    stores = [_store(item, g) for g, item in enumerate(data)]
    counts = np.array([_num_nodes(store, g) for g, store in enumerate(stores)], dtype=np.int64)
    edges = [_edge_index(store, g) for g, store in enumerate(stores)]
    edge_counts = np.array([e.shape[1] for e in edges], dtype=np.int64)
    joined = torch.cat(edges, dim=1).numpy() if edges else np.zeros((2, 0), dtype=np.int64)
    names = _names(stores, attributes, bool(counts.sum() and edge_counts.sum()))
    columns: dict[str, dict[str, Tensor]] = {"node": {}, "edge": {}, "graph": {}}
    for name in names:
        values = [_value(store, name, g) for g, store in enumerate(stores)]
        level = _level(name, [len(v) for v in values], counts, edge_counts, levels or {})
        columns[level][name] = _cat(values, name)
    return pack(counts, edge_counts, joined[0], joined[1], ordered=True, rules=rules, **columns)


def to_pyg(graphs: GraphSet) -> list[Any]:
    """PyG `Data` objects with ``num_nodes`` set, so that isolated nodes and empty graphs keep their places.

    Graph columns get one row each, as PyG's own batching expects.

    >>> from graphgauge import GraphSet
    >>> [d.num_nodes for d in GraphSet.from_edges([[(0, 1)], []], num_nodes=[3, 1]).to_pyg()]
    [3, 1]
    """
    from torch_geometric.data import Data

    shared = sorted(
        name
        for name in {*graphs.node, *graphs.edge, *graphs.graph}
        if (name in graphs.node) + (name in graphs.edge) + (name in graphs.graph) > 1
    )
    if shared:
        raise GraphError(f"columns {shared} exist on two levels; a PyG Data has one name for each attribute")
    reserved = sorted({*graphs.node, *graphs.edge, *graphs.graph} & set(_STRUCTURE))
    if reserved:
        raise GraphError(f"columns {reserved} have names that a PyG Data keeps for itself")
    local = graphs.edge_index - graphs.node_ptr[graphs.edge_batch]
    nodes, edges = graphs.node_ptr.tolist(), graphs.edge_ptr.tolist()
    out = []
    for g in range(len(graphs)):
        n, e = slice(nodes[g], nodes[g + 1]), slice(edges[g], edges[g + 1])
        out.append(
            Data(
                edge_index=local[:, e],
                num_nodes=n.stop - n.start,
                **{k: v[n] for k, v in graphs.node.items()},
                **{k: v[e] for k, v in graphs.edge.items()},
                **{k: v[g : g + 1] for k, v in graphs.graph.items()},
            )
        )
    return out


def _from_batch(
    batch: Any,
    num_graphs: int | None,
    attributes: Collection[str] | None,
    levels: Mapping[str, Level],
    rules: Rules,
) -> GraphSet:
    store = _store(batch, 0)
    total = _num_nodes(store, 0)
    counts = _batch_counts(store, total, num_graphs)
    node_ptr = offsets(counts)
    edge_index = _edge_index(store, 0).numpy().astype(np.int64)
    bad = ((edge_index < 0) | (edge_index >= total)).any(axis=0)
    if bad.any():
        u, v = edge_index[:, int(np.flatnonzero(bad)[0])]
        raise GraphError(f"batch: edge ({u}, {v}) is outside its {total} nodes")
    owner = np.repeat(np.arange(counts.size), counts)[edge_index]
    crossing = np.flatnonzero(owner[0] != owner[1])
    if crossing.size:
        e = int(crossing[0])
        raise GraphError(
            f"graph {owner[0, e]}: edge ({edge_index[0, e]}, {edge_index[1, e]}) leads to graph {owner[1, e]}"
        )
    order = np.argsort(owner[0], kind="stable")
    edge_index, edge_graph = edge_index[:, order], owner[0][order]
    edge_counts = np.bincount(edge_graph, minlength=counts.size)
    columns: dict[str, dict[str, Tensor]] = {"node": {}, "edge": {}, "graph": {}}
    names = _names([store], attributes, bool(total and edge_index.size))
    _refuse_shifted(batch, names)
    for name in names:
        value = _value(store, name, 0)
        rows = _rows(batch, name, counts.size)
        if rows is not None and sum(rows) == len(value):
            level = _level(name, rows, counts, edge_counts, levels)
        else:
            sizes = {"node": total, "edge": edge_index.shape[1], "graph": counts.size}
            fitting = {k for k, size in sizes.items() if size == len(value)}
            level = _one_level(name, fitting, levels, len(value))
        columns[level][name] = value[torch.from_numpy(order)] if level == "edge" else value
    local = edge_index - node_ptr[edge_graph]
    return pack(counts, edge_counts, local[0], local[1], ordered=True, rules=rules, **columns)


def _batch_counts(store: Mapping[str, Any], total: int, num_graphs: int | None) -> Array:
    vector, ptr = store.get("batch"), store.get("ptr")
    if vector is not None:
        vector = whole(vector.cpu(), "the numbers in the batch vector")
        falls = np.flatnonzero(np.diff(vector) < 0)
        if falls.size:
            i = int(falls[0]) + 1
            raise GraphError(
                f"the batch vector is not sorted: node {i} is in graph {vector[i]}, "
                f"node {i - 1} in graph {vector[i - 1]}"
            )
    if ptr is not None:
        counts = _ptr_counts(whole(ptr.cpu(), "the numbers in the ptr of the batch"))
    elif num_graphs is not None:
        if vector is not None and vector.size and (int(vector[0]) < 0 or int(vector[-1]) >= num_graphs):
            odd = vector[0] if vector[0] < 0 else vector[-1]
            raise GraphError(f"the batch vector names graph {odd} of {num_graphs}")
        counts = np.bincount(vector, minlength=num_graphs) if vector is not None else np.zeros(0, np.int64)
    else:
        raise GraphError(
            "a batch without ptr does not say how many graphs it has (the last may be empty); give num_graphs"
        )
    if int(counts.sum()) != total:
        raise GraphError(f"the batch has {total} nodes, its ptr or batch vector {int(counts.sum())}")
    if vector is not None and not np.array_equal(vector, np.repeat(np.arange(counts.size), counts)):
        raise GraphError("batch and ptr of the batch disagree")
    return counts


def _ptr_counts(ptr: Array) -> Array:
    if ptr.ndim != 1 or ptr.size == 0 or ptr[0] != 0:
        raise GraphError("the ptr of the batch must be one-dimensional and start at 0")
    falls = np.flatnonzero(ptr[1:] < ptr[:-1])
    if falls.size:
        raise GraphError(f"the ptr of the batch decreases at graph {falls[0]}")
    return np.diff(ptr)


def _rows(batch: Any, name: str, graphs: int) -> list[int] | None:
    """Rows of an attribute in each graph, which a `Batch` made by PyG remembers."""
    slices = (getattr(batch, "_slice_dict", None) or {}).get(name)
    if slices is None or len(slices) != graphs + 1:
        return None
    rows: list[int] = np.diff(np.asarray(slices)).tolist()
    return rows


def _refuse_shifted(batch: Any, names: list[str]) -> None:
    """PyG's batching adds node counts to attributes that it takes for node numbers ("index" in the name)."""
    shifts: Mapping[str, Any] = getattr(batch, "_inc_dict", None) or {}
    for name in names:
        if np.any([bool(np.any(np.asarray(shift))) for shift in shifts.get(name, ())]):
            raise GraphError(
                f"batch: the numbers in {name!r} were shifted when the batch was made; "
                "give the list of Data (batch.to_data_list())"
            )


def _store(item: Any, g: int) -> dict[str, Any]:
    if not hasattr(item, "to_dict") or hasattr(item, "node_types") or not hasattr(item, "edge_index"):
        raise GraphError(f"graph {g} is a {type(item).__name__}, not a homogeneous PyG Data")
    return {k: v for k, v in item.to_dict().items() if v is not None and k[0] != "_"}


def _num_nodes(store: Mapping[str, Any], g: int) -> int:
    if "num_nodes" in store:
        count = np.asarray(store["num_nodes"])
        if count.size != 1 or count.dtype.kind not in "iu":
            raise GraphError(f"graph {g}: num_nodes must be a whole number, it is {store['num_nodes']!r}")
        return int(count.reshape(()))
    for name, value in store.items():
        if (
            isinstance(value, Tensor)
            and value.dim()
            and (name in ("x", "pos", "z", "batch") or "node" in name)
        ):
            return int(value.shape[0])
    raise GraphError(
        f"graph {g} is given by its edges only: without num_nodes or x its isolated nodes are unknown"
    )


def _edge_index(store: Mapping[str, Any], g: int) -> Tensor:
    edge_index = store.get("edge_index", torch.zeros(2, 0, dtype=torch.int64))
    if not isinstance(edge_index, Tensor) or edge_index.dim() != 2 or edge_index.shape[0] != 2:
        raise GraphError(f"graph {g}: edge_index must be a tensor of shape (2, E)")
    if edge_index.numel() and (edge_index.is_floating_point() or edge_index.dtype == torch.bool):
        raise GraphError(f"graph {g}: edge_index must hold whole numbers, it is {edge_index.dtype}")
    return edge_index.cpu().to(torch.int64)


def _names(
    stores: Sequence[Mapping[str, Any]], attributes: Collection[str] | None, complete: bool
) -> list[str]:
    seen = dict.fromkeys(name for store in stores for name in store if name not in _STRUCTURE)
    taken = names_taken(seen, attributes, complete)
    for name in taken:
        for g, store in enumerate(stores):
            if name not in store:
                raise GraphError(f"graph {g} has no {name!r}, others do; attributes=[…] names those to take")
    return taken


def _value(store: Mapping[str, Any], name: str, g: int) -> Tensor:
    value = store[name]
    if isinstance(value, bool | int | float | np.generic):
        value = torch.tensor([value], dtype=torch.float64 if isinstance(value, float) else None)
    if not isinstance(value, Tensor) or value.is_sparse or value.layout != torch.strided:
        raise GraphError(
            f"graph {g}: {name!r} is a {type(value).__name__}, not a dense tensor; "
            "attributes=[…] names those to take"
        )
    value = value.detach().cpu()
    return value.reshape(1) if value.dim() == 0 else value


def _level(name: str, rows: list[int], counts: Array, edge_counts: Array, levels: Mapping[str, Level]) -> str:
    given = np.array(rows, dtype=np.int64)
    sizes = {"node": counts, "edge": edge_counts, "graph": np.ones_like(counts)}
    fitting = {level for level, size in sizes.items() if np.array_equal(given, size)}
    wanted = levels.get(name) or _STANDARD.get(name)
    if not fitting or (wanted and wanted not in fitting):
        off = given != sizes[wanted] if wanted else np.all([given != s for s in sizes.values()], axis=0)
        g = int(np.flatnonzero(off)[0]) if off.any() else 0
        raise GraphError(
            f"graph {g}: {name!r} has {given[g]} rows, the graph {counts[g]} nodes and {edge_counts[g]} "
            "edges; a graph column has one row (or no dimension)"
        )
    return _one_level(name, fitting, levels, rows[0] if rows else 0)


def _one_level(name: str, fitting: set[str], levels: Mapping[str, Level], rows: int) -> str:
    wanted = levels.get(name) or _STANDARD.get(name)
    if wanted:
        if wanted not in fitting:
            raise GraphError(f"{name!r} has {rows} rows, which does not fit the {wanted} level")
        return wanted
    hints = {
        "edge": "edge" in name,
        "node": name in ("x", "pos", "z") or "node" in name,
        "graph": name == "y" or "graph" in name,
    }
    for level, hinted in hints.items():
        if hinted and level in fitting:
            return level
    for level in ("node", "edge", "graph"):
        if level in fitting:
            return level
    raise GraphError(f"{name!r} has {rows} rows, which fits neither nodes nor edges nor graphs")


def _cat(values: list[Tensor], name: str) -> Tensor:
    for g, value in enumerate(values):
        if value.dtype != values[0].dtype or value.shape[1:] != values[0].shape[1:]:
            raise GraphError(
                f"graph {g}: {name!r} is {value.dtype} of shape {tuple(value.shape)}, "
                f"in graph 0 it is {values[0].dtype} of shape {tuple(values[0].shape)}"
            )
    return torch.cat(values)
