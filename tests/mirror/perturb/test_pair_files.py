"""Pair files: everything comes back, and whatever is wrong with a file is said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file

from graphgauge.graphs import GraphError, GraphSet, Pairs
from graphgauge.perturb import make_pairs, read_pairs, write_pairs


@pytest.fixture
def pairs() -> Pairs:
    graphs = GraphSet.from_edges([[(i, i + 1) for i in range(9)], [], [(0, 1), (1, 2)], []], [10, 1, 3, 0])
    return make_pairs(graphs, 0.3, seed=4)


@pytest.fixture
def file(tmp_path: Path, pairs: Pairs) -> Path:
    path = tmp_path / "pairs.safetensors"
    write_pairs(path, pairs)
    return path


def rewrite(path: Path, header: dict[str, str] | None = None, **changes: torch.Tensor | None) -> None:
    """The file again with other values; None takes a tensor away."""
    with safe_open(path, framework="pt") as old:
        about = {**old.metadata(), **(header or {})}
        tensors = {name: old.get_tensor(name).clone() for name in old.keys()}  # noqa: SIM118
    tensors |= {name.replace("__", "."): value for name, value in changes.items()}
    save_file({k: v for k, v in tensors.items() if v is not None}, path, metadata=about)


def test_round_trip(file: Path, pairs: Pairs) -> None:
    back = read_pairs(file)
    assert back.content_hash == pairs.content_hash
    assert back.meta == pairs.meta
    assert [p.name for p in file.parent.iterdir()] == [file.name]


def test_columns_come_back(tmp_path: Path, pairs: Pairs) -> None:
    left = pairs.left.with_columns(node={"x": torch.rand(pairs.left.num_nodes, 2)})
    write_pairs(tmp_path / "p.safetensors", replace(pairs, left=left))
    assert torch.equal(read_pairs(tmp_path / "p.safetensors").left.x, left.x)


def test_same_pairs_same_bytes(file: Path, tmp_path: Path, pairs: Pairs) -> None:
    write_pairs(tmp_path / "again.safetensors", pairs)
    first, second = (read_pairs(p).content_hash for p in (file, tmp_path / "again.safetensors"))
    assert first == second


def test_no_pairs(tmp_path: Path) -> None:
    none = make_pairs(GraphSet.from_edges([]), 0.1)
    write_pairs(tmp_path / "none.safetensors", none)
    assert len(read_pairs(tmp_path / "none.safetensors")) == 0


@pytest.mark.parametrize("keep", [0, 5, 200, -8])
def test_truncated(file: Path, keep: int) -> None:
    file.write_bytes(file.read_bytes()[:keep])
    with pytest.raises(GraphError, match=r"pairs\.safetensors: not a whole safetensors file"):
        read_pairs(file)


def test_foreign_file(tmp_path: Path) -> None:
    path = tmp_path / "weights.safetensors"
    save_file({"weight": torch.ones(2)}, path)
    with pytest.raises(GraphError, match="not a pair set"):
        read_pairs(path)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        read_pairs(tmp_path / "nowhere.safetensors")


def test_other_ending(tmp_path: Path, pairs: Pairs) -> None:
    with pytest.raises(GraphError, match=r"\.safetensors"):
        write_pairs(tmp_path / "pairs.npz", pairs)


def test_flipped_byte(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[-8] ^= 1
    file.write_bytes(bytes(content))
    with pytest.raises(GraphError, match=r"pairs\.safetensors: "):
        read_pairs(file)


def test_another_matching_has_another_hash(file: Path, pairs: Pairs) -> None:
    truth = pairs.truth.clone()
    truth[[0, 1]] = truth[[1, 0]]
    rewrite(file, truth=truth)
    with pytest.raises(GraphError, match="damaged: pairs_hash"):
        read_pairs(file)


@pytest.mark.parametrize(
    ("header", "changes", "message"),
    [
        ({"version": "2"}, {}, "version '2'"),
        ({"meta": "{"}, {}, "meta is not JSON"),
        ({"meta": "[1]"}, {}, "not a JSON object"),
        ({"left_directed": "maybe"}, {}, "left_directed"),
        ({}, {"truth": None}, "'truth' is missing"),
        ({}, {"right__edge_ptr": None}, "right.edge_ptr"),
        ({}, {"extra": torch.ones(1)}, "extra"),
        ({}, {"truth": torch.zeros(14, dtype=torch.int64)}, "truth"),
    ],
)
def test_says_what_is_wrong(
    file: Path, header: dict[str, str], changes: dict[str, torch.Tensor | None], message: str
) -> None:
    rewrite(file, header, **changes)
    with pytest.raises(GraphError, match=message):
        read_pairs(file)


def test_meta_must_be_json(tmp_path: Path, pairs: Pairs) -> None:
    with pytest.raises(GraphError, match="not JSON"):
        write_pairs(tmp_path / "p.safetensors", replace(pairs, meta={"noise": float("nan")}))
    assert not list(tmp_path.iterdir())


def test_a_setting_that_changed_on_disk_is_damage(file: Path) -> None:
    with safe_open(file, framework="pt") as old:
        meta = old.metadata()["meta"]
    rewrite(file, {"meta": meta.replace('"noise": 0.3', '"noise": 0.7')})
    with pytest.raises(GraphError, match=r"pairs\.safetensors: damaged: meta_hash"):
        read_pairs(file)
