"""Laws of structural descriptors: what node order, graph order and batch mates may never change."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from graphgauge import GraphSet
from graphgauge.descriptors import (
    clustering_histogram,
    component_count,
    degree_histogram,
    density,
    diameter,
    edge_count,
    graphlet_counts,
    node_orbits,
    orbit_counts,
    path_length_histogram,
    size,
    spectrum,
    spectrum_histogram,
    triangles,
)
from graphgauge.descriptors.orbits import GRAPHLETS

LAW = settings(max_examples=25, deadline=None)

# Every structural descriptor, with as many columns whatever the set is.
FIXED: dict[str, Callable[[GraphSet], Tensor]] = {
    "degree": lambda graphs: degree_histogram(graphs, max_degree=9),
    "clustering": clustering_histogram,
    "orbit": orbit_counts,
    "orbit of 5": lambda graphs: orbit_counts(graphs, size=5),
    "graphlet": graphlet_counts,
    "spectral": spectrum_histogram,
    "path_length": lambda graphs: path_length_histogram(graphs, max_length=9),
    "size": size,
    "edges": edge_count,
    "density": density,
    "components": component_count,
    "diameter": diameter,
}
HISTOGRAMS = ("degree", "clustering", "spectral", "path_length")


def random_graphs(seed: int, count: int = 7, largest: int = 10) -> GraphSet:
    """Sets with empty, one-node, edgeless and complete graphs among them."""
    rng = np.random.default_rng(seed)
    edges, sizes = [], []
    for n in rng.integers(0, largest + 1, size=count):
        share = rng.choice([0.0, 0.2, 0.5, 1.0])
        edges.append(np.argwhere(np.triu(rng.random((n, n)) < share, 1)))
        sizes.append(int(n))
    return GraphSet.from_edges(edges, num_nodes=sizes)


@pytest.mark.parametrize("name", FIXED)
@LAW
@given(seed=st.integers(0, 2**32 - 1))
def test_node_order_graph_order_and_batch_mates_do_not_matter(name: str, seed: int) -> None:
    graphs, describe = random_graphs(seed), FIXED[name]
    rows = describe(graphs)
    assert rows.dtype == torch.float64
    assert rows.shape[0] == len(graphs)
    key = torch.from_numpy(np.random.default_rng(seed).random(graphs.num_nodes))
    torch.testing.assert_close(describe(graphs.relabel(torch.argsort(graphs.batch + key))), rows)
    order = torch.from_numpy(np.random.default_rng(seed).permutation(len(graphs)))
    assert torch.equal(describe(graphs[order]), rows[order])
    assert torch.equal(torch.cat([describe(graph) for graph in graphs]), rows)


@pytest.mark.parametrize("name", HISTOGRAMS)
@LAW
@given(seed=st.integers(0, 2**32 - 1))
def test_histograms_sum_to_one_or_to_nothing(name: str, seed: int) -> None:
    graphs = random_graphs(seed)
    total = FIXED[name](graphs).sum(1)
    counted = graphs.nodes_per_graph > (1 if name == "path_length" else 0)
    torch.testing.assert_close(total, counted.to(torch.float64))


@LAW
@given(seed=st.integers(0, 2**32 - 1))
def test_sum_rules_join_orbits_graphlets_degrees_and_triangles(seed: int) -> None:
    graphs = random_graphs(seed)
    orbits, graphlets = node_orbits(graphs), graphlet_counts(graphs)
    d = graphs.degree
    assert torch.equal(orbits[:, 0], d)
    assert torch.equal(orbits[:, 3], triangles(graphs))
    assert torch.equal(orbits[:, 2] + orbits[:, 3], d * (d - 1) // 2)  # pairs of neighbours
    triples = orbits[:, 7] + orbits[:, 11] + orbits[:, 13] + orbits[:, 14]
    assert torch.equal(triples, d * (d - 1) * (d - 2) // 6)
    ends = {0: 2, 1: 2, 2: 1, 3: 3, 4: 2, 5: 2, 6: 3, 7: 1, 8: 4, 9: 1, 10: 2, 11: 1, 12: 2, 13: 2, 14: 4}
    groups = [[0], [1, 2], [3], [4, 5], [6, 7], [8], [9, 10, 11], [12, 13], [14]]
    sums = orbits.new_zeros(len(graphs), 15).index_add_(0, graphs.batch, orbits)
    for column, group in enumerate(groups):
        for orbit in group:
            assert torch.equal(sums[:, orbit].double(), ends[orbit] * graphlets[:, column])
    assert len(groups) == len(GRAPHLETS)


@LAW
@given(seed=st.integers(0, 2**32 - 1))
def test_a_spectrum_is_that_of_the_components(seed: int) -> None:
    graphs = random_graphs(seed)
    whole = spectrum.eigenvalues(graphs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spectrum, "SMALL", 0)
        torch.testing.assert_close(spectrum.eigenvalues(graphs), whole, rtol=0, atol=1e-12)


@LAW
@given(seed=st.integers(0, 2**32 - 1))
def test_counts_divided_by_their_sum_are_the_shares(seed: int) -> None:
    graphs = random_graphs(seed)
    for describe in (degree_histogram, clustering_histogram, spectrum_histogram, path_length_histogram):
        counts = describe(graphs, normalise=False)
        assert torch.equal(counts, counts.round())
        torch.testing.assert_close(counts / counts.sum(1, keepdim=True).clamp(min=1), describe(graphs))
