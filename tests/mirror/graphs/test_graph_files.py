"""Files: what is kept, and how broken or hostile ones are refused (with the name of the file)."""

from __future__ import annotations

import builtins
import collections
import contextlib
import gzip
import io
import json
import os
import pickle
import struct
import zipfile
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from graphgauge import GraphError, GraphSet, read, write
from graphgauge.graphs.files import READERS, WRITERS


@pytest.fixture
def graphs() -> GraphSet:
    return GraphSet.from_edges(
        [[(0, 1), (1, 2)], [], [(0, 2)], []], [3, 2, 4, 0],
        node={"x": torch.arange(18.0).reshape(9, 2), "kind": torch.arange(9, dtype=torch.uint8)},
        edge={"edge_attr": torch.tensor([1, 2, 3])},
        graph={"y": torch.tensor([0.1, 0.2, 0.3, 0.4], dtype=torch.float64)},
    )  # fmt: skip


def refused(path: Path, match: str, **options: object) -> None:
    with pytest.raises(GraphError, match=match) as caught:
        read(path, **options)
    assert str(path) in str(caught.value)


def test_every_ending_is_tried_here() -> None:
    assert set(READERS) == {".safetensors", ".jsonl", ".jsonl.gz", ".npz", ".smi", ".csv"}
    assert set(WRITERS) == set(READERS) - {".csv"}


def test_unknown_endings_and_missing_files(tmp_path: Path, graphs: GraphSet) -> None:
    refused(tmp_path / "a.xml", "no format has this ending")
    refused(tmp_path / "a.npz", "unknown format 'xml'", format="xml")
    with pytest.raises(GraphError, match="no format has this ending"):
        write(tmp_path / "a.csv", graphs)
    for ending in READERS:
        with pytest.raises(FileNotFoundError):
            read(tmp_path / f"none{ending}")


@pytest.mark.parametrize("ending", [".safetensors", ".npz", ".jsonl", ".jsonl.gz"])
def test_writing_is_whole_or_not_at_all(ending: str, tmp_path: Path, graphs: GraphSet) -> None:
    path = tmp_path / "new" / f"set{ending}"
    write(path, graphs)
    before = path.read_bytes()
    write(path, graphs)
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]
    broken = graphs.with_columns(node={"z": torch.zeros(9, dtype=torch.complex64)})
    if ending != ".safetensors":
        with pytest.raises(GraphError, match=r"set.*z'"):
            write(path, broken)
        assert path.read_bytes() == before
        assert os.listdir(path.parent) == [path.name]


@pytest.mark.parametrize("ending", [".safetensors", ".npz", ".jsonl", ".jsonl.gz"])
def test_a_truncated_file_names_itself(ending: str, tmp_path: Path, graphs: GraphSet) -> None:
    path = tmp_path / f"set{ending}"
    write(path, graphs)
    whole = path.read_bytes()
    for length in (len(whole) - 3, len(whole) // 2, 10, 1):
        path.write_bytes(whole[:length])
        refused(path, "line|not a whole")


@pytest.mark.parametrize("ending", [".safetensors", ".npz", ".jsonl", ".jsonl.gz"])
def test_flipped_bytes_are_an_error_or_a_valid_set(ending: str, tmp_path: Path, graphs: GraphSet) -> None:
    path = tmp_path / f"set{ending}"
    write(path, graphs)
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    for _ in range(150):
        changed = bytearray(whole)
        changed[rng.integers(len(whole))] = rng.integers(256)
        path.write_bytes(changed)
        with contextlib.suppress(GraphError):
            read(path).check()


# ── safetensors ────────────────────────────────────────────────────────────────────────────────────────────


def stored(path: Path, about: dict[str, object] | None = None, **changes: torch.Tensor | None) -> Path:
    tensors = {
        "node_ptr": torch.tensor([0, 2]),
        "edge_index": torch.tensor([[0, 1], [1, 0]]),
        "edge_ptr": torch.tensor([0, 2]),
        **changes,
    }
    metadata = json.dumps({"format": "graphset", "version": 1, "directed": False, **(about or {})})
    save_file({k: v for k, v in tensors.items() if v is not None}, path, metadata={"graphgauge": metadata})
    return path


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"node_ptr": None}, "missing"),
        ({"node_ptr": torch.tensor([0, 2], dtype=torch.int32)}, "node_ptr must be an int64"),
        ({"node_ptr": torch.tensor([0, 1])}, r"graph 0: edge \(0, 1\) is outside its 1 nodes"),
        ({"node_ptr": torch.tensor([0, -5])}, "node_ptr decreases at graph 0"),
        ({"node_ptr": torch.tensor([0, 2**40])}, "nodes are too many"),
        ({"edge_ptr": torch.tensor([0, 3])}, "edge_ptr ends at 3"),
        ({"edge_ptr": torch.tensor([0, 2, 2])}, "node_ptr says 1 graphs, edge_ptr 2"),
        ({"edge_index": torch.tensor([[0, 1]])}, r"edge_index must have shape \(2, E\)"),
        ({"edge_index": torch.tensor([[0, 1], [1, -1]])}, r"edge \(1, -1\) is outside"),
        ({"edge_index": torch.tensor([[0, 0], [1, 0]])}, "has no reverse"),
        ({"node.x": torch.zeros(3)}, "node column 'x' must be a tensor with 2 rows"),
        ({"extra": torch.zeros(3)}, "'extra' is no part of a graph set"),
        ({"about": {"format": "other"}}, "not a graph set"),
        ({"about": {"version": 2}}, "version 2; this reader knows 1"),
        ({"about": {"directed": "maybe"}}, "directed 'maybe'"),
    ],
)
def test_odd_safetensors_files(tmp_path: Path, changes: dict, match: str) -> None:
    refused(stored(tmp_path / "odd.safetensors", **changes), match)


