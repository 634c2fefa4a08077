"""Base graphs → relabelled noisy pairs, made once and shared by every model and seed."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from graphgauge import datasets
from graphgauge.graphs import GraphError, GraphSet, Pairs
from graphgauge.graphs.files import read
from graphgauge.instruments.alignment.settings import DEFAULT_NOISE_MODEL, NOISE_MODELS, Settings
from graphgauge.perturb import NOISE, make_pairs, read_pairs, write_pairs

SPLITS = ("train", "val")
# Share of a user's own set that is held out for validation.
HELD_OUT = 0.2
# Below this average degree a user's own graphs get noise that only adds edges.
SPARSE = 3.0

# What the number of nodes a graph is called, where it can be chosen.
ORDER_OPTION = {"generated": "nodes", "large": "order"}

Dataset = str | Path | GraphSet | tuple[GraphSet, GraphSet]


@dataclass(frozen=True)
class Base:
    """Base graphs of both splits, and what rows say about them."""

    name: str
    train: GraphSet
    val: GraphSet
    noise_model: str
    facts: Mapping[str, Any]

    def split(self, split: str) -> GraphSet:
        return self.train if split == "train" else self.val


def base_graphs(dataset: Dataset, settings: Settings, root: Path | None = None) -> Base:
    """Base graphs by name of the table, from a file, or a user's own: one set (split 80/20), or two."""
    if isinstance(dataset, str) and dataset in datasets.DATASETS:
        return _named(dataset, settings, root)
    if isinstance(dataset, tuple) and len(dataset) == 2 and all(isinstance(p, GraphSet) for p in dataset):
        name, parts = "own", dataset
    elif isinstance(dataset, GraphSet):
        name, parts = "own", _hold_out(dataset, settings.data_seed)
    elif not isinstance(dataset, str | Path):
        raise ValueError(
            "a dataset is a name, a file, a GraphSet or a tuple of two GraphSets, "
            f"got a {type(dataset).__name__}; graphgauge.GraphSet has from_networkx, from_pyg and more"
        )
    else:
        path = Path(dataset)
        if not path.exists():
            raise ValueError(
                f"{str(dataset)!r} is neither a dataset nor a file; datasets are {sorted(datasets.DATASETS)}"
            )
        name, parts = path.name, _hold_out(read(path), settings.data_seed)
    sizes = (settings.train_pairs, settings.val_pairs)
    train, val = (_subset(p.structure(), k, settings.data_seed) for p, k in zip(parts, sizes, strict=True))
    degree = train.num_edges / max(train.num_nodes, 1)
    return Base(name, train, val, "add" if degree < SPARSE else DEFAULT_NOISE_MODEL, {})


def _named(name: str, settings: Settings, root: Path | None) -> Base:
    entry = datasets.DATASETS[name]
    order = ORDER_OPTION.get(entry.kind)
    # Families whose graphs differ in size have no such option.
    options = {order: settings.order} if order in entry.options else {}
    train, val = (
        datasets.base(name, split, size, settings.data_seed, root=root, **options)
        for split, size in zip(SPLITS, (settings.train_pairs, settings.val_pairs), strict=True)
    )
    noise_model = NOISE_MODELS.get(name, DEFAULT_NOISE_MODEL)
    return Base(name, train, val, noise_model, {"provenance": datasets.provenance(name, root=root)})


def _hold_out(graphs: GraphSet, seed: int) -> tuple[GraphSet, GraphSet]:
    if len(graphs) < 2:
        raise ValueError(
            f"a dataset of {len(graphs)} graph(s) cannot be split into training and validation; "
            "give at least two graphs, or a tuple of two GraphSets"
        )
    order = np.random.default_rng(seed).permutation(len(graphs))
    held = max(1, round(HELD_OUT * len(graphs)))
    return graphs[np.sort(order[held:])], graphs[np.sort(order[:held])]


def _subset(graphs: GraphSet, size: int | None, seed: int) -> GraphSet:
    """A random subset in the set's order; all graphs where there are no more than asked."""
    if size is None or size >= len(graphs):
        return graphs
    return graphs[np.sort(np.random.default_rng(seed).choice(len(graphs), size, replace=False))]


def pair_file(base: Base, split: str, noise: float, noise_model: str, seed: int, folder: Path) -> Path:
    """Where pairs are kept: the name says what they are, its key holds everything that decides them."""
    if noise_model not in NOISE:
        raise ValueError(f"unknown noise model {noise_model!r}; there are {sorted(NOISE)}")
    identity = f"{base.split(split).content_hash} {split} {noise!r} {noise_model} {seed}"
    key = hashlib.sha256(identity.encode()).hexdigest()[:16]
    return folder / f"{base.name}-{noise_model}-{noise:g}-{split}-{key}.safetensors"


def stored_pairs(base: Base, split: str, noise: float, noise_model: str, seed: int, path: Path) -> Pairs:
    """The pairs of a file; made and written if it is not there yet."""
    if path.exists():
        try:
            return read_pairs(path)
        except GraphError as error:
            warnings.warn(f"{error}; made again", stacklevel=2)
    stream = hashlib.sha256(f"{split} {seed}".encode()).hexdigest()
    pairs = make_pairs(base.split(split), noise, noise_model, seed=int(stream[:8], 16))
    write_pairs(path, pairs)
    return pairs
