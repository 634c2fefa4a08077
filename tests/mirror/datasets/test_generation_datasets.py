"""Datasets of graph generation: options, damaged files, and ways to get them."""

from __future__ import annotations

import gzip
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graphgauge import read
from graphgauge.datasets import (
    DATASETS,
    DatasetError,
    MissingData,
    available,
    base,
    fetch,
    load,
    moses,
    provenance,
    tu,
)
from graphgauge.datasets.home import verify
from graphgauge.datasets.parts import PARTS, part
from graphgauge.graphs import GraphError, GraphSet


def test_published_sizes_are_the_defaults() -> None:
    found = {name: DATASETS[name].sizes["train"] for name in ("grid", "lobster", "community", "planar")}
    assert found == {"grid": 100, "lobster": 100, "community": 500, "planar": 128}
    assert [len(base("planar", split)) for split in ("train", "val")] == [128, 32]
    assert len(load("planar", "test")) == 40


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("grid", {"smallest": 0}, "smallest must be at least 1"),
        ("grid", {"largest": 9}, "largest must be at least smallest=10"),
        ("lobster", {"p1": 1}, "p1 must be between 0 and 0.999"),
        ("lobster", {"backbone": 0.5}, "backbone must be a whole number"),
        ("lobster", {"smallest": 900, "largest": 900, "backbone": 1}, "hardly ever give that size"),
        ("lobster", {"smallest": 50, "largest": 40}, "largest must be at least smallest=50"),
        ("community", {"blocks": 0}, "blocks must be at least 1"),
        ("community", {"between": -1}, "between must be at least 0"),
        ("community", {"largest": 29}, "largest must be at least smallest=30"),
        ("planar", {"nodes": 0}, "nodes must be at least 1"),
    ],
)
def test_impossible_values_are_refused(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(DatasetError, match=message):
        base(name, "train", 3, **options)


def test_grids_come_round_again() -> None:
    graphs = base("grid", "train", 8, smallest=2, largest=3)
    assert sorted(graphs[:4].nodes_per_graph.tolist()) == [4, 6, 6, 9]
    assert sorted(graphs[4:].nodes_per_graph.tolist()) == [4, 6, 6, 9]


def test_communities_at_the_edge() -> None:
    # Blocks without edges are all pieces: half an edge for each of two nodes joins every pair of them once.
    full = base("community", "train", 2, smallest=3, largest=3, p=0, between=0.5)
    assert full.edges_per_graph.tolist() == [30, 30]
    three = base("community", "train", 2, blocks=3, smallest=4, largest=4, p=1, between=0)
    assert three.edges_per_graph.tolist() == [36, 36]
    assert base("community", "train", 1, smallest=1, largest=1, between=0).num_edges == 0


@pytest.mark.parametrize("nodes", [1, 2, 3])
def test_few_points_are_a_complete_graph(nodes: int) -> None:
    assert base("planar", "train", 2, nodes=nodes).edges_per_graph.tolist() == [nodes * (nodes - 1)] * 2


@pytest.mark.parametrize("graphs", [0, 1, 7, 757])
def test_parts_are_disjoint_and_whole(graphs: int) -> None:
    found = np.concatenate([part(split, graphs) for split in PARTS])
    assert sorted(found) == list(range(graphs))


# ── ego networks ───────────────────────────────────────────────────────────────────────────────────────


def test_ego_options() -> None:
    if not available("ego"):
        pytest.skip("CiteSeer is not at hand (GRAPHGAUGE_DATA names the folder that holds it)")
    near = load("ego", "test", radius=1, smallest=20, largest=60)
    assert (near.nodes_per_graph >= 20).all()
    assert len(load("ego", "test", smallest=5000, largest=5000)) == 0
    with pytest.raises(DatasetError, match="largest must be at least 60"):
        load("ego", "test", smallest=60, largest=50)


def test_ego_networks_of_another_graph_are_refused(tmp_path: Path) -> None:
    (tmp_path / "planetoid").mkdir()
    np.savez(tmp_path / "planetoid/citeseer.npz", num_nodes=3, edge_index=np.array([[0, 1], [1, 0]]))
    with pytest.raises(DatasetError, match=r"citeseer\.npz: expected \(1, 3327, 9104\) .*got \(1, 3, 2\)"):
        load("ego", "train", root=tmp_path)


# ── protein collections ────────────────────────────────────────────────────────────────────────────────

# Two graphs: a path of 3 nodes and an edge.
FILES = {
    "A": "1, 2\n2, 1\n2, 3\n3, 2\n4, 5\n5, 4\n",
    "graph_indicator": "1\n1\n1\n2\n2\n",
    "graph_labels": "1\n-1\n",
    "node_labels": "7\n7\n8\n7\n9\n",
}


@pytest.fixture
def collection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setitem(tu.COUNTS, "ENZYMES", (2, 5, 6))
    folder = tmp_path / "tu/ENZYMES"
    folder.mkdir(parents=True)
    for name, text in FILES.items():
        (folder / f"ENZYMES_{name}.txt").write_text(text)
    for split, line in (("train", "0"), ("val", "1"), ("test", "0,1")):
        (folder / f"ENZYMES_{split}.index").write_text(f"{line}\n" * 10)
    return tmp_path


def test_a_collection_is_read_with_its_labels(collection: Path) -> None:
    graphs = load("enzymes", "test", root=collection, fold=9)
    assert graphs.edge_index.tolist() == [[0, 1, 1, 2, 3, 4], [1, 0, 2, 1, 4, 3]]
    assert graphs.x.tolist() == [[7], [7], [8], [7], [9]]
    assert graphs.y.tolist() == [1, 0]
    assert load("enzymes", "test", root=collection, fold=9, largest=2).num_nodes == 2
    assert not base("enzymes", "train", root=collection, fold=0).node
    assert sorted(load("enzymes", root=collection).nodes_per_graph.tolist()) == [2, 3]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("A", "1, 2\n2, 6\n", "ENZYMES_A.txt: line 2 names node 6 of 5"),
        ("A", "1, 2\n3, 4\n", "ENZYMES_A.txt: line 2 joins two graphs, 1 and 2"),
        ("A", "1\n2\n", "ENZYMES_A.txt: a line must hold two nodes, it holds 1"),
        ("A", "1, 2\n2, 1\n", r"expected \(2, 5, 6\) graphs.*got \(2, 5, 2\)"),
        ("A", "1, x\n", "ENZYMES_A.txt"),
        ("A", "", "ENZYMES_A.txt is empty"),
        ("A", "1.5, 2\n", "ENZYMES_A.txt: expected whole numbers only"),
        ("graph_indicator", "1\n1\n2\n1\n2\n", "ENZYMES_graph_indicator.txt: graph numbers must ascend"),
        ("graph_indicator", "1\n1\n1\n2\n3\n", "ENZYMES_graph_indicator.txt: graph numbers must ascend"),
        ("node_labels", "7\n", "5 nodes, but 1 node labels"),
    ],
)
def test_a_damaged_collection_is_refused(collection: Path, name: str, text: str, message: str) -> None:
    (collection / f"tu/ENZYMES/ENZYMES_{name}.txt").write_text(text)
    with pytest.raises(DatasetError, match=message):
        load("enzymes", "train", root=collection)


