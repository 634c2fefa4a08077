"""The table of datasets and the four questions that can be put to it: load, base, fetch, provenance."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch

from graphgauge.datasets import aqsol, planetoid
from graphgauge.datasets.bfs import bfs_sample
from graphgauge.datasets.entry import Dataset
from graphgauge.datasets.er import ER
from graphgauge.datasets.errors import DatasetError
from graphgauge.datasets.home import Home, homes
from graphgauge.datasets.options import check_options, known, stream, whole
from graphgauge.graphs import GraphSet

DATASETS: dict[str, Dataset] = {
    "er": ER,
    "aqsol": aqsol.AQSOL,
    "cora": planetoid.CORA,
    "citeseer": planetoid.CITESEER,
    "pubmed": planetoid.PUBMED,
}

_BASE_SPLITS = ("train", "val")
_ORDER = 100  # nodes of a breadth-first sample (paper A, table C.1)


def load(name: str, split: str | None = None, *, root: Home = None, **options: Any) -> GraphSet:
    """A dataset as it is, with its columns.

    Parameters
    ----------
    name : a name of `DATASETS`
    split : one of the dataset's splits; None gives all of them in order, with a graph column ``split`` (its
        number). A generated family draws from the stream of the split ("train" for None); one large graph
        has no splits
    root : folder to look in, instead of ``GRAPHGAUGE_DATA`` and the user's cache
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
        return _generate(name, entry, split or "train", **options)
    check_options(name, options, known(entry.read))
    if split is not None:
        _check_split(name, split, entry.splits + tuple(entry.stand_in.values()))
        return entry.read(homes(root), split, None, **options)
    if not entry.splits:
        return entry.read(homes(root), "all", None, **options)
    parts = [entry.read(homes(root), _answering(entry, s, root), None, **options) for s in entry.splits]
    number = torch.cat([torch.full((len(part),), i) for i, part in enumerate(parts)])
    return GraphSet.concat(parts).with_columns(graph={"split": number})


def base(
    name: str, split: str, size: int | None = None, seed: int = 0, *, root: Home = None, **options: Any
) -> GraphSet:
    """Base graphs of a graph alignment dataset: structure only (paper A, section 4 and table C.1).

    Parameters
    ----------
    name : a name of `DATASETS`
    split : "train" or "val"; their graphs come from independent random streams or disjoint data
    size : number of graphs. None: 5,000 / 500 for generated and large graphs, all of a stored split
        (35,000 / 2,000 for pcqm4mv2). Fewer than all of a stored split are a random subset, in order
    seed : of the draw; stored splits taken whole do not depend on it
    root : folder to look in, instead of ``GRAPHGAUGE_DATA`` and the user's cache
    options : of a generated family (``nodes``, ``degree``, …); ``order``, the nodes of every breadth-first
        sample, for one large graph

    >>> base("er", "val", 3).nodes_per_graph.tolist()
    [100, 100, 100]
    """
    entry = lookup(name)
    _check_split(name, split, _BASE_SPLITS)
    whole("seed", seed, 0)
    size = entry.sizes.get(split) if size is None else whole("size", size, 0)
    if entry.kind == "generated":
        return _generate(name, entry, split, size=size, seed=seed, **options)
    rng = stream(name, seed, split)
    if entry.kind == "large":
        check_options(name, options, {"order": _ORDER})
        graph = entry.read(homes(root), "all", None)
        assert size is not None, f"{name} needs a default size for {split}"
        return bfs_sample(graph, size, options.get("order", _ORDER), rng)

    check_options(name, options, {})

    def pick(available: int) -> np.ndarray[Any, Any]:
        if size is None:
            return np.arange(available)
        if size > available:
            raise DatasetError(f"{name} {split} has {available} graphs; {size} were asked for")
        return np.sort(rng.choice(available, size, replace=False))

    return entry.read(homes(root), _answering(entry, split, root), pick).structure()


def lookup(name: str) -> Dataset:
    """The table's entry, or an error that lists the names there are."""
    if name not in DATASETS:
        raise DatasetError(f"no dataset is called {name!r}; there are: {', '.join(DATASETS)}")
    return DATASETS[name]


def _generate(
    name: str, entry: Dataset, split: str, *, size: int | None = None, seed: int = 0, **options: Any
) -> GraphSet:
    allowed = {"size": entry.sizes["train"], "seed": 0, **known(entry.read)}
    check_options(name, options, allowed)
    _check_split(name, split, entry.splits)
    size = entry.sizes[split] if size is None else whole("size", size, 0)
    return entry.read(stream(name, seed, split), size, **options)


def _answering(entry: Dataset, split: str, root: Home) -> str:
    """The split that answers for `split`: itself where it is at hand, else its stand-in."""
    return split


def _check_split(name: str, split: str, splits: tuple[str, ...]) -> None:
    if split not in splits:
        raise DatasetError(f"{name} has no split {split!r}; it has: {', '.join(splits) or 'none'}")
