"""Laplacian eigenvectors: exact on known graphs, and blind to sign, rotation and node order."""

from __future__ import annotations

import networkx as nx
import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from graphgauge import GraphSet
from graphgauge.models.laplacian import Laplacian


def embed(graph: nx.Graph, k: int, absolute: bool = True) -> np.ndarray:
    graphs = GraphSet.from_edges([list(graph.edges)], [len(graph)])
    return Laplacian(out_features=k, absolute=absolute)(graphs).double().numpy()


def test_values_against_networkx() -> None:
    graph = nx.convert_node_labels_to_integers(nx.lollipop_graph(5, 4))
    graph.add_edge(1, 8)  # the spectrum is simple enough after this for the first three vectors
    values, vectors = np.linalg.eigh(nx.normalized_laplacian_matrix(graph).toarray())
    assert (np.diff(values[:5]) > 1e-3).all()
    np.testing.assert_allclose(embed(graph, 3), np.abs(vectors[:, 1:4]), atol=1e-6)
    signed = embed(graph, 3, absolute=False)
    np.testing.assert_allclose(np.abs(signed), np.abs(vectors[:, 1:4]), atol=1e-6)
    assert ((signed**3).sum(0) >= 0).all()


def test_symmetric_nodes_get_equal_rows() -> None:
    """On vertex-transitive graphs every node gets the same row, though all eigenvalues repeat."""
    for graph in (nx.cycle_graph(9), nx.complete_graph(5), nx.petersen_graph(), nx.hypercube_graph(3)):
        rows = embed(nx.convert_node_labels_to_integers(graph), 6)
        np.testing.assert_allclose(rows, np.broadcast_to(rows[:1], rows.shape), atol=1e-6)


def test_trivial_vectors_are_dropped_for_every_component() -> None:
    two_paths = nx.disjoint_union(nx.path_graph(4), nx.path_graph(4))
    two_paths.add_nodes_from([8, 9])
    rows = embed(two_paths, 8)
    assert (np.abs(rows[:, :6]).sum(0) > 0.1).all()  # 10 nodes, 4 components: 6 vectors
    assert (rows[:, 6:] == 0).all()
    assert (rows[8:] == 0).all()
    np.testing.assert_allclose(rows[:4], rows[4:8], atol=1e-6)


def test_loops_and_float_type() -> None:
    edges = [(0, 1), (1, 2), (1, 1)]
    looped = GraphSet.from_edges([edges], [3], self_loops="keep")
    plain = GraphSet.from_edges([edges[:2]], [3])
    net = Laplacian(out_features=2)
    assert torch.equal(net(looped), net(plain))
    assert net(plain).dtype == torch.float32


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**31), st.integers(2, 14))
def test_norm_of_every_vector_is_one(seed: int, n: int) -> None:
    graph = nx.gnp_random_graph(n, 0.4, seed=seed)
    rows = embed(graph, n - nx.number_connected_components(graph) or 1)
    if graph.number_of_edges():
        np.testing.assert_allclose((rows**2).sum(0), 1, atol=1e-5)
