"""The one gate for graphs from outside: every converter and reader hands its arrays to `pack`.

The rules for odd input live here and nowhere else; docs/graph-input.md lists them in one table.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypedDict, get_args

import numpy as np
import torch
from torch import Tensor

from graphgauge.graphs.errors import GraphError

if TYPE_CHECKING:
    from graphgauge.graphs.graphset import GraphSet

Array = np.ndarray[Any, Any]
Columns = Mapping[str, Any]

# The product of two node numbers still fits into 64 bits, and no file can ask for more nodes than this.
MAX_NODES = 2**31 - 1


class Rules(TypedDict, total=False):
    """What to do with odd input; the first value of each is the default.

    directed : an edge without its reverse is an "error", or arcs are kept ("keep"), or the missing reverse
        edges are added ("symmetrise")
    self_loops : an edge from a node to itself is an "error", is taken out ("drop") or stored once ("keep")
    duplicates : an edge given twice is an "error"; "merge" stores it once and wants equal edge columns,
        "sum" and "max" store it once and combine the columns, "keep" stores it as often as given
    non_finite : NaN or infinity in a column is an "error" or is let through ("keep")
    """

    directed: Literal["error", "keep", "symmetrise"]
    self_loops: Literal["error", "drop", "keep"]
    duplicates: Literal["error", "merge", "sum", "max", "keep"]
    non_finite: Literal["error", "keep"]


def rule(rules: Rules, name: str) -> str:
    """The value of a rule, checked."""
    annotation = _CHOICES.get(name)
    unknown = sorted(set(rules) - set(_CHOICES))
    if unknown or annotation is None:
        raise TypeError(f"unknown options {unknown or [name]}; the rules are {sorted(_CHOICES)}")
    value = str(rules.get(name, annotation[0]))
    if value not in annotation:
        raise ValueError(f"{name}={value!r} is not one of {list(annotation)}")
    return value


_CHOICES: dict[str, tuple[str, ...]] = {
    "directed": get_args(Literal["error", "keep", "symmetrise"]),
    "self_loops": get_args(Literal["error", "drop", "keep"]),
    "duplicates": get_args(Literal["error", "merge", "sum", "max", "keep"]),
    "non_finite": get_args(Literal["error", "keep"]),
}


def pack(
    counts: Array,
    edge_counts: Array,
    source: Array,
    target: Array,
    *,
    ordered: bool,
    rules: Rules,
    node: Columns | None = None,
    edge: Columns | None = None,
    graph: Columns | None = None,
) -> GraphSet:
    """Check everything, apply the rules, build the set.

    Parameters
    ----------
    counts, edge_counts : (G,) nodes and listed edges of each graph
    source, target : (E,) node numbers inside their graph, graph after graph
    ordered : True where an undirected edge is listed both ways (or edges are arcs), False where once
    rules : what to do with odd input
    node, edge, graph : columns with N, E and G rows
    """
    from graphgauge.graphs.graphset import GraphSet

    counts, edge_counts = whole(counts, "node counts"), whole(edge_counts, "edge counts")
    if (counts < 0).any():
        raise GraphError(f"graph {int(np.flatnonzero(counts < 0)[0])}: a negative number of nodes")
    if counts.sum(dtype=np.float64) > MAX_NODES:
        raise GraphError(f"{counts.sum(dtype=np.float64):.0f} nodes are too many for one set")
    edges = _Edges(counts, edge_counts, whole(source, "node ids"), whole(target, "node ids"))
    sizes = {"node": int(counts.sum()), "edge": edges.source.size, "graph": counts.size}
    columns = {
        level: {name: column(value, level, name, sizes[level]) for name, value in (given or {}).items()}
        for level, given in (("node", node), ("edge", edge), ("graph", graph))
    }
    if rule(rules, "non_finite") == "error":
        _refuse_non_finite(columns, counts, edge_counts)
    edges.columns = columns["edge"]
    edges.refuse_outside()
    edges.treat_loops(rule(rules, "self_loops"))
    edges.treat_duplicates(rule(rules, "duplicates"), ordered)
    directed = edges.treat_direction(rule(rules, "directed"), ordered)
    node_ptr = offsets(counts)
    shift = node_ptr[edges.graph]
    return GraphSet(
        node_ptr=torch.from_numpy(node_ptr),
        edge_index=torch.from_numpy(np.stack([edges.source + shift, edges.target + shift])),
        edge_ptr=torch.from_numpy(offsets(np.bincount(edges.graph, minlength=counts.size))),
        node=columns["node"],
        edge=edges.columns,
        graph=columns["graph"],
        directed=directed,
    )


class _Edges:
    """The listed edges on their way through the rules; `graph` stays non-decreasing."""

    def __init__(self, counts: Array, edge_counts: Array, source: Array, target: Array) -> None:
        self.counts, self.source, self.target = counts, source, target
        self.graph = np.repeat(np.arange(counts.size), edge_counts)
        self.start = offsets(counts)[:-1]
        self.total = max(int(counts.sum()), 1)
        self.columns: dict[str, Tensor] = {}

    def name(self, e: int) -> str:
        return f"graph {self.graph[e]}: edge ({self.source[e]}, {self.target[e]})"

    def take(self, index: Array) -> None:
        """Keep the edges at `index` (positions or a mask), with their columns."""
        self.source, self.target, self.graph = self.source[index], self.target[index], self.graph[index]
        at = torch.from_numpy(np.flatnonzero(index) if index.dtype == bool else index)
        self.columns = {name: value[at] for name, value in self.columns.items()}

    def keys(self, source: Array, target: Array) -> Array:
        """One number for each ordered node pair of the whole set."""
        shift = self.start[self.graph]
        return (source + shift) * self.total + target + shift

    def refuse_outside(self) -> None:
        high = self.counts[self.graph]
        bad = (self.source < 0) | (self.target < 0) | (self.source >= high) | (self.target >= high)
        if bad.any():
            e = int(np.flatnonzero(bad)[0])
            raise GraphError(f"{self.name(e)} is outside its {high[e]} nodes (numbered from 0)")

    def treat_loops(self, choice: str) -> None:
        loops = self.source == self.target
        if choice == "keep" or not loops.any():
            return
        if choice == "error":
            e = int(np.flatnonzero(loops)[0])
            raise GraphError(f'{self.name(e)} is a self-loop; choose self_loops="drop" or "keep"')
        _tell(f"dropped {int(loops.sum())} self-loops from {np.unique(self.graph[loops]).size} graphs")
        self.take(~loops)

    def treat_duplicates(self, choice: str, ordered: bool) -> None:
        if choice == "keep":
            return
        low, high = self.source, self.target
        if not ordered:
            low, high = np.minimum(low, high), np.maximum(low, high)
        _, first, inverse = np.unique(self.keys(low, high), return_index=True, return_inverse=True)
        if first.size == self.source.size:
            return
        again = np.ones(self.source.size, dtype=bool)
        again[first] = False
        if choice == "error":
            e = int(np.flatnonzero(again)[0])
            way = "" if ordered else " (either way round; both_ways=True where edges are listed both ways)"
            raise GraphError(
                f'{self.name(e)} is given twice{way}; choose duplicates="merge", "sum", "max" or "keep"'
            )
        self._combine(choice, first, inverse)
        _tell(f"merged {int(again.sum())} duplicate edges in {np.unique(self.graph[again]).size} graphs")
        self.take(np.sort(first))

    def _combine(self, choice: str, first: Array, inverse: Array) -> None:
        """Leave in each first row what the rule makes of all rows of the same edge."""
        home = torch.from_numpy(first[inverse])
        for name, value in self.columns.items():
            if choice == "merge":
                differ = (value != value[home]).reshape(len(value), -1).any(1).numpy()
                if differ.any():
                    e = int(np.flatnonzero(differ)[0])
                    raise GraphError(
                        f"{self.name(e)} is given twice with different values in column {name!r}; "
                        'choose duplicates="sum" or "max"'
                    )
            else:
                how = "sum" if choice == "sum" else "amax"
                at = home.reshape(-1, *[1] * (value.dim() - 1)).expand_as(value)
                wide = value if value.is_floating_point() or value.is_complex() else value.to(torch.int64)
                if value.dtype == torch.uint64 and (wide < 0).any():
                    raise GraphError(f"column {name!r} has numbers that are too large to be combined")
                made = torch.zeros_like(wide).scatter_reduce_(0, at, wide, how, include_self=False)
                self.columns[name] = self._narrowed(name, made, value.dtype)

    def _narrowed(self, name: str, made: Tensor, dtype: torch.dtype) -> Tensor:
        """Combined values in the type of their column, if it holds them."""
        out = made.to(dtype)
        if made.is_floating_point() or made.is_complex():
            return out
        off = (out.to(made.dtype) != made).reshape(len(made), -1).any(1)
        if off.any():
            e = int(off.nonzero()[0, 0])
            raise GraphError(f"{self.name(e)}: the sum of column {name!r} does not fit into {dtype}")
        return out

    def treat_direction(self, choice: str, ordered: bool) -> bool:
        """Make every edge stand both ways, or keep arcs; True where the set is directed."""
        if not ordered:
            self.take(self._twice())
            return False
        if choice == "keep":
            return True
        forward, backward = self.keys(self.source, self.target), self.keys(self.target, self.source)
        kinds, times = np.unique(forward, return_counts=True)
        at = np.minimum(np.searchsorted(kinds, backward), max(kinds.size - 1, 0))
        found = kinds[at] == backward if kinds.size else np.zeros(0, dtype=bool)
        own = times[np.searchsorted(kinds, forward)]
        lone = ~found | (np.where(found, times[at] if kinds.size else 0, 0) < own)
        if not lone.any():
            return False
        e = int(np.flatnonzero(lone)[0])
        if choice == "error":
            raise GraphError(
                f'{self.name(e)} has no reverse edge; choose directed="keep" or directed="symmetrise"'
            )
        if (lone & found).any():
            e = int(np.flatnonzero(lone & found)[0])
            raise GraphError(f"{self.name(e)} is there more often than its reverse; merge duplicates first")
        _tell(f"added {int(lone.sum())} reverse edges in {np.unique(self.graph[lone]).size} graphs")
        missing = np.flatnonzero(lone)
        order = np.argsort(np.concatenate([self.graph, self.graph[missing]]), kind="stable")
        count = self.source.size
        self.take(np.concatenate([np.arange(count), missing]))
        turned = np.arange(self.source.size) >= count
        self._turn(turned)
        self.take(order)
        return False

    def _twice(self) -> Array:
        """Positions that repeat each edge, the second time turned round; a self-loop stands once."""
        times = np.where(self.source == self.target, 1, 2)
        index = np.repeat(np.arange(self.source.size), times)
        second = np.zeros(index.size, dtype=bool)
        second[1:] = index[1:] == index[:-1]
        self.take(index)
        self._turn(second)
        return np.arange(index.size)

    def _turn(self, mask: Array) -> None:
        self.source, self.target = (
            np.where(mask, self.target, self.source),
            np.where(mask, self.source, self.target),
        )


# ── small checks shared by the converters ──────────────────────────────────────────────────────────────────


def offsets(counts: Array) -> Array:
    """(G,) sizes → (G+1,) int64 offsets."""
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]).astype(np.int64)


def whole(values: Any, what: str) -> Array:
    """An int64 copy of an array of whole numbers; floats and truth values are refused, not rounded."""
    array = values.numpy() if isinstance(values, Tensor) else np.asarray(values)
    if array.size == 0:
        return np.zeros(array.shape, dtype=np.int64)
    if array.dtype.kind not in "iu":
        raise GraphError(f"{what} must be whole numbers, got {array.dtype}")
    if array.dtype == np.uint64 and (array > np.iinfo(np.int64).max).any():
        raise GraphError(f"{what} do not fit into 64 bits")
    return array.astype(np.int64)


def column(values: Any, level: str, name: str, rows: int) -> Tensor:
    """A column as a tensor with the given number of rows; its type is kept."""
    tensor = as_tensor(values, f"{level} column {name!r}")
    if tensor.dim() == 0 or tensor.shape[0] != rows:
        shape = tuple(tensor.shape)
        raise GraphError(f"{level} column {name!r} must have {rows} rows, it has the shape {shape}")
    return tensor


def exact(value: Tensor) -> Array:
    """A tensor as an array; bfloat16, which NumPy lacks, as float32, which holds all its values."""
    value = value.detach().cpu()
    array: Array = (value.float() if value.dtype == torch.bfloat16 else value).numpy()
    return array


def as_tensor(values: Any, what: str) -> Tensor:
    """Numbers as a tensor: Python floats as float64 and whole numbers as int64, so nothing is lost."""
    if isinstance(values, Tensor):
        return values
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise GraphError(f"{what} is not numeric: {error}") from error
    if array.size == 0 and array.dtype == object:
        array = array.astype(np.float64)
    if array.dtype.kind not in "biuf":
        raise GraphError(f"{what} is not numeric (it holds {array.dtype})")
    if array.dtype == np.float64 and isinstance(values, list) and _rounded(values, array):
        raise GraphError(f"{what} has whole numbers beside fractions that would be rounded")
    try:
        return torch.from_numpy(np.array(array, order="C"))
    except TypeError as error:
        raise GraphError(f"{what}: {error}") from error


def _rounded(values: list[Any], array: Array) -> bool:
    """Whether whole numbers lost digits on their way from a list into an array of floats."""
    large = np.argwhere(np.abs(array) >= 2**53)
    for place in large.tolist():
        value: Any = values
        for i in place:
            value = value[i]
        if isinstance(value, int | np.integer) and int(value) != int(array[tuple(place)]):
            return True
    return False


def names_taken(seen: Iterable[str], attributes: Collection[str] | None, complete: bool) -> list[str]:
    """Those of the names that are there that `attributes` asks for (None: all).

    Parameters
    ----------
    complete : there are nodes and edges, so a name that is not there is a mistake
    """
    there = list(seen)
    if attributes is None:
        return there
    if isinstance(attributes, str):
        raise GraphError(f"attributes must be a list of names, got the text {attributes!r}")
    missing = [name for name in attributes if name not in there]
    if missing and complete:
        raise GraphError(f"no graph has an attribute {missing[0]!r}; there are {sorted(map(str, there))}")
    return [name for name in there if name in attributes]


def _refuse_non_finite(
    columns: Mapping[str, Mapping[str, Tensor]], counts: Array, edge_counts: Array
) -> None:
    first = {
        "node": offsets(counts), "edge": offsets(edge_counts), "graph": np.arange(counts.size + 1)
    }  # fmt: skip
    for level, named in columns.items():
        for name, value in named.items():
            # torch does not ask floats of one byte whether they are finite
            finite = torch.isfinite(value.float() if str(value.dtype).startswith("torch.float8") else value)
            if bool(finite.all()):
                continue
            row = int((~finite).reshape(len(value), -1).any(1).nonzero()[0, 0])
            g = int(np.searchsorted(first[level], row, side="right")) - 1
            where = "" if level == "graph" else f", {level} {row - int(first[level][g])}"
            raise GraphError(
                f"graph {g}{where}: {level} column {name!r} has NaN or infinity; "
                'non_finite="keep" lets it through'
            )


def _tell(message: str) -> None:
    warnings.warn(message, UserWarning, stacklevel=5)
