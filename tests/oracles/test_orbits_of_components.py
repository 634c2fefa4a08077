"""Orbits where components of a graph can change places: every automorphism by networkx."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import torch
from networkx.algorithms.isomorphism import GraphMatcher

from graphgauge.graphs import GraphSet
from graphgauge.graphs.structure import orbits, wl_colours

SHAPES = {
    "prism with a tail": [*nx.circular_ladder_graph(3).edges, (0, 6)],
    "square with a chorded twin": [(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (4, 5), (5, 2)],
    "wheel": list(nx.wheel_graph(5).edges),
    "asymmetric": [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (1, 3), (2, 4), (2, 5)],
    "edge": [(0, 1)],
    "cycle": list(nx.cycle_graph(5).edges),
    # All nodes have one 1-WL colour, and there are several orbits.
    "cubic": list(nx.random_regular_graph(3, 8, seed=3).edges),
    "another cubic": list(nx.random_regular_graph(3, 10, seed=1).edges),
}


def union(edges: list[tuple[int, int]], copies: int, rng: np.random.Generator) -> nx.Graph:
    """Copies with shuffled node numbers, a path among them."""
    graph = nx.disjoint_union_all([nx.Graph(edges) for _ in range(copies)] + [nx.path_graph(3)])
    names = rng.permutation(len(graph)).tolist()
    return nx.relabel_nodes(graph, dict(zip(graph, names, strict=True)))


def orbits_by_networkx(graph: nx.Graph) -> set[frozenset[int]]:
    """Of one automorphism after another until nothing more merges: enough of them for every orbit."""
    together = nx.empty_graph(sorted(graph))
    for mapping in GraphMatcher(graph, graph).isomorphisms_iter():
        together.add_edges_from(mapping.items())
    return {frozenset(c) for c in nx.connected_components(together)}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("seed", range(4))
def test_components_that_can_change_places(name: str, seed: int) -> None:
    graph = union(SHAPES[name], 2, np.random.default_rng(seed))
    ordered = nx.Graph()
    ordered.add_nodes_from(range(len(graph)))
    ordered.add_edges_from(graph.edges)
    found = orbits(GraphSet.from_networkx([ordered])).tolist()
    groups = {frozenset(i for i, o in enumerate(found) if o == orbit) for orbit in set(found)}
    assert groups == orbits_by_networkx(ordered)


def test_the_cubic_shapes_are_what_they_are_here_for() -> None:
    for name in ("cubic", "another cubic"):
        graph = GraphSet.from_networkx([nx.Graph(SHAPES[name])])
        assert torch.unique(wl_colours(graph)).numel() == 1
        assert torch.unique(orbits(graph)).numel() > 1


def test_many_equal_components_are_fast_and_one_orbit() -> None:
    triangles = [(3 * i + a, 3 * i + b) for i in range(2000) for a, b in ((0, 1), (1, 2), (2, 0))]
    assert torch.unique(orbits(GraphSet.from_edges([triangles]))).numel() == 1