def test_safetensors_header_that_lies(tmp_path: Path) -> None:
    path = tmp_path / "lie.safetensors"
    header = json.dumps({"node_ptr": {"dtype": "I64", "shape": [2**40], "data_offsets": [0, 2**43]}}).encode()
    for content in (
        struct.pack("<Q", len(header)) + header,
        struct.pack("<Q", 2**60) + b"{}",
        b"",
        b"not a safetensors file at all",
    ):
        path.write_bytes(content)
        refused(path, "not a whole safetensors file")


def test_safetensors_keeps_every_type(tmp_path: Path, graphs: GraphSet) -> None:
    types = (torch.bool, torch.int8, torch.uint8, torch.int16, torch.float16, torch.bfloat16, torch.float32)
    columns = {str(t): torch.ones(9, 3, dtype=t) for t in types}
    write(tmp_path / "a.safetensors", graphs.with_columns(node=columns))
    assert read(tmp_path / "a.safetensors").same_as(graphs.with_columns(node=columns))
    write(tmp_path / "a.npz", graphs)
    with pytest.raises(GraphError, match="bfloat16"):
        write(tmp_path / "a.npz", graphs.with_columns(node=columns))


# ── JSON lines ─────────────────────────────────────────────────────────────────────────────────────────────


def test_json_lines_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text(
        '{"num_nodes": 3, "edges": [[2, 0]], "node_attr": [[1.5], [2], [3]], "edge_attr": [7], "y": 1}\n\n'
        '{"num_nodes": 1, "edges": [], "node_attr": [[4]], "edge_attr": [], "y": 2}\n'
    )
    graphs = read(path)
    assert graphs.edge_index.tolist() == [[2, 0], [0, 2]]
    assert graphs.x.tolist() == [[1.5], [2.0], [3.0], [4.0]]
    assert graphs.edge_attr.tolist() == [7, 7]
    assert graphs.y.tolist() == [1, 2]


