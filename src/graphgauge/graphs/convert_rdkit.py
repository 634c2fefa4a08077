"""RDKit molecules in and out (needs RDKit, the extra [chem]); SMILES go through here too."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from itertools import pairwise
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
AROMATIC = 4

# Node column → method of an RDKit atom.
_ATOM = {
    "node_type": "GetAtomicNum",
    "charge": "GetFormalCharge",
    "hydrogens": "GetTotalNumHs",
    "aromatic": "GetIsAromatic",
    "radicals": "GetNumRadicalElectrons",
    "isotope": "GetIsotope",
}


def from_rdkit(
    molecules: Iterable[Any],
    *,
    kekulise: bool = False,
    invalid: Literal["error", "drop"] = "error",
    graph: Columns | None = None,
) -> GraphSet:
    """Sanitised RDKit molecules as graphs of their atoms, with the columns of `from_smiles`.

    Hydrogens that are atoms of their own are nodes; ``Chem.RemoveHs`` makes them counts. Molecules are not
    changed. Stereochemistry, coordinates and properties are not kept.

    Parameters
    ----------
    kekulise : write aromatic rings as alternating single and double bonds
    invalid : an entry None, as RDKit's readers give for what they cannot read, is an "error" or is left out
        with a warning ("drop")
    graph : columns with one row for each entry; rows of dropped entries are dropped with them

    >>> from graphgauge import GraphSet
    >>> from rdkit import Chem
    >>> GraphSet.from_rdkit([Chem.MolFromSmiles("CO")]).hydrogens.tolist()
    [3, 1]
    """
    graphs, dropped = molecules_of(molecules, kekulise=kekulise, invalid=invalid, graph=graph)
    if dropped:
        warnings.warn(f"left out {len(dropped)} entries that are None", UserWarning, stacklevel=2)
    return graphs


def molecules_of(
    molecules: Iterable[Any],
    *,
    kekulise: bool = False,
    invalid: Literal["error", "drop"] = "error",
    graph: Columns | None = None,
) -> tuple[GraphSet, list[int]]:
    """`from_rdkit` without a warning: the set, and the places of entries that were left out."""
    check_choice(invalid)
    checked = (_molecule(m, g, kekulise, invalid) for g, m in enumerate(molecules))
    return collected(checked, graph)


def to_rdkit(graphs: GraphSet) -> list[Any]:
    """Sanitised RDKit molecules from the columns of `from_smiles`; without stereochemistry.

    ``node_type`` (atomic numbers) and ``edge_type`` are needed. Where another column is missing, as in sets
    that a model has generated, ``charge``, ``radicals`` and ``isotope`` are 0, atoms of aromatic bonds are
    aromatic, and RDKit adds the hydrogens that fill the valences.

    Raises
    ------
    GraphError naming the graph that is not a molecule: a valence is too large, a ring is not aromatic, an
    atomic number or an edge type stands for nothing

    >>> from graphgauge import GraphSet
    >>> to_rdkit(GraphSet.from_smiles(["OCC"]))[0].GetNumHeavyAtoms()
    3
    """
    out = []
    for g, (molecule, why) in enumerate(built(graphs)):
        if molecule is None:
            raise GraphError(f"graph {g} is not a molecule ({why})")
        out.append(molecule)
    return out


def built(graphs: GraphSet) -> Iterable[tuple[Any, str]]:
    """For each graph its sanitised molecule and "", or None and the reason."""
    chem = rdkit()
    missing = [] if "node_type" in graphs.node else ["node_type"]
    missing += [] if "edge_type" in graphs.edge else ["edge_type"]
    if missing:
        raise GraphError(f"molecules need the columns of from_smiles; missing: {missing}")
    keep = listed_once(graphs)
    pairs, ends = edge_pairs(graphs, keep)
    types = _whole(graphs.edge["edge_type"], "edge_type")[keep.cpu().numpy()].tolist()
    columns = _atom_columns(graphs)
    bonds = {code: getattr(chem.BondType, name) for code, name in BONDS.items()}
    start = graphs.node_ptr.tolist()
    for (a, b), (c, d) in zip(pairwise(start), pairwise(ends), strict=True):
        atoms = [column[a:b] for column in columns]
        yield _built(chem, atoms, pairs[c:d], types[c:d], bonds)


def collected(molecules: Iterable[Any], graph: Columns | None) -> tuple[GraphSet, list[int]]:
    """The set of all molecules that are not None, and the places of those that are."""
    chem = rdkit()
    getters = [getattr(chem.Atom, name) for name in _ATOM.values()]
    begin, end, bond_type = chem.Bond.GetBeginAtomIdx, chem.Bond.GetEndAtomIdx, chem.Bond.GetBondType
    codes = {getattr(chem.BondType, name): code for code, name in BONDS.items()}
    counts: list[int] = []
    edge_counts: list[int] = []
    atoms: list[int] = []  # flat lists: a tuple for each atom would take longer than what it holds
    ends: list[int] = []
    types: list[Any] = []
    dropped: list[int] = []
    place = -1
    for place, molecule in enumerate(molecules):
        if molecule is None:
            dropped.append(place)
            continue
        counts.append(molecule.GetNumAtoms())
        edge_counts.append(molecule.GetNumBonds())
        atoms += [get(atom) for atom in molecule.GetAtoms() for get in getters]
        for bond in molecule.GetBonds():
            ends += (begin(bond), end(bond))
            types.append(bond_type(bond))
    rows = torch.ones(place + 1, dtype=torch.bool)
    rows[dropped] = False
    columns = {name: column(value, "graph", name, len(rows))[rows] for name, value in (graph or {}).items()}
    table = np.array(atoms, dtype=np.int64).reshape(-1, len(_ATOM))
    pairs = np.array(ends, dtype=np.int64).reshape(-1, 2)
    edge_type = np.array([codes.get(kind, OTHER_BOND) for kind in types], dtype=np.int64)
    graphs = pack(
        np.array(counts, dtype=np.int64), np.array(edge_counts, dtype=np.int64), pairs[:, 0], pairs[:, 1],
        ordered=False, rules={}, graph=columns, edge={"edge_type": edge_type},
        node={name: table[:, i].copy() for i, name in enumerate(_ATOM)},
    )  # fmt: skip
    return graphs, dropped


def rdkit() -> Any:
    """RDKit's module Chem, or an error that says where it comes from."""
    try:
        from rdkit import Chem
    except ImportError as error:
        raise ImportError("molecules need RDKit: pip install 'graphgauge[chem]'") from error
    return Chem


