"""Data cards: what is in a dataset, computed from the data itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphgauge.datasets.entry import Dataset
from graphgauge.datasets.home import Home
from graphgauge.datasets.table import answering, load, lookup, provenance
from graphgauge.graphs import GraphSet
from graphgauge.graphs.structure import components

# Number of a card → what it is. Units other than a plain count are in `CARD_UNITS`.
CARD_DEFINITIONS: dict[str, str] = {
    "graphs": "number of graphs G",
    "nodes": "number of nodes N of all graphs",
    "edges": "number of undirected edges of all graphs",
    "average_order": "N / G",
    "smallest_order": "fewest nodes of a graph",
    "largest_order": "most nodes of a graph",
    "average_degree": "ordered edges / N",
    "largest_degree": "most edges of a node",
    "density": "ordered edges / sum over graphs of n (n - 1)",
    "components": "number of connected components of all graphs",
    "largest_component": "nodes of the largest component",
    "isolated_nodes": "nodes without an edge",
}
CARD_UNITS: dict[str, str] = {
    "average_order": "nodes per graph",
    "average_degree": "edges per node",
    "density": "fraction",
}


def card(name: str, *, root: Home = None) -> dict[str, Any]:
    """The data card of a dataset.

    Keys: name, kind, about, licence, source, citation, what `provenance` says, and ``splits``: for each
    split at hand the numbers of `CARD_DEFINITIONS` and the ``content_hash``. Generated families are drawn
    with seed 0 in the sizes that `base` has by default.

    >>> card("er")["splits"]["val"]["average_order"]
    100.0
    """
    entry = lookup(name)
    splits = {split: load(name, split, root=root) for split in _splits(entry, root)}
    return {
        "name": name,
        "kind": entry.kind,
        "about": entry.about,
        "licence": entry.licence,
        "source": entry.source,
        "citation": entry.citation,
        **provenance(name, root=root),
        "splits": {split: numbers(graphs) for split, graphs in splits.items()},
    }


def _splits(entry: Dataset, root: Home) -> list[str]:
    return [answering(entry, s, root) for s in entry.splits if s not in entry.stand_in.values()]


def numbers(graphs: GraphSet) -> dict[str, Any]:
    """The numbers of a card for any undirected set of graphs, and its content hash.

    >>> from graphgauge import GraphSet
    >>> numbers(GraphSet.from_edges([[(0, 1), (1, 2)], []], num_nodes=[3, 1]))["components"]
    2
    """
    n, g = graphs.num_nodes, graphs.num_graphs
    order, degree = graphs.nodes_per_graph.numpy(), graphs.degree.numpy()
    component = components(graphs).numpy()
    pairs = int((order * (order - 1)).sum())
    return {
        "graphs": g,
        "nodes": n,
        "edges": graphs.num_edges // 2,
        "average_order": n / g if g else 0.0,
        "smallest_order": int(order.min(initial=n)),
        "largest_order": int(order.max(initial=0)),
        "average_degree": graphs.num_edges / n if n else 0.0,
        "largest_degree": int(degree.max(initial=0)),
        "density": graphs.num_edges / pairs if pairs else 0.0,
        "components": int(component.max(initial=-1)) + 1,
        "largest_component": int(np.bincount(component).max(initial=0)),
        "isolated_nodes": int((degree == 0).sum()),
        "content_hash": graphs.content_hash,
    }