def test_json_lines_with_both_directions(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text('{"num_nodes": 2, "edges": [[0, 1], [1, 0]]}\n')
    refused(path, r"line 1: graph 0: edge \(1, 0\) is given twice")
    assert read(path, both_ways=True).num_edges == 2


@pytest.mark.parametrize(
    ("line", "match"),
    [
        ("{", "line 2: not JSON"),
        ("[" * 100_000, "line 2: not JSON"),
        ("[1]", "line 2: a graph is a JSON object"),
        ('{"num_nodes": 2}', "line 2: edges must be a list"),
        ('{"edges": []}', "line 2: num_nodes must be a whole number"),
        ('{"num_nodes": true, "edges": []}', "line 2: num_nodes must be a whole number"),
        ('{"num_nodes": 1e9, "edges": []}', "line 2: num_nodes"),
        ('{"num_nodes": 99999999999, "edges": []}', "line 2: num_nodes"),
        ('{"num_nodes": 2, "edges": [[0, 5]]}', r"line 2: graph 1: edge \(0, 5\) is outside"),
        ('{"num_nodes": 2, "edges": [[0, 1.0]]}', r"line 2: edge \[0, 1.0\]"),
        ('{"num_nodes": 2, "edges": [[0, 1, 1]]}', "line 2: edge"),
        ('{"num_nodes": 2, "edges": [[0, 99999999999999999999]]}', "line 2: a node id does not fit"),
        ('{"num_nodes": 2, "edges": [[1, 1]]}', r"line 2: graph 1: edge \(1, 1\) is a self-loop"),
        ('{"num_nodes": 2, "edges": [], "y": 1}', "line 1: no graph column 'y'"),
        ('{"num_nodes": 2, "edges": [], "colour": 1}', r"line 2: unknown keys \['colour'\]"),
        ('{"num_nodes": 2, "edges": [], "directed": true}', "line 2: a file holds directed or undirected"),
    ],
)
def test_odd_json_lines(tmp_path: Path, line: str, match: str) -> None:
    path = tmp_path / "odd.jsonl"
    path.write_text('{"num_nodes": 2, "edges": [[0, 1]]}\n' + line + "\n")
    refused(path, match)


def test_json_lines_of_the_wrong_length(tmp_path: Path) -> None:
    path = tmp_path / "odd.jsonl"
    path.write_text('{"num_nodes": 2, "edges": [], "node_attr": [1]}\n')
    refused(path, "line 1: node column 'x' must be a list of 2")
    path.write_text('{"num_nodes": 2, "edges": [], "node_attr": [[1], [1, 2]]}\n')
    refused(path, "node column 'x' is not numeric")
    path.write_text('{"num_nodes": 2, "edges": [], "node": {"x": [1, 2]}, "node_attr": [1, 2]}\n')
    refused(path, r"line 1: node columns \['x'\] are given twice")


def test_json_lines_have_no_nan(tmp_path: Path) -> None:
    path = tmp_path / "nan.jsonl"
    path.write_text('{"num_nodes": 1, "edges": [], "node_attr": [NaN]}\n')
    refused(path, "line 1: graph 0, node 0: node column 'x' has NaN")
    graphs = GraphSet.from_edges([[]], [1], node={"x": np.array([np.nan])}, non_finite="keep")
    with pytest.raises(GraphError, match="graph 0: JSON has no NaN"):
        write(path, graphs)


def test_a_gzip_bomb_stops_at_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "bomb.jsonl.gz"
    with gzip.open(path, "wb") as file:
        file.write(b" " * 5_000_000)
    refused(path, "line 1: more than max_bytes=1000000", max_bytes=1_000_000)


# ── npz ────────────────────────────────────────────────────────────────────────────────────────────────────


def arrays(**changes: np.ndarray | None) -> dict[str, np.ndarray]:
    base = {
        "node_ptr": np.array([0, 2, 4]),
        "edge_ptr": np.array([0, 2, 4]),
        "edge_index": np.array([[0, 1, 0, 1], [1, 0, 1, 0]], dtype=np.int32),
        **changes,
    }
    return {k: v for k, v in base.items() if v is not None}


def test_npz_with_node_numbers_inside_each_graph(tmp_path: Path) -> None:
    path = tmp_path / "set.npz"
    np.savez(
        path,
        **arrays(node_type=np.array([1, 2, 3, 4]), edge_type=np.array([1, 1, 2, 2]), y=np.array([0.5, 1.5])),
    )
    graphs = read(path)
    assert graphs.edge_index.tolist() == [[0, 1, 2, 3], [1, 0, 3, 2]]
    assert (list(graphs.node), list(graphs.edge), list(graphs.graph)) == (["node_type"], ["edge_type"], ["y"])


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"edge_ptr": None}, r"the arrays \['edge_ptr'\] are missing"),
        ({"node_ptr": np.array([0, 3, 2])}, "node_ptr decreases at graph 1"),
        ({"node_ptr": np.array([1, 2, 4])}, "node_ptr must be one-dimensional and start at 0"),
        ({"node_ptr": np.array([0, 4])}, "node_ptr says 1 graphs, edge_ptr 2"),
        ({"edge_ptr": np.array([0, 2, 9])}, "edge_ptr ends at 9"),
        ({"edge_index": np.zeros((3, 4), int)}, r"edge_index must have the shape \(2, E\)"),
        ({"edge_index": np.zeros((2, 4))}, "edge_index must be whole numbers"),
        ({"edge_index": np.array([[0, 1, 0, 2], [1, 0, 1, 0]])}, r"graph 1: edge \(2, 0\) is outside its 2"),
        ({"edge_index": np.array([[0, 1, 0, 0], [1, 0, 1, 1]])}, r"graph 1: edge \(0, 1\) is given twice"),
        ({"extra": np.zeros(4)}, "'extra' with the shape .* fits the levels"),
        ({"extra": np.zeros(7)}, "'extra' with the shape .* fits the levels"),
        ({"words": np.array(["a", "b"])}, "'words' holds <U1"),
        ({"node_x": np.zeros(3)}, "node column 'node_x' must have 4 rows"),
        ({"node_x": np.array([0, np.nan, 0, 0])}, "graph 0, node 1: node column 'node_x' has NaN"),
    ],
)
def test_odd_npz_files(tmp_path: Path, changes: dict, match: str) -> None:
    path = tmp_path / "odd.npz"
    np.savez(path, **arrays(**changes))
    refused(path, match)


