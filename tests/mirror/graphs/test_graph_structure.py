"""Structure facts at the size of real data: twins, components and cost."""

from __future__ import annotations

import networkx as nx
import pytest
import torch

from graphgauge import GraphError, GraphSet
from graphgauge.graphs import structure


def test_a_star_of_many_leaves_needs_no_generators() -> None:
    leaves = 20_000
    star = GraphSet.from_edges([[(0, i) for i in range(1, leaves + 1)]])
    orbits = structure.orbits(star)
    assert orbits[0] == 0
    assert (orbits[1:] == 1).all()


def test_twins_of_twins() -> None:
    tree = nx.balanced_tree(3, 5)
    depth = nx.single_source_shortest_path_length(tree, 0)
    orbits = structure.orbits(GraphSet.from_networkx(tree))
    assert orbits.tolist() == [depth[v] for v in tree]


def test_twins_keep_the_starting_colours() -> None:
    star = GraphSet.from_edges([[(0, 1), (0, 2), (0, 3)]])
    orbits = structure.orbits(star, initial=torch.tensor([0, 1, 1, 2]))
    assert orbits.tolist() == [0, 1, 1, 2]


def test_isolated_nodes_of_different_graphs_never_share_an_orbit() -> None:
    graphs = GraphSet.from_edges([[], [], []], [2, 0, 3])
    assert structure.orbits(graphs).tolist() == [0, 0, 1, 1, 1]
    assert structure.components(graphs).tolist() == [0, 1, 2, 3, 4]
    assert structure.wl_colours(graphs).tolist() == [0] * 5


def test_bad_arguments() -> None:
    graphs = GraphSet.from_edges([[(0, 1)]])
    with pytest.raises(ValueError, match="rounds must be 0 or more"):
        structure.wl_colours(graphs, -1)
    with pytest.raises(GraphError, match="initial colours must be 2 whole numbers"):
        structure.wl_colours(graphs, initial=torch.zeros(2))
    with pytest.raises(GraphError, match="compares two graphs, got sets of 2 and 1"):
        structure.isomorphic(graphs[[0, 0]], graphs)


def test_concat_never_changes_types() -> None:
    one = GraphSet.from_edges([[(0, 1)]], node={"x": torch.zeros(2, 1)})
    other = one.with_columns(node={"x": torch.zeros(2, 1, dtype=torch.float64)})
    with pytest.raises(GraphError, match=r"node column 'x' differs: set 0 has a torch.float32"):
        GraphSet.concat([one, other])
    with pytest.raises(GraphError, match="node columns differ"):
        GraphSet.concat([one, one.structure()])