@pytest.mark.parametrize(
    ("text", "message"),
    [("0\n", "for each of 10 folds, got 1"), ("0,0\n" * 10, "different graphs"), ("2\n" * 10, "from 0 to 1")],
)
def test_damaged_folds_are_refused(collection: Path, text: str, message: str) -> None:
    path = collection / "tu/ENZYMES/ENZYMES_train.index"
    path.write_text(text)
    with pytest.raises(DatasetError, match=message):
        load("enzymes", "train", root=collection, fold=0)
    path.unlink()
    with pytest.raises(MissingData, match=r"ENZYMES_train\.index is missing"):
        load("enzymes", "train", root=collection, fold=0)
    with pytest.raises(DatasetError, match="fold must be between 0 and 9"):
        load("enzymes", "train", root=collection, fold=10)


def test_a_collection_by_pyg(collection: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pyg = pytest.importorskip("torch_geometric.datasets")
    raw = types.SimpleNamespace(raw_dir=str(collection / "tu/ENZYMES"))
    monkeypatch.setattr(pyg, "TUDataset", lambda root, name: raw)
    home = tmp_path / "other"
    assert fetch("enzymes", root=home) == home / "tu/ENZYMES"
    assert verify(home, "tu/ENZYMES/ENZYMES_A.txt")
    assert len(load("enzymes", root=home)) == 2
    (home / "tu/ENZYMES/ENZYMES_node_labels.txt").write_text("7\n")
    with pytest.raises(DatasetError, match=r"ENZYMES_node_labels\.txt: expected \d+ bytes"):
        load("enzymes", root=home)


# ── MOSES ──────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    pytest.importorskip("rdkit")
    folder = tmp_path / "site/moses/dataset/data"
    folder.mkdir(parents=True)
    (tmp_path / "site/moses/__init__.py").write_text("raise RuntimeError('not to be imported')\n")
    for name, lines in (
        ("train", "CCO\nC#N\nc1ccccc1"),
        ("test", "CC,test\nO,test"),
        ("test_scaffolds", "N"),
    ):
        (folder / f"{name}.csv.gz").write_bytes(gzip.compress(f"SMILES\n{lines}\n".encode()))
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site"), *sys.path])
    monkeypatch.setattr(moses, "MOLECULES", {"train": 3, "test": 2, "test_scaffolds": 1})
    return folder


def test_moses_is_read_from_the_package_without_importing_it(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    train = load("moses", "train", root=home)
    assert train.node_type.tolist() == [6, 6, 8, 6, 7, *[6] * 6]
    assert "moses" not in sys.modules
    assert verify(home, "moses/test.csv.gz")
    assert load("moses", "val", root=home).same_as(load("moses", "test", root=home))
    assert len(base("moses", "val", 1, root=home)) == 1
    assert not base("moses", "train", 2, root=home).node
    assert provenance("moses", root=home) == {"stand_in": False}
    assert load("moses", root=home).split.tolist() == [0, 0, 0, 1, 1, 2]
    monkeypatch.setattr(moses, "_BLOCK", 2)
    assert load("moses", "train", root=home).same_as(train)


def test_damaged_moses_is_refused(package: Path, tmp_path: Path) -> None:
    whole = (package / "train.csv.gz").read_bytes()
    (package / "train.csv.gz").write_bytes(whole[:-9])
    with pytest.raises(DatasetError, match=r"train\.csv\.gz cannot be read"):
        load("moses", "train", root=tmp_path / "a")
    (package / "train.csv.gz").write_bytes(gzip.compress(b"SMILES\nC\n"))
    with pytest.raises(DatasetError, match=r"train\.csv\.gz: expected 3 molecules, got 1"):
        load("moses", "train", root=tmp_path / "b")
    (package / "train.csv.gz").write_bytes(gzip.compress(b"C\nC\nC\n"))
    with pytest.raises(DatasetError, match="heading that begins with SMILES, got 'C'"):
        load("moses", "train", root=tmp_path / "c")


def test_without_the_package_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.delitem(sys.modules, "moses", raising=False)
    with pytest.raises(MissingData, match=r"pip install --no-deps molsets"):
        base("moses", "train", 2, root=tmp_path)
    assert not available("moses", root=tmp_path)


def test_samples_of_generators_are_read_as_smiles(tmp_path: Path) -> None:
    pytest.importorskip("rdkit")
    path = tmp_path / "samples.txt"
    path.write_text("SMILES\nCCO\nNone\nC\n")
    with pytest.raises(GraphError, match='for a list of SMILES say format="smiles"'):
        read(path)
    with pytest.raises(GraphError, match="'None' is not a valid SMILES"):
        read(path, format="smiles")
    with pytest.warns(UserWarning, match="left out 1 texts"):
        graphs = read(path, format="smiles", invalid="drop")
    assert isinstance(graphs, GraphSet)
    assert graphs.nodes_per_graph.tolist() == [3, 1]