def test_npz_never_unpickles_and_never_trusts_sizes(tmp_path: Path) -> None:
    path = tmp_path / "evil.npz"
    np.savez(path, **arrays(node_x=np.array([{}, {}, {}, {}], dtype=object)))
    refused(path, "'node_x' holds object")
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (2**40,)})
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("node_ptr.npy", header.getvalue() + b"\0" * 16)
    refused(path, r"'node_ptr' says shape \(1099511627776,\) of float64, but has 16 bytes")
    np.savez_compressed(path, **arrays(node_x=np.zeros((4, 10**6))))
    assert path.stat().st_size < 100_000
    refused(path, "are more than max_bytes=1000000", max_bytes=1_000_000)
    path.write_bytes(b"PK, or so it says")
    refused(path, "not a whole .npz file")


@pytest.mark.skipif(not os.environ.get("GRAPHGAUGE_DATA"), reason="GRAPHGAUGE_DATA names no data folder")
def test_real_npz_files() -> None:
    home = Path(os.environ["GRAPHGAUGE_DATA"])
    zinc = read(home / "zinc" / "val.npz")
    assert (len(zinc), zinc.num_nodes, zinc.num_edges) == (1000, 23083, 49692)
    aqsol = read(home / "aqsol" / "test.npz")
    assert aqsol.kept.sum() == 996


# ── SMILES ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_smiles_files(tmp_path: Path) -> None:
    pytest.importorskip("rdkit")
    smi, table = tmp_path / "a.smi", tmp_path / "a.csv"
    smi.write_text("SMILES\nCCO ethanol\n\nC#N\n")
    graphs = read(smi)
    assert graphs.nodes_per_graph.tolist() == [3, 2]
    write(smi, graphs)
    assert smi.read_text() == "CCO\nC#N\n"
    assert read(smi).same_as(graphs)
    table.write_text('name,Smiles,a,b\n"x, y",CCO,1.5,2\nz,C1CC,2.5,3\nw,N,3.5,\n')
    refused(table, "graph 1: 'C1CC' is not a valid SMILES")
    with pytest.warns(UserWarning, match="left out 1"):
        assert read(table, y="a", invalid="drop").y.tolist() == [1.5, 3.5]
    refused(table, "row 3: '' is not a number", y=["a", "b"], invalid="drop")
    refused(table, "0 columns 'c' in the heading", column="c")
    table.write_text("SMILES,y\nC\n")
    refused(table, "row 1 has 1 cells, the heading 2")
    smi.write_bytes(b"CC\xff\n")
    refused(smi, "not text in UTF-8")
    with pytest.raises(GraphError, match="molecules need the columns of from_smiles"):
        write(smi, GraphSet.from_edges([[(0, 1)]]))


# ── networkx pickles ───────────────────────────────────────────────────────────────────────────────────────


def family() -> list[nx.Graph]:
    weighted = nx.Graph(level=1)
    weighted.add_node("a", size=np.float32(0.5), kind=np.int64(3))
    weighted.add_node("b", size=np.float32(1.5), kind=np.int64(4))
    weighted.add_edge("a", "b", weight=2.0)
    return [weighted]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_networkx_pickles_of_every_protocol(tmp_path: Path, protocol: int) -> None:
    path = tmp_path / "graphs.p"
    graphs = family()
    assert len(graphs[0].nodes) == len(graphs[0].adj) == 2  # cached views go into the pickle
    assert len(graphs[0].edges) == 1
    path.write_bytes(pickle.dumps(graphs, protocol=protocol))
    refused(path, "may be a pickle, which is not opened by its name")
    loaded = read(path, format="networkx-pickle")
    assert loaded.kind.tolist() == [3, 4]
    assert loaded.size.tolist() == [0.5, 1.5]
    assert loaded.weight.tolist() == [2.0, 2.0]
    assert loaded.level.tolist() == [1]
    path.write_bytes(pickle.dumps(nx.grid_2d_graph(3, 4), protocol=protocol))
    assert read(path, format="networkx-pickle").num_edges == 2 * 17