def check_choice(invalid: str) -> None:
    if invalid not in ("error", "drop"):
        raise ValueError(f"invalid={invalid!r} is not one of ['error', 'drop']")


def _molecule(entry: Any, g: int, kekulise: bool, invalid: str) -> Any:
    chem = rdkit()
    if entry is None:
        if invalid == "error":
            raise GraphError(f'graph {g} is None, not a molecule; invalid="drop" leaves it out')
        return None
    if not isinstance(entry, chem.Mol):
        raise GraphError(f"graph {g} is a {type(entry).__name__}, not an RDKit molecule")
    if entry.NeedsUpdatePropertyCache():
        raise GraphError(f"graph {g} is not sanitised: its hydrogens are unknown; use Chem.SanitizeMol")
    if kekulise:
        entry = chem.Mol(entry)
        chem.Kekulize(entry, clearAromaticFlags=True)
    return entry


def _atom_columns(graphs: GraphSet) -> list[list[Any]]:
    """Values of every atom: number, charge, aromatic, radicals, isotope, and hydrogens (None: unknown)."""
    n = graphs.num_nodes
    columns = {name: _whole(graphs.node[name], name) for name in _ATOM if name in graphs.node}
    if "aromatic" not in columns:
        columns["aromatic"] = np.zeros(n, dtype=np.int64)
        columns["aromatic"][graphs.edge_index[0].cpu()[graphs.edge["edge_type"].cpu() == AROMATIC]] = 1
    listed = [
        columns.get(name, np.zeros(n, dtype=np.int64)).tolist()
        for name in ("node_type", "charge", "aromatic", "radicals", "isotope")
    ]
    return [*listed, columns["hydrogens"].tolist() if "hydrogens" in columns else [None] * n]


def _whole(values: torch.Tensor, name: str) -> np.ndarray[Any, Any]:
    if values.dim() != 1 or (values.is_floating_point() and values.numel()):
        raise GraphError(f"the column {name!r} of a molecule holds one whole number in a row")
    return values.cpu().numpy().astype(np.int64)


def _built(
    chem: Any, atoms: list[list[Any]], pairs: list[tuple[int, int]], types: list[int], bonds: dict[int, Any]
) -> tuple[Any, str]:
    from rdkit import rdBase

    molecule = chem.RWMol()
    with rdBase.BlockLogs():
        try:
            for number, charge, aromatic, radicals, isotope, hydrogens in zip(*atoms, strict=True):
                if number < 0:
                    return None, f"{number} is no atomic number"
                atom = chem.Atom(number)
                atom.SetFormalCharge(charge)
                atom.SetIsAromatic(bool(aromatic))
                atom.SetNumRadicalElectrons(radicals)
                atom.SetIsotope(isotope)
                if hydrogens is not None:
                    atom.SetNoImplicit(True)
                    atom.SetNumExplicitHs(hydrogens)
                molecule.AddAtom(atom)
            for (u, v), code in zip(pairs, types, strict=True):
                if code not in bonds:
                    return None, f"edge ({u}, {v}) has the type {code}, which stands for no bond"
                molecule.AddBond(u, v, bonds[code])
            chem.SanitizeMol(molecule)
        except (ValueError, RuntimeError, OverflowError) as error:  # all are RDKit's word for chemistry
            return None, str(error).strip().splitlines()[0]
    return molecule.GetMol(), ""
