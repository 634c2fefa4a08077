"""MOSES: drug-like molecules with which generators of molecules are trained and judged."""

from __future__ import annotations

import gzip
import importlib.util
import shutil
from pathlib import Path

from graphgauge.atomic import replacing
from graphgauge.datasets.entry import Dataset, Pick
from graphgauge.datasets.errors import DatasetError
from graphgauge.datasets.home import vouch
from graphgauge.graphs import GraphSet

MOLECULES = {"train": 1_584_663, "test": 176_074, "test_scaffolds": 176_225}  # lines after the heading
_BLOCK = 50_000  # molecules parsed at once: lists of atoms are larger than the graphs made of them


def moses(path: Path, split: str, pick: Pick) -> GraphSet:
    """Molecules of a file of SMILES (RDKit): only those picked are parsed. Columns as in `from_smiles`."""
    smiles = _smiles(path)
    expected = MOLECULES[path.name.removesuffix(".csv.gz")]
    if len(smiles) != expected:
        raise DatasetError(f"{path}: expected {expected} molecules, got {len(smiles)}")
    if pick is not None:
        smiles = [smiles[i] for i in pick(len(smiles))]
    blocks = range(0, max(len(smiles), 1), _BLOCK)
    return GraphSet.concat([GraphSet.from_smiles(smiles[i : i + _BLOCK]) for i in blocks])


def _smiles(path: Path) -> list[str]:
    try:
        heading, *lines = gzip.decompress(path.read_bytes()).decode("utf-8").split()
    except (OSError, EOFError, ValueError) as error:
        raise DatasetError(f"{path} cannot be read, {type(error).__name__}: {error}") from error
    if heading.split(",")[0] != "SMILES":
        raise DatasetError(f"{path}: expected a heading that begins with SMILES, got {heading!r}")
    return [line.split(",", 1)[0] for line in lines]


def from_package(place: Path) -> None:
    """The files of the installed package molsets; it is not imported, which would need all it depends on."""
    package = importlib.util.find_spec("moses")
    if package is None or not package.submodule_search_locations:
        raise ImportError("the package molsets is not installed: pip install --no-deps molsets")
    folder = Path(package.submodule_search_locations[0]) / "dataset" / "data"
    for name in MOLECULES:
        with replacing(place / "moses" / f"{name}.csv.gz") as part:
            shutil.copyfile(folder / f"{name}.csv.gz", part)
        vouch(place, f"moses/{name}.csv.gz")


MOSES = Dataset(
    kind="stored",
    read=moses,
    about="drug-like molecules of the MOSES benchmark; val is its test split, since it has no other",
    licence="MIT (moses); molecules under the terms of the ZINC database",
    source="https://github.com/molecularsets/moses",
    citation="Polykovskiy et al. Molecular Sets (MOSES). Frontiers in Pharmacology 11, 2020",
    files={
        "train": ("moses/train.csv.gz",),
        "val": ("moses/test.csv.gz",),
        "test": ("moses/test.csv.gz",),
        "test_scaffolds": ("moses/test_scaffolds.csv.gz",),
    },
    loaders={"the files of the package molsets": from_package},
    stand_in={"val": "test"},  # one file, two names: all splits together hold it once
)
