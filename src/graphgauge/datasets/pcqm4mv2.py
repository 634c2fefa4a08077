"""PCQM4Mv2: 3.7 million small molecules of the Open Graph Benchmark's large-scale challenge."""

from __future__ import annotations

import csv
import gzip
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from graphgauge.datasets.download import download, unzip
from graphgauge.datasets.entry import Dataset, Pick
from graphgauge.datasets.errors import DatasetError
from graphgauge.datasets.layout import read_set
from graphgauge.datasets.torch_file import read_arrays
from graphgauge.graphs import GraphSet

MIRRORS = (
    "https://dgl-data.s3-accelerate.amazonaws.com/dataset/OGB-LSC/pcqm4m-v2.zip",
    "http://ogb-data.stanford.edu/data/lsc/pcqm4m-v2.zip",
)
_RAW = "pcqm4m-v2/raw/data.csv.gz"
_SPLITS = "pcqm4m-v2/split_dict.pt"
_OGB_NAMES = {"train": "train", "val": "valid"}  # the targets of the two test splits are not public


def pcqm4mv2(path: Path, split: str, pick: Pick) -> GraphSet:
    """Molecules of a split, from an npz file, or parsed from SMILES (RDKit): only those picked are parsed.

    Graph column ``y`` is the gap between highest occupied and lowest unoccupied orbital, in eV.
    """
    if path.suffix == ".npz":
        return read_set(path, split, pick)
    rows = _split_rows(path.parents[1] / "split_dict.pt", split)
    chosen = rows if pick is None else rows[pick(len(rows))]
    smiles, gap = _table(path)
    if chosen.size and (chosen.min() < 0 or chosen.max() >= len(smiles)):
        raise DatasetError(f"{path} has {len(smiles)} molecules; {split} asks for number {chosen.max()}")
    graphs = GraphSet.from_smiles([smiles[i] for i in chosen])
    return graphs.with_columns(graph={"y": torch.from_numpy(gap[chosen])})


def _table(path: Path) -> tuple[list[str], np.ndarray[Any, np.dtype[np.float64]]]:
    smiles, gap = [], []
    try:
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                gap.append(float(row["homolumogap"] or "nan"))
                smiles.append(row["smiles"])
    except (OSError, EOFError, KeyError, ValueError) as error:
        raise DatasetError(
            f"{path}: row {len(smiles)} cannot be read, {type(error).__name__}: {error}"
        ) from error
    return smiles, np.array(gap)


def _split_rows(path: Path, split: str) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Numbers of a split's molecules. The file is read by PyTorch's restricted reader: arrays, no code."""
    if not path.is_file():
        raise DatasetError(f"{path} is missing; it says which molecules are in {split}")
    name = _OGB_NAMES[split]
    return read_arrays(path, "OGB's table of splits", name)[name].astype(np.int64)


def from_ogb(place: Path) -> None:
    """The raw files by OGB's loader."""
    from ogb.lsc import PCQM4Mv2Dataset

    PCQM4Mv2Dataset(root=str(place), only_smiles=True)


def from_mirror(url: str, place: Path) -> None:
    """The raw files out of the archive that OGB publishes."""
    unzip(download(url, place / "downloads" / "pcqm4mv2"), place, {_SPLITS: _SPLITS, _RAW: _RAW})


PCQM4MV2 = Dataset(
    kind="stored",
    read=pcqm4mv2,
    about="small organic molecules with computed orbital energies (PubChemQC)",
    licence="CC-BY-4.0",
    source="https://ogb.stanford.edu/docs/lsc/pcqm4mv2/",
    citation="Hu et al. OGB-LSC. NeurIPS 2021; Nakata, Shimazaki. PubChemQC. J. Chem. Inf. Model. 57, 2017",
    sizes={"train": 35000, "val": 2000},
    files={split: (f"pcqm4mv2/{split}.npz", _RAW) for split in _OGB_NAMES},
    loaders={
        "ogb.lsc.PCQM4Mv2Dataset(only_smiles=True)": from_ogb,
        **{url: partial(from_mirror, url) for url in MIRRORS},
    },
)
