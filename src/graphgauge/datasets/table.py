"""The table of datasets, and what can be asked of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch

from graphgauge.datasets.aqsol import AQSOL
from graphgauge.datasets.ba import BA
from graphgauge.datasets.bfs import bfs_sample
from graphgauge.datasets.community import COMMUNITY
from graphgauge.datasets.corafull import CORAFULL
from graphgauge.datasets.ego import EGO
from graphgauge.datasets.entry import ORDER, WHOLE, Dataset, Pick
from graphgauge.datasets.er import ER
from graphgauge.datasets.errors import DatasetError
from graphgauge.datasets.grid import GRID
from graphgauge.datasets.home import Home, find, homes
from graphgauge.datasets.lobster import LOBSTER
from graphgauge.datasets.moses import MOSES
from graphgauge.datasets.ogbn_arxiv import OGBN_ARXIV
from graphgauge.datasets.options import check_options, known, stream, whole
from graphgauge.datasets.pcqm4mv2 import PCQM4MV2
from graphgauge.datasets.planar import PLANAR
from graphgauge.datasets.planetoid import CITESEER, CORA, PUBMED
from graphgauge.datasets.regular import REGULAR
from graphgauge.datasets.resolve import resolve
from graphgauge.datasets.sbm import SBM
from graphgauge.datasets.tree import TREE
from graphgauge.datasets.tu import DD, ENZYMES, PROTEINS
from graphgauge.datasets.ws import WS
from graphgauge.datasets.zinc import ZINC
from graphgauge.graphs import GraphSet

DATASETS: dict[str, Dataset] = {
    "er": ER,
    "ba": BA,
    "ws": WS,
    "regular": REGULAR,
    "sbm": SBM,
    "tree": TREE,
    "grid": GRID,
    "lobster": LOBSTER,
    "community": COMMUNITY,
    "planar": PLANAR,
    "aqsol": AQSOL,
    "zinc": ZINC,
    "pcqm4mv2": PCQM4MV2,
    "moses": MOSES,
    "proteins": PROTEINS,
    "enzymes": ENZYMES,
    "dd": DD,
    "ego": EGO,
    "cora": CORA,
    "citeseer": CITESEER,
    "pubmed": PUBMED,
    "corafull": CORAFULL,
    "ogbn-arxiv": OGBN_ARXIV,
}


def load(
    name: str,
    split: str | None = None,
    *,
    root: Home = None,
    at_most: int | None = None,
    choice: int = 0,
    **options: Any,
) -> GraphSet:
    """A dataset as it is, with its columns.

    Parameters
    ----------
    name : a name of `DATASETS`
    split : one of the dataset's splits. None: all of train, val and test in order, with a graph column
        ``split`` (its number); for one large graph, the graph; for a generated family, the stream "train"
    root : folder to look in, instead of ``GRAPHGAUGE_DATA`` and the user's cache
    at_most : of a stored split, a random choice of so many graphs where it has more; only they are parsed
    choice : seed of the choice
    options : of the dataset; a generated family also takes ``size`` (graphs) and ``seed``

    Raises
    ------
    DatasetError
        for an unknown name, split or option, an impossible value, or data that is not what it should be.
    MissingData
        if the data is not at hand and cannot be had.

    >>> load("er", size=2, nodes=5, degree=2).nodes_per_graph.tolist()
    [5, 5]
    """
    entry = lookup(name)
    if entry.kind == "generated":
        check_options(name, options, {"size": None, "seed": 0, **entry.options})
        return _generate(name, entry, split or "train", **options)
    check_options(name, options, known(entry.read))
    if split is not None:
        _check_split(name, split, entry.splits)
        return _read(name, entry, split, root, _some(name, split, at_most, choice), **options)
    if entry.kind == "large":
        return _read(name, entry, WHOLE, root, None, **options)
    splits = [answering(entry, s, root) for s in entry.splits if s not in entry.stand_in.values()]
    parts = [_read(name, entry, s, root, None, **options) for s in splits]
    number = torch.cat([torch.full((len(part),), i) for i, part in enumerate(parts)])
    return GraphSet.concat(parts).with_columns(graph={"split": number})


def _some(name: str, split: str, at_most: int | None, seed: int) -> Pick:
    """The choice of at most so many graphs, in their order; None for all."""
    if at_most is None:
        return None

    def pick(available: int) -> np.ndarray[Any, Any]:
        rng = stream(name, seed, split)
        return np.sort(rng.choice(available, min(at_most, available), replace=False))

    return pick


def base(
    name: str, split: str, size: int | None = None, seed: int = 0, *, root: Home = None, **options: Any
) -> GraphSet:
    """Base graphs of a graph alignment dataset: structure only (paper A, section 4 and table C.1).

    Parameters
    ----------
    name : a name of `DATASETS`
    split : "train" or "val"; their graphs come from independent random streams or disjoint data
    size : number of graphs. None: 5,000 / 500 of generated and large graphs, 35,000 / 2,000 of pcqm4mv2, the
        published number of grid, lobster, community and planar, all of any other stored split. Fewer than
        all of a stored split are a random subset, in order
    seed : of the draw; a stored split taken whole does not depend on it
    root : folder to look in, instead of ``GRAPHGAUGE_DATA`` and the user's cache
    options : of a generated family (``nodes``, ``degree``, …); ``order``, the nodes of every breadth-first
        sample, of a large graph

    Where only a stand-in for a stored split is at hand it is used, and `provenance` says so.

    >>> base("er", "val", 3).nodes_per_graph.tolist()
    [100, 100, 100]
    """
    entry = lookup(name)
    _check_split(name, split, ("train", "val"))
    whole("seed", seed, 0)
    wanted = entry.sizes.get(split) if size is None else whole("size", size, 0)
    check_options(name, options, entry.options)
    if entry.kind == "generated":
        return _generate(name, entry, split, size=wanted, seed=seed, **options)
    rng = stream(name, seed, split)
    if entry.kind == "large":
        graph = _read(name, entry, WHOLE, root, None)
        return bfs_sample(
            graph, entry.sizes[split] if wanted is None else wanted, options.get("order", ORDER), rng
        )

    def pick(available: int) -> np.ndarray[Any, Any]:
        if wanted is None or wanted > available:
            raise DatasetError(f"{name} {split} has {available} graphs; {wanted} were asked for")
        return np.sort(rng.choice(available, wanted, replace=False))

    source = answering(entry, split, root)
    return _read(name, entry, source, root, None if wanted is None else pick, **options).structure()


def provenance(name: str, *, root: Home = None) -> dict[str, Any]:
    """What a row about the dataset must say about its origin: whether `base` uses a stand-in, and which.

    >>> provenance("er")
    {'stand_in': False}
    """
    entry = lookup(name)
    used = {split: answering(entry, split, root) for split in entry.stand_in}
    changed = {f"{split}_split": source for split, source in used.items() if source != split}
    return {"stand_in": bool(changed), **changed}


def available(name: str, *, root: Home = None) -> bool:
    """Whether `base` works here and now without a download.

    >>> available("er")
    True
    """
    entry = lookup(name)
    needed = [WHOLE] if entry.kind == "large" else ["train", "val"]
    return all(find(homes(root), *entry.files[answering(entry, s, root)]) for s in needed if entry.files)


def fetch(name: str, *, root: Home = None) -> Path:
    """Get a dataset's files, from a local folder or by download, and return the folder that holds them."""
    entry = lookup(name)
    if entry.kind == "generated":
        raise DatasetError(f"{name} is generated on this machine: there is nothing to fetch")
    splits = [s for s in entry.splits if s not in entry.stand_in.values()]
    paths = [_locate(name, entry, s, root) for s in splits]
    return paths[0].parent


