"""Every rule of Laplacian encodings, and hostile input."""

from __future__ import annotations

import time
import warnings
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import torch

from graphgauge import GraphError, GraphSet
from graphgauge.encodings import laplacian, laplacian_eigenvalues, random_walk

TWO = GraphSet.from_edges([[(i, (i + 1) % 5) for i in range(5)] + [(5, 6), (6, 7), (7, 8)]], [9])


def test_one_vector_is_dropped_as_published_or_the_whole_null_space() -> None:
    assert laplacian_eigenvalues(TWO, 1).abs().max() < 1e-12  # the null space is there twice
    assert laplacian_eigenvalues(TWO, 1, skip="null").min() > 0.3
    kept = laplacian(TWO, 2)[:, 0]
    assert (kept[:5] == 0).all()  # the vector of the first component is the one that is dropped
    assert (kept[5:] > 0.3).all()


def test_components_apart_are_graphs_of_their_own() -> None:
    cycle = GraphSet.from_edges([[(i, (i + 1) % 5) for i in range(5)]])
    path = GraphSet.from_edges([[(0, 1), (1, 2), (2, 3)]])
    assert torch.equal(laplacian(TWO, 4, apart=True), torch.cat([laplacian(cycle, 4), laplacian(path, 4)]))
    mixed = GraphSet.from_edges([[(0, 2), (2, 4), (1, 3)]], [5])
    alone = laplacian(GraphSet.from_edges([[(0, 1), (1, 2)]]), 2)
    assert torch.equal(laplacian(mixed, 2, apart=True)[[0, 2, 4]], alone)


def test_too_few_vectors_are_padded_with_zeros() -> None:
    graphs = GraphSet.from_edges([[(0, 1), (1, 2)], []], [3, 1])
    values = laplacian(graphs, 5)
    assert values.shape == (4, 5)
    assert (values[:3, :2].abs().sum(0) > 0.5).all()
    assert (values[:3, 2:] == 0).all()
    assert (values[3] == 0).all()
    assert torch.isnan(laplacian_eigenvalues(graphs, 5, padding=float("nan"))[0, 2:]).all()


def test_lone_nodes_have_the_eigenvalue_one() -> None:
    graphs = GraphSet.from_edges([[]], [3])
    assert laplacian_eigenvalues(graphs, 3, skip=0).tolist() == [[1.0, 1.0, 1.0]]
    assert laplacian_eigenvalues(graphs, 3, skip="null").tolist() == [[1.0, 1.0, 1.0]]
    assert laplacian_eigenvalues(graphs, 3, skip=0, normalisation="none").tolist() == [[0.0, 0.0, 0.0]]
    assert laplacian(graphs, 2).tolist() == [[0, 0], [1, 0], [0, 1]]


def test_the_largest_entry_is_positive_and_absolute_values_have_no_sign() -> None:
    graph = nx.lollipop_graph(6, 5)
    graphs = GraphSet.from_edges([list(graph.edges)])
    values = laplacian(graphs, 10)
    assert (values.amax(0) >= -values.amin(0) - 1e-6).all()
    assert torch.equal(laplacian(graphs, 10, sign="absolute"), values.abs())


def test_ties_of_the_largest_entry_go_to_the_next_ones() -> None:
    from graphgauge.encodings.signs import fix_signs

    v = np.array([[0.5], [-0.5], [0.1], [-0.4], [0.0]])
    fix_signs(np.array([0, 5]), v)
    assert v[:, 0].tolist() == [-0.5, 0.5, -0.1, 0.4, 0.0]
    odd = np.array([[0.0], [-0.5], [0.5]])
    fix_signs(np.array([0, 3]), odd)
    assert odd[:, 0].tolist() == [0.0, 0.5, -0.5]


def test_directed_sets_are_refused_or_symmetrised() -> None:
    arcs = GraphSet.from_edges([[(0, 1), (1, 2), (2, 3)]], directed="keep")
    with pytest.raises(GraphError, match="directed"):
        laplacian(arcs, 2)
    both = GraphSet.from_edges([[(0, 1), (1, 2), (2, 3)]])
    assert torch.equal(laplacian(arcs, 3, directed="symmetrise"), laplacian(both, 3))


def test_self_loops_are_left_out_and_repeated_edges_count_once() -> None:
    edges = [(0, 1), (1, 2), (2, 3)]
    odd = GraphSet.from_edges([[*edges, (1, 1), (0, 1)]], self_loops="keep", duplicates="keep")
    assert torch.equal(laplacian(odd, 3), laplacian(GraphSet.from_edges([edges]), 3))


