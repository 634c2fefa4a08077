"""CoraFull: the whole citation graph that Cora is a part of, in the form of Bojchevski and Günnemann."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from graphgauge.atomic import write_bytes
from graphgauge.datasets.download import download
from graphgauge.datasets.entry import WHOLE, Dataset
from graphgauge.datasets.home import keep, vouch
from graphgauge.datasets.planetoid import planetoid

URL = "https://github.com/abojchevski/graph2gauss/raw/master/data/cora.npz"
_FILE = "corafull/corafull.npz"


def from_pyg(place: Path) -> None:
    """The graph by PyG's loader."""
    from torch_geometric.datasets import CitationFull

    data = CitationFull(str(place / "pyg" / "CitationFull"), "Cora")[0]
    edge_index = data.edge_index.numpy().astype(np.int32)
    keep(
        place,
        _FILE,
        {"num_nodes": np.array(data.num_nodes), "edge_index": edge_index, "label": data.y.numpy()},
    )


def from_source(place: Path) -> None:
    """The file as its authors publish it: a sparse matrix in an npz file."""
    got = download(URL, place / "downloads" / "corafull")
    write_bytes(place / _FILE, got.read_bytes())
    vouch(place, _FILE, source=URL)


CORAFULL = Dataset(
    kind="large",
    read=planetoid,
    about="citations between computer science papers, the whole of which Cora is a part",
    licence="MIT (graph2gauss repository); the collection itself names none",
    source="https://github.com/abojchevski/graph2gauss",
    citation="Bojchevski, Günnemann. Deep Gaussian embedding of graphs. ICLR 2018",
    sizes={"train": 5000, "val": 500},
    files={WHOLE: (_FILE,)},
    loaders={"torch_geometric.datasets.CitationFull(name='Cora')": from_pyg, URL: from_source},
    counts={WHOLE: (1, 19793, 126842)},
)
