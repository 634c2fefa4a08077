"""AQSOL: molecules with measured solubility, in the splits of the benchmark of Dwivedi et al."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from graphgauge.datasets.entry import Dataset, Pick
from graphgauge.datasets.layout import check_counts, read_set, set_arrays
from graphgauge.datasets.resolve import resolve
from graphgauge.graphs import GraphSet

COUNTS = {
    "train": (7831, 120771, 240178),
    "val": (996, 23389, 50542),
    "test": (996, 28396, 60590),
}


def aqsol(places: Sequence[Path], split: str, pick: Pick) -> GraphSet:
    """Molecules of a split: node column ``x`` (atom type), edge column ``edge_attr`` (bond type), ``y``."""
    path = resolve("aqsol", places, [f"aqsol/{split}.npz"], {"torch_geometric.datasets.AQSOL": from_pyg})
    graphs = check_counts(f"aqsol {split} ({path})", read_set(path), COUNTS[split])
    return graphs if pick is None else graphs[pick(len(graphs))]


def from_pyg(folder: Path) -> Mapping[str, Mapping[str, Any]]:
    """All splits by PyG's loader, less the molecules that the benchmark drops.

    The benchmark builds its graphs from bonds alone and drops a molecule whose last atom has no bond, since
    it then sees too few atoms; 9,823 molecules stay. PyG keeps those molecules.
    """
    from torch_geometric.datasets import AQSOL

    files = {}
    for split in COUNTS:
        kept = [
            d for d in AQSOL(str(folder), split) if d.num_edges and int(d.edge_index.max()) == d.num_nodes - 1
        ]
        files[f"aqsol/{split}.npz"] = set_arrays(GraphSet.from_pyg(kept))
    return files


AQSOL = Dataset(
    kind="stored",
    read=aqsol,
    splits=("train", "val", "test"),
    counts=COUNTS,
    licence="CC0-1.0 (AqSolDB); split and preparation MIT (benchmarking-gnns)",
    source="https://github.com/mcsorkun/AqSolDB, https://github.com/graphdeeplearning/benchmarking-gnns",
    citation="Sorkun, Khetan, Er. AqSolDB. Scientific Data 6:143, 2019; "
    "Dwivedi et al. Benchmarking Graph Neural Networks. JMLR 24, 2023",
)
