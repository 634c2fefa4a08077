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
from graphgauge.datasets.layout import Arrays, about, read_one, whole_numbers
from graphgauge.graphs import GraphSet

_PARTS = ("train", "val", "test")


def planetoid(path: Path, split: str, pick: Pick, *, features: bool = False) -> GraphSet:
    """The graph with node columns ``y`` (class, -1 unknown), ``train_mask``, ``val_mask``, ``test_mask``.

    With ``features=True`` also ``x``: the bag of words as dense float32, not normalised.
    """
    graph, stored = read_one(path)
    with about(path):
        columns = {"y": torch.from_numpy(whole_numbers(stored, "label"))} if "label" in stored else {}
        for part in _PARTS:
            if f"{part}_idx" in stored:
                columns[f"{part}_mask"] = _mask(stored, f"{part}_idx", graph.num_nodes)
        graph = graph.with_columns(node=columns)
    return graph.with_columns(node={"x": _features(path, stored)}) if features else graph


def _mask(stored: Arrays, name: str, nodes: int) -> torch.Tensor:
    """The mask of the nodes that an array names."""
    named = whole_numbers(stored, name)
    bad = (named < 0) | (named >= nodes)
    if bad.any():
        raise DatasetError(f"{name} names node {named[bad][0]} of {nodes}")
    mask = torch.zeros(nodes, dtype=torch.bool)
    mask[torch.from_numpy(named)] = True
    return mask


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
