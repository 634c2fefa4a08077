"""networkx graphs in and out. networkx is imported here and in the pickle reader only."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Hashable, Iterable, Sequence
from itertools import chain
from numbers import Number
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

import numpy as np
from torch import Tensor

from graphgauge.graphs.convert_edges import edge_pairs, listed_once, refuse_duplicates
from graphgauge.graphs.errors import GraphError
from graphgauge.graphs.pack import Rules, as_tensor, exact, names_taken, pack, rule

if TYPE_CHECKING:
    import networkx as nx

    from graphgauge.graphs.graphset import GraphSet

Labels = list[list[Hashable]]


@overload
def from_networkx(
    graphs: nx.Graph | Iterable[nx.Graph],
    *,
    attributes: Collection[str] | None = ...,
    return_labels: Literal[False] = ...,
    **rules: Unpack[Rules],
) -> GraphSet: ...
@overload
def from_networkx(
    graphs: nx.Graph | Iterable[nx.Graph],
    *,
    attributes: Collection[str] | None = ...,
    return_labels: Literal[True],
    **rules: Unpack[Rules],
) -> tuple[GraphSet, Labels]: ...
def from_networkx(
    graphs: nx.Graph | Iterable[nx.Graph],
    *,
    attributes: Collection[str] | None = None,
    return_labels: bool = False,
    **rules: Unpack[Rules],
) -> GraphSet | tuple[GraphSet, Labels]:
    """A set from networkx graphs with any node labels.

    Node i of a graph is the i-th label in the order of the networkx graph. Node, edge and graph attributes
    become columns; each must be numeric (a number or an array of fixed shape) and on every node, edge or
    graph. ``attributes`` names those to take, ``()`` takes none. The text that networkx keeps as the name of
    a graph is a label, not data, and is passed over. What else a whole graph carries and no number is, such
    as the sets of nodes under "partition", is left out with a warning that names it.

    Parameters
    ----------
    graphs : one graph or several, all undirected or all directed
    attributes : names of the attributes to take; None takes all and refuses what cannot be a column, but for
        attributes of graphs that are no numbers at all
    return_labels : return the node labels too, one list for each graph, for `to_networkx`
    rules : see `graphgauge.graphs.pack.Rules`; a DiGraph is refused unless ``directed`` says "keep" or
        "symmetrise", parallel edges of a MultiGraph fall under ``duplicates``

    >>> from graphgauge import GraphSet
    >>> import networkx as nx
    >>> graphs, labels = GraphSet.from_networkx(nx.Graph([("c", "a")]), return_labels=True)
    >>> labels, graphs.num_nodes
    ([['c', 'a']], 2)
    """
    listed: list[Any] = [graphs] if hasattr(graphs, "adj") else list(graphs)
    directed = _one_direction(listed, rule(rules, "directed"))
    labels: Labels = [list(g) for g in listed]
    if attributes is not None:
        attributes = _names(listed, attributes)
    about = [_unnamed(g.graph) for g in listed]
    if attributes is None:
        about = _numbers_only(about)
    counts = np.array([len(names) for names in labels], dtype=np.int64)
    edge_counts = np.array([g.number_of_edges() for g in listed], dtype=np.int64)
    ids: list[int] = []
    for graph, names in zip(listed, labels, strict=True):
        number = {label: i for i, label in enumerate(names)}
        ids.extend(number[label] for edge in graph.edges() for label in edge)
    pairs = np.array(ids, dtype=np.int64).reshape(-1, 2)
    if listed and not directed:
        rules = {**rules, "directed": "error"}
    out = pack(
        counts, edge_counts, pairs[:, 0], pairs[:, 1], ordered=directed, rules=rules,
        node=_columns("node", [[d for _, d in g.nodes(data=True)] for g in listed], attributes),
        edge=_columns("edge", [[d for _, _, d in g.edges(data=True)] for g in listed], attributes),
        graph=_columns("graph", [[data] for data in about], attributes),
    )  # fmt: skip
    return (out, labels) if return_labels else out


def to_networkx(
    graphs: GraphSet, *, labels: Sequence[Sequence[Hashable]] | None = None, multigraph: bool = False
) -> list[nx.Graph]:
    """networkx graphs (DiGraph where the set is directed) with all nodes and all columns as attributes.

    An undirected edge whose column values differ between its two directions raises `GraphError`.

    Parameters
    ----------
    labels : node labels of each graph; the node numbers 0 to n-1 without
    multigraph : return MultiGraphs; needed where an edge is stored more than once, which is an error else

    >>> from graphgauge import GraphSet
    >>> GraphSet.from_edges([[(0, 1)]], num_nodes=[3]).to_networkx(labels=[["a", "b", "c"]])[0].nodes
    NodeView(('a', 'b', 'c'))
    """
    import networkx as nx

    names = [list(range(n)) for n in graphs.nodes_per_graph.tolist()] if labels is None else labels
    _check_labels(graphs, names)
    keep = listed_once(graphs)
    if not multigraph:
        refuse_duplicates(graphs, "multigraph=True keeps both")
    kind = {
        (False, False): nx.Graph, (True, False): nx.DiGraph,
        (False, True): nx.MultiGraph, (True, True): nx.MultiDiGraph,
    }[graphs.directed, multigraph]  # fmt: skip
    pairs, edge_ptr = edge_pairs(graphs, keep)
    node, node_ptr = _attributes(graphs.node, graphs.num_nodes), graphs.node_ptr.tolist()
    edge = _attributes({k: v[keep] for k, v in graphs.edge.items()}, len(pairs))
    whole = _attributes(graphs.graph, len(graphs))
    out = []
    for g, name in enumerate(names):
        made = kind()
        made.graph.update(whole[g])
        made.add_nodes_from(zip(name, node[node_ptr[g] : node_ptr[g + 1]], strict=True))
        rows = slice(edge_ptr[g], edge_ptr[g + 1])
        made.add_edges_from(
            (name[u], name[v], data) for (u, v), data in zip(pairs[rows], edge[rows], strict=True)
        )
        out.append(made)
    return out


def _one_direction(graphs: list[nx.Graph], choice: str) -> bool:
    kinds = []
    for i, graph in enumerate(graphs):
        if not hasattr(graph, "is_directed"):
            raise GraphError(f"graph {i} is a {type(graph).__name__}, not a networkx graph")
        kinds.append(bool(graph.is_directed()))
        if kinds[i] and choice == "error":
            edge = next((e for e in graph.edges() if not graph.has_edge(e[1], e[0])), None)
            where = "" if edge is None else f", and edge {edge!r} has no reverse"
            raise GraphError(
                f"graph {i} is a {type(graph).__name__}{where}; "
                'choose directed="keep" or directed="symmetrise"'
            )
        if kinds[i] != kinds[0]:
            raise GraphError(f"graph {i} and graph 0 are not both directed or both undirected")
    return bool(kinds) and kinds[0]


def _names(graphs: list[nx.Graph], attributes: Collection[str]) -> list[str]:
    """The attributes asked for that are somewhere in the graphs."""
    nodes = [data for graph in graphs for _, data in graph.nodes(data=True)]
    edges = [data for graph in graphs for _, _, data in graph.edges(data=True)]
    seen = dict.fromkeys(chain.from_iterable(chain(nodes, edges, (graph.graph for graph in graphs))))
    return names_taken(seen, attributes, bool(nodes and edges))


def _columns(
    level: str, per_graph: list[list[dict[str, Any]]], attributes: Collection[str] | None
) -> dict[str, Tensor]:
    """Attribute dictionaries → columns; the error names graph, item and attribute."""
    seen = dict.fromkeys(chain.from_iterable(chain.from_iterable(per_graph)))
    taken = [name for name in seen if attributes is None or name in attributes]
    out = {}
    for name in taken:
        for g, items in enumerate(per_graph):
            for i, data in enumerate(items):
                if name not in data:
                    item = "" if level == "graph" else f"{level} {i} "
                    raise GraphError(
                        f"graph {g}: {item}has no attribute {name!r}, others do; "
                        "attributes=[…] names those to take"
                    )
        values = [data[name] for items in per_graph for data in items]
        if not isinstance(name, str):
            raise GraphError(f"{level} attribute {name!r} has a name that is not text")
        out[name] = _stack(values, level, name)
    return out


def _unnamed(about: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in about.items() if key != "name" or not isinstance(value, str)}


def _numbers_only(about: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Attributes of graphs without those that are a number nowhere; a warning names these.

    Generators of networkx leave such things behind, and nobody asked for them. One that is a number in some
    graphs stays, and is refused with its place.
    """
    kinds: dict[str, tuple[str, bool]] = {}
    for data in about:
        for name, value in data.items():
            numeric = kinds.get(name, ("", False))[1] or _is_numeric(value)
            kinds[name] = type(value).__name__, numeric
    gone = {name: kind for name, (kind, numeric) in kinds.items() if not numeric}
    if not gone:
        return about
    named = ", ".join(f"{name!r} ({kind})" for name, kind in gone.items())
    warnings.warn(
        f"left out attributes of graphs that are no numbers: {named}; attributes=[…] names those to take",
        UserWarning,
        stacklevel=3,
    )
    return [{name: value for name, value in data.items() if name not in gone} for data in about]


