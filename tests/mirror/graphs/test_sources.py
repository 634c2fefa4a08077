"""Graphs from files and from the objects of other libraries, as they are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from scipy import sparse

from graphgauge import GraphError, GraphSet, write
from graphgauge.graphs.sources import source

pytest.importorskip("torch_geometric")
pytest.importorskip("rdkit")
from rdkit import Chem
from torch_geometric.data import Batch, Data, InMemoryDataset

PATH = [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
SET = GraphSet.from_edges([[(0, 1), (1, 2)]])
DATA = Data(edge_index=SET.edge_index, num_nodes=3)


class Listed(torch.utils.data.Dataset):
    """What torch asks of a data set, and no iterator."""

    def __len__(self) -> int:
        return 2

    def __getitem__(self, i: int) -> Data:
        if i >= len(self):
            raise IndexError(i)
        return DATA


class InMemory(InMemoryDataset):
    def __init__(self) -> None:
        super().__init__(None)
        self.data, self.slices = self.collate([DATA, DATA])


class OwnGraph(nx.Graph):
    """A subclass, as libraries on top of networkx have them."""


@pytest.mark.parametrize(
    ("value", "count"),
    [
        (SET, 1), ([SET, SET], 2), (list(GraphSet.concat([SET, SET])), 2),
        (nx.path_graph(3), 1), ([nx.path_graph(3)] * 2, 2), ((nx.path_graph(3) for _ in range(2)), 2),
        ([OwnGraph([(0, 1), (1, 2)])], 1),
        (DATA, 1), ([DATA, DATA], 2), (Batch.from_data_list([DATA, DATA]), 2),
        ([Batch.from_data_list([DATA, DATA])] * 2, 4), (Listed(), 2), (InMemory(), 2),
        (np.array(PATH), 1), (np.array([PATH, PATH]), 2), ([np.array(PATH, dtype=bool)], 1),
        (torch.tensor(PATH), 1), (torch.tensor([PATH, PATH]).float(), 2),
        (sparse.csr_array(np.array(PATH)), 1), ([sparse.coo_matrix(np.array(PATH))] * 2, 2),
    ],
)  # fmt: skip
def test_every_kind_of_object_gives_the_same_graphs(value: Any, count: int) -> None:
    found = source(value)
    assert found.listed == len(found.graphs) == count
    assert (found.name, found.dropped) == ("generated", ())
    assert all(one.structure().same_as(SET) for one in found.graphs)


@pytest.mark.parametrize(
    "value",
    [["CO", "C1CC", "N"], np.array(["CO", "C1CC", "N"]), (text for text in ("CO", "C1CC", "N"))],
)
def test_texts_that_are_no_smiles_are_counted(value: Any) -> None:
    found = source(value, name="mine")
    assert (found.listed, len(found.graphs), found.name) == (3, 2, "mine")
    assert found.dropped == ("graph 1: 'C1CC'",)
    assert found.graphs.node_type.tolist() == [6, 8, 7]


def test_molecules_and_none_beside_them() -> None:
    molecules = [None, Chem.MolFromSmiles("CO"), None, Chem.MolFromSmiles("N")]
    found = source(molecules)
    assert (found.listed, len(found.graphs), found.dropped) == (4, 2, ("graph 0: 'None'", "graph 2: 'None'"))
    assert found.graphs.same_as(source(["CO", None, "N"]).graphs)
    assert source(molecules[1]).graphs.same_as(GraphSet.from_smiles(["CO"]))
    with pytest.raises(GraphError, match="graph 0 is None"):
        source(molecules, invalid="error")
    with pytest.raises(GraphError, match="graph 1: 'C1CC' is not a valid SMILES"):
        source(["CO", "C1CC"], invalid="error")


def test_only_the_first_few_are_kept_for_messages() -> None:
    found = source(["C", *["x"] * 20])
    assert found.listed - len(found.graphs) == 20
    assert len(found.dropped) == 5


def test_a_set_can_come_out_empty_and_still_says_how_many_were_given() -> None:
    assert source(["x", "y"]).listed == 2
    assert len(source(["x", "y"]).graphs) == 0


@pytest.mark.parametrize(
    ("value", "error", "match"),
    [
        ([], GraphError, "give an empty GraphSet"),
        ([None, None], GraphError, "all 2 entries are None"),
        ([nx.path_graph(2), DATA], GraphError, r"entry 1 is a torch_geometric\S+Data, entry 0 a networkx"),
        ([nx.path_graph(2), None], GraphError, "entry 1 is a NoneType"),
        (["C", Chem.MolFromSmiles("C")], GraphError, r"entry 1 is a rdkit\S+Mol, entry 0 a str"),
        ([None, 3], GraphError, "entry 1 is a int, which is no known kind of graph"),
        ([[(0, 1)]], GraphError, "edge lists go through GraphSet.from_edges"),
        ([np.zeros(3)], GraphError, "entry 0 is a numpy.ndarray"),
        (np.zeros(3), GraphError, "entry 0 is a numpy.float64"),
        ([Chem.MolFromSmiles("C").GetAtomWithIdx(0)], GraphError, r"entry 0 is a rdkit\S+Atom"),
        ({"a": SET}, TypeError, "a dict does not say"),
        (b"CO", TypeError, "a bytes does not say"),
        (3, TypeError, "a int is neither"),
    ],
)  # fmt: skip
def test_what_is_no_graph_is_named_with_its_place_and_type(value: Any, error: type, match: str) -> None:
    with pytest.raises(error, match=match):
        source(value)


def test_rules_go_to_the_converter() -> None:
    looped = nx.Graph([(0, 0), (0, 1)])
    with pytest.raises(GraphError, match="graph 0: edge \\(0, 0\\) is a self-loop"):
        source([looped])
    with pytest.warns(UserWarning, match="dropped 1 self-loops"):
        assert source([looped], self_loops="drop").graphs.num_edges == 2
    named = nx.Graph([("a", "b")])
    named.nodes["a"]["text"] = named.nodes["b"]["text"] = "not a number"
    assert source(named, attributes=()).graphs.num_nodes == 2
    weighted = np.array([[0, 0.5], [0.5, 0]])
    assert source(weighted, weighted=True).graphs.edge_weight.tolist() == [0.5, 0.5]
    # Molecules and sets have no oddities left for the rules to treat, so these are passed over.
    assert source(["CC"], self_loops="drop").graphs.num_nodes == 2
    assert source(SET, duplicates="merge").graphs is SET
    assert source(["c1ccccc1"], kekulise=True).graphs.edge_type.max() == 2
    with pytest.raises(TypeError, match="taken as it is"):
        source(SET, attributes=())
    with pytest.raises(TypeError, match="no_such_option"):
        source(nx.path_graph(2), no_such_option=1)
    with pytest.raises(ValueError, match="invalid='warn'"):
        source(["C"], invalid="warn")  # type: ignore[arg-type]


def test_files(tmp_path: Path) -> None:
    for ending in (".safetensors", ".jsonl", ".jsonl.gz", ".npz"):
        write(tmp_path / f"my.graphs{ending}", SET)
        found = source(tmp_path / f"my.graphs{ending}", self_loops="drop")
        assert found.graphs.same_as(SET)
        assert (found.name, found.listed) == ("my.graphs", 1)
    assert source(str(tmp_path / "my.graphs.npz"), name="other").name == "other"
    with pytest.raises(FileNotFoundError, match=r"there is no file 'CCO'.*one SMILES goes into a list"):
        source("CCO")
    (tmp_path / "bad.jsonl").write_text('{"num_nodes": 1, "edges": [[0, 5]]}\n')
    with pytest.raises(GraphError, match=r"bad\.jsonl.*outside"):
        source(tmp_path / "bad.jsonl")
    (tmp_path / "what.xyz").write_text("")
    with pytest.raises(GraphError, match="no format has this ending"):
        source(tmp_path / "what.xyz")


def test_files_of_smiles(tmp_path: Path) -> None:
    for name in ("a.smi", "a.txt"):
        (tmp_path / name).write_text("SMILES\nCO first\n\nNone\nN\n")
        found = source(tmp_path / name)
        assert (found.listed, len(found.graphs), found.name) == (3, 2, "a")
        assert found.dropped == ("graph 1: 'None'",)
        with pytest.raises(GraphError, match=rf"{name}: graph 1: 'None' is not a valid SMILES"):
            source(tmp_path / name, invalid="error")
    (tmp_path / "t.csv").write_text("smiles,a\nCO,1\nC1CC,2\nN,3\n")
    found = source(tmp_path / "t.csv", y="a")
    assert (found.listed, found.graphs.y.tolist()) == (3, [1.0, 3.0])
    (tmp_path / "list.dat").write_text("CO\nx\n")
    found = source(tmp_path / "list.dat", format="smiles")
    assert (found.listed, found.name, found.dropped) == (2, "list", ("graph 1: 'x'",))


def test_nothing_is_imported_to_find_out_what_objects_are() -> None:
    code = """
import sys, numpy as np
from graphgauge.graphs.sources import source
source([np.zeros((2, 2))])
assert not {"networkx", "rdkit", "torch_geometric"} & set(sys.modules), sorted(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


@pytest.mark.slow
@pytest.mark.skipif("GRAPHGAUGE_DATA" not in os.environ, reason="GRAPHGAUGE_DATA names no data folder")
def test_a_file_of_generated_molecules_of_which_some_are_none() -> None:
    file = Path(os.environ["GRAPHGAUGE_DATA"]) / "ggm" / "jtvae_moses_molvae_samples.txt"
    if not file.exists():
        pytest.skip("ggm is not at hand (GRAPHGAUGE_DATA names the folder that holds it)")
    found = source(file)
    assert (found.listed, len(found.graphs), found.name) == (30_000, 29_973, file.stem)
    assert found.dropped[0].endswith("'None'")
