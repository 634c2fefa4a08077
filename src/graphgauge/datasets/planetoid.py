"""Cora, CiteSeer and PubMed: citation graphs in the form of Planetoid."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import torch
from scipy.sparse import csr_matrix

from graphgauge.datasets.entry import WHOLE, Counts, Dataset, Pick
from graphgauge.datasets.errors import DatasetError
from graphgauge.datasets.home import keep
from graphgauge.datasets.layout import Arrays, read_one
from graphgauge.graphs import GraphSet

_PARTS = ("train", "val", "test")


def planetoid(path: Path, split: str, pick: Pick, *, features: bool = False) -> GraphSet:
    """The graph with node columns ``y`` (class, -1 unknown), ``train_mask``, ``val_mask``, ``test_mask``.

    With ``features=True`` also ``x``: the bag of words as dense float32, not normalised.
    """
    graph, stored = read_one(path)
    columns = {"y": torch.from_numpy(stored["label"].astype(np.int64))} if "label" in stored else {}
    for part in _PARTS:
        if f"{part}_idx" in stored:
            mask = torch.zeros(graph.num_nodes, dtype=torch.bool)
            mask[torch.from_numpy(stored[f"{part}_idx"].astype(np.int64))] = True
            columns[f"{part}_mask"] = mask
    if features:
        columns["x"] = _features(path, stored)
    return graph.with_columns(node=columns)


def _features(path: Path, stored: Arrays) -> torch.Tensor:
    if "feat_data" not in stored:
        raise DatasetError(f"{path} holds no features")
    unknown = ~stored["feature_known"]
    unknown[stored["isolated_missing_test"]] = False  # these rows are zero in the source as well
    if unknown.any():
        raise DatasetError(
            f"{path} lacks the features of {int(unknown.sum())} nodes; use it for its graph only"
        )
    parts = (stored["feat_data"], stored["feat_indices"], stored["feat_indptr"])
    return torch.from_numpy(csr_matrix(parts, shape=tuple(stored["feat_shape"])).toarray().astype(np.float32))


def from_pyg(name: str, place: Path) -> None:
    """The graph by PyG's loader."""
    from torch_geometric.datasets import Planetoid

    data = Planetoid(str(place / "pyg"), name)[0]
    words = csr_matrix(data.x.numpy())
    arrays: Arrays = {
        "num_nodes": np.array(data.num_nodes),
        "edge_index": data.edge_index.numpy().astype(np.int32),
        "label": data.y.numpy(),
        "feat_data": words.data,
        "feat_indices": words.indices,
        "feat_indptr": words.indptr,
        "feat_shape": np.array(words.shape),
        "feature_known": np.ones(data.num_nodes, bool),
        "isolated_missing_test": np.empty(0, np.int32),
    }
    arrays |= {f"{part}_idx": np.flatnonzero(data[f"{part}_mask"].numpy()) for part in _PARTS}
    keep(place, f"planetoid/{name.lower()}.npz", arrays)


def _entry(name: str, about: str, counts: Counts) -> Dataset:
    return Dataset(
        kind="large",
        read=planetoid,
        about=about,
        licence="MIT (Planetoid repository); the collection itself names none",
        source="https://github.com/kimiyoung/planetoid",
        citation="Yang, Cohen, Salakhutdinov. ICML 2016; Sen et al. AI Magazine 29, 2008",
        sizes={"train": 5000, "val": 500},
        files={WHOLE: (f"planetoid/{name.lower()}.npz",)},
        loaders={f"torch_geometric.datasets.Planetoid(name={name!r})": partial(from_pyg, name)},
        counts={WHOLE: counts},
    )


CORA = _entry("Cora", "citations between machine learning papers", (1, 2708, 10556))
CITESEER = _entry("CiteSeer", "citations between computer science papers", (1, 3327, 9104))
PUBMED = _entry("PubMed", "citations between papers on diabetes", (1, 19717, 88648))
