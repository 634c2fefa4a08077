"""SMILES in and out (needs RDKit, the extra [chem])."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal

from graphgauge.graphs.convert_rdkit import check_choice, collected, rdkit, to_rdkit
from graphgauge.graphs.errors import GraphError
from graphgauge.graphs.pack import Columns

if TYPE_CHECKING:
    from graphgauge.graphs.graphset import GraphSet


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
    graphs, dropped = parsed(smiles, kekulise=kekulise, invalid=invalid, graph=graph)
    if dropped:
        warnings.warn(f"left out {len(dropped)} texts that are not SMILES", UserWarning, stacklevel=2)
    return graphs


def parsed(
    smiles: Iterable[str | None],
    *,
    kekulise: bool = False,
    invalid: Literal["error", "drop"] = "error",
    graph: Columns | None = None,
) -> tuple[GraphSet, list[int]]:
    """`from_smiles` without a warning: the set, and the places of texts that were left out."""
    if isinstance(smiles, str):
        raise GraphError("from_smiles takes a list of SMILES, not one text")
    check_choice(invalid)
    return collected(_molecules(smiles, kekulise, invalid), graph)


def to_smiles(graphs: GraphSet) -> list[str]:
    """Canonical SMILES of molecules that have the columns of `from_smiles`; without stereochemistry.

    See `to_rdkit` for sets that have ``node_type`` and ``edge_type`` only.

    >>> from graphgauge import GraphSet
    >>> GraphSet.from_smiles(["OCC"]).to_smiles()
    ['CCO']
    """
    write = rdkit().MolToSmiles
    return [str(write(molecule)) for molecule in to_rdkit(graphs)]


def _molecules(smiles: Iterable[str | None], kekulise: bool, invalid: str) -> Iterator[Any]:
    """A molecule, or None, for every text."""
    chem = rdkit()
    from rdkit import rdBase

    with rdBase.BlockLogs():  # this lasts until the last text was asked for
        for g, text in enumerate(smiles):
            if not isinstance(text, str) and (text is not None or invalid == "error"):
                raise GraphError(f"graph {g}: a SMILES is a text, this is a {type(text).__name__}")
            # RDKit takes what follows a blank for a name or an extension, and passes over it.
            one = text is not None and len(text.split()) == 1
            molecule = chem.MolFromSmiles(text) if one else None
            if molecule is None and invalid == "error":
                raise GraphError(f'graph {g}: {text!r} is not a valid SMILES; invalid="drop" leaves it out')
            if molecule is not None and kekulise:
                chem.Kekulize(molecule, clearAromaticFlags=True)
            yield molecule
