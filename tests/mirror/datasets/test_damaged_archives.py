"""Archives in the data home that are damaged or not what their layout says: the error names the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graphgauge.datasets import DatasetError
from graphgauge.datasets.home import arrays
from graphgauge.datasets.layout import read_one, read_set
from graphgauge.datasets.planetoid import planetoid

SET: dict[str, Any] = {
    "node_ptr": np.array([0, 2, 4, 6]),
    "edge_ptr": np.array([0, 2, 4, 6]),
    "edge_index": np.array([[0, 1] * 3, [1, 0] * 3]),
}
ONE: dict[str, Any] = {"num_nodes": np.array(3), "edge_index": np.array([[0, 1], [1, 2]])}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data.npz"


def store(path: Path, stored: dict[str, Any]) -> Path:
    np.savez(path, **stored)
    return path


def test_a_broken_file_is_named(path: Path) -> None:
    whole = store(path, SET).read_bytes()
    flipped = bytearray(whole)
    flipped[whole.index(b"NUMPY") + 140] ^= 4
    np.save(path.with_suffix(".npy"), np.arange(3))
    plain = path.with_suffix(".npy").read_bytes()
    for data in (whole[:-5], whole[: len(whole) // 2], b"", b"text", bytes(flipped), plain):
        path.write_bytes(data)
        with pytest.raises(DatasetError, match=r"data\.npz"):
            arrays(path)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"kept": np.array([1, 0, 1])}, "kept must be a mask"),
        ({"kept": np.array([True])}, "mask"),
        ({"edge_index": SET["edge_index"] * 1.0}, "edge_index must be whole numbers"),
        ({"node_ptr": np.array([0, 2.5, 4, 6])}, "node_ptr must be whole numbers"),
        ({"edge_ptr": np.array([0, 2.0, 4, 6])}, "edge_ptr must be whole numbers"),
        ({"node_type": np.arange(6) + 0.5}, "node_type must be whole numbers"),
        ({"edge_type": np.arange(6) + 0.5}, "edge_type must be whole numbers"),
        ({"edge_ptr": np.array([0, 2, 4])}, "node_ptr says 3 graphs, edge_ptr 2"),
        ({"edge_ptr": np.array([0, 2, 4, 9])}, "edge_ptr ends at 9, but there are 6"),
        ({"node_type": np.array([None] * 6)}, "the array node_type holds objects"),
    ],
)
def test_a_set_is_what_its_layout_says(path: Path, change: dict[str, Any], match: str) -> None:
    assert len(read_set(store(path, SET))) == 3
    with pytest.raises(DatasetError, match=rf"data\.npz.*{match}"):
        read_set(store(path, {**SET, **change}))


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"num_nodes": np.array([3, 4])}, "num_nodes must be one whole number"),
        ({"num_nodes": np.array(3.5)}, "num_nodes must be one whole number"),
        ({"edge_index": np.zeros((3, 4), int)}, r"edge_index must have the shape \(2, E\)"),
        ({"edge_index": np.array([[0, 1], [1, 1.5]])}, "edge_index must be whole numbers"),
    ],
)
def test_one_graph_is_what_its_layout_says(path: Path, change: dict[str, Any], match: str) -> None:
    assert read_one(store(path, ONE))[0].num_nodes == 3
    with pytest.raises(DatasetError, match=rf"data\.npz.*{match}"):
        read_one(store(path, {**ONE, **change}))


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"label": np.zeros(2, int)}, "node column 'y' must be a tensor with 3 rows"),
        ({"label": np.zeros(3)}, "label must be whole numbers"),
        ({"train_idx": np.array([99])}, "train_idx names node 99 of 3"),
        ({"val_idx": np.array([-1])}, "val_idx names node -1 of 3"),
    ],
)
def test_columns_of_a_large_graph(path: Path, change: dict[str, Any], match: str) -> None:
    given = {**ONE, "label": np.arange(3), "train_idx": np.array([0, 2]), "val_idx": np.array([], int)}
    graph = planetoid(store(path, given), "all", None)
    assert (graph.y.tolist(), graph.train_mask.tolist()) == ([0, 1, 2], [True, False, True])
    with pytest.raises(DatasetError, match=rf"data\.npz.*{match}"):
        planetoid(store(path, {**given, **change}), "all", None)
