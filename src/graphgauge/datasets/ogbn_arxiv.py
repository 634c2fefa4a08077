"""ogbn-arxiv: citations between computer science papers on arXiv, from the Open Graph Benchmark."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from graphgauge.datasets.download import download, unzip
from graphgauge.datasets.entry import WHOLE, Dataset, Pick
from graphgauge.datasets.errors import DatasetError
from graphgauge.datasets.layout import one_graph, read_one
from graphgauge.graphs import GraphSet

URL = "https://snap.stanford.edu/ogb/data/nodeproppred/arxiv.zip"
_RAW = "ogbn_arxiv/raw/edge.csv.gz"
_COUNT = "num-node-list.csv.gz"


def arxiv(path: Path, split: str, pick: Pick) -> GraphSet:
    """The graph without directions, from an npz file or from the raw csv files of OGB."""
    if path.suffix == ".npz":
        return read_one(path)[0]
    count = _numbers(path.with_name(_COUNT)).reshape(-1)
    edges = _numbers(path)
    if count.size != 1 or edges.ndim != 2 or edges.shape[1] != 2:
        raise DatasetError(
            f"{path}: expected two columns and one graph, got {edges.shape} and {count.size} graphs"
        )
    return one_graph(str(path), edges[:, 0], edges[:, 1], int(count[0]))


def _numbers(path: Path) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    try:
        return np.loadtxt(path, np.int64, delimiter=",", ndmin=2)
    except (OSError, EOFError, ValueError) as error:
        raise DatasetError(f"{path} cannot be read as a table of whole numbers: {error}") from error


def from_ogb(place: Path) -> None:
    """The raw files by OGB's loader."""
    from ogb.nodeproppred import NodePropPredDataset

    NodePropPredDataset("ogbn-arxiv", root=str(place))


def from_source(place: Path) -> None:
    """The raw files out of the archive that OGB publishes."""
    archive = download(URL, place / "downloads" / "ogbn-arxiv")
    folder = _RAW.rpartition("/")[0]
    unzip(archive, place, {f"arxiv/raw/{_COUNT}": f"{folder}/{_COUNT}", "arxiv/raw/edge.csv.gz": _RAW})


OGBN_ARXIV = Dataset(
    kind="large",
    read=arxiv,
    about="citations between computer science papers on arXiv",
    licence="ODC-BY-1.0",
    source="https://ogb.stanford.edu/docs/nodeprop/#ogbn-arxiv",
    citation="Hu et al. Open Graph Benchmark. NeurIPS 2020; Wang et al. MS Academic Graph. QSS 1, 2020",
    sizes={"train": 5000, "val": 500},
    files={WHOLE: ("ogbn-arxiv/arxiv.npz", _RAW)},
    loaders={"ogb.nodeproppred.NodePropPredDataset('ogbn-arxiv')": from_ogb, URL: from_source},
    counts={WHOLE: (1, 169343, 2315598)},
)
