"""ENZYMES, PROTEINS and D&D: protein graphs of the TU Dortmund collection, in its text files."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from graphgauge.atomic import replacing
from graphgauge.datasets.entry import Dataset, Pick
from graphgauge.datasets.errors import DatasetError, MissingData
from graphgauge.datasets.home import verify, vouch
from graphgauge.datasets.layout import about
from graphgauge.datasets.options import whole
from graphgauge.datasets.packing import Ints, simple
from graphgauge.datasets.parts import PARTS, part
from graphgauge.graphs import GraphSet

FOLDS = 10
# Graphs, nodes and ordered edges of the whole collection, before any choice, as far as they are checked.
COUNTS: dict[str, tuple[int, ...]] = {
    "ENZYMES": (600, 19580, 74564),
    "PROTEINS_full": (1113, 43471, 162088),
    "DD": (1178,),
}


def tu(
    name: str,
    path: Path,
    split: str,
    pick: Pick,
    *,
    fold: int | None = None,
    smallest: int = 0,
    largest: int | None = None,
) -> GraphSet:
    """Graphs of a collection with node column ``x`` (label, (N, 1)) and graph column ``y`` (class, from 0).

    Where the collection has numbers for its nodes, they are the node column ``attributes``.

    Parameters
    ----------
    name : of the collection
    path : NAME_A.txt; the other files lie beside it
    split : "train", "val" or "test"
    fold : None: of the fixed split by `graphgauge.datasets.parts.part`; 0, …, 9: of the benchmark's fold, in
        the files NAME_train.index, NAME_val.index and NAME_test.index
    smallest, largest : only graphs with so many nodes
    """
    whole("smallest", smallest, 0)
    if largest is not None:
        whole("largest", largest, smallest)
    graphs = whole_collection(name, path)
    order = graphs.nodes_per_graph.numpy()
    fits = (order >= smallest) & (order <= (order.max() if largest is None else largest))
    if fold is None:
        chosen = np.flatnonzero(fits)
        chosen = chosen[part(split, chosen.size)]
    else:
        chosen = _fold(path.parent / f"{name}_{split}.index", whole("fold", fold, 0, FOLDS - 1), len(graphs))
        chosen = chosen[fits[chosen]]
    return graphs[chosen if pick is None else chosen[pick(chosen.size)]]


def whole_collection(name: str, path: Path) -> GraphSet:
    """All graphs, in the order of the files beside `path`, if they are as many as they must be."""
    graphs = _collection(name, path.parent)
    found = (graphs.num_graphs, graphs.num_nodes, graphs.num_edges)[: len(COUNTS[name])]
    if found != COUNTS[name]:
        raise DatasetError(f"{path}: expected {COUNTS[name]} graphs, nodes and ordered edges, got {found}")
    return graphs


def _collection(name: str, folder: Path) -> GraphSet:
    """All graphs, in the order of the files."""
    owner = _numbers(folder / f"{name}_graph_indicator.txt")[:, 0]
    classes = _numbers(folder / f"{name}_graph_labels.txt")[:, 0]
    labels = _numbers(folder / f"{name}_node_labels.txt")[:, :1]
    edges = _numbers(folder / f"{name}_A.txt") - 1
    with about(folder / f"{name}_graph_indicator.txt"):
        if owner.size and (owner[0] < 1 or owner[-1] > classes.size or (np.diff(owner) < 0).any()):
            raise DatasetError(f"graph numbers must ascend from 1 to {classes.size}")
        if labels.shape[0] != owner.size:
            raise DatasetError(f"{owner.size} nodes, but {labels.shape[0]} node labels")
    with about(folder / f"{name}_A.txt"):
        _check_edges(edges, owner)
    node_ptr = np.concatenate([[0], np.cumsum(np.bincount(owner - 1, minlength=classes.size))])
    columns = {"x": torch.from_numpy(labels)}
    if (extra := folder / f"{name}_node_attributes.txt").is_file():
        columns["attributes"] = torch.from_numpy(_table(extra))
    return simple(edges[:, 0], edges[:, 1], node_ptr).with_columns(
        node=columns, graph={"y": torch.from_numpy(np.unique(classes, return_inverse=True)[1].reshape(-1))}
    )


def _check_edges(edges: Ints, owner: Ints) -> None:
    if edges.shape[1] != 2:
        raise DatasetError(f"a line must hold two nodes, it holds {edges.shape[1]} numbers")
    outside = ((edges < 0) | (edges >= owner.size)).any(1)
    if outside.any():
        e = int(outside.argmax())
        raise DatasetError(f"line {e + 1} names node {edges[e].max() + 1} of {owner.size}")
    across = owner[edges[:, 0]] != owner[edges[:, 1]]
    if across.any():
        e = int(across.argmax())
        raise DatasetError(f"line {e + 1} joins two graphs, {owner[edges[e, 0]]} and {owner[edges[e, 1]]}")


def _fold(path: Path, fold: int, graphs: int) -> Ints:
    lines = _text(path).split()
    if len(lines) != FOLDS:
        raise DatasetError(f"{path}: expected a line for each of {FOLDS} folds, got {len(lines)}")
    with about(path):
        chosen = np.array([int(number) for number in lines[fold].split(",")], np.int64)
    if (np.unique(chosen).size, chosen.min() >= 0, chosen.max() < graphs) != (chosen.size, True, True):
        raise DatasetError(f"{path}: fold {fold} must name different graphs from 0 to {graphs - 1}")
    return np.sort(chosen)


def _numbers(path: Path) -> Ints:
    """A file of whole numbers, one row a line."""
    table = _table(path)
    if not (np.isfinite(table).all() and (table == np.floor(table)).all()):
        raise DatasetError(f"{path}: expected whole numbers only")
    return table.astype(np.int64)


def _table(path: Path) -> np.ndarray[Any, np.dtype[np.float64]]:
    lines = _text(path).splitlines()
    if not lines:
        raise DatasetError(f"{path} is empty")
    with about(path):
        return np.loadtxt(lines, delimiter=",", ndmin=2)


def _text(path: Path) -> str:
    """The text of a file of the home, if the manifest does not contradict it."""
    if not path.is_file():
        raise MissingData(f"{path} is missing; the layout is described in docs/datasets.md")
    home = path.parents[2]
    verify(home, path.relative_to(home).as_posix())
    with about(path):
        return path.read_text("utf-8")


def from_pyg(name: str, place: Path) -> None:
    """The text files, without the benchmark's folds, by PyG's loader."""
    from torch_geometric.datasets import TUDataset

    raw = Path(TUDataset(str(place / "pyg" / "TU"), name).raw_dir)
    # The list of edges comes last: where it is, all is there.
    for file in sorted(raw.glob(f"{name}_*.txt"), key=lambda file: file.name == f"{name}_A.txt"):
        with replacing(place / "tu" / name / file.name) as part_:
            shutil.copyfile(file, part_)
        vouch(place, f"tu/{name}/{file.name}")


def _entry(name: str, about: str, citation: str, *, smallest: int = 0, largest: int | None = None) -> Dataset:
    return Dataset(
        kind="stored",
        read=partial(tu, name, smallest=smallest, largest=largest),
        about=about,
        licence="the collection names none",
        source="https://chrsmrrs.github.io/datasets, https://github.com/JiaxuanYou/graph-generation",
        citation=f"Morris et al. TUDataset. GRL+ at ICML 2020; {citation}",
        files=dict.fromkeys(PARTS, (f"tu/{name}/{name}_A.txt",)),
        loaders={f"torch_geometric.datasets.TUDataset(name={name!r})": partial(from_pyg, name)},
    )


_BORGWARDT = "Borgwardt et al. Protein function prediction via graph kernels. Bioinformatics 21, 2005"
_DOBSON = "Dobson, Doig. Distinguishing enzyme structures from non-enzymes. J. Mol. Biol. 330, 2003"

ENZYMES = _entry("ENZYMES", "enzymes of six classes: parts of the secondary structure", _BORGWARDT)
PROTEINS = _entry(
    "PROTEINS_full", "enzymes or not: parts of the secondary structure", f"{_BORGWARDT}; {_DOBSON}"
)
DD = _entry("DD", "enzymes or not: amino acids, 100 to 500 nodes", _DOBSON, smallest=100, largest=500)