def lookup(name: str) -> Dataset:
    """The table's entry, or an error that lists the names there are."""
    if name not in DATASETS:
        raise DatasetError(f"no dataset is called {name!r}; there are: {', '.join(DATASETS)}")
    return DATASETS[name]


def answering(entry: Dataset, split: str, root: Home) -> str:
    """The split that answers for `split`: itself, unless only its stand-in is at hand."""
    other = entry.stand_in.get(split)
    if other is None or find(homes(root), *entry.files[split]) or not find(homes(root), *entry.files[other]):
        return split
    return other


def _generate(
    name: str, entry: Dataset, split: str, *, size: int | None = None, seed: int = 0, **options: Any
) -> GraphSet:
    _check_split(name, split, entry.splits)
    count = entry.sizes[split] if size is None else whole("size", size, 0)
    return entry.read(stream(name, seed, split), count, **options)


def _locate(name: str, entry: Dataset, split: str, root: Home) -> Path:
    other = entry.stand_in.get(split)
    hint = f"The split {other!r} stands in for {split!r} where it is at hand." if other else ""
    title = name if split == WHOLE else f"{name} {split}"
    return resolve(title, homes(root), entry.files[split], entry.loaders, hint)


def _read(name: str, entry: Dataset, split: str, root: Home, pick: Pick, **options: Any) -> GraphSet:
    """A split's graphs, all or those picked, if they number as they must."""
    path = _locate(name, entry, split, root)
    expected = entry.counts.get(split)

    def checked_pick(graphs: int) -> np.ndarray[Any, Any]:
        if expected is not None and graphs != expected[0]:
            raise DatasetError(f"{name} {split} ({path}): expected {expected[0]} graphs, got {graphs}")
        assert pick is not None
        return pick(graphs)

    graphs = entry.read(path, split, None if pick is None else checked_pick, **options)
    got = (graphs.num_graphs, graphs.num_nodes, graphs.num_edges)
    if pick is None and expected is not None and got != expected:
        raise DatasetError(
            f"{name} {split} ({path}): expected {expected} graphs, nodes and ordered edges, got {got}"
        )
    return graphs


def _check_split(name: str, split: str, splits: tuple[str, ...]) -> None:
    if split not in splits:
        raise DatasetError(f"{name} has no split {split!r}; it has: {', '.join(splits)}")