def test_weights() -> None:
    w = torch.tensor([2.0, 2.0, 0.5, 0.5, 0.0, 0.0])
    path = GraphSet.from_edges([[(0, 1), (1, 2), (2, 3)]]).with_columns(edge={"w": w})
    a = np.zeros((3, 3))
    a[0, 1] = a[1, 0] = 2
    a[1, 2] = a[2, 1] = 0.5
    scale = a.sum(1) ** -0.5
    true = np.linalg.eigvalsh(np.eye(3) - scale[:, None] * a * scale)
    values = laplacian_eigenvalues(path, 4, skip=0, weight="w")[0].numpy()
    np.testing.assert_allclose(values, np.sort([*true, 1]), atol=1e-12)  # the last node is alone
    assert random_walk(path, 2, weight="w")[1].tolist() == pytest.approx([0, 1.0])
    assert random_walk(path, 2, weight="w")[0, 1] == pytest.approx(0.8)
    assert not torch.equal(laplacian(path, 3), laplacian(path, 3, weight="w"))


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ([1.0, 1.0, -1.0, -1.0], r"graph 1: edge \(0, 1\)"),
        ([1.0, 1.0, float("nan"), 1.0], r"graph 1: edge \(0, 1\)"),
        ([1.0, 1.0, 2.0, 3.0], r"graph 1: edge .* and its reverse differ"),
        ([[1.0, 1.0]] * 4, "one number an edge"),
    ],
)
def test_weights_that_cannot_be_used(bad: list[object], says: str) -> None:
    graphs = GraphSet.from_edges([[(0, 1)], [(0, 1)]]).with_columns(edge={"w": torch.tensor(bad)})
    with pytest.raises(GraphError, match=says):
        laplacian(graphs, 2, weight="w")


def test_wrong_parameters_are_named() -> None:
    with pytest.raises(GraphError, match="no edge column 'v'"):
        laplacian(TWO, 2, weight="v")
    with pytest.raises(ValueError, match="skip"):
        laplacian(TWO, 2, skip=-1)
    with pytest.raises(ValueError, match="sign"):
        laplacian(TWO, 2, sign="random")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="normalisation"):
        laplacian(TWO, 2, normalisation="sym")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="1 column or more"):
        random_walk(TWO, 0)


def test_a_broken_set_is_an_error_that_names_the_edge() -> None:
    one_way = GraphSet(torch.tensor([0, 3]), torch.tensor([[0], [1]]), torch.tensor([0, 1]))
    with pytest.raises(GraphError, match="no reverse"):
        laplacian(one_way, 2)
    across = GraphSet(torch.tensor([0, 1, 2]), torch.tensor([[0, 1], [1, 0]]), torch.tensor([0, 1, 2]))
    for function in (laplacian, random_walk):
        with pytest.raises(GraphError, match="graph 0"):
            function(across, 2)
    with pytest.raises(GraphError):
        laplacian(replace(across, edge_index=torch.tensor([[0, 5], [5, 0]])), 2)


def test_a_row_without_neighbours_stays_at_zero() -> None:
    graphs = GraphSet.from_edges([[(0, 1), (1, 2)]], [4])
    walks = random_walk(graphs, 4)
    assert (walks[3] == 0).all()
    assert walks[1].tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize(
    "graph",
    [
        pytest.param(nx.star_graph(500), id="star"),
        pytest.param(nx.complete_graph(500), id="complete"),
        pytest.param(nx.disjoint_union_all([nx.path_graph(2)] * 300), id="edges"),
        pytest.param(nx.path_graph(2000), id="path"),
    ],
)
def test_graphs_on_which_eigensolvers_fail(graph: nx.Graph) -> None:
    graphs = GraphSet.from_edges([list(graph.edges)], [len(graph)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        values = laplacian(graphs, 8)
    assert torch.isfinite(values).all()
    assert torch.allclose(values.T @ values, torch.eye(8, dtype=torch.float64), atol=1e-9)
    assert torch.equal(values, laplacian(graphs, 8))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["path", "grid", "random", "regular"])
def test_twenty_thousand_nodes_take_seconds(kind: str) -> None:
    n = 20_000
    graph = {
        "path": lambda: nx.path_graph(n),
        "grid": lambda: nx.convert_node_labels_to_integers(nx.grid_2d_graph(100, 200)),
        "random": lambda: nx.gnm_random_graph(n, 4 * n, seed=1),
        "regular": lambda: nx.random_regular_graph(3, n, seed=1),
    }[kind]()
    graphs = GraphSet.from_edges([list(graph.edges)], [n])
    laplacian(GraphSet.from_edges([[(0, 1)]]), 8)
    started = time.process_time()
    values = laplacian(graphs, 8)
    assert time.process_time() - started < 30
    lam = laplacian_eigenvalues(graphs, 8)[0].numpy()
    matrix = nx.normalized_laplacian_matrix(graph, nodelist=range(n))
    lone = np.array([d == 0 for _, d in graph.degree])
    residual = matrix @ values.numpy() - values.numpy() * lam
    assert np.abs(residual[~lone]).max() < 1e-9
