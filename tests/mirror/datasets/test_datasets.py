"""Requests that cannot be answered, layouts, samples and the real data's recorded counts."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graphgauge.datasets import DATASETS, DatasetError, base, bfs_sample, load, provenance
from graphgauge.datasets.layout import read_one, read_set, set_arrays
from graphgauge.datasets.packing import simple
from graphgauge.graphs import GraphSet


@pytest.fixture
def home() -> Path:
    folder = os.environ.get("GRAPHGAUGE_DATA")
    if not folder:
        pytest.skip("GRAPHGAUGE_DATA does not name a folder with data")
    return Path(folder)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("er", {"nodes": 0}, "nodes must be at least 1, got 0"),
        ("er", {"nodes": 2.5}, r"nodes must be a whole number, got 2\.5"),
        ("er", {"nodes": True}, "nodes must be a whole number, got True"),
        ("er", {"nodes": 5, "degree": 5}, "degree must be between 0 and 4, got 5"),
        ("er", {"degree": float("nan")}, "degree must be between"),
        ("er", {"degree": "8"}, "degree must be a number, got '8'"),
        ("er", {"p": 0.1}, r"er has no option 'p'; its options are: nodes \(default 100\), degree"),
        ("ba", {"nodes": 5, "links": 5}, "links must be less than nodes"),
        ("ba", {"links": 0}, "links must be at least 1"),
        ("ws", {"neighbours": 3}, "neighbours must be even"),
        ("ws", {"nodes": 8, "neighbours": 8}, "less than nodes=8"),
        ("ws", {"rewire": 1.1}, r"rewire must be between 0 and 1, got 1\.1"),
        ("regular", {"nodes": 5, "degree": 3}, "must be even, got 5 times 3"),
        ("regular", {"nodes": 5, "degree": 5}, "degree must be between 0 and 4"),
        ("sbm", {"blocks": 101}, "blocks must be between 1 and 100"),
        ("sbm", {"p_in": -0.1}, "p_in must be between 0 and 1"),
        ("tree", {"nodes": -1}, "nodes must be at least 1"),
        ("tree", {"degree": 2}, "tree has no option 'degree'; its options are: nodes"),
        ("aqsol", {"order": 3}, "aqsol has no option 'order'; its options are: none"),
        ("pubmed", {"nodes": 3}, r"pubmed has no option 'nodes'; its options are: order \(default 100\)"),
    ],
)
def test_impossible_options_are_refused(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(DatasetError, match=message):
        base(name, "train", 2, **options)


def test_impossible_requests_are_refused() -> None:
    with pytest.raises(DatasetError, match=r"no dataset is called 'pubmet'; there are: er, .*pubmed"):
        base("pubmet", "train")
    with pytest.raises(DatasetError, match="er has no split 'dev'; it has: train, val"):
        base("er", "dev")
    for size in (-1, 2.0, "3", True):
        with pytest.raises(DatasetError, match="size must be"):
            base("er", "train", size)  # type: ignore[arg-type]
    with pytest.raises(DatasetError, match="seed must be at least 0, got -1"):
        base("er", "train", 1, -1)


def test_default_sizes_are_the_papers() -> None:
    assert (len(base("er", "train", nodes=3, degree=1)), len(base("er", "val", nodes=3, degree=1))) == (
        5000,
        500,
    )
    assert dict(DATASETS["pcqm4mv2"].sizes) == {"train": 35000, "val": 2000}
    assert (
        dict(DATASETS["corafull"].sizes) == dict(DATASETS["ogbn-arxiv"].sizes) == {"train": 5000, "val": 500}
    )
    assert DATASETS["pubmed"].options == {"order": 100}


# ── layouts ────────────────────────────────────────────────────────────────────────────────────────────

PATH = {"node_ptr": [0, 3, 4], "edge_ptr": [0, 4, 4], "edge_index": [[0, 1, 1, 2], [1, 0, 2, 1]]}


def stored(folder: Path, **changes: Any) -> Path:
    np.savez(folder / "x.npz", **{k: np.array(v) for k, v in {**PATH, **changes}.items()})
    return folder / "x.npz"


def test_set_layout_there_and_back(tmp_path: Path) -> None:
    path = stored(tmp_path, node_type=[1, 2, 3, 4], edge_type=[1, 1, 2, 2], y=[0.5, 1.5], kept=[True, True])
    graphs = read_set(path)
    assert read_set(path, pick=lambda n: np.array([n - 1])).x.tolist() == [[4]]
    np.savez(tmp_path / "again.npz", **set_arrays(graphs))
    assert read_set(tmp_path / "again.npz").same_as(graphs)
    assert read_set(stored(tmp_path, kept=[False, True])).nodes_per_graph.tolist() == [1]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"edge_index": [[0, 1, 1, 2], [1, 0, 2, 3]]},
            r"x\.npz: graph 0: edge \(2, 3\) is outside its 3 nodes",
        ),
        ({"edge_index": [[0, 1, 1, 2], [1, 0, 2, 0]]}, r"x\.npz: graph 0: edge \(2, 0\) has no reverse"),
        ({"edge_index": [[0, 1, 0, 1], [1, 0, 1, 0]]}, "some twice"),
        ({"edge_index": [[0, 1, 2, 2], [1, 0, 2, 2]]}, "no self-loop, got one at edge 2"),
        ({"edge_ptr": [0, 3, 3]}, r"x\.npz: "),
        ({"edge_ptr": [0, 4]}, r"x\.npz: "),
        ({"node_ptr": [0, 3, 2]}, r"x\.npz: "),
        ({"node_type": [1, 2]}, r"x\.npz: node column 'x'"),
    ],
)
def test_bad_sets_are_refused_by_name(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(DatasetError, match=message):
        read_set(stored(tmp_path, **changes))


def test_one_graph_layout(tmp_path: Path) -> None:
    np.savez(tmp_path / "g.npz", num_nodes=4, edge_index=np.array([[2, 0, 1, 1], [0, 2, 1, 2]], np.int32))
    graph, _ = read_one(tmp_path / "g.npz")
    assert graph.num_nodes == 4
    assert graph.edge_index.tolist() == [[0, 1, 2, 2], [2, 2, 0, 1]]
    np.savez(tmp_path / "h.npz", edges=np.arange(3))
    with pytest.raises(DatasetError, match=r"h\.npz: expected num_nodes and edge_index, got arrays edges"):
        read_one(tmp_path / "h.npz")


def test_simple_cleans_raw_edges() -> None:
    graph = simple(np.array([3, 1, 1, 2, 2]), np.array([1, 3, 3, 2, 0]), np.array([0, 4]))
    assert graph.edge_index.tolist() == [[0, 1, 2, 3], [2, 3, 0, 1]]
    assert simple(np.empty(0, np.int64), np.empty(0, np.int64), np.array([0])).num_graphs == 0


# ── samples ────────────────────────────────────────────────────────────────────────────────────────────


def test_bad_samples_are_refused() -> None:
    two = GraphSet.from_edges([[(0, 1), (2, 3), (3, 4)]], num_nodes=[6])
    with pytest.raises(DatasetError, match="7 nodes cannot be taken of a graph with 6 nodes"):
        bfs_sample(two, 1, 7)
    with pytest.raises(DatasetError, match="no component has 4 nodes: the largest has 3 of the 6"):
        bfs_sample(two, 1, 4)
    with pytest.raises(DatasetError, match="order must be at least 1"):
        bfs_sample(two, 1, 0)
    with pytest.raises(DatasetError, match="count must be at least 0"):
        bfs_sample(two, -1, 2)
    with pytest.raises(DatasetError, match="0 nodes"):
        bfs_sample(two[[]], 1, 2)
    loop = GraphSet.from_edges([[(0, 0), (0, 1)]], self_loops="keep")
    with pytest.raises(DatasetError, match="node 0 has a self-loop"):
        bfs_sample(loop, 1, 2)
    arcs = GraphSet.from_edges([[(0, 1)]], directed="keep")
    if arcs.directed:
        with pytest.raises(DatasetError, match="directed"):
            bfs_sample(arcs, 1, 2)


def test_starts_lie_in_large_components_only() -> None:
    two = GraphSet.from_edges([[(0, 1), (2, 3), (3, 4)]], num_nodes=[6])
    sample = bfs_sample(two, 50, 3, 0, origin=True)
    assert sample.origin.unique().tolist() == [2, 3, 4]
    assert len(bfs_sample(two, 0, 3)) == 0


def test_generator_and_seed_give_the_same() -> None:
    graph = base("ws", "train", 1)
    assert bfs_sample(graph, 5, 20, 7).same_as(bfs_sample(graph, 5, 20, np.random.default_rng(7)))


# ── real data ──────────────────────────────────────────────────────────────────────────────────────────


def test_counts_equal_the_manifest(home: Path) -> None:
    counts = json.loads((home / "manifest.json").read_text())["counts"]
    recorded = {**counts["planetoid"]}
    recorded |= {f"aqsol {s}": c for s, c in counts["aqsol (kept graphs)"].items()}
    recorded |= {f"zinc {s}": c for s, c in counts["zinc"].items()}
    for title, expected in recorded.items():
        graphs = load(*title.split())
        got = {"graphs": len(graphs), "nodes": graphs.num_nodes, "directed_edges": graphs.num_edges}
        assert got == expected, title


def test_zinc_train_is_named_a_stand_in(home: Path) -> None:
    assert provenance("zinc") == {"stand_in": True, "train_split": "train_standin"}
    assert base("zinc", "train").same_as(load("zinc", "train_standin").structure())
    assert load("zinc").split.bincount().tolist() == [10000, 1000, 1000]


def test_features(home: Path) -> None:
    cora = load("cora", features=True)
    assert tuple(cora.x.shape) == (2708, 1433)
    assert set(cora.x.unique().tolist()) == {0.0, 1.0}
    assert [int(cora.node[f"{s}_mask"].sum()) for s in ("train", "val", "test")] == [140, 500, 1000]
    assert int((load("citeseer", features=True).x.sum(1) == 0).sum()) >= 15
    with pytest.raises(DatasetError, match="lacks the features of 18657 nodes"):
        load("pubmed", features=True)


def test_too_many_graphs_are_refused(home: Path) -> None:
    with pytest.raises(DatasetError, match="aqsol val has 996 graphs; 997 were asked for"):
        base("aqsol", "val", 997)


def test_samples_of_pubmed(home: Path) -> None:
    graph = load("pubmed")
    sample = base("pubmed", "val", 200)
    assert sample.nodes_per_graph.unique().tolist() == [100]
    assert int(sample.degree.min()) >= 1
    assert graph.num_edges == 2 * 44324
