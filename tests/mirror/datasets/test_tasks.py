"""Tasks: what is refused, what is missing, and tasks made of small made-up files in the published layouts."""

from __future__ import annotations

import builtins
import gzip
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from graphgauge.datasets import TASKS, DatasetError, MissingData, load_task
from graphgauge.datasets.home import cache_home
from graphgauge.datasets.tasks import mnist, superpixels, table, tsp, wikics
from graphgauge.datasets.tasks.collab import ogbl_collab
from graphgauge.datasets.tasks.entry import Request, verify_official
from graphgauge.datasets.tasks.folds import folds_from_files
from graphgauge.datasets.tasks.kept import kept
from graphgauge.datasets.tasks.mnist import idx
from graphgauge.datasets.tasks.wikics import wikics as make_wikics


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No data, no network, an empty cache."""
    monkeypatch.delenv("GRAPHGAUGE_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("GRAPHGAUGE_OFFLINE", "1")


def whole(root: Path) -> Request:
    return Request({}, True, 0, root)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("zync", {}, "no task is called 'zync'; there are: zinc, aqsol"),
        ("pattern", {"size": 0}, "size must be at least 3, got 0"),
        ("pattern", {"size": -5}, "size must be at least 3, got -5"),
        ("pattern", {"size": 2.5}, "size must be a whole number, got 2.5"),
        ("pattern", {"size": True}, "size must be a whole number, got True"),
        ("cluster", {"seed": -1}, "seed must be at least 0, got -1"),
        ("pattern", {"q": 1.5}, "q must be between 0 and 1, got 1.5"),
        ("pattern", {"pattern_size": 0}, "pattern_size must be at least 1, got 0"),
        ("cluster", {"size": 9, "p": float("nan")}, "p must be between 0 and 1, got nan"),
        ("cluster", {"noise": 1}, "cluster has no option 'noise'; its options are: size .*, p .*, q"),
        ("csl", {"size": 60}, "csl: size must be a multiple of 50 .*, got 60"),
        ("graphtheoryprop", {"connected": "yes"}, "connected must be one of exact, published, got 'yes'"),
        ("digits", {"size": 1798}, "size must be between 3 and 1797, got 1798"),
        ("ogbl-collab", {"size": 10}, "ogbl-collab is one graph: it has no size to choose, got size=10"),
        ("wikics", {"validation": "half"}, "validation must be one of both, code, got 'half'"),
        ("tsp", {"size": 3, "smallest": 25}, "smallest must be at least 26, got 25"),
        ("tsp", {"size": 3, "largest": 49}, "largest must be at least 50, got 49"),
        ("tsp", {"size": 3, "seconds": 0}, "seconds must be at least 0.001, got 0"),
        ("tsp", {"size": 3, "workers": 0}, "workers must be at least 1, got 0"),
    ],
)
def test_impossible_requests_are_refused(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(DatasetError, match=message):
        load_task(name, **options)


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("zinc", "zinc/train.npz"),
        ("aqsol", "aqsol/train.npz"),
        ("ogbl-collab", "ogbl_collab/raw/node-feat.csv.gz"),
        ("wikics", "wikics/data.json"),
        ("mnist", "images/mnist/train-images-idx3-ubyte.gz"),
        ("cifar10", "images/cifar10/data_batch_1.bin"),
        ("enzymes", "tu/ENZYMES/ENZYMES_A.txt"),
        ("proteins", "tu/PROTEINS_full/PROTEINS_full_A.txt"),
        ("dd", "tu/DD/DD_A.txt"),
    ],
)
def test_missing_data_says_what_to_put_where(name: str, file: str, tmp_path: Path) -> None:
    with pytest.raises(MissingData) as error:
        load_task(name, root=tmp_path)
    assert str(tmp_path / file) in str(error.value)


@pytest.mark.parametrize(
    ("package", "make", "extra"),
    [("fast_tsp", tsp._solver, "graphgauge[tsp]"), ("skimage", superpixels._slic, "graphgauge[images]")],
)
def test_missing_packages_are_named(
    package: str, make: Any, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name.split(".")[0] == package:
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingData, match="not installed") as error:
        make()
    assert extra in str(error.value)


def test_official_counts_are_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    task, entry = load_task("csl"), TASKS["csl"]
    verify_official("csl", entry, task)
    from dataclasses import replace

    for change, message in (
        ({"folds": 4}, "csl: expected 4 folds, found 5"),
        ({"sizes": {**entry.sizes, "val": 31}}, "csl, fold 0, val: expected 31, found 30"),
        ({"graphs": 151}, "csl: expected 151 graphs, found 150"),
        ({"nodes": 1}, "csl: expected 1 nodes, found 6150"),
        ({"edges": 1}, "csl: expected 1 ordered edges, found 24600"),
        ({"average": (41.0, 165.9)}, "csl: expected 165.9 ordered edges a graph on average, found 164.00"),
    ):
        with pytest.raises(DatasetError, match=message):
            verify_official("csl", replace(entry, **change), task)  # type: ignore[arg-type]
    wrong = replace(entry, graphs=149)
    monkeypatch.setitem(table.TASKS, "csl", wrong)
    with pytest.raises(DatasetError, match="csl: expected 149 graphs, found 150"):
        load_task("csl")


def test_csl_says_that_its_folds_are_drawn(tmp_path: Path) -> None:
    assert "not the published ones" in load_task("csl").notes[0]
    parts = {"train": range(90), "val": range(90, 120), "test": range(120, 150)}
    (tmp_path / "csl").mkdir()
    for part, numbers in parts.items():
        (tmp_path / "csl" / f"CSL_{part}.index").write_text((",".join(map(str, numbers)) + "\n") * 5)
    found = load_task("csl", root=tmp_path)
    assert found.notes == ()
    assert found.folds[3].val.tolist() == list(parts["val"])
    assert found.graphs.same_as(load_task("csl").graphs)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["0,1\n2,3\n", "4\n4\n", "5\n5,5\n"], "fold 1 must name different graphs from 0 to 5"),
        (["0,1\n2,3\n", "4\n4\n", "6\n5\n"], "fold 0 must name different graphs from 0 to 5"),
        (["0,1\n2,3\n", "-4\n4\n", "5\n5\n"], "fold 0 must name different graphs from 0 to 5"),
        (["0,1\n", "4\n4\n", "5\n5\n"], "expected a line for each of 2 folds, found 1"),
        (["0,x\n2\n", "4\n4\n", "5\n5\n"], "invalid literal"),
    ],
)
def test_bad_folds_are_refused(lines: list[str], message: str, tmp_path: Path) -> None:
    files = {}
    for part, text in zip(("train", "val", "test"), lines, strict=True):
        files[part] = tmp_path / part
        files[part].write_text(text)
    with pytest.raises(DatasetError, match=message):
        folds_from_files(files, 2, 6)


# ── made-up files ──────────────────────────────────────────────────────────────────────────────────────


def write_collab(root: Path, **change: Any) -> None:
    raw, split = root / "ogbl_collab" / "raw", root / "ogbl_collab" / "split" / "time"
    raw.mkdir(parents=True)
    split.mkdir(parents=True)
    with gzip.open(raw / "num-node-list.csv.gz", "wt") as file:
        file.write("5\n")
    with gzip.open(raw / "node-feat.csv.gz", "wt") as file:
        file.write("".join(f"{i},0.5,-{i}\n" for i in range(5)))
    stored: dict[str, dict[str, Any]] = {
        "train": {
            "edge": np.array([[0, 1], [0, 1], [2, 3]]),
            "weight": np.array([1, 4, 2]),
            "year": np.array([2001, 2002, 2003]),
        },
        "valid": {"edge": np.array([[1, 2]]), "edge_neg": np.array([[0, 4], [3, 4]])},
        "test": {"edge": np.array([[3, 4]]), "edge_neg": np.array([[0, 2], [0, 3], [1, 4]])},
    }
    for name, arrays in stored.items():
        torch.save({**arrays, **change.get(name, {})}, split / f"{name}.pt")


def test_collab_has_training_links_only(tmp_path: Path) -> None:
    write_collab(tmp_path)
    task = ogbl_collab(whole(tmp_path))
    edges = list(zip(*task.graphs.edge_index.tolist(), strict=True))
    assert edges == [(0, 1), (0, 1), (2, 3), (1, 0), (1, 0), (3, 2)]
    assert task.graphs.edge["edge_attr"].tolist() == [[1, 2001], [4, 2002], [2, 2003]] * 2
    assert task.graphs.node["x"].tolist() == [[i, 0.5, -i] for i in range(5)]
    assert task.links["train"].negative is None
    assert task.links["val"].positive.tolist() == [[1, 2]]
    negative = task.links["test"].negative
    assert negative is not None
    assert negative.tolist() == [[0, 2], [0, 3], [1, 4]]
    assert (task.loss, task.score, task.split_over) == ("link_bce", "hits@50", "links")
    with pytest.raises(DatasetError, match="ogbl-collab, fold 0, train: expected 1179052, found 3"):
        load_task("ogbl-collab", root=tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"test": {"edge": np.array([[3, 5]])}}, "nodes must lie in 0 to 4"),
        ({"test": {"edge": np.array([[-1, 3]])}}, "nodes must lie in 0 to 4"),
        ({"valid": {"edge": np.array([1, 2])}}, "links must be pairs of whole numbers"),
        ({"valid": {"edge_neg": np.array([[0.5, 1.0]])}}, "links must be pairs of whole numbers"),
        ({"train": {"year": np.array([2001, 2002])}}, "array dimensions"),
        ({"train": {"year": np.array([1, 2]), "weight": np.array([1, 2])}}, "3 links, but 2 weights"),
    ],
)
def test_damaged_collab_is_refused(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    write_collab(tmp_path, **change)
    with pytest.raises((DatasetError, ValueError), match=message):
        ogbl_collab(whole(tmp_path))


def test_collab_is_not_unpickled(tmp_path: Path) -> None:
    write_collab(tmp_path, test={"edge": Path("x")})
    with pytest.raises(DatasetError, match="is not OGB's file of links"):
        ogbl_collab(whole(tmp_path))


def test_collab_without_a_split_says_which_file_is_missing(tmp_path: Path) -> None:
    write_collab(tmp_path)
    (tmp_path / "ogbl_collab/split/time/valid.pt").unlink()
    with pytest.raises(MissingData, match=r"valid\.pt is missing"):
        ogbl_collab(whole(tmp_path))


def wiki(**change: Any) -> dict[str, Any]:
    masks = {"train_masks": [[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0]]}
    masks["val_masks"] = [[0, 1, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0]]
    masks["stopping_masks"] = [[0, 0, 1, 1, 0, 0], [0, 0, 1, 1, 0, 0]]
    return {
        "features": [[i, 1.5] for i in range(6)],
        "labels": [0, 1, 2, 0, 1, 2],
        "links": [[1, 0, 2], [0], [], [4], [3, 5], []],
        **{key: [[bool(v) for v in row] for row in rows] for key, rows in masks.items()},
        "test_mask": [False] * 4 + [True] * 2,
        **change,
    }


def write_wikics(root: Path, stored: Any) -> None:
    (root / "wikics").mkdir()
    (root / wikics.FILE).write_text(json.dumps(stored))


def test_wikics_joins_validation_and_early_stopping(tmp_path: Path) -> None:
    write_wikics(tmp_path, wiki())
    both = make_wikics(whole(tmp_path))
    assert both.graphs.edge_index.tolist() == [[0, 0, 1, 2, 3, 4, 4, 5], [1, 2, 0, 0, 4, 3, 5, 4]]
    assert [[fold[part].tolist() for part in ("train", "val", "test")] for fold in both.folds] == [
        [[0], [1, 2, 3], [4, 5]],
        [[1], [0, 2, 3], [4, 5]],
    ]
    assert both.outputs == {"node": 3}
    code = make_wikics(whole(tmp_path), validation="code")
    assert code.folds[0].val.tolist() == [1]
    assert "22.5 %" in code.notes[0]
    with pytest.raises(DatasetError, match="wikics: expected 20 folds, found 2"):
        load_task("wikics", root=tmp_path)


@pytest.mark.parametrize(
    ("stored", "message"),
    [
        (wiki(test_mask=[True]), "a mask has the shape"),
        (wiki(labels=[0, 1]), "6 features, 2 labels"),
        (wiki(links=[[9], [], [], [], [], []]), "outside its 6 nodes"),
        ({"features": []}, "no labels, links"),
        ([1, 2], "no features"),
    ],
)
def test_damaged_wikics_is_refused(stored: Any, message: str, tmp_path: Path) -> None:
    write_wikics(tmp_path, stored)
    with pytest.raises(DatasetError, match=message):
        make_wikics(whole(tmp_path))


def blobs(count: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    row, column = np.mgrid[:28, :28]
    return np.stack([255 * ((row - 8 - i % 9) ** 2 + (column - 14) ** 2 < 50) for i in range(count)]).astype(
        "u1"
    )


def write_mnist(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = root / "images" / "mnist"
    folder.mkdir(parents=True)
    for stem, count in (("train", 12), ("t10k", 5)):
        images = struct.pack(">4i", 2051, count, 28, 28) + blobs(count).tobytes()
        labels = struct.pack(">2i", 2049, count) + bytes(i % 10 for i in range(count))
        (folder / f"{stem}-images-idx3-ubyte.gz").write_bytes(gzip.compress(images))
        (folder / f"{stem}-labels-idx1-ubyte").write_bytes(labels)
    monkeypatch.setattr(mnist, "_COUNT", {"train": 12, "test": 5})
    monkeypatch.setattr(superpixels, "VALIDATION", 4)


def test_superpixels_are_computed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("skimage")
    write_mnist(tmp_path, monkeypatch)
    request = Request({"train": 8, "val": 4, "test": 5}, True, 0, tmp_path)
    task = mnist.mnist(request)
    assert [task.part(part).graph["y"].tolist() for part in ("train", "val", "test")] == [
        [4, 5, 6, 7, 8, 9, 0, 1],
        [0, 1, 2, 3],
        [0, 1, 2, 3, 4],
    ]
    assert int(task.graphs.nodes_per_graph.max()) <= 75
    x = task.graphs.node["x"]
    assert float(x.min()) >= 0
    assert float(x.max()) <= 1

    def never(*_: Any) -> Any:
        raise AssertionError("computed again")

    monkeypatch.setattr(superpixels, "superpixels", never)
    assert mnist.mnist(request).graphs.same_as(task.graphs)


def test_superpixels_keep_the_mean_of_the_image(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("skimage")
    image = blobs(1)[0]
    slic = superpixels._slic()
    regions: list[Any] = []
    monkeypatch.setattr(
        superpixels, "_slic", lambda: lambda *a, **k: regions.append(slic(*a, **k)) or regions[-1]
    )
    colour, centre = superpixels.superpixels(image, 75, 95, 0.25)
    assert int(regions[-1].max()) + 1 == len(colour) <= 75
    assert all(int(region.max()) + 1 > 75 for region in regions[:-1])
    for k in range(len(colour)):
        inside = regions[-1] == k
        assert colour[k, 0] == pytest.approx(image[inside].mean() / 255)
        assert centre[k] == pytest.approx(np.argwhere(inside).mean(0))


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "is no idx file"),
        (struct.pack(">4i", 2049, 1, 1, 1), "is no idx file"),
        (struct.pack(">4i", 2051, 2, 2, 2) + b"1234567", "expected 8 bytes, found 7"),
    ],
    ids=["empty", "other kind", "short"],
)
def test_damaged_images_are_refused(raw: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "images"
    path.write_bytes(raw)
    with pytest.raises(DatasetError, match=message):
        idx(path, 3)
    (tmp_path / "broken.gz").write_bytes(b"no gzip")
    with pytest.raises(DatasetError, match="cannot be read"):
        idx(tmp_path / "broken.gz", 3)


def test_cifar10_reads_the_binary_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from graphgauge.datasets.tasks import cifar10

    monkeypatch.setattr(cifar10, "_IMAGES", 2)
    folder = tmp_path / "images" / "cifar10"
    folder.mkdir(parents=True)
    record = np.arange(3072) % 251
    for name in (*cifar10.FILES["train"], *cifar10.FILES["test"]):
        (folder / name).write_bytes(bytes([7, *record.tolist(), 3, *record[::-1].tolist()]))
    images, labels = cifar10._read(tmp_path, "train")
    assert images.shape == (10, 32, 32, 3)
    assert labels.tolist() == [7, 3] * 5
    assert images[0, 1, 2].tolist() == [record[34], record[1024 + 34], record[2048 + 34]]
    (folder / "test_batch.bin").write_bytes(b"12")
    with pytest.raises(DatasetError, match=r"test_batch.bin: expected 6146 bytes, found 2"):
        cifar10._read(tmp_path, "test")


def test_dd_has_a_column_for_each_label(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from graphgauge.datasets import tu
    from graphgauge.datasets.tasks.dd import dd

    monkeypatch.setitem(tu.COUNTS, "DD", (20,))
    folder = tmp_path / "tu" / "DD"
    folder.mkdir(parents=True)
    files = {
        "A": "".join(f"{2 * g + 1}, {2 * g + 2}\n{2 * g + 2}, {2 * g + 1}\n" for g in range(20)),
        "graph_indicator": "".join(f"{g + 1}\n{g + 1}\n" for g in range(20)),
        "graph_labels": "".join(f"{g % 2 + 1}\n" for g in range(20)),
        "node_labels": "".join(f"{i + 1}\n" for i in range(40)),
    }
    for name, text in files.items():
        (folder / f"DD_{name}.txt").write_text(text)
    with pytest.raises(MissingData, match="folds are not at hand"):
        dd(whole(tmp_path))
    for part, numbers in (("train", range(16)), ("val", (16, 17)), ("test", (18, 19))):
        (folder / f"DD_{part}.index").write_text((",".join(map(str, numbers)) + "\n") * 10)
    task = dd(whole(tmp_path))
    assert task.graphs.node["x"].shape == (40, 89)
    assert task.graphs.node["x"].argmax(1).tolist() == list(range(40))
    assert task.graphs.graph["y"].tolist() == [0, 1] * 10
    few = Request({"train": 1, "val": 1, "test": 1}, False, 0, tmp_path)
    with pytest.raises(DatasetError, match=r"with so small a size fold 0 has no (train|val|test) graphs"):
        dd(few)


def test_zinc_says_that_a_stand_in_is_used(tmp_path: Path) -> None:
    (tmp_path / "zinc").mkdir()
    for name, count in (("val", 1000), ("test", 1000), ("train_standin", 10000)):
        ptr = np.arange(count + 1) * 2
        edge_index = np.tile([[0, 1], [1, 0]], (1, count))
        np.savez(
            tmp_path / "zinc" / f"{name}.npz", node_ptr=ptr, edge_ptr=ptr, edge_index=edge_index,
            node_type=np.zeros(2 * count, int), edge_type=np.ones(2 * count, int), y=np.arange(count) / 7,
        )  # fmt: skip
    task = load_task("zinc", size=12, root=tmp_path)
    assert "train_standin" in task.notes[0]
    assert [len(task.part(part)) for part in ("train", "val", "test")] == [10, 1, 1]
    with pytest.raises(DatasetError, match=r"zinc train_standin .*expected .10000, 231911, 499022."):
        load_task("zinc", root=tmp_path)


def test_tours_are_kept_and_not_sought_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fast_tsp")
    options: dict[str, Any] = {"smallest": 26, "largest": 30, "seconds": 0.01, "root": tmp_path}
    task = load_task("tsp", size=6, workers=2, **options)
    assert "fast-tsp" in task.notes[0]
    assert "workers" not in task.options
    assert task.graphs.edge["y"].sum() <= 2 * task.graphs.num_nodes

    def never(*_: Any) -> Any:
        raise AssertionError("sought again")

    monkeypatch.setattr(tsp, "tour", never)
    assert load_task("tsp", size=6, **options).graphs.same_as(task.graphs)
    stored = next((tmp_path / "tasks").glob("tsp-*train*/0-4.npz"))
    np.savez_compressed(stored, tours=np.arange(7))
    with pytest.raises(DatasetError, match=r"expected .* bytes|expected sha256|tours of"):
        load_task("tsp", size=6, **options)


def test_points_do_not_depend_on_how_many_there_are() -> None:
    one = [tsp._points(0, "train", i, 50, 500) for i in range(3)]
    assert len({len(points) for points in one}) == 3
    assert np.array_equal(one[2], tsp._points(0, "train", 2, 50, 500))
    assert all(50 <= len(points) <= 500 for points in one)


def test_what_cannot_be_kept_in_a_data_home_is_kept_in_the_cache(tmp_path: Path) -> None:
    made = []

    def make() -> dict[str, Any]:
        made.append(1)
        return {"a": np.arange(3)}

    home = tmp_path / "home"
    home.mkdir()
    (home / "tasks").write_text("a file where a folder should be")
    for _ in range(2):
        assert kept(home, "tasks/x.npz", make, "a")["a"].tolist() == [0, 1, 2]
    assert made == [1]
    assert (cache_home() / "tasks" / "x.npz").is_file()
