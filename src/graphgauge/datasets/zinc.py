"""ZINC-12k: drug-like molecules, in the splits of the benchmark of Dwivedi et al.; a stand-in for train."""

from __future__ import annotations

from pathlib import Path

from graphgauge.datasets.entry import Dataset
from graphgauge.datasets.home import keep
from graphgauge.datasets.layout import read_set, set_arrays
from graphgauge.graphs import GraphSet

FILES = {split: (f"zinc/{split}.npz",) for split in ("train", "val", "test")}


def from_pyg(place: Path) -> None:
    """The three official splits by PyG's loader."""
    from torch_geometric.datasets import ZINC

    for split, (file,) in FILES.items():
        graphs = GraphSet.from_pyg(list(ZINC(str(place / "pyg" / "ZINC"), subset=True, split=split)))
        keep(place, file, set_arrays(graphs))


ZINC = Dataset(
    kind="stored",
    read=read_set,
    about="drug-like molecules (ZINC-12k); train_standin has other molecules of the same source",
    licence="MIT (repositories); molecules under the terms of the ZINC database",
    source="https://github.com/graphdeeplearning/benchmarking-gnns, https://github.com/wengong-jin/icml18-jtnn",
    citation="Irwin et al. ZINC. J. Chem. Inf. Model. 52, 2012; Jin, Barzilay, Jaakkola. Junction Tree VAE. "
    "ICML 2018; Dwivedi et al. Benchmarking Graph Neural Networks. JMLR 24, 2023",
    files={**FILES, "train_standin": ("zinc/train_standin.npz",)},
    loaders={"torch_geometric.datasets.ZINC(subset=True)": from_pyg},
    counts={
        "val": (1000, 23083, 49692),
        "test": (1000, 23117, 49720),
        "train_standin": (10000, 231911, 499022),
    },
    stand_in={"train": "train_standin"},
)