@pytest.mark.parametrize("kind", [nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_networkx_pickles_of_other_graphs(tmp_path: Path, kind: type) -> None:
    path = tmp_path / "graphs.pkl"
    graph = kind([(0, 1), (1, 2), (3, 3)])
    graph.add_node(9)
    path.write_bytes(pickle.dumps((graph, graph)))
    loaded = read(path, format="networkx-pickle", directed="keep", self_loops="keep")
    expected = GraphSet.from_networkx([graph, graph], directed="keep", self_loops="keep")
    assert loaded.same_as(expected)


class Attack:
    def __init__(self, function: object, *arguments: object) -> None:
        self.call = (function, arguments)

    def __reduce__(self) -> tuple:
        return self.call


@pytest.mark.parametrize(
    ("payload", "named"),
    [
        (Attack(os.system, "touch MARK"), "system"),
        (Attack(builtins.eval, "open('MARK','w')"), "eval"),
        (Attack(builtins.getattr, nx.Graph, "add_node"), "getattr"),
        (Attack(builtins.__import__, "os"), "__import__"),
        (Attack(nx.read_gpickle if hasattr(nx, "read_gpickle") else nx.read_graphml, "MARK"), "networkx"),
        (Attack(nx.path_graph, 10**9), "networkx"),
        (Attack(bytearray, 10**12), "bytearray"),
        (Attack(range, 10**12), "range"),
        (collections.Counter("ab"), "collections.Counter"),
        (Path("x"), "Path"),
        (np.zeros(3), "numpy"),
        (torch.zeros(3), "torch"),
        ([nx.Graph(), {1: Attack(os.getcwd)}], "getcwd"),
    ],
    ids=lambda v: v if isinstance(v, str) else "payload",
)
def test_hostile_pickles_are_refused_by_name_and_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, payload: object, named: str
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "evil.pkl"
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        path.write_bytes(pickle.dumps(payload, protocol=protocol))
        refused(path, rf"refused: the file asks for .*{named}", format="networkx-pickle")
    assert os.listdir(tmp_path) == ["evil.pkl"]


def test_pickles_that_are_no_graphs(tmp_path: Path) -> None:
    path = tmp_path / "odd.dat"
    for content, match in (
        ({"train": [nx.path_graph(2)]}, "holds a dict, not networkx graphs"),
        ([nx.path_graph(2), 5], "graph 1 is a int, not a networkx graph"),
        ("text", "holds a str"),
    ):
        path.write_bytes(pickle.dumps(content))
        refused(path, match, format="networkx-pickle")
    for junk in (b"", b"\x80\x05", b"plain text", pickle.dumps(nx.path_graph(3))[:-20], b"\x80\x04\x82\x01."):
        path.write_bytes(junk)
        refused(path, "not a pickle of networkx graphs|refused", format="networkx-pickle")
    broken = nx.path_graph(2)
    broken.__dict__["_adj"] = {0: {7: {}}, 1: [1]}
    path.write_bytes(pickle.dumps(broken))
    refused(path, r"graph 0: edge \(0, 7\) joins nodes that are not there", format="networkx-pickle")
    path.write_bytes(pickle.dumps(nx.path_graph(50)))
    refused(path, "more than max_bytes=10", format="networkx-pickle", max_bytes=10)


def test_hostile_pickles_by_hand(tmp_path: Path) -> None:
    """Programs that pickle.dumps would not write: they set state on what is admitted."""
    path = tmp_path / "evil.pkl"
    programs = {
        "find_class of a dotted name": b"\x80\x04\x8c\x08builtins\x8c\x0cdict.fromkeys\x93.",
        "graph whose state is no dictionary": b"\x80\x02cnetworkx.classes.graph\nGraph\n)\x81K\x05b.",
        "graph with a list of nodes": b"\x80\x02cnetworkx.classes.graph\nGraph\n)\x81}(X\x05\x00\x00\x00_node"
        b"]ub.",
        "dtype of objects": b"\x80\x02cnumpy\ndtype\nX\x01\x00\x00\x00O\x85R.",
        "persistent id": b"\x80\x02K\x01Q.",
    }
    for program in programs.values():
        path.write_bytes(program)
        refused(path, "refused|dictionary|not a pickle", format="networkx-pickle")
