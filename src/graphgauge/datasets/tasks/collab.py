"""ogbl-collab: which authors will work together, after the years that are known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from graphgauge.datasets.errors import DatasetError, MissingData
from graphgauge.datasets.home import homes, verify
from graphgauge.datasets.resolve import resolve
from graphgauge.datasets.tasks.entry import Request, TaskEntry
from graphgauge.datasets.torch_file import read_arrays
from graphgauge.graphs import Feature, GraphSet, Links, Task
from graphgauge.graphs.task import PARTS

FOLDER = "ogbl_collab"
COUNT, FEATURES = f"{FOLDER}/raw/num-node-list.csv.gz", f"{FOLDER}/raw/node-feat.csv.gz"
_NAMES = {"train": "train", "val": "valid", "test": "test"}
SPLITS = {part: f"{FOLDER}/split/time/{_NAMES[part]}.pt" for part in PARTS}
_HINT = f"It needs {COUNT}, {FEATURES}, {', '.join(SPLITS.values())}: as OGB's loader lays them out."


def ogbl_collab(request: Request) -> Task:
    """The graph of the training years; positives and all negatives of each part.

    The message graph has the training links in both directions, as often as there are years with joint
    papers; no link of another part. Node column ``x``: averaged word vectors; edge column ``edge_attr``:
    number of joint papers and year, in this order, as the published code reads them. Training negatives are
    drawn anew by whoever trains. The published code scores only the first of the negatives, as many as
    there are positives; here are all.
    """
    place = resolve("ogbl-collab", homes(request.root), (FEATURES,), LOADERS, _HINT).parents[2]
    count = int(_table(place, COUNT).reshape(-1)[0])
    x = _table(place, FEATURES).astype(np.float32)
    if len(x) != count:
        raise DatasetError(f"{place / FEATURES}: expected a row for each of {count} nodes, found {len(x)}")
    links: dict[str, Links] = {}
    train: dict[str, NDArray[Any]] = {}
    for part in PARTS:
        extra = ("weight", "year") if part == "train" else ("edge_neg",)
        stored = read_arrays(_at(place, SPLITS[part]), "OGB's file of links", "edge", *extra)
        negative = _pairs(place / SPLITS[part], stored["edge_neg"], count) if part != "train" else None
        links[part] = Links(_pairs(place / SPLITS[part], stored["edge"], count), negative)
        train = stored if part == "train" else train
    return Task(
        "ogbl-collab",
        _message_graph(links["train"].positive, train, torch.from_numpy(x)),
        {"link": 1},
        node=Feature("x", "number", x.shape[1]),
        edge=Feature("edge_attr", "number", 2),
        split_over="links",
        links=links,
        loss="link_bce",
        score="hits@50",
    )


def _message_graph(edges: torch.Tensor, train: dict[str, NDArray[Any]], x: torch.Tensor) -> GraphSet:
    both = torch.cat([edges, edges.flip(1)])
    attr = np.column_stack([train["weight"].reshape(-1), train["year"].reshape(-1)]).astype(np.float32)
    if len(attr) != len(edges):
        raise DatasetError(f"ogbl-collab train: {len(edges)} links, but {len(attr)} weights and years")
    return GraphSet(
        torch.tensor([0, len(x)]),
        both.T.contiguous(),
        torch.tensor([0, len(both)]),
        node={"x": x},
        edge={"edge_attr": torch.from_numpy(np.concatenate([attr, attr]))},
    ).check()


def _pairs(path: Path, pairs: NDArray[Any], count: int) -> torch.Tensor:
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise DatasetError(f"{path}: links must be pairs of whole numbers, got {pairs.dtype} {pairs.shape}")
    if pairs.size and (pairs.min() < 0 or pairs.max() >= count):
        raise DatasetError(
            f"{path}: nodes must lie in 0 to {count - 1}, found {pairs.min()} to {pairs.max()}"
        )
    return torch.from_numpy(np.ascontiguousarray(pairs, np.int64))


def _at(place: Path, relative: str) -> Path:
    path = place / relative
    if not path.is_file():
        raise MissingData(f"{path} is missing. {_HINT}")
    verify(place, relative)
    return path


def _table(place: Path, relative: str) -> NDArray[np.float64]:
    path = _at(place, relative)
    try:
        return np.loadtxt(path, np.float64, delimiter=",", ndmin=2)
    except (OSError, EOFError, ValueError) as error:
        raise DatasetError(f"{path} cannot be read as a table of numbers: {error}") from error


def from_ogb(place: Path) -> None:
    """The raw files by OGB's loader."""
    from ogb.linkproppred import LinkPropPredDataset

    LinkPropPredDataset("ogbl-collab", root=str(place))


LOADERS = {"ogb.linkproppred.LinkPropPredDataset('ogbl-collab')": from_ogb}

OGBL_COLLAB = TaskEntry(
    make=ogbl_collab,
    kind="stored",
    about="links between authors in a later year",
    licence="ODC-BY-1.0",
    source="https://ogb.stanford.edu/docs/linkprop/#ogbl-collab",
    citation="Hu et al. Open Graph Benchmark. NeurIPS 2020; Wang et al. MS Academic Graph. QSS 1, 2020",
    sizes={"train": 1179052, "val": 60084, "test": 46329},
    loss="link_bce",
    score="hits@50",
    graphs=1,
    nodes=235868,
    edges=2358104,
    smaller=False,
)
