"""The rules for odd input, one test a rule, by hand. docs/graph-input.md has the table."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc

import networkx as nx
import numpy as np
import pytest
import torch
from scipy import sparse

from graphgauge import GraphError, GraphSet

pytest.importorskip("torch_geometric")
from torch_geometric.data import Batch, Data

TRIANGLE = torch.tensor([[0, 1, 1, 2, 2, 0], [1, 0, 2, 1, 0, 2]])


def refused(match: str) -> pytest.RaisesExc:
    return pytest.raises(GraphError, match=match)


# ── sizes are carried ──────────────────────────────────────────────────────────────────────────────────────


def test_isolated_nodes_and_a_trailing_empty_graph_keep_their_places() -> None:
    graphs = GraphSet.from_edges([[(0, 1)], [], []], num_nodes=[6, 3, 0])
    assert graphs.nodes_per_graph.tolist() == [6, 3, 0]
    assert graphs[0].degree.tolist() == [1, 1, 0, 0, 0, 0]
    assert [m.shape for m in graphs.to_adjacency()] == [(6, 6), (3, 3), (0, 0)]
    assert [len(g) for g in graphs.to_networkx()] == [6, 3, 0]
    assert [d.num_nodes for d in graphs.to_pyg()] == [6, 3, 0]
    assert len(GraphSet.from_pyg(graphs.to_pyg())) == 3


def test_every_order_of_four_graphs_has_four_outputs() -> None:
    graphs = GraphSet.from_edges([[(0, 1)], [], [(0, 1)], [(1, 2)]], num_nodes=[2, 0, 3, 3])
    for order in ([0, 1, 2, 3], [1, 0, 2, 3], [3, 2, 0, 1]):
        assert len(graphs[order]) == 4
        assert int(graphs[order].batch.max()) <= 3


def test_a_data_of_edges_only_is_refused_and_not_guessed() -> None:
    with refused("graph 1 is given by its edges only"):
        GraphSet.from_pyg([Data(edge_index=TRIANGLE, num_nodes=5), Data(edge_index=TRIANGLE)])
    carried = GraphSet.from_pyg([Data(edge_index=TRIANGLE, num_nodes=5)] * 2)
    assert carried.edge_index[:, 6].tolist() == [5, 6]


def test_num_nodes_that_contradicts_x_is_refused() -> None:
    with refused("graph 0: 'x' has 3 rows, the graph 4 nodes"):
        GraphSet.from_pyg([Data(x=torch.zeros(3, 1), edge_index=TRIANGLE, num_nodes=4)])


def test_edge_lists_without_num_nodes_never_guess_gaps() -> None:
    assert GraphSet.from_edges([[(0, 1), (2, 1)]]).num_nodes == 3
    with refused(r"graph 1: edge \(0, 3\), but its 2 named nodes are not 0 to 1"):
        GraphSet.from_edges([[(0, 1)], [(0, 3)]])


def test_ids_of_ones_own_do_not_cost_memory() -> None:
    tracemalloc.start()
    graphs, labels = GraphSet.from_edges([[(10**7, 3), (3, 10**15)], [(4, 2)]], return_labels=True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_000_000
    assert labels == [[3, 10**7, 10**15], [2, 4]]
    assert graphs.to_edges() == [[(0, 1), (0, 2)], [(0, 1)]]


# ── ids ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("edge", [(0, 3), (-1, 0), (7, 1)])
def test_ids_out_of_range_name_graph_and_edge(edge: tuple[int, int]) -> None:
    message = rf"graph 1: edge \({edge[0]}, {edge[1]}\) is outside its 3 nodes"
    with refused(message):
        GraphSet.from_edges([[(0, 1)], [(0, 1), edge]], num_nodes=[2, 3])
    with refused(message):
        both = torch.tensor([edge, edge[::-1]]).T
        GraphSet.from_pyg([Data(edge_index=TRIANGLE, num_nodes=3), Data(edge_index=both, num_nodes=3)])


@pytest.mark.parametrize("kind", [np.int8, np.int32, np.uint16, np.int64, np.uint64])
def test_every_type_of_whole_number_is_taken(kind: type) -> None:
    graphs = GraphSet.from_edges([np.array([[0, 1], [1, 2]], dtype=kind)])
    assert graphs.edge_index.dtype == torch.int64
    assert graphs.to_edges() == [[(0, 1), (1, 2)]]


@pytest.mark.parametrize("bad", [[(0.0, 1.0)], [("a", "b")], [(True, False)]])
def test_other_ids_are_refused(bad: list) -> None:
    with refused("graph 1: node ids must be whole numbers"):
        GraphSet.from_edges([[(0, 1)], bad])
    with refused("edge_index must hold whole numbers"):
        GraphSet.from_pyg([Data(edge_index=TRIANGLE.float(), num_nodes=3)])


def test_edge_lists_of_the_wrong_shape_are_refused() -> None:
    with refused(r"graph 0: an edge list must have the shape \(E, 2\)"):
        GraphSet.from_edges([[(0, 1, 2)]])
    with refused("graph 0: an edge list must hold pairs"):
        GraphSet.from_edges([[(0, 1), (2,)]])
    with refused("2 edge lists but 1 entries"):
        GraphSet.from_edges([[], []], num_nodes=[3])
    with refused("num_nodes must list one number"):
        GraphSet.from_edges([[]], num_nodes=3)
    with refused("graph 1: a negative number"):
        GraphSet.from_edges([[], []], num_nodes=[1, -1])


# ── self-loops and duplicates ──────────────────────────────────────────────────────────────────────────────


def test_self_loops() -> None:
    listed = [[(0, 1)], [(0, 1), (1, 1)]]
    with refused(r"graph 1: edge \(1, 1\) is a self-loop"):
        GraphSet.from_edges(listed)
    with pytest.warns(UserWarning, match="dropped 1 self-loops from 1 graphs"):
        assert GraphSet.from_edges(listed, self_loops="drop").to_edges() == [[(0, 1)], [(0, 1)]]
    kept = GraphSet.from_edges(listed, self_loops="keep")
    assert kept.to_edges() == [[(0, 1)], [(0, 1), (1, 1)]]
    assert kept[1].degree.tolist() == [1, 2]


def test_duplicates_of_an_edge_list() -> None:
    for listed in ([(0, 1), (0, 1)], [(0, 1), (1, 0)]):
        with refused(rf"graph 1: edge \({listed[1][0]}, {listed[1][1]}\) is given twice"):
            GraphSet.from_edges([[], listed], num_nodes=[0, 2])
        with pytest.warns(UserWarning, match="merged 1 duplicate edges in 1 graphs"):
            merged = GraphSet.from_edges([listed], duplicates="merge")
        assert merged.degree.tolist() == [1, 1]
        assert merged.to_adjacency(sparse=False)[0].max() == 1
    assert GraphSet.from_edges([[(0, 1), (0, 1)]], duplicates="keep").degree.tolist() == [2, 2]


def test_duplicate_rules_for_columns() -> None:
    listed, weight = [[(0, 1), (1, 2), (1, 0)]], {"w": np.array([1.0, 5.0, 3.0])}
    with refused("different values in column 'w'"):
        GraphSet.from_edges(listed, duplicates="merge", edge=weight)
    for rule, value in (("sum", 4.0), ("max", 3.0)):
        with pytest.warns(UserWarning, match="merged 1"):
            graphs = GraphSet.from_edges(listed, duplicates=rule, edge=weight)
        assert graphs.w.tolist() == [value, value, 5.0, 5.0]


def test_lists_with_both_directions_say_so() -> None:
    listed = [[(0, 1), (1, 0), (1, 2), (2, 1)]]
    with refused("both_ways=True"):
        GraphSet.from_edges(listed)
    graphs = GraphSet.from_edges(listed, both_ways=True)
    assert graphs.num_edges == 4
    assert not graphs.directed
    with refused(r"graph 0: edge \(1, 2\) has no reverse edge"):
        GraphSet.from_edges([[(0, 1), (1, 0), (1, 2)]], both_ways=True)


def test_multigraphs() -> None:
    graph = nx.MultiGraph([(0, 1), (0, 1), (1, 2)])
    with refused(r"graph 0: edge \(0, 1\) is given twice"):
        GraphSet.from_networkx(graph)
    with pytest.warns(UserWarning, match="merged 1"):
        assert GraphSet.from_networkx(graph, duplicates="merge").num_edges == 4
    kept = GraphSet.from_networkx(graph, duplicates="keep")
    with refused("stored more than once"):
        kept.to_networkx()
    with refused("a matrix would add them up"):
        kept.to_adjacency()
    assert kept.to_networkx(multigraph=True)[0].number_of_edges() == 3


# ── direction ──────────────────────────────────────────────────────────────────────────────────────────────


def test_directed_input_is_refused_by_default() -> None:
    with refused(r"graph 1 is a DiGraph, and edge \(0, 1\) has no reverse"):
        GraphSet.from_networkx([nx.Graph([(0, 1)]), nx.path_graph(4, create_using=nx.DiGraph)])
    with refused(r"graph 0: edge \(0, 1\) has no reverse edge"):
        GraphSet.from_pyg([Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2)])
    with refused(r"graph 0: edge \(0, 1\) has no reverse edge"):
        GraphSet.from_adjacency(np.array([[0, 1], [0, 0]]))


def test_directed_input_kept_or_symmetrised() -> None:
    path = nx.path_graph(3, create_using=nx.DiGraph)
    kept = GraphSet.from_networkx(path, directed="keep")
    assert kept.directed
    assert kept.edge_index.tolist() == [[0, 1], [1, 2]]
    with pytest.warns(UserWarning, match="added 2 reverse edges in 1 graphs"):
        both = GraphSet.from_networkx(path, directed="symmetrise")
    assert not both.directed
    assert both.check().edge_index.tolist() == [[0, 1, 1, 2], [1, 2, 0, 1]]


def test_symmetrising_copies_columns_and_keeps_graphs_apart() -> None:
    listed = [[(0, 1)], [(1, 0), (0, 1), (1, 2)]]
    with pytest.warns(UserWarning, match="added 2 reverse edges in 2 graphs"):
        graphs = GraphSet.from_edges(listed, directed="symmetrise", edge={"w": np.array([1, 2, 3, 4])})
    assert graphs.check().edge_ptr.tolist() == [0, 2, 6]
    assert graphs.w.tolist() == [1, 1, 2, 3, 4, 4]


def test_one_set_holds_one_kind() -> None:
    with refused("graph 1 and graph 0 are not both"):
        GraphSet.from_networkx([nx.Graph(), nx.DiGraph()], directed="keep")
    with refused("set 1 is directed"):
        GraphSet.concat([GraphSet.from_edges([[(0, 1)]]), GraphSet.from_edges([[(0, 1)]], directed="keep")])


def test_check_holds_an_undirected_set_to_its_promise() -> None:
    broken = GraphSet(
        torch.tensor([0, 2, 5]), torch.tensor([[0, 1, 2, 3], [1, 0, 3, 4]]), torch.tensor([0, 2, 4])
    )
    with refused(r"graph 1: edge \((0, 1|1, 2)\) has no reverse"):
        broken.check()


def test_rows_of_an_unchecked_set_are_safe() -> None:
    broken = GraphSet(torch.tensor([0, 2]), torch.tensor([[0, 10**9], [10**9, 0]]), torch.tensor([0, 2]))
    with refused(r"graph 0: edge \(0, 1000000000\) is outside its 2 nodes"):
        _ = broken.csr


# ── columns ────────────────────────────────────────────────────────────────────────────────────────────────


def test_not_finite_values_name_graph_place_and_column() -> None:
    x = torch.zeros(5, 2)
    x[3, 1] = float("nan")
    with refused(r"graph 1, node 1: node column 'x' has NaN"):
        GraphSet.from_edges([[], []], [2, 3], node={"x": x})
    with refused(r"graph 1: graph column 'y' has NaN or infinity"):
        GraphSet.from_edges([[], []], [2, 3], graph={"y": np.array([0.0, np.inf])})
    with refused(r"graph 0, edge 1: edge column 'w'"):
        GraphSet.from_edges([[(0, 1), (1, 2)]], edge={"w": np.array([0.0, np.nan])})
    assert GraphSet.from_edges([[], []], [2, 3], node={"x": x}, non_finite="keep").x.isnan().sum() == 1


def test_columns_of_the_wrong_length_or_type_are_refused() -> None:
    with refused("node column 'x' must have 2 rows"):
        GraphSet.from_edges([[(0, 1)]], node={"x": np.zeros(3)})
    with refused("node column 'x' is not numeric"):
        GraphSet.from_edges([[(0, 1)]], node={"x": np.array(["a", "b"])})


def test_unknown_options_are_refused() -> None:
    with pytest.raises(TypeError, match="symetrise"):
        GraphSet.from_edges([[]], [1], symetrise=True)
    with pytest.raises(ValueError, match="self_loops='remove' is not one of"):
        GraphSet.from_edges([[]], [1], self_loops="remove")


# ── networkx ───────────────────────────────────────────────────────────────────────────────────────────────


def test_networkx_labels_attributes_and_isolated_nodes_survive() -> None:
    graph = nx.Graph(level=2)
    for label, size in ((7, 0.5), ("b", 1.5), ((1, 2), 2.5), (3, 3.5)):
        graph.add_node(label, size=size, place=[1, 2])
    graph.add_edge((1, 2), 7, weight=4)
    graph.add_edge("b", 7, weight=5)
    graphs, labels = GraphSet.from_networkx(graph, return_labels=True)
    assert labels == [[7, "b", (1, 2), 3]]
    assert graphs.degree.tolist() == [2, 1, 1, 0]
    assert graphs.size.dtype == torch.float64
    assert graphs.place.tolist() == [[1, 2]] * 4
    assert nx.utils.graphs_equal(graphs.to_networkx(labels=labels)[0], graph)


def test_networkx_attributes_that_are_no_columns() -> None:
    graph = nx.Graph([(0, 1)])
    graph.nodes[0]["kind"] = "a"
    with refused("graph 0: node 1 has no attribute 'kind'"):
        GraphSet.from_networkx(graph)
    graph.nodes[1]["kind"] = "b"
    with refused("node attribute 'kind' is not numeric"):
        GraphSet.from_networkx(graph)
    assert not GraphSet.from_networkx(graph, attributes=()).node
    assert GraphSet.from_networkx(nx.petersen_graph()).num_nodes == 10


def test_to_networkx_refuses_what_it_would_lose() -> None:
    graphs = GraphSet.from_edges([[(0, 1)]]).with_columns(edge={"w": torch.tensor([1, 2])})
    with refused(r"graph 0: edge \(0, 1\) has another value in column 'w' than its reverse"):
        graphs.to_networkx()
    with refused("graph 0: 1 different labels for 2 nodes"):
        GraphSet.from_edges([[(0, 1)]]).to_networkx(labels=[["a", "a"]])


# ── PyG ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_pyg_levels() -> None:
    data = [
        Data(x=torch.rand(n, 2), edge_index=TRIANGLE, edge_attr=torch.rand(6, 1), y=torch.tensor([n]), role=i)
        for i, n in enumerate((3, 6))
    ]
    graphs = GraphSet.from_pyg(data)
    assert (set(graphs.node), set(graphs.edge), set(graphs.graph)) == ({"x"}, {"edge_attr"}, {"y", "role"})
    assert graphs.role.tolist() == [0, 1]
    lone = Data(x=torch.rand(1, 2), y=torch.tensor([4]), mark=torch.tensor([1]))
    assert set(GraphSet.from_pyg([lone], levels={"mark": "graph"}).graph) == {"y", "mark"}
    assert set(GraphSet.from_pyg([lone]).node) == {"x", "mark"}


def test_pyg_attributes_that_are_no_columns() -> None:
    data = Data(edge_index=TRIANGLE, num_nodes=3, smiles="C1CC1")
    with refused("graph 0: 'smiles' is a str"):
        GraphSet.from_pyg(data)
    assert GraphSet.from_pyg(data, attributes=()).num_nodes == 3
    with refused("graph 1 has no 'y', others do"):
        GraphSet.from_pyg([Data(num_nodes=1, y=torch.ones(1)), Data(num_nodes=1)])
    with refused("graph 0 is a dict"):
        GraphSet.from_pyg([{}])
    with refused("graph 0: 'y' has 2 rows"):
        GraphSet.from_pyg([Data(num_nodes=3, y=torch.ones(2))])


def test_pyg_batches() -> None:
    data = [
        Data(edge_index=TRIANGLE, num_nodes=4),
        Data(num_nodes=3, edge_index=TRIANGLE[:, :0]),
        Data(num_nodes=0, edge_index=TRIANGLE[:, :0]),
    ]
    batch = Batch.from_data_list(data)
    assert GraphSet.from_pyg(batch).same_as(GraphSet.from_pyg(data))
    bare = Data(edge_index=TRIANGLE, num_nodes=4, batch=torch.tensor([0, 0, 0, 2]))
    with refused("does not say how many graphs"):
        GraphSet.from_pyg(bare)
    assert GraphSet.from_pyg(bare, num_graphs=4).nodes_per_graph.tolist() == [3, 0, 1, 0]
    unsorted = Data(edge_index=TRIANGLE, num_nodes=4, batch=torch.tensor([0, 0, 2, 0]))
    with refused("not sorted: node 3 is in graph 0, node 2 in graph 2"):
        GraphSet.from_pyg(unsorted, num_graphs=3)
    crossing = Data(edge_index=TRIANGLE, num_nodes=3, batch=torch.tensor([0, 0, 1]))
    with refused(r"graph 0: edge \(1, 2\) leads to graph 1"):
        GraphSet.from_pyg(crossing, num_graphs=2)


def test_pyg_batch_with_edges_in_any_order() -> None:
    graphs = GraphSet.from_edges([[(0, 1)], [(0, 1)]], edge={"edge_w": np.array([1, 2])})
    batch = Batch.from_data_list(graphs.to_pyg())
    order = torch.tensor([2, 0, 3, 1])
    batch.edge_index, batch.edge_w = batch.edge_index[:, order], batch.edge_w[order]
    assert GraphSet.from_pyg(batch).same_as(graphs)


# ── matrices and SMILES ────────────────────────────────────────────────────────────────────────────────────


def test_weighted_adjacency() -> None:
    matrix = sparse.csr_array(np.array([[0, 2.5, 0], [2.5, 0, 1], [0, 1, 0]]))
    with refused(r"graph 0: edge \(0, 1\) has the weight 2.5"):
        GraphSet.from_adjacency([matrix])
    graphs = GraphSet.from_adjacency([matrix], weighted=True)
    assert (graphs.to_adjacency(weight="edge_weight")[0] != matrix).nnz == 0
    with refused("another weight than its reverse"):
        GraphSet.from_adjacency(np.array([[0, 2.0], [3.0, 0]]), weighted=True)
    kept = GraphSet.from_adjacency(np.array([[0, 2.0], [3.0, 0]]), weighted=True, directed="keep")
    assert kept.edge_weight.tolist() == [2.0, 3.0]


def test_odd_matrices_are_refused() -> None:
    with refused(r"graph 1: an adjacency matrix is square, this one has the shape \(2, 3\)"):
        GraphSet.from_adjacency([np.zeros((2, 2)), np.zeros((2, 3))])
    with refused(r"graph 0: entry \(0, 1\) of the adjacency matrix is nan"):
        GraphSet.from_adjacency(np.array([[0, np.nan], [1, 0]]))
    with refused(r"graph 0: edge \(0, 0\) is a self-loop"):
        GraphSet.from_adjacency(np.eye(2))
    twice = sparse.coo_array((np.ones(4), ([0, 0, 1, 1], [1, 1, 0, 0])), shape=(2, 2))
    with refused(r"graph 0: edge \(0, 1\) is given twice"):
        GraphSet.from_adjacency([twice])


def test_smiles() -> None:
    pytest.importorskip("rdkit")
    graphs = GraphSet.from_smiles(["c1ccccc1O", "[NH4+].[Cl-]", "C#N"])
    assert graphs.nodes_per_graph.tolist() == [7, 2, 2]
    assert sorted(set(graphs[0].edge_type.tolist())) == [1, 4]
    assert graphs[1].charge.tolist() == [1, -1]
    assert graphs[2].edge_type.tolist() == [3, 3]
    assert graphs.to_smiles() == ["Oc1ccccc1", "[Cl-].[NH4+]", "C#N"]
    kekulised = GraphSet.from_smiles(["c1ccccc1"], kekulise=True)
    assert sorted(kekulised.edge_type.tolist()) == [1] * 6 + [2] * 6
    for bad in ("C1CC", "", "not a molecule"):
        with refused(f"graph 1: '{bad}' is not a valid SMILES"):
            GraphSet.from_smiles(["C", bad])
    with pytest.warns(UserWarning, match="left out 1 texts"):
        left = GraphSet.from_smiles(["C", "C1CC", "N"], invalid="drop", graph={"y": np.array([1, 2, 3])})
    assert left.y.tolist() == [1, 3]


# ── selection, imports ─────────────────────────────────────────────────────────────────────────────────────


def test_indices() -> None:
    graphs = GraphSet.from_edges([[], [], []], [1, 2, 3])
    assert graphs[-1].num_nodes == 3
    assert graphs[::-1].nodes_per_graph.tolist() == [3, 2, 1]
    assert graphs[[]].num_graphs == graphs[2:1].num_graphs == 0
    assert graphs[[True, False, True]].nodes_per_graph.tolist() == [1, 3]
    assert graphs[np.array([2, 2])].nodes_per_graph.tolist() == [3, 3]
    with pytest.raises(IndexError, match="graph 3 of a set of 3"):
        graphs[3]
    with refused("the mask has shape"):
        graphs[[True]]
    with refused("whole numbers"):
        graphs[[0.5]]
    with refused("relabel"):
        graphs.relabel(torch.tensor([1, 0, 2, 3, 4, 5]))
    for bad in ([0, 0, 0, 0, 0, 0], [0, 1, 2], [0, 1, 2, 3, 4, 9], [0, 2, 1, 3, 4, -1]):
        with refused("relabel"):
            graphs.relabel(torch.tensor(bad))


def test_import_is_light() -> None:
    code = """
import sys, graphgauge
assert "torch" not in sys.modules, "import graphgauge loads torch"
graphgauge.GraphSet.from_edges([[(0, 1)]]).check()
heavy = {"networkx", "igraph", "torch_geometric", "rdkit", "numba", "scipy", "matplotlib"} & set(sys.modules)
assert not heavy, heavy
"""
    subprocess.run([sys.executable, "-c", code], check=True)
