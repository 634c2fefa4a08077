"""Graphs that networkx pickled, read without running anything that the file asks for.

A pickle is a program. This reader admits a short list of names and puts an inert stand-in of its own in the
place of each: not even networkx's own classes are touched while the file is read. Anything else is refused by
name. The graphs are then rebuilt from plain dictionaries.
"""

from __future__ import annotations

import collections
import pickle
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from graphgauge.graphs.convert_networkx import from_networkx
from graphgauge.graphs.errors import GraphError
from graphgauge.graphs.graphset import GraphSet
from graphgauge.graphs.pack import Rules

MAX_BYTES = 2**31


def read(
    path: Path,
    *,
    attributes: Collection[str] | None = None,
    max_bytes: int = MAX_BYTES,
    **rules: Unpack[Rules],
) -> GraphSet:
    """One pickled networkx graph, or a list or tuple of them, as `GraphSet.from_networkx` would take them.

    Parameters
    ----------
    attributes : names of the attributes to take; None takes all and refuses what cannot be a column, see
        `from_networkx`
    max_bytes : largest file to read
    rules : see `graphgauge.graphs.pack.Rules`
    """
    if path.stat().st_size > max_bytes:
        raise GraphError(f"{path.stat().st_size} bytes are more than max_bytes={max_bytes}")
    with path.open("rb") as file:
        try:
            content = _Reader(file, encoding="latin1").load()
            if file.read(1):
                raise GraphError("there is more after the first pickle; one list of graphs is wanted")
        except GraphError:
            raise
        except (
            pickle.UnpicklingError, EOFError, ValueError, TypeError, AttributeError, IndexError, KeyError,
            MemoryError, OverflowError, RecursionError, UnicodeError,
        ) as error:  # fmt: skip
            raise GraphError(f"not a pickle of networkx graphs ({type(error).__name__}: {error})") from error
    listed = [content] if isinstance(content, _Graph) else content
    if not isinstance(listed, list | tuple):
        raise GraphError(f"holds a {type(content).__name__}, not networkx graphs")
    return from_networkx([_rebuilt(item, g) for g, item in enumerate(listed)], attributes=attributes, **rules)


class _Inert:
    """Stands for an object of a class that is admitted but never made."""

    def __init__(self, *_: object) -> None:
        self.state: Any = None

    def __setstate__(self, state: Any) -> None:
        self.state = state


class _Graph(_Inert):
    kind = ("Graph", False, False)


class _DiGraph(_Graph):
    kind = ("DiGraph", True, False)


class _MultiGraph(_Graph):
    kind = ("MultiGraph", False, True)


class _MultiDiGraph(_Graph):
    kind = ("MultiDiGraph", True, True)


class _Dtype(_Inert):
    """The type of a NumPy number: a kind and a width, nothing else."""

    def __init__(self, code: object, *_: object) -> None:
        if not isinstance(code, str) or code not in _NUMBERS:
            raise GraphError(f"refused: a NumPy number of type {code!r}")
        self.type = np.dtype(code)

    def __setstate__(self, state: Any) -> None:
        if isinstance(state, tuple) and len(state) > 1 and state[1] == ">":
            self.type = self.type.newbyteorder(">")


_NUMBERS = ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8")


class _Call:
    """A function that a file may call, but not change: a pickle can set attributes of what it is given."""

    __slots__ = ("_function",)

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __call__(self, *given: object) -> Any:
        return self._function(*given)

    def __setstate__(self, state: object) -> None:
        raise GraphError("refused: the file would change the reader")


def _scalar(dtype: object, data: object) -> Any:
    raw = data.encode("latin1") if isinstance(data, str) else data
    if not isinstance(dtype, _Dtype) or not isinstance(raw, bytes) or len(raw) != dtype.type.itemsize:
        raise GraphError("refused: a broken NumPy number")
    return np.frombuffer(raw, dtype=dtype.type)[0].item()


def _encode(text: object, codec: object) -> bytes:
    if not isinstance(text, str) or codec != "latin1":
        raise GraphError(f"refused: text in the encoding {codec!r}")
    return text.encode("latin1")


