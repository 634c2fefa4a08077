"""Input that could be taken with a silent loss: a shift, a sum, a part left out. Each is refused or right."""

from __future__ import annotations

import codecs
import json
import pickle
import tracemalloc
import warnings
import zipfile
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from graphgauge import GraphError, GraphSet, read, write
from graphgauge.graphs.structure import components

pytest.importorskip("torch_geometric")
from torch_geometric.data import Batch, Data

EDGE = torch.tensor([[0, 1], [1, 0]])


def refused(match: str) -> pytest.RaisesExc:
    return pytest.raises(GraphError, match=match)


# ── PyG ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "rows", "has"),
    [
        ("x", 1, "3 nodes"),
        ("x", 2, "3 nodes"),
        ("pos", 2, "3 nodes"),
        ("edge_attr", 3, "2 edges"),
        ("edge_weight", 1, "2 edges"),
    ],
)
def test_a_standard_name_with_the_rows_of_another_level_is_refused(name: str, rows: int, has: str) -> None:
    data = Data(edge_index=EDGE, num_nodes=3, **{name: torch.ones(rows)})
    with refused(f"graph 0: '{name}' has {rows} rows, the graph .*{has}"):
        GraphSet.from_pyg(data)
    with refused(f"'{name}' has {rows} rows"):
        GraphSet.from_pyg(Data(**data.to_dict(), ptr=torch.tensor([0, 3])))
    level = {1: "graph", 2: "edge", 3: "node"}[rows]
    assert name in getattr(GraphSet.from_pyg(data, levels={name: level}), level)


def test_node_numbers_that_batching_has_shifted_are_refused() -> None:
    data = Data(edge_index=EDGE, num_nodes=2, root_index=torch.tensor([1]))
    assert GraphSet.from_pyg([data, data]).root_index.tolist() == [1, 1]
    batch = Batch.from_data_list([data, data])
    with refused("'root_index' .* shifted"):
        GraphSet.from_pyg(batch)
    assert len(GraphSet.from_pyg(batch, attributes=())) == 2


def test_a_batch_keeps_the_level_that_its_graphs_show() -> None:
    """6 nodes and 6 ordered edges in all, but not in each graph."""
    path = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    listed = [
        Data(edge_index=path, num_nodes=3, w=torch.tensor([1.0, 1, 2, 2])),
        Data(edge_index=EDGE, num_nodes=3, w=torch.tensor([3.0, 3])),
    ]
    graphs = GraphSet.from_pyg(Batch.from_data_list(listed))
    assert graphs.edge["w"].tolist() == [1, 1, 2, 2, 3, 3]
    assert graphs.same_as(GraphSet.from_pyg(listed))


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"ptr": torch.tensor([1, 3])}, "the ptr of the batch must .* start at 0"),
        ({"ptr": torch.tensor([0, 5, 2])}, "ptr of the batch decreases at graph 1"),
        ({"ptr": torch.tensor([0.0, 2.0])}, "the ptr of the batch must be whole numbers"),
        ({"batch": torch.tensor([0.0, 0.0])}, "the batch vector must be whole numbers"),
        ({"batch": torch.tensor([-1, 0])}, "batch vector names graph -1 of 3"),
    ],
)
def test_a_broken_batch_is_named(given: dict[str, torch.Tensor], match: str) -> None:
    with refused(match):
        GraphSet.from_pyg(Data(edge_index=EDGE, num_nodes=2, **given), num_graphs=3)


def test_a_node_count_is_a_whole_number() -> None:
    with refused(r"graph 0: num_nodes must be a whole number, it is 2\.5"):
        GraphSet.from_pyg(Data(edge_index=EDGE, num_nodes=2.5))
    assert GraphSet.from_pyg(Data(edge_index=EDGE, num_nodes=torch.tensor(3))).num_nodes == 3
    with refused("graph 0 is given by its edges only"):
        GraphSet.from_pyg(Data(edge_index=EDGE, x=torch.tensor(3.0)))


def test_floats_of_one_byte_are_carried() -> None:
    x = torch.tensor([1.0, 2.0]).to(torch.float8_e4m3fn)
    graphs = GraphSet.from_pyg(Data(edge_index=EDGE, x=x))
    assert graphs.node["x"].float().tolist() == [1, 2]
    with refused("graph 0, node 1: node column 'x' has NaN"):
        GraphSet.from_pyg(Data(edge_index=EDGE, x=torch.tensor([1.0, float("nan")]).to(x.dtype)))


def test_nan_in_a_complex_column_is_refused() -> None:
    with refused("graph 0, node 0: node column 'x' has NaN"):
        GraphSet.from_pyg(Data(edge_index=EDGE, x=torch.full((2, 1), complex(float("nan"), 0))))