def _is_numeric(value: Any) -> bool:
    """Whether a value is a number, or an array or nested list of numbers, whatever its shape."""
    if isinstance(value, Number | Tensor):
        return True
    if not isinstance(value, np.generic | np.ndarray | list | tuple):
        return False
    try:
        return np.asarray(value).dtype.kind in "biufc"
    except ValueError:  # rows of unlike lengths
        return False


def _stack(values: list[Any], level: str, name: str) -> Tensor:
    if isinstance(values[0], Tensor):
        values = [exact(v) if isinstance(v, Tensor) else v for v in values]
    try:
        return as_tensor(values, f"{level} attribute {name!r}")
    except GraphError as error:
        raise GraphError(f"{error}; attributes=[…] names those to take") from error


def _attributes(columns: Any, rows: int) -> list[dict[str, Any]]:
    """Columns → one attribute dictionary for each row."""
    if not columns:
        return [{} for _ in range(rows)]
    return [
        dict(zip(columns, row, strict=True))
        for row in zip(*(c.tolist() for c in columns.values()), strict=True)
    ]


def _check_labels(graphs: GraphSet, labels: Sequence[Sequence[Hashable]]) -> None:
    if len(labels) != len(graphs):
        raise GraphError(f"{len(labels)} label lists for {len(graphs)} graphs")
    for g, (names, n) in enumerate(zip(labels, graphs.nodes_per_graph.tolist(), strict=True)):
        if len(names) != n or len(set(names)) != n:
            raise GraphError(f"graph {g}: {len(set(names))} different labels for {n} nodes")
