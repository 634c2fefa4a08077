"""Two small sets of graphs that differ."""

from __future__ import annotations

import networkx as nx
import pytest

from graphgauge.graphs import GraphSet


@pytest.fixture(scope="session")
def real() -> GraphSet:
    """14 random graphs of 8 nodes."""
    return GraphSet.from_networkx([nx.gnp_random_graph(8, 0.4, seed=seed) for seed in range(14)])


@pytest.fixture(scope="session")
def paths() -> GraphSet:
    """12 paths of 4 to 8 nodes."""
    return GraphSet.from_networkx([nx.path_graph(4 + number % 5) for number in range(12)])
