"""Cora, CiteSeer and PubMed: citation graphs in the form of Planetoid."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.sparse import csr_matrix

from graphgauge.datasets.entry import Dataset, Pick
from graphgauge.datasets.errors import DatasetError
from graphgauge.datasets.layout import Arrays, check_counts, read_one
from graphgauge.datasets.resolve import resolve
from graphgauge.graphs import GraphSet

COUNTS = {"cora": (1, 2708, 10556), "citeseer": (1, 3327, 9104), "pubmed": (1, 19717, 88648)}
_PYG_NAME = {"cora": "Cora", "citeseer": "CiteSeer", "pubmed": "PubMed"}
_PARTS = ("train", "val", "test")


def reader(name: str) -> Callable[..., GraphSet]:
    """The reader of one of the three graphs."""

    def planetoid(places: Sequence[Path], split: str, pick: Pick, *, features: bool = False) -> GraphSet:
        """The graph with node columns ``y`` (class, -1 unknown), ``train_mask``, ``val_mask``, ``test_mask``.

        With ``features=True`` also ``x``, the bag of words (dense float32, not normalised).
        """
        loaders = {f"torch_geometric.datasets.Planetoid(name={_PYG_NAME[name]!r})": partial(from_pyg, name)}
        path = resolve(name, places, [f"planetoid/{name}.npz"], loaders)
        graph, stored = read_one(path)
        check_counts(f"{name} ({path})", graph, COUNTS[name])
        columns = {"y": torch.from_numpy(stored["label"].astype(np.int64))} if "label" in stored else {}
        for part in _PARTS:
            if f"{part}_idx" in stored:
                mask = torch.zeros(graph.num_nodes, dtype=torch.bool)
                mask[torch.from_numpy(stored[f"{part}_idx"].astype(np.int64))] = True
                columns[f"{part}_mask"] = mask
        if features:
            columns["x"] = _features(path, stored)
        return graph.with_columns(node=columns)

    return planetoid


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
    dense = csr_matrix(parts, shape=tuple(stored["feat_shape"])).toarray()
    return torch.from_numpy(dense.astype(np.float32))


def from_pyg(name: str, folder: Path) -> Mapping[str, Mapping[str, Any]]:
    """The graph by PyG's loader."""
    from torch_geometric.datasets import Planetoid

    data = Planetoid(str(folder), _PYG_NAME[name])[0]
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
    for part in _PARTS:
        arrays[f"{part}_idx"] = np.flatnonzero(data[f"{part}_mask"].numpy())
    return {f"planetoid/{name}.npz": arrays}


def _entry(name: str) -> Dataset:
    return Dataset(
        kind="large",
        read=reader(name),
        sizes={"train": 5000, "val": 500},
        counts={"all": COUNTS[name]},
        licence="MIT (Planetoid repository); the collection itself names none",
        source="https://github.com/kimiyoung/planetoid",
        citation="Yang, Cohen, Salakhutdinov. ICML 2016; Sen et al. AI Magazine 29, 2008",
    )


CORA, CITESEER, PUBMED = _entry("cora"), _entry("citeseer"), _entry("pubmed")
