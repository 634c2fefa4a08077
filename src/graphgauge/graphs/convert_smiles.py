"""SMILES in and out (needs RDKit, the extra [chem])."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import torch

from graphgauge.graphs.convert_edges import edge_pairs, listed_once
from graphgauge.graphs.errors import GraphError
from graphgauge.graphs.pack import Columns, column, pack

if TYPE_CHECKING:
    from graphgauge.graphs.graphset import GraphSet

# Edge type → name of RDKit's bond type. Every other bond has the type OTHER_BOND.
BONDS = {1: "SINGLE", 2: "DOUBLE", 3: "TRIPLE", 4: "AROMATIC"}
OTHER_BOND = 5
_NODE_COLUMNS = ("node_type", "charge", "hydrogens", "aromatic", "radicals", "isotope")


def from_smiles(
    smiles: Iterable[str],
    *,
    kekulise: bool = False,
    invalid: Literal["error", "drop"] = "error",
    graph: Columns | None = None,
) -> GraphSet:
    """Molecules as graphs of their heavy atoms, in the order RDKit reads them.

    Node columns (int64): ``node_type`` atomic number, ``charge``, ``hydrogens`` attached, ``aromatic`` 0 or
    1, ``radicals`` unpaired electrons, ``isotope``. Edge column ``edge_type``: 1 single, 2 double, 3 triple,
    4 aromatic, 5 any other. Stereochemistry is not kept.

    Parameters
    ----------
    kekulise : write aromatic rings as alternating single and double bonds
    invalid : a text that RDKit does not read is an "error" that names it, or is left out with a warning
        ("drop")
    graph : columns with one row for each text; rows of dropped texts are dropped with them

    >>> from graphgauge import GraphSet
    >>> GraphSet.from_smiles(["CCO", "C#N"]).node_type.tolist()
    [6, 6, 8, 6, 7]
    """
    if isinstance(smiles, str):
        raise GraphError("from_smiles takes a list of SMILES, not one text")
    if invalid not in ("error", "drop"):
        raise ValueError(f"invalid={invalid!r} is not one of ['error', 'drop']")
    codes = {name: code for code, name in BONDS.items()}
    counts, edge_counts = [], []
    atoms: list[tuple[int, ...]] = []
    bonds: list[tuple[int, int, int]] = []
    kept: list[bool] = []
    for g, text in enumerate(smiles):
        molecule = _read(text, g, kekulise, invalid)
        kept.append(molecule is not None)
        if molecule is None:
            continue
        counts.append(molecule.GetNumAtoms())
        edge_counts.append(molecule.GetNumBonds())
        atoms.extend(_atom(a) for a in molecule.GetAtoms())
        bonds.extend(
            (b.GetBeginAtomIdx(), b.GetEndAtomIdx(), codes.get(b.GetBondType().name, OTHER_BOND))
            for b in molecule.GetBonds()
        )
    if not all(kept):
        warnings.warn(f"left out {kept.count(False)} texts that are not SMILES", UserWarning, stacklevel=2)
    rows = torch.tensor(kept, dtype=torch.bool)
    columns = {name: column(value, "graph", name, len(kept))[rows] for name, value in (graph or {}).items()}
    table = np.array(atoms, dtype=np.int64).reshape(-1, len(_NODE_COLUMNS))
    edges = np.array(bonds, dtype=np.int64).reshape(-1, 3)
    return pack(
        np.array(counts, dtype=np.int64), np.array(edge_counts, dtype=np.int64), edges[:, 0], edges[:, 1],
        ordered=False, rules={}, graph=columns, edge={"edge_type": edges[:, 2]},
        node={name: table[:, i].copy() for i, name in enumerate(_NODE_COLUMNS)},
    )  # fmt: skip


def to_smiles(graphs: GraphSet) -> list[str]:
    """Canonical SMILES of molecules that have the columns of `from_smiles`; without stereochemistry.

    >>> from graphgauge import GraphSet
    >>> GraphSet.from_smiles(["OCC"]).to_smiles()
    ['CCO']
    """
    from rdkit import Chem, rdBase

    missing = [name for name in _NODE_COLUMNS if name not in graphs.node]
    if missing or "edge_type" not in graphs.edge:
        raise GraphError(f"SMILES need the columns of from_smiles; missing: {missing or ['edge_type']}")
    keep = listed_once(graphs)
    pairs, ends = edge_pairs(graphs, keep)
    types, start = graphs.edge["edge_type"][keep].tolist(), graphs.node_ptr.tolist()
    atoms = list(zip(*(graphs.node[name].tolist() for name in _NODE_COLUMNS), strict=True))
    out = []
    for g in range(len(graphs)):
        molecule = Chem.RWMol()
        for number, charge, hydrogens, aromatic, radicals, isotope in atoms[start[g] : start[g + 1]]:
            atom = Chem.Atom(number)
            atom.SetFormalCharge(charge)
            atom.SetNoImplicit(True)
            atom.SetNumExplicitHs(hydrogens)
            atom.SetIsAromatic(bool(aromatic))
            atom.SetNumRadicalElectrons(radicals)
            atom.SetIsotope(isotope)
            molecule.AddAtom(atom)
        for (u, v), code in zip(pairs[ends[g] : ends[g + 1]], types[ends[g] : ends[g + 1]], strict=True):
            if code not in BONDS:
                raise GraphError(f"graph {g}: edge ({u}, {v}) has the type {code}, which no SMILES bond has")
            molecule.AddBond(u, v, getattr(Chem.BondType, BONDS[code]))
        with rdBase.BlockLogs():
            try:
                Chem.SanitizeMol(molecule)
            except ValueError as error:
                raise GraphError(f"graph {g} is not a molecule ({error})") from error
        out.append(str(Chem.MolToSmiles(molecule)))
    return out


def _atom(atom: Any) -> tuple[int, ...]:
    return (
        atom.GetAtomicNum(), atom.GetFormalCharge(), atom.GetTotalNumHs(), int(atom.GetIsAromatic()),
        atom.GetNumRadicalElectrons(), atom.GetIsotope(),
    )  # fmt: skip


def _read(text: object, g: int, kekulise: bool, invalid: str) -> Any:
    try:
        from rdkit import Chem, rdBase
    except ImportError as error:
        raise ImportError("SMILES need RDKit: pip install 'graphgauge[chem]'") from error

    if not isinstance(text, str):
        raise GraphError(f"graph {g}: a SMILES is a text, this is a {type(text).__name__}")
    with rdBase.BlockLogs():
        # RDKit takes what follows a blank for a name or an extension, and passes over it.
        molecule = Chem.MolFromSmiles(text) if len(text.split()) == 1 else None
        if molecule is None and invalid == "error":
            raise GraphError(f'graph {g}: {text!r} is not a valid SMILES; invalid="drop" leaves it out')
        if molecule is not None and kekulise:
            Chem.Kekulize(molecule, clearAromaticFlags=True)
    return molecule
