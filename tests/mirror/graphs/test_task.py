"""Tasks are checked when they are made, and are the same after a way through a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from graphgauge.graphs import Feature, Fold, GraphError, GraphSet, Links, Task
from graphgauge.graphs.file_task import read_task, task_hash, write_task


def graphs() -> GraphSet:
    one = GraphSet.from_edges([[(0, 1)], [(0, 1), (1, 2)], [(0, 1)]])
    return one.with_columns(
        node={"kind": torch.tensor([0, 1, 0, 1, 2, 0, 1])},
        edge={"length": torch.rand(one.num_edges, 2)},
        graph={"y": torch.tensor([0, 1, 0])},
    )


def fold(*parts: list[int]) -> Fold:
    return Fold(*(torch.tensor(part, dtype=torch.int64) for part in parts))


def make(**changes: Any) -> Task:
    values: dict[str, Any] = {
        "name": "toy", "graphs": graphs(), "outputs": {"graph": 2}, "node": Feature("kind", "category", 3),
        "edge": Feature("length", "number", 2), "folds": (fold([0], [1], [2]),),
    }  # fmt: skip
    return Task(**{**values, **changes})


def test_a_task_survives_a_file(tmp_path: Path) -> None:
    task = make(notes=("a stand-in",), options={"seed": 3})
    write_task(tmp_path / "t.safetensors", task)
    read = read_task(tmp_path / "t.safetensors")
    assert task_hash(read) == task_hash(task)
    assert read.notes == ("a stand-in",)
    assert read.options == {"seed": 3}
    assert read.node == task.node
    assert read.edge == task.edge
    assert read.part("val").graph["y"].tolist() == [1]


def test_links_survive_a_file(tmp_path: Path) -> None:
    pairs = torch.tensor([[0, 1]])
    links = {"train": Links(pairs), "val": Links(pairs, pairs), "test": Links(pairs, pairs)}
    task = make(outputs={"link": 1}, folds=(), split_over="links", links=links)
    write_task(tmp_path / "t.safetensors", task)
    read = read_task(tmp_path / "t.safetensors")
    assert read.links["train"].negative is None
    assert read.links["val"].negative is not None
    assert task_hash(read) == task_hash(task)


def test_every_part_counts_for_the_hash() -> None:
    own = task_hash(make())
    changes: list[dict[str, Any]] = [
        {"folds": (fold([1], [0], [2]),)}, {"notes": ("x",)}, {"name": "other"}, {"outputs": {"graph": 3}},
        {"edge": None}, {"loss": "l1"}, {"graphs": graphs()},  # lengths are drawn anew
    ]  # fmt: skip
    for changed in changes:
        assert task_hash(make(**changed)) != own


def test_damage_is_named(tmp_path: Path) -> None:
    path = tmp_path / "t.safetensors"
    write_task(path, make())
    whole = path.read_bytes()
    path.write_bytes(whole[:-8])
    with pytest.raises(GraphError, match=r"t\.safetensors"):
        read_task(path)
    path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(GraphError, match="damaged"):
        read_task(path)
    with pytest.raises(FileNotFoundError):
        read_task(tmp_path / "none.safetensors")


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"outputs": {"atom": 1}}, "level 'atom'"),
        ({"outputs": {"node": 1}}, "no node column 'y'"),
        ({"node": Feature("colour", "category", 3)}, "no node column 'colour'"),
        ({"node": Feature("kind", "category", 2)}, "holds 0 to 2"),
        ({"node": Feature("kind", "number", 1)}, "columns of floats"),
        ({"edge": Feature("length", "number", 3)}, "not 3 columns"),
        ({"edge": Feature("length", "category", 3)}, "not one of categories"),
        ({"folds": ()}, "no folds"),
        ({"folds": (fold([0], [1], [3]),)}, "0 to 2"),
        ({"folds": (fold([0], [1], [-1]),)}, "0 to 2"),
        ({"folds": (fold([0], [1], [1]),)}, "listed twice"),
        ({"outputs": {"link": 1}, "folds": (), "split_over": "links"}, "no links for train, val, test"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_does_not_fit_is_named(changes: dict[str, Any], word: str) -> None:
    with pytest.raises(GraphError, match=word):
        make(**changes)


def test_parts_are_of_graphs_only() -> None:
    one = graphs()[[0]].with_columns(node={"y": torch.tensor([0, 1])})
    task = make(outputs={"node": 3}, graphs=one, split_over="nodes", folds=(fold([0], [1], []),))
    with pytest.raises(GraphError, match="splits nodes"):
        task.part("val")
    with pytest.raises(KeyError, match="no part 'x'"):
        task.folds[0]["x"]
