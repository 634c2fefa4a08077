"""SMILES in and out (needs RDKit, the extra [chem])."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from graphgauge.graphs.errors import GraphError
from graphgauge.graphs.pack import pack

if TYPE_CHECKING:
    from graphgauge.graphs.graphset import GraphSet

# Edge type → name of RDKit's bond type. Every other bond has the type OTHER_BOND.
BONDS = {1: "SINGLE", 2: "DOUBLE", 3: "TRIPLE", 4: "AROMATIC"}
OTHER_BOND = 5
_NODE_COLUMNS = ("node_type", "charge", "hydrogens", "aromatic", "radicals", "isotope")


def from_smiles(
    smiles: Iterable[str], *, kekulise: bool = False, invalid: Literal["error", "drop"] = "error"
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
    dropped = 0
    for g, text in enumerate(smiles):
        molecule = _read(text, g, kekulise, invalid)
        if molecule is None:
            dropped += 1
            continue
        counts.append(molecule.GetNumAtoms())
        edge_counts.append(molecule.GetNumBonds())
        atoms.extend(_atom(a) for a in molecule.GetAtoms())
        bonds.extend(
            (b.GetBeginAtomIdx(), b.GetEndAtomIdx(), codes.get(b.GetBondType().name, OTHER_BOND))
            for b in molecule.GetBonds()
        )
    if dropped:
        warnings.warn(f"left out {dropped} texts that are not SMILES", UserWarning, stacklevel=2)
    table = np.array(atoms, dtype=np.int64).reshape(-1, len(_NODE_COLUMNS))
    edges = np.array(bonds, dtype=np.int64).reshape(-1, 3)
    return pack(
        np.array(counts, dtype=np.int64), np.array(edge_counts, dtype=np.int64), edges[:, 0], edges[:, 1],
        ordered=False, rules={}, edge={"edge_type": edges[:, 2]},
        node={name: table[:, i].copy() for i, name in enumerate(_NODE_COLUMNS)},
    )  # fmt: skip


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
        molecule = Chem.MolFromSmiles(text) if text.strip() else None
        if molecule is None and invalid == "error":
            raise GraphError(f'graph {g}: {text!r} is not a valid SMILES; invalid="drop" leaves it out')
        if molecule is not None and kekulise:
            Chem.Kekulize(molecule, clearAromaticFlags=True)
    return molecule
