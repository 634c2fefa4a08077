"""Sources that need the network, with small stand-ins for the libraries and archives they use."""

from __future__ import annotations

import dataclasses
import gzip
import sys
import types
import zipfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from graphgauge.datasets import (
    DATASETS,
    DatasetError,
    MissingData,
    available,
    base,
    corafull,
    fetch,
    load,
    ogbn_arxiv,
    pcqm4mv2,
    provenance,
)
from graphgauge.datasets.home import verify

data = pytest.importorskip("torch_geometric.data")
pyg = pytest.importorskip("torch_geometric.datasets")

PATH = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError("no network in tests")

    monkeypatch.setattr("socket.getaddrinfo", refuse)
    monkeypatch.setitem(sys.modules, "ogb", None)


def change(monkeypatch: pytest.MonkeyPatch, name: str, **fields: Any) -> None:
    monkeypatch.setitem(DATASETS, name, dataclasses.replace(DATASETS[name], **fields))


def molecule(nodes: int, bonds: torch.Tensor = PATH) -> Any:
    return data.Data(
        x=torch.arange(nodes)[:, None],
        edge_index=bonds,
        edge_attr=torch.ones(bonds.shape[1], dtype=torch.long),
        y=torch.tensor([float(nodes)]),
    )


def test_aqsol_drops_what_the_benchmark_drops(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    edgeless = molecule(2, torch.empty(2, 0, dtype=torch.long))
    monkeypatch.setattr(pyg, "AQSOL", lambda root, split: [molecule(3), molecule(4), edgeless])
    change(monkeypatch, "aqsol", counts={})
    graphs = load("aqsol", "val", root=tmp_path)
    assert graphs.nodes_per_graph.tolist() == [3]
    assert graphs.x.tolist() == [[0], [1], [2]]
    assert graphs.edge_attr.tolist() == [1] * 4
    assert graphs.y.tolist() == [3.0]
    assert verify(tmp_path, "aqsol/train.npz"), "what was loaded once is a local archive from then on"
    monkeypatch.delattr(pyg, "AQSOL")
    assert len(load("aqsol", root=tmp_path)) == 3


def test_wrong_counts_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(pyg, "AQSOL", lambda root, split: [molecule(3)] * 5)
    with pytest.raises(
        DatasetError, match=r"aqsol train .*expected \(7831, 120771, 240178\).*got \(5, 15, 20\)"
    ):
        load("aqsol", "train", root=tmp_path)
    with pytest.raises(DatasetError, match="expected 7831 graphs, got 5"):
        base("aqsol", "train", 2, root=tmp_path)


def test_zinc_official_split_wins_over_the_stand_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(
        pyg, "ZINC", lambda root, subset, split: [molecule(3)] * (2 if split == "train" else 1)
    )
    change(monkeypatch, "zinc", counts={})
    assert len(load("zinc", "train", root=tmp_path)) == 2
    (tmp_path / "zinc" / "train_standin.npz").write_bytes((tmp_path / "zinc" / "val.npz").read_bytes())
    assert provenance("zinc", root=tmp_path) == {"stand_in": False}
    (tmp_path / "zinc" / "train.npz").unlink()
    (tmp_path / "manifest.json").unlink()
    assert provenance("zinc", root=tmp_path) == {"stand_in": True, "train_split": "train_standin"}
    assert len(base("zinc", "train", root=tmp_path)) == 1
    monkeypatch.delattr(pyg, "ZINC")
    with pytest.raises(MissingData, match="'train_standin' stands in for 'train'"):
        load("zinc", "train", root=tmp_path)


def test_planetoid(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    mask = torch.tensor([True, False, False])
    graph = data.Data(
        x=torch.eye(3), y=torch.tensor([2, 0, 1]), edge_index=PATH,
        train_mask=mask, val_mask=mask.roll(1), test_mask=mask.roll(2),
    )  # fmt: skip
    monkeypatch.setattr(pyg, "Planetoid", lambda root, name: [graph])
    change(monkeypatch, "cora", counts={})
    found = load("cora", root=tmp_path, features=True)
    assert found.y.tolist() == [2, 0, 1]
    assert found.test_mask.tolist() == [False, False, True]
    assert torch.equal(found.x, torch.eye(3))
    assert base("cora", "train", 4, order=2, root=tmp_path).nodes_per_graph.tolist() == [2] * 4


def test_corafull_by_pyg(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(
        pyg, "CitationFull", lambda root, name: [data.Data(edge_index=PATH, num_nodes=4, y=PATH[0])]
    )
    change(monkeypatch, "corafull", counts={})
    assert load("corafull", root=tmp_path).num_nodes == 4
    assert fetch("corafull", root=tmp_path) == tmp_path / "corafull"


def test_corafull_from_its_authors_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    published = tmp_path / "cora.npz"
    np.savez(
        published,
        adj_data=np.ones(3),
        adj_indices=np.array([1, 2, 1]),  # 0 → 1, 1 → 2, 2 → 1, and node 3 alone
        adj_indptr=np.array([0, 1, 2, 3, 3]),
        adj_shape=np.array([4, 4]),
        idx_to_node=np.array([{}], dtype=object),
    )
    monkeypatch.setattr(corafull, "URL", published.as_uri())
    change(monkeypatch, "corafull", counts={}, loaders={"source": corafull.from_source})
    graph = load("corafull", root=tmp_path / "home")
    assert graph.num_nodes == 4
    assert graph.edge_index.tolist() == [[0, 1, 1, 2], [1, 0, 2, 1]]
    assert verify(tmp_path / "home", "corafull/corafull.npz")


def zipped(folder: Path, name: str, members: dict[str, bytes]) -> str:
    with zipfile.ZipFile(folder / name, "w") as archive:
        for member, content in members.items():
            archive.writestr(member, content)
    return (folder / name).as_uri()


def test_arxiv_from_its_archive(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    members = {
        "arxiv/raw/edge.csv.gz": gzip.compress(b"0,1\n1,0\n2,1\n3,3\n"),
        "arxiv/raw/num-node-list.csv.gz": gzip.compress(b"5\n"),
    }
    monkeypatch.setattr(ogbn_arxiv, "URL", zipped(tmp_path, "arxiv.zip", members))
    change(monkeypatch, "ogbn-arxiv", counts={})
    home = tmp_path / "home"
    assert not available("ogbn-arxiv", root=home)
    graph = load("ogbn-arxiv", root=home)
    assert graph.num_nodes == 5
    assert graph.edge_index.tolist() == [[0, 1, 1, 2], [1, 0, 2, 1]]
    assert available("ogbn-arxiv", root=home)
    raw = home / "ogbn_arxiv" / "raw" / "edge.csv.gz"
    raw.write_bytes(gzip.compress(b"0,1\n7,0\n"))
    with pytest.raises(DatasetError, match=r"edge 1 \(7, 0\) is outside its 5 nodes"):
        load("ogbn-arxiv", root=home)
    raw.write_bytes(gzip.compress(b"0,1\n7,x\n"))
    with pytest.raises(DatasetError, match=r"edge\.csv\.gz cannot be read"):
        load("ogbn-arxiv", root=home)


def test_arxiv_from_an_npz_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "ogbn-arxiv").mkdir()
    np.savez(tmp_path / "ogbn-arxiv" / "arxiv.npz", num_nodes=3, edge_index=PATH.numpy())
    change(monkeypatch, "ogbn-arxiv", counts={})
    assert base("ogbn-arxiv", "val", 2, order=3, root=tmp_path).num_nodes == 6


def test_ogb_that_asks_does_not_hang(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def ask(name: str, root: str) -> None:
        input("This will download 80.00GB. Will you proceed? (y/N)\n")

    fake = types.ModuleType("ogb.nodeproppred")
    fake.NodePropPredDataset = ask  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ogb", types.ModuleType("ogb"))
    monkeypatch.setitem(sys.modules, "ogb.nodeproppred", fake)
    with pytest.raises(MissingData, match="nobody is here to answer") as raised:
        load("ogbn-arxiv", root=tmp_path)
    assert "https://snap.stanford.edu/ogb/data/nodeproppred/arxiv.zip: URLError" in str(raised.value)


CSV = b"idx,smiles,homolumogap\n0,CCO,3.5\n1,c1ccccc1,2.5\n2,C#N,\n3,CC(C)C,1.5\n4,O,0.5\n"


def pcqm_members(tmp_path: Path, splits: Any) -> dict[str, bytes]:
    torch.save(splits, tmp_path / "split_dict.pt")
    return {
        "pcqm4m-v2/raw/data.csv.gz": gzip.compress(CSV),
        "pcqm4m-v2/split_dict.pt": (tmp_path / "split_dict.pt").read_bytes(),
    }


def test_pcqm4mv2_from_a_mirror(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("rdkit")
    members = pcqm_members(
        tmp_path, {"train": np.array([0, 1, 3]), "valid": np.array([4]), "test-dev": np.array([2])}
    )
    good = zipped(tmp_path, "pcqm4m-v2.zip", members)
    mirrors = ((tmp_path / "gone.zip").as_uri(), good)
    loaders = {url: partial(pcqm4mv2.from_mirror, url) for url in mirrors}
    change(monkeypatch, "pcqm4mv2", counts={}, loaders=loaders)
    home = tmp_path / "home"
    train = load("pcqm4mv2", "train", root=home)
    assert train.nodes_per_graph.tolist() == [3, 6, 4]
    assert (train.edges_per_graph // 2).tolist() == [2, 6, 3]
    assert train.y.tolist() == [3.5, 2.5, 1.5]
    assert load("pcqm4mv2", "val", root=home).y.tolist() == [0.5]
    some = base("pcqm4mv2", "train", 2, 1, root=home)
    assert len(some) == 2
    assert not some.node
    with pytest.raises(DatasetError, match="train has 3 graphs; 35000 were asked for"):
        base("pcqm4mv2", "train", root=home)
    (home / "pcqm4m-v2" / "split_dict.pt").unlink()
    with pytest.raises(DatasetError, match=r"split_dict\.pt is missing"):
        load("pcqm4mv2", "train", root=home)


def test_pcqm4mv2_splits_hold_no_code(tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self) -> tuple[Any, ...]:
            return (print, ("never",))

    torch.save({"train": Evil()}, tmp_path / "split_dict.pt")
    with pytest.raises(DatasetError, match="not OGB's table of splits"):
        pcqm4mv2._split_rows(tmp_path / "split_dict.pt", "train")


def test_pcqm4mv2_bad_table_names_the_row(tmp_path: Path) -> None:
    path = tmp_path / "data.csv.gz"
    path.write_bytes(gzip.compress(b"idx,smiles,homolumogap\n0,C,1\n1,C,one\n"))
    with pytest.raises(DatasetError, match=r"data\.csv\.gz: row 1 cannot be read"):
        pcqm4mv2._table(path)
    path.write_bytes(gzip.compress(CSV)[:-9])
    with pytest.raises(DatasetError, match=r"data\.csv\.gz"):
        pcqm4mv2._table(path)


@pytest.mark.parametrize(
    "name",
    [
        "pcqm4mv2", "corafull", "ogbn-arxiv", "aqsol", "zinc", "cora", "citeseer", "pubmed", "ego", "dd",
        "proteins", "enzymes",
    ],
)  # fmt: skip
def test_missing_data_says_what_to_put_where(name: str, tmp_path: Path) -> None:
    with pytest.raises(MissingData) as raised:
        base(name, "train", 2, root=tmp_path / "home")
    text = str(raised.value)
    entry = DATASETS[name]
    for file in entry.files["all" if entry.kind == "large" else "train"]:
        assert str(tmp_path / "home" / file) in text
    for label in entry.loaders:
        assert label in text
    assert not available(name, root=tmp_path / "home")