# ── columns ────────────────────────────────────────────────────────────────────────────────────────────────


def test_attributes_are_a_list_of_names_that_are_there(tmp_path: Path) -> None:
    data, graph = Data(edge_index=EDGE, x=torch.ones(2, 1), w=torch.ones(2)), nx.Graph([(0, 1, {"w": 1})])
    write(tmp_path / "a.npz", GraphSet.from_pyg(data))
    makers: list[Any] = [
        lambda names: GraphSet.from_pyg(data, attributes=names),
        lambda names: GraphSet.from_pyg(Data(**data.to_dict(), ptr=torch.tensor([0, 2])), attributes=names),
        lambda names: GraphSet.from_networkx(graph, attributes=names),
        lambda names: read(tmp_path / "a.npz", attributes=names),
    ]
    for make in makers:
        with refused("no graph has an attribute 'wieght'"):
            make(["wieght"])
        with refused("attributes must be a list of names, got the text 'w'"):
            make("w")
        assert len(make([])) == 1
        assert make(["w"]).w.tolist() == [1, 1]
    assert len(GraphSet.from_networkx(nx.empty_graph(2), attributes=["w"])) == 1


def test_a_sum_that_does_not_fit_its_type_is_refused() -> None:
    twice = [np.array([[0, 1], [0, 1]])]
    for values in (torch.tensor([200, 100], dtype=torch.uint8), torch.tensor([True, True])):
        with refused(r"graph 0: edge \(0, 1\): the sum .* 'w' does not fit into torch\.(uint8|bool)"):
            GraphSet.from_edges(twice, [2], edge={"w": values}, duplicates="sum")
    few = {"w": torch.tensor([2, 3], dtype=torch.uint8)}
    with pytest.warns(UserWarning, match="merged 1"):
        small = GraphSet.from_edges(twice, [2], edge=few, duplicates="sum")
    assert (small.w.tolist(), small.w.dtype) == ([5, 5], torch.uint8)


def test_whole_numbers_beside_fractions_are_not_rounded() -> None:
    for values in ([2**53 + 1, 0.5], [[2**53 + 1, 0.5]] * 2, [2**63 + 1, -1]):
        with refused("node column 'x' .* would be rounded"):
            GraphSet.from_edges([[(0, 1)]], node={"x": values})
    assert GraphSet.from_edges([[(0, 1)]], node={"x": [2**53, 1e300]}).x.tolist() == [2.0**53, 1e300]
    with refused(r"graph 0: .* would be rounded"):
        GraphSet.from_adjacency([np.array([[0, 2**53 + 1], [2**53 + 1, 0]])], weighted=True)


def test_a_truth_value_among_ids_is_refused() -> None:
    with refused("graph 1: node ids must be whole numbers.*True"):
        GraphSet.from_edges([[(0, 1)], [(0, 1), (1, 2), (2, True)]])


def test_types_that_numpy_lacks() -> None:
    half = torch.tensor([1.0, 2.0], dtype=torch.bfloat16)
    assert GraphSet.from_networkx(nx.Graph([(0, 1, {"w": half})])).w.tolist() == [[1, 2], [1, 2]]
    ones = torch.tensor([[0, 1], [1, 0]], dtype=torch.bfloat16)
    assert GraphSet.from_adjacency([ones]).to_edges() == [[(0, 1)]]
    with refused("graph 0: a sparse tensor"):
        GraphSet.from_adjacency([ones.float().to_sparse()])
    with refused("graph 1: an adjacency matrix is square, not"):
        GraphSet.from_adjacency([[[0, 1], [1, 0]], [[0, 1], [1]]])


def test_graph_attributes_of_any_name_come_back() -> None:
    graph = nx.Graph([(0, 1)])
    graph.graph["incoming_graph_data"] = 3
    assert GraphSet.from_networkx(graph).to_networkx()[0].graph == {"incoming_graph_data": 3}


def test_an_empty_mask_does_not_fit_three_graphs() -> None:
    with refused(r"the mask has shape \(0,\), the set 3 graphs"):
        GraphSet.from_edges([[], [], []], [1, 1, 1])[torch.zeros(0, dtype=torch.bool)]


def test_facts_about_a_set_with_foreign_ids_name_the_edge() -> None:
    for far in (7, -1):
        ids, ptr = torch.tensor([[0, far], [far, 0]]), torch.tensor([0, 2])
        for fact in (lambda g: g.degree, components, lambda g: g.csr):
            with refused(rf"graph 0: edge \(0, {far}\) is outside its 2 nodes"):
                fact(GraphSet(ptr, ids, ptr))


