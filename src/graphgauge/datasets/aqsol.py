"""AQSOL: molecules with measured solubility, in the splits of the benchmark of Dwivedi et al."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from graphgauge.datasets.entry import Dataset
from graphgauge.datasets.home import keep
from graphgauge.datasets.layout import read_set, set_arrays
from graphgauge.graphs import GraphSet

FILES = {split: (f"aqsol/{split}.npz",) for split in ("train", "val", "test")}


def from_pyg(place: Path) -> None:
    """All splits by PyG's loader, less the molecules that the benchmark drops.

    The benchmark builds its graphs from bonds alone and drops a molecule whose last atom has no bond, since
    it then sees too few atoms; 9,823 molecules stay. PyG keeps those molecules.
    """
    from torch_geometric.datasets import AQSOL

    for split, (file,) in FILES.items():
        kept = [
            molecule for molecule in AQSOL(str(place / "pyg" / "AQSOL"), split) if _last_has_bond(molecule)
        ]
        keep(place, file, set_arrays(GraphSet.from_pyg(kept)))


def _last_has_bond(molecule: Any) -> bool:
    return bool(molecule.num_edges) and int(molecule.edge_index.max()) == molecule.num_nodes - 1


AQSOL = Dataset(
    kind="stored",
    read=read_set,
    about="molecules with measured solubility (AqSolDB), filtered and split as in the benchmark",
    licence="CC0-1.0 (AqSolDB); split and preparation MIT (benchmarking-gnns)",
    source="https://github.com/mcsorkun/AqSolDB, https://github.com/graphdeeplearning/benchmarking-gnns",
    citation="Sorkun, Khetan, Er. AqSolDB. Scientific Data 6:143, 2019; "
    "Dwivedi et al. Benchmarking Graph Neural Networks. JMLR 24, 2023",
    files=FILES,
    loaders={"torch_geometric.datasets.AQSOL": from_pyg},
    counts={"train": (7831, 120771, 240178), "val": (996, 23389, 50542), "test": (996, 28396, 60590)},
)
