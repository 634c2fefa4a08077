"""What makes a graph set valid, and which graphs an index names; the messages name the culprit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from graphgauge.graphs.errors import GraphError
from graphgauge.graphs.pack import MAX_NODES

if TYPE_CHECKING:
    from graphgauge.graphs.graphset import GraphSet

Index = int | slice | Sequence[int] | Sequence[bool] | Tensor | np.ndarray[Any, Any]
LEVELS = ("node", "edge", "graph")


def graph_ids(index: Index, count: int, device: torch.device | str = "cpu") -> Tensor:
    """Graph numbers (k,) for any index that a GraphSet or Pairs takes."""
    if isinstance(index, slice):
        return torch.tensor(range(count)[index], dtype=torch.int64, device=device)
    if isinstance(index, bool):
        raise GraphError("a graph cannot be picked by a single truth value")
    if isinstance(index, int | np.integer):
        ids = torch.tensor([int(index)], device=device)
    else:
        ids = torch.as_tensor(index, device=device)
        if ids.dtype == torch.bool:
            if ids.shape != (count,):
                raise GraphError(f"the mask has shape {tuple(ids.shape)}, the set {count} graphs")
            return ids.nonzero()[:, 0]
        if ids.numel() == 0:
            return torch.empty(0, dtype=torch.int64, device=device)
        if ids.dim() != 1 or ids.is_floating_point():
            raise GraphError(f"graphs are picked by whole numbers in one dimension, got {describe(ids)}")
        ids = ids.to(torch.int64)
    bad = (ids < -count) | (ids >= count)
    if bad.any():
        raise IndexError(f"graph {int(ids[bad][0])} of a set of {count}")
    return torch.where(ids < 0, ids + count, ids)


def check_pointer(name: str, ptr: Tensor, total: int | None) -> None:
    """Raise unless `ptr` is one-dimensional, starts at 0, never decreases and ends at `total`."""
    if ptr.dim() != 1 or ptr.numel() == 0 or int(ptr[0]) != 0:
        raise GraphError(f"{name} must be one-dimensional and start at 0, got {describe(ptr)}")
    falls = ptr[1:] < ptr[:-1]  # compared, since a difference may wrap round
    if falls.any():
        raise GraphError(f"{name} decreases at graph {int(falls.nonzero()[0, 0])}")
    if total is not None and int(ptr[-1]) != total:
        raise GraphError(f"{name} ends at {int(ptr[-1])}, but there are {total}")


def check_ids(graphs: GraphSet) -> None:
    """Raise, naming the edge, where an id is no node of the set: loops over nodes trust the ids."""
    ids = graphs.edge_index
    if ids.numel() and (int(ids.min()) < 0 or int(ids.max()) >= graphs.num_nodes):
        check_edges(graphs)


def check_edges(graphs: GraphSet) -> None:
    """Raise unless every edge joins nodes of its own graph and, in an undirected set, has its reverse."""
    if graphs.num_nodes > MAX_NODES:
        raise GraphError(f"{graphs.num_nodes} nodes are too many for one set")
    low = graphs.node_ptr[graphs.edge_batch]
    high = graphs.node_ptr[graphs.edge_batch + 1]
    bad = ((graphs.edge_index < low) | (graphs.edge_index >= high)).any(0)
    if bad.any():
        e = int(bad.nonzero()[0, 0])
        g = int(graphs.edge_batch[e])
        u, v = (graphs.edge_index[:, e] - graphs.node_ptr[g]).tolist()
        n = int(graphs.nodes_per_graph[g])
        raise GraphError(f"graph {g}: edge ({u}, {v}) is outside its {n} nodes")
    if not graphs.directed:
        _check_both_ways(graphs)


def _check_both_ways(graphs: GraphSet) -> None:
    width = max(graphs.num_nodes, 1)
    there = (graphs.edge_index[0] * width + graphs.edge_index[1]).sort().values
    back = (graphs.edge_index[1] * width + graphs.edge_index[0]).sort().values
    differ = (there != back).nonzero()
    if len(differ):
        # At the first difference of the two sorted lists the smaller entry is in one of them only.
        first, other = int(there[differ[0, 0]]), int(back[differ[0, 0]])
        u, v = divmod(first, width) if first < other else divmod(other, width)[::-1]
        g = int(graphs.batch[u])
        u, v = u - int(graphs.node_ptr[g]), v - int(graphs.node_ptr[g])
        raise GraphError(f"graph {g}: edge ({u}, {v}) has no reverse, but the set is undirected")


def check_same_columns(parts: Sequence[GraphSet]) -> None:
    """Raise unless all sets have the same directedness and columns of the same names, types and widths."""
    first = parts[0]
    for i, part in enumerate(parts):
        if part.directed != first.directed:
            raise GraphError(f"set {i} is {'directed' if part.directed else 'undirected'}, set 0 is not")
        for level in LEVELS:
            ours, theirs = set(getattr(first, level)), set(getattr(part, level))
            if ours != theirs:
                raise GraphError(
                    f"{level} columns differ: set 0 has {sorted(ours)}, set {i} {sorted(theirs)}"
                )
            for name in ours:
                one, other = getattr(first, level)[name], getattr(part, level)[name]
                if one.dtype != other.dtype or one.shape[1:] != other.shape[1:]:
                    raise GraphError(
                        f"{level} column {name!r} differs: set 0 has a {describe(one)}, "
                        f"set {i} a {describe(other)}"
                    )


def describe(value: object) -> str:
    """Type and shape of a value, for messages."""
    if isinstance(value, Tensor):
        return f"{value.dtype} tensor of shape {tuple(value.shape)}"
    return type(value).__name__
