"""Encodings against dense linear algebra, closed forms, networkx and PyTorch Geometric."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from graphgauge import GraphSet
from graphgauge.encodings import lanczos, laplacian, laplacian_eigenvalues, random_walk, solvers
from graphgauge.encodings.tridiagonal import lowest, padded


def packed(*graphs: nx.Graph) -> GraphSet:
    plain = [nx.convert_node_labels_to_integers(g) for g in graphs]
    return GraphSet.from_edges([list(g.edges) for g in plain], [len(g) for g in plain])


def dense(graph: nx.Graph, normalisation: str = "symmetric") -> np.ndarray:
    """The Laplacian as published: the degree 0 counts as 1."""
    a = nx.to_numpy_array(graph, weight=None)
    d = a.sum(1)
    if normalisation == "none":
        return np.diag(d) - a
    scale = 1 / np.sqrt(np.maximum(d, 1))
    return np.eye(len(a)) - scale[:, None] * a * scale[None]


def projectors(values: np.ndarray, vectors: np.ndarray) -> list[np.ndarray]:
    """Of every whole eigenspace: what no choice of basis changes."""
    starts = [0, *(np.flatnonzero(np.diff(values) > 1e-7) + 1), values.size]
    return [vectors[:, a:b] @ vectors[:, a:b].T for a, b in itertools.pairwise(starts)]


@pytest.mark.parametrize("normalisation", ["symmetric", "none"])
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**31), st.integers(1, 24), st.sampled_from([0.1, 0.3, 0.8]))
def test_all_eigenspaces_against_numpy(normalisation: str, seed: int, n: int, p: float) -> None:
    """Graphs of several components, lone nodes and repeated eigenvalues among them."""
    graph = nx.gnp_random_graph(n, p, seed=seed)
    graphs = packed(graph)
    values = laplacian_eigenvalues(graphs, n, skip=0, normalisation=normalisation)[0].numpy()
    vectors = laplacian(graphs, n, skip=0, normalisation=normalisation).numpy()
    true_values, true_vectors = np.linalg.eigh(dense(graph, normalisation))
    np.testing.assert_allclose(values, true_values, atol=1e-12)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(n), atol=1e-12)
    for ours, theirs in zip(projectors(values, vectors), projectors(true_values, true_vectors), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-9)


@pytest.mark.parametrize("route", ["small", "dense", "sparse"])
@pytest.mark.parametrize(
    "graph",
    [
        pytest.param(nx.path_graph(130), id="path"),
        pytest.param(nx.cycle_graph(121), id="cycle"),
        pytest.param(nx.star_graph(120), id="star"),
        pytest.param(nx.complete_graph(90), id="complete"),
        pytest.param(nx.grid_2d_graph(11, 12), id="grid"),
        pytest.param(nx.random_regular_graph(3, 120, seed=1), id="regular"),
        pytest.param(nx.barabasi_albert_graph(150, 2, seed=1), id="preferential"),
        pytest.param(nx.disjoint_union_all([nx.cycle_graph(70)] * 3 + [nx.empty_graph(2)]), id="parts"),
    ],
)
@pytest.mark.parametrize("normalisation", ["symmetric", "none"])
def test_every_solver_finds_the_same_pairs(
    route: str, graph: nx.Graph, normalisation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = {"small": (1000, 1000), "dense": (1, 1000), "sparse": (1, 1)}[route]
    monkeypatch.setattr(solvers, "SMALL", limits[0])
    monkeypatch.setattr(solvers, "DENSE", limits[1])
    k, graphs = 7, packed(graph)
    values = laplacian_eigenvalues(graphs, k, normalisation=normalisation)[0].numpy()
    vectors = laplacian(graphs, k, normalisation=normalisation).numpy()
    matrix = dense(graph, normalisation)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(matrix)[1 : k + 1], atol=1e-10)
    np.testing.assert_allclose(matrix @ vectors, vectors * values, atol=1e-9)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(k), atol=1e-9)


def test_random_walk_vectors_solve_their_own_equation() -> None:
    graph = nx.barbell_graph(5, 2)
    a = nx.to_numpy_array(graph)
    walk = np.eye(len(a)) - a / a.sum(1, keepdims=True)
    graphs = packed(graph)
    vectors = laplacian(graphs, 6, normalisation="random_walk").numpy()
    values = laplacian_eigenvalues(graphs, 6, normalisation="random_walk").numpy()
    np.testing.assert_allclose(walk @ vectors, vectors * values, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=0), 1, atol=1e-12)


def test_path_spectrum_in_closed_form() -> None:
    """Eigenvalues 1 − cos(π j / (n − 1)): also where plain Lanczos iterations would not converge."""
    n = 2000
    values = laplacian_eigenvalues(packed(nx.path_graph(n)), 8)[0].numpy()
    np.testing.assert_allclose(values, 1 - np.cos(np.pi * np.arange(1, 9) / (n - 1)), atol=1e-13)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**31), st.integers(1, 30))
def test_compiled_solver_against_lapack(seed: int, n: int) -> None:
    """Any symmetric matrices, with rows of zeros and eigenvalues that repeat."""
    rng = np.random.default_rng(seed)
    a = np.round(rng.standard_normal((n, n)) * rng.choice([0, 1, 3], (n, n)))
    a = a + a.T
    work = np.zeros((n, padded(n)))
    work[:, :n] = a
    values, vectors = np.zeros(n), np.zeros((n, n))
    assert lowest(work, n, values, vectors)
    size = max(1, np.abs(a).max())
    np.testing.assert_allclose(values, np.linalg.eigvalsh(a), atol=1e-12 * n * size)
    np.testing.assert_allclose(a @ vectors.T, vectors.T * values, atol=1e-12 * n * size)
    np.testing.assert_allclose(vectors @ vectors.T, np.eye(n), atol=1e-12 * n)


def test_lanczos_finds_every_copy_of_a_repeated_eigenvalue() -> None:
    graph = nx.hypercube_graph(10)  # eigenvalues 2 j / 10, as often as 10 over j
    values, vectors = lanczos.lowest(nx.to_scipy_sparse_array(graph, dtype=float), 30, normalised=True)
    np.testing.assert_allclose(values, [0] + [0.2] * 10 + [0.4] * 19, atol=1e-12)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(30), atol=1e-12)


def test_against_pyg_eigenvectors() -> None:
    transforms = pytest.importorskip("torch_geometric.transforms")
    data_class = pytest.importorskip("torch_geometric.data").Data
    theirs = transforms.AddLaplacianEigenvectorPE(4, is_undirected=True)
    graphs = packed(nx.lollipop_graph(5, 6), nx.gnp_random_graph(14, 0.3, seed=3))
    for g in graphs:
        data = theirs(data_class(edge_index=g.edge_index, num_nodes=g.num_nodes))
        gaps = laplacian_eigenvalues(g, 6, skip=0)[0].diff()
        assert gaps.min() > 1e-4
        ours = laplacian(g, 4).float()
        assert torch.allclose(ours.abs(), data.laplacian_eigenvector_pe.float().abs(), atol=1e-5)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**31), st.integers(1, 50), st.booleans())
def test_against_pyg_walks(seed: int, n: int, directed: bool) -> None:
    transforms = pytest.importorskip("torch_geometric.transforms")
    data_class = pytest.importorskip("torch_geometric.data").Data
    graph = nx.gnp_random_graph(n, 3 / n, seed=seed, directed=directed)
    edges = [[*list(graph.edges), (0, 0)]]  # a self-loop is a step like any other
    rule = "keep" if directed else "error"
    graphs = GraphSet.from_edges(edges, [n], self_loops="keep", **({"directed": rule} if directed else {}))
    data = data_class(edge_index=graphs.edge_index, num_nodes=n)
    theirs = transforms.AddRandomWalkPE(9)(data).random_walk_pe
    assert torch.allclose(random_walk(graphs, 9).float(), theirs, atol=1e-6)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**31), st.integers(1, 80), st.integers(1, 12))
def test_walks_against_matrix_powers(seed: int, n: int, k: int) -> None:
    """Graphs above one block of walks, and walks that are cut where no way leads back."""
    graph = nx.random_labeled_tree(n, seed=seed)
    graph.add_edges_from(nx.gnp_random_graph(n, 0.5 / n, seed=seed).edges)
    a = nx.to_numpy_array(graph)
    p = a / np.maximum(a.sum(1, keepdims=True), 1)
    true = np.stack([np.diag(np.linalg.matrix_power(p, t)) for t in range(1, k + 1)], axis=1)
    np.testing.assert_allclose(random_walk(packed(graph), k).numpy(), true, atol=1e-12)
    scaled = true * np.arange(1, k + 1) ** 1.5
    np.testing.assert_allclose(random_walk(packed(graph), k, space_dim=3).numpy(), scaled, atol=1e-10)
