"""Properties of molecules against RDKit's values for the SMILES themselves."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
import torch

from graphgauge import GraphError, GraphSet
from graphgauge.descriptors import DESCRIPTORS, PROPERTIES, molecule_properties

pytest.importorskip("rdkit")
from rdkit import Chem
from rdkit.Chem import QED, Crippen, Descriptors
from rdkit.Contrib.SA_Score import sascorer

TEXTS = [
    "CC(=O)Oc1ccccc1C(=O)O", "CN1C=NC2=C1C(=O)N(C(=O)N2C)C", "C", "[Na+].[Cl-]", "c1ccc2ccccc2c1",
    "C1CC2CCC1CC2", "C[N+](C)(C)CC([O-])=O", "OC1C(O)C(CO)OC(O)C1O", "[13CH4]", "FC(F)(F)S(=O)(=O)c1cc[nH]c1",
]  # fmt: skip


def by_rdkit(texts: list[str]) -> np.ndarray:
    rows = []
    for text in texts:
        m = Chem.MolFromSmiles(text)
        rings = len(Chem.GetSymmSSSR(m))
        score = sascorer.calculateScore(m)
        rows.append([Crippen.MolLogP(m), QED.qed(m), score, Descriptors.MolWt(m), rings])
    return np.array(rows)


def test_values_are_those_of_the_texts() -> None:
    found = molecule_properties(GraphSet.from_smiles(TEXTS)).numpy()
    assert found.shape == (len(TEXTS), len(PROPERTIES))
    np.testing.assert_allclose(found, by_rdkit(TEXTS), rtol=1e-12, atol=1e-12)


def test_kekulised_sets_have_the_same_values() -> None:
    found = DESCRIPTORS["molecule"](GraphSet.from_smiles(TEXTS, kekulise=True)).numpy()
    np.testing.assert_allclose(found, by_rdkit(TEXTS), rtol=1e-12, atol=1e-12)


def test_properties_are_chosen_by_name_and_order() -> None:
    graphs = GraphSet.from_smiles(TEXTS)
    every = molecule_properties(graphs)
    assert torch.equal(molecule_properties(graphs, ["rings", "logp"]), every[:, [4, 0]])
    assert molecule_properties(graphs[[]]).shape == (0, 5)
    for wrong in (["mass"], "qed"):
        with pytest.raises(ValueError, match="names out of"):
            molecule_properties(graphs, wrong)


def test_what_is_no_molecule_is_named() -> None:
    with pytest.raises(GraphError, match="missing"):
        molecule_properties(GraphSet.from_edges([[(0, 1)]]))
    graphs = GraphSet.from_smiles(["CC", "CC"])
    types = graphs.edge_type.clone()
    types[2:] = 4
    with pytest.raises(GraphError, match=r"graph 1 is not a molecule \(non-ring atom"):
        molecule_properties(graphs.with_columns(edge={"edge_type": types}))
    nothing = GraphSet.from_rdkit([Chem.MolFromSmiles("C"), Chem.Mol()])
    with pytest.raises(GraphError, match=r"graph 1 is not a molecule \(it has no atoms\)"):
        molecule_properties(nothing)


@pytest.mark.skipif("GRAPHGAUGE_DATA" not in os.environ, reason="GRAPHGAUGE_DATA names no data folder")
def test_values_of_generated_molecules() -> None:
    file = Path(os.environ["GRAPHGAUGE_DATA"]) / "ggm" / "jtvae_zinc_prior_mols.txt"
    if not file.exists():
        pytest.skip("ggm is not at hand (GRAPHGAUGE_DATA names the folder that holds it)")
    texts = file.read_text().split()[:100]
    flat = [Chem.MolToSmiles(Chem.MolFromSmiles(text), isomericSmiles=False) for text in texts]
    found = molecule_properties(GraphSet.from_smiles(texts)).numpy()
    np.testing.assert_allclose(found, by_rdkit(flat), rtol=1e-9, atol=1e-9)