# ── files ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_pointers_that_wrap_round_are_refused(tmp_path: Path) -> None:
    top = 2**63
    for ptr in ([0, top - 1, -top], [0, top // 2, top - 1, -top, -top // 2, 0]):
        path = tmp_path / "a.safetensors"
        tensors = {
            "node_ptr": torch.tensor(ptr),
            "edge_ptr": torch.zeros(len(ptr), dtype=torch.int64),
            "edge_index": torch.zeros(2, 0, dtype=torch.int64),
        }
        about = json.dumps({"format": "graphset", "version": 1, "directed": False})
        save_file(tensors, path, metadata={"graphgauge": about})
        with refused("node_ptr decreases at graph"):
            read(path)


@pytest.mark.parametrize(
    ("line", "match"),
    [
        ('{"num_nodes":3,"num_nodes":9,"edges":[]}', "the key 'num_nodes' is there twice"),
        ('{"num_nodes":3,"edges":[[0,1]],"edges":[]}', "the key 'edges' is there twice"),
        ('{"num_nodes":1,"edges":[],"node":{"a":[1],"a":[2]}}', "the key 'a' is there twice"),
        ('{"num_nodes":3,"edges":[[0,1]],"directed":"false"}', "directed must be true or false, it is 'fal"),
        ('{"num_nodes":3,"edges":[[0,1]],"directed":1}', "directed must be true or false, it is 1"),
    ],
)
def test_a_line_is_read_as_it_is_written_or_not_at_all(line: str, match: str, tmp_path: Path) -> None:
    path = tmp_path / "ä.jsonl"
    path.write_text('{"num_nodes":1,"edges":[],"node":{"a":[0]}}\n' + line + "\n")
    with refused(f"ä.jsonl: line 2: .*{match}"):
        read(path)


def test_arcs_of_a_file_are_never_turned_into_edges_in_silence(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"num_nodes":2,"edges":[[1,0]],"directed":true}\n')
    with refused(r"line 1: graph 0: edge \(1, 0\) has no reverse edge"):
        read(path, directed="error")


def test_npz_arrays_are_measured_before_they_are_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, node_ptr=np.array([0, 2]), edge_ptr=np.array([0, 2]), edge_index=EDGE.numpy())
    with zipfile.ZipFile(path) as old:
        members = {name: old.read(name) for name in old.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bomb:
        for name, data in members.items():
            bomb.writestr(name, data + bytes(2**26 if name == "node_ptr.npy" else 0))
    tracemalloc.start()
    with refused("'node_ptr' says shape"):
        read(path)
    assert tracemalloc.get_traced_memory()[1] < 2**24
    tracemalloc.stop()


def test_npz_names_and_types_of_columns(tmp_path: Path) -> None:
    plain = {"node_ptr": np.array([0, 2]), "edge_ptr": np.array([0, 2]), "edge_index": EDGE.numpy()}
    path = tmp_path / "a.npz"
    np.savez(path, **plain, **{"node.": np.arange(2)})
    with refused("a.npz: the array 'node.' has no column name"):
        read(path)
    if np.dtype(np.longdouble).itemsize > 8:
        np.savez(path, **plain, **{"node.x": np.zeros(2, np.longdouble)})
        with refused("a.npz: .*'node.x' holds"):
            read(path)


def test_lines_of_smiles_end_where_files_say_so(tmp_path: Path) -> None:
    pytest.importorskip("rdkit")
    (tmp_path / "a.smi").write_text("CCO eth\u2028CC\x85C\nC#N\r\nC\rO", encoding="utf-8", newline="")
    assert read(tmp_path / "a.smi").nodes_per_graph.tolist() == [3, 2, 1, 1]
    (tmp_path / "a.csv").write_text('name,smiles\n"a\nb\u2028c",CC\nd\x1ce,C\n', encoding="utf-8")
    assert read(tmp_path / "a.csv").nodes_per_graph.tolist() == [2, 1]
    (tmp_path / "a.csv").write_text("smiles,y\n" + "C" * 200_000 + ",1\n")
    with refused("a.csv: line 2: field larger than"):
        read(tmp_path / "a.csv")
    (tmp_path / "a.csv").write_text("smiles,y\nC,1_000\n")
    with refused("a.csv: row 1: '1_000' is not a number"):
        read(tmp_path / "a.csv", y="y")


def test_text_after_a_smiles_is_not_passed_over() -> None:
    pytest.importorskip("rdkit")
    for text in ("CCO ethanol", "CC\tO", "CC |^1:0|"):
        with refused("graph 1: .* is not a valid SMILES"):
            GraphSet.from_smiles(["C", text])
    assert GraphSet.from_smiles([" CC\n"]).num_nodes == 2


def test_files_are_named_whatever_is_wrong(tmp_path: Path) -> None:
    for ending in ("safetensors", "npz", "jsonl", "smi"):
        (tmp_path / f"folder.{ending}").mkdir()
        with pytest.raises(IsADirectoryError, match=f"folder.{ending}"):
            read(tmp_path / f"folder.{ending}")
    for wrong in ([1, 2], nx.path_graph(3), None):
        with pytest.raises(TypeError, match=r"a\.jsonl: write takes a GraphSet, got a"):
            write(tmp_path / "a.jsonl", wrong)  # type: ignore[arg-type]


# ── pickles ────────────────────────────────────────────────────────────────────────────────────────────────


def unpickled(path: Path, data: bytes) -> GraphSet:
    path.write_bytes(data)
    return read(path, format="networkx-pickle")


def test_nothing_after_the_first_pickle_is_left_out(tmp_path: Path) -> None:
    one = pickle.dumps(nx.path_graph(3))
    for more in (one, b"junk"):
        with refused(r"a\.p: .*more after the first pickle"):
            unpickled(tmp_path / "a.p", one + more)


def test_a_pickle_cannot_change_the_reader(tmp_path: Path) -> None:
    before = codecs.encode.__doc__
    for name in ("c_codecs\nencode\n", "cnumpy.core.multiarray\nscalar\n", "ccopyreg\n_reconstructor\n"):
        with refused(r"a\.p: refused: "):
            unpickled(tmp_path / "a.p", name.encode() + b"(N}(S'__doc__'\nS'changed'\nutb.")
        with refused(r"a\.p: refused: "):
            unpickled(tmp_path / "a.p", name.encode() + b"(S'a'\nS'b'\ndb.")
    assert codecs.encode.__doc__ == before


def test_the_two_sides_of_a_pickled_edge_agree(tmp_path: Path) -> None:
    lone, torn = nx.path_graph(3), nx.path_graph(2)
    del lone._adj[1][0]
    torn._adj[0][1], torn._adj[1][0] = {"w": 1}, {"w": 2}
    with refused(r"graph 1: edge \(0, 1\) is not the same from both ends"):
        unpickled(tmp_path / "a.p", pickle.dumps([nx.path_graph(2), lone]))
    with refused(r"graph 0: edge \(0, 1\) is not the same from both ends"):
        unpickled(tmp_path / "a.p", pickle.dumps([torn]))


def test_edge_attributes_of_any_name_are_unpickled(tmp_path: Path) -> None:
    graph = nx.Graph([(0, 1, {"u_of_edge": 3, "key": 4})])
    back = unpickled(tmp_path / "a.p", pickle.dumps(graph))
    assert (back.u_of_edge.tolist(), back.key.tolist()) == ([3, 3], [4, 4])


# ── networkx: what a whole graph carries and no number is ──────────────────────────────────────────────────


def test_a_graph_attribute_that_is_no_number_is_left_out_and_named() -> None:
    graphs = [nx.planted_partition_graph(2, 4, 0.9, 0.1, seed=seed) for seed in range(3)]
    for graph in graphs:
        graph.graph["y"] = 0.5
        graph.graph["maker"] = "planted"
    with pytest.warns(UserWarning, match=r"'partition' \(list\), 'maker' \(str\); attributes=") as told:
        found = GraphSet.from_networkx(graphs)
    assert len(told) == 1
    assert told[0].filename == __file__
    assert (list(found.graph), found.y.tolist()) == (["y"], [0.5] * 3)
    assert found.block.tolist() == [0] * 4 + [1] * 4 + [0] * 4 + [1] * 4 + [0] * 4 + [1] * 4
    with refused("graph attribute 'partition' is not numeric"):
        GraphSet.from_networkx(graphs, attributes=["partition"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert list(GraphSet.from_networkx(graphs, attributes=["y"]).graph) == ["y"]


@pytest.mark.parametrize(
    ("values", "match"),
    [
        ([1.5, "text"], "'y' is not numeric"),  # a number in one graph is data
        ([1.5, None], "'y' is not numeric"),
        ([[1, 2], [1, 2, 3]], "'y' is not numeric"),
        ([2**70, 1], "'y' is not numeric"),
        ([1j, 1j], "'y' is not numeric"),
        ([np.zeros(2), np.zeros(3)], "'y' is not numeric"),
    ],
    ids=["number and text", "number and none", "lists of unlike lengths", "huge", "complex", "arrays"],
)
def test_a_graph_attribute_that_is_a_number_somewhere_is_refused(values: list[Any], match: str) -> None:
    graphs = [nx.path_graph(2) for _ in values]
    for graph, value in zip(graphs, values, strict=True):
        graph.graph["y"] = value
    with refused(match):
        GraphSet.from_networkx(graphs)