def _reconstructed(cls: object, base: object, state: object) -> Any:
    """What pickle protocols 0 and 1 use to make any object."""
    if not (isinstance(cls, type) and issubclass(cls, _Inert)) or base is not object or state is not None:
        raise GraphError("refused: an object that is no networkx graph")
    return cls()


_PLAIN = (dict, list, set, frozenset, tuple, int, float, complex, bool, str, object)
_VIEWS = ("networkx.classes.reportviews", "networkx.classes.coreviews")
_ADMITTED: dict[tuple[str, str], Callable[..., Any]] = {
    **{(module, kind.__name__): kind for module in ("builtins", "__builtin__") for kind in _PLAIN},
    ("collections", "OrderedDict"): collections.OrderedDict,
    ("collections", "defaultdict"): collections.defaultdict,
    ("copy_reg", "_reconstructor"): _Call(_reconstructed),
    ("copyreg", "_reconstructor"): _Call(_reconstructed),
    ("_codecs", "encode"): _Call(_encode),
    ("numpy", "dtype"): _Dtype,
    ("numpy.core.multiarray", "scalar"): _Call(_scalar),
    ("numpy._core.multiarray", "scalar"): _Call(_scalar),
    ("networkx.classes.graph", "Graph"): _Graph,
    ("networkx.classes.digraph", "DiGraph"): _DiGraph,
    ("networkx.classes.multigraph", "MultiGraph"): _MultiGraph,
    ("networkx.classes.multidigraph", "MultiDiGraph"): _MultiDiGraph,
    ("networkx.classes.ordered", "OrderedGraph"): _Graph,
    ("networkx.classes.ordered", "OrderedDiGraph"): _DiGraph,
}  # fmt: skip


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if module in _VIEWS:
            return _Inert
        try:
            return _ADMITTED[module, name]
        except KeyError:
            raise GraphError(f"refused: the file asks for {module}.{name}, which is no plain graph") from None

    def persistent_load(self, pid: Any) -> Any:
        raise GraphError(f"refused: the file refers to the outside object {pid!r}")


def _rebuilt(item: object, g: int) -> Any:
    """A fresh networkx graph from the dictionaries of a pickled one (of any networkx version)."""
    import networkx as nx

    if not isinstance(item, _Graph):
        raise GraphError(f"graph {g} is a {type(item).__name__}, not a networkx graph")
    name, directed, multi = item.kind
    state = item.state if isinstance(item.state, dict) else {}
    nodes = _first(state, ("_node", "node"))
    rows = _first(state, ("_succ", "succ", "_adj", "adj") if directed else ("_adj", "adj"))
    about = state.get("graph", {})
    if nodes is None or rows is None or not isinstance(about, dict):
        raise GraphError(f"graph {g}: the pickled {name} has no node or no adjacency dictionary")
    graph = getattr(nx, name)()
    graph.graph.update(about)
    try:
        graph.add_nodes_from((node, dict(data)) for node, data in nodes.items())
        for u, row in rows.items():
            for v, data in row.items():
                if u not in nodes or v not in nodes:
                    raise GraphError(f"graph {g}: edge ({u!r}, {v!r}) joins nodes that are not there")
                if not directed and _other_side(rows, u, v) != [data]:
                    raise GraphError(f"graph {g}: edge ({u!r}, {v!r}) is not the same from both ends")
                if multi:
                    graph.add_edges_from((u, v, key, dict(one)) for key, one in data.items())
                else:
                    graph.add_edges_from([(u, v, dict(data))])
    except (TypeError, AttributeError, ValueError, RecursionError) as error:
        if isinstance(error, GraphError):
            raise
        raise GraphError(f"graph {g}: the pickled {name} is broken ({error})") from error
    return graph


def _other_side(rows: Mapping[Any, Any], u: object, v: object) -> list[Any]:
    """What the row of v holds for u, in a list (which compares by identity first); empty where nothing."""
    row = rows.get(v, {})
    return [row[u]] if u in row else []


def _first(state: Mapping[Any, Any], names: tuple[str, ...]) -> dict[Any, Any] | None:
    return next((state[name] for name in names if isinstance(state.get(name), dict)), None)
