"""RDKit molecules in and out."""

from __future__ import annotations

import pytest
import torch

from graphgauge import GraphError, GraphSet

Chem = pytest.importorskip("rdkit.Chem")

TEXTS = [
    "CCO", "c1ccccc1O", "[NH4+].[Cl-]", "C[N+](=O)[O-]", "c1cc[nH]c1", "[13CH4]", "[CH3]", "C#N", "[2H]O",
    "FC(F)(F)c1ccc2ncccc2c1", "O=C1C=CC(=O)C=C1",
]  # fmt: skip


def test_molecules_and_their_smiles_give_the_same_set() -> None:
    from_texts = GraphSet.from_smiles(TEXTS)
    assert GraphSet.from_rdkit([Chem.MolFromSmiles(text) for text in TEXTS]).same_as(from_texts)
    kekulised = GraphSet.from_rdkit([Chem.MolFromSmiles(text) for text in TEXTS], kekulise=True)
    assert kekulised.same_as(GraphSet.from_smiles(TEXTS, kekulise=True))
    assert kekulised.edge_type.max() == 3


def test_molecules_come_back() -> None:
    graphs = GraphSet.from_smiles(TEXTS)
    assert [Chem.MolToSmiles(m) for m in graphs.to_rdkit()] == [Chem.CanonSmiles(text) for text in TEXTS]
    again = GraphSet.from_rdkit(graphs.to_rdkit())  # a bond from 5 to 0 comes back as one from 0 to 5
    assert again.to_edges() == graphs.to_edges()
    assert torch.equal(again.edge_type, graphs.edge_type)
    assert all(torch.equal(again.node[name], column) for name, column in graphs.node.items())
    assert GraphSet.from_smiles(TEXTS, kekulise=True).to_smiles() == graphs.to_smiles()


def test_the_molecules_of_others_are_not_changed() -> None:
    mine = Chem.MolFromSmiles("c1ccccc1")
    GraphSet.from_rdkit([mine], kekulise=True)
    assert all(atom.GetIsAromatic() for atom in mine.GetAtoms())


def test_hydrogens_that_are_atoms_are_nodes() -> None:
    graphs = GraphSet.from_rdkit([Chem.AddHs(Chem.MolFromSmiles("C"))])
    assert (graphs.num_nodes, graphs.hydrogens.sum()) == (5, 0)


def test_entries_that_are_no_molecules() -> None:
    carbon = Chem.MolFromSmiles("C")
    with pytest.raises(GraphError, match='graph 1 is None, not a molecule; invalid="drop"'):
        GraphSet.from_rdkit([carbon, None])
    with pytest.warns(UserWarning, match="left out 1 entries"):
        left = GraphSet.from_rdkit([carbon, None, carbon], invalid="drop", graph={"y": [1, 2, 3]})
    assert left.y.tolist() == [1, 3]
    with pytest.raises(GraphError, match="graph 1 is a str, not an RDKit molecule"):
        GraphSet.from_rdkit([carbon, "C"])
    with pytest.raises(GraphError, match="graph 0 is not sanitised"):
        GraphSet.from_rdkit([Chem.MolFromSmiles("C", sanitize=False)])


def described(numbers: list[int], bonds: list[tuple[int, int, int]]) -> GraphSet:
    """A molecule as a model makes it: atomic numbers and bond types, nothing else."""
    types = torch.tensor([t for _, _, t in bonds], dtype=torch.int64)
    graph = GraphSet.from_edges([[(u, v) for u, v, _ in bonds]], [len(numbers)], edge={"edge_type": types})
    return graph.with_columns(node={"node_type": torch.tensor(numbers)})


def test_missing_columns_are_filled_as_documented() -> None:
    ring = [(i, (i + 1) % 6, 4) for i in range(6)]
    assert described([6, 6, 8], [(0, 1, 1), (1, 2, 1)]).to_smiles() == ["CCO"]
    assert described([6] * 6, ring).to_smiles() == ["c1ccccc1"]
    assert described([6, 7], [(0, 1, 3)]).to_smiles() == ["C#N"]


@pytest.mark.parametrize(
    ("numbers", "bonds", "why"),
    [
        ([6, 9], [(0, 1, 2)], "valence"),
        ([6, 6, 6], [(0, 1, 4), (1, 2, 4), (2, 0, 4)], "kekuli"),
        ([6, 6], [(0, 1, 4)], "non-ring atom"),
        ([6, 6], [(0, 1, 5)], r"edge \(0, 1\) has the type 5, which stands for no bond"),
        ([6, -1], [], "-1 is no atomic number"),
        ([6, 400], [], ""),
    ],
)
def test_what_is_no_molecule_is_named(numbers: list[int], bonds: list, why: str) -> None:
    both = GraphSet.concat([described([6], []), described(numbers, bonds)])
    with pytest.raises(GraphError, match=rf"(?i)graph 1 is not a molecule \(.*{why}"):
        both.to_rdkit()


def test_columns_that_molecules_need() -> None:
    with pytest.raises(GraphError, match=r"missing: \['node_type', 'edge_type'\]"):
        GraphSet.from_edges([[(0, 1)]]).to_rdkit()
    odd = described([6], []).with_columns(node={"node_type": torch.tensor([6.5])})
    with pytest.raises(GraphError, match="'node_type' of a molecule holds one whole number"):
        odd.to_rdkit()
