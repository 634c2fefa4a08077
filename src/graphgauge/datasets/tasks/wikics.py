"""WikiCS: the field of an article of Wikipedia on computer science."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import torch

from graphgauge.atomic import replacing
from graphgauge.datasets.download import download
from graphgauge.datasets.errors import DatasetError
from graphgauge.datasets.home import homes, vouch
from graphgauge.datasets.layout import one_graph
from graphgauge.datasets.resolve import resolve
from graphgauge.datasets.tasks.entry import Request, TaskEntry, fold_of
from graphgauge.graphs import Feature, Fold, Task

FILE = "wikics/data.json"
URL = "https://github.com/pmernyei/wiki-cs-dataset/raw/master/dataset/data.json"
VALIDATION = ("both", "code")
_KEYS = ("features", "labels", "links", "train_masks", "val_masks", "stopping_masks", "test_mask")
CODE = "validated on 22.5 % of the nodes, as the published code does; the paper says 45 %"


def wikics(request: Request, *, validation: str = "both") -> Task:
    """One graph, node column ``x`` (300 averaged word vectors), target ``y`` (field, 0 to 9), 20 folds.

    Parameters
    ----------
    validation : "both": the nodes for validation and those for early stopping, 45 %, as the paper's text
        says; "code": only the former, 22.5 %, as the published code does

    Links are taken without direction, once, and without self-loops; the published code has a link of both
    directions twice.
    """
    if validation not in VALIDATION:
        raise DatasetError(f"validation must be one of {', '.join(VALIDATION)}, got {validation!r}")
    path = resolve("wikics", homes(request.root), (FILE,), LOADERS)
    stored = _stored(path)
    x, y = np.array(stored["features"], np.float32), np.array(stored["labels"], np.int64)
    target = np.array([v for row in stored["links"] for v in row], np.int64)
    source = np.repeat(np.arange(len(stored["links"])), [len(row) for row in stored["links"]])
    if not len(x) == len(y) == len(stored["links"]):
        raise DatasetError(
            f"{path}: {len(x)} features, {len(y)} labels, {len(stored['links'])} rows of links"
        )
    return Task(
        "wikics",
        one_graph(str(path), source, target, len(y)).with_columns(
            node={"x": torch.from_numpy(x), "y": torch.from_numpy(y)}
        ),
        {"node": int(y.max(initial=-1)) + 1},
        node=Feature("x", "number", x.shape[1]),
        folds=_folds(path, stored, len(y), validation),
        split_over="nodes",
        loss="cross_entropy",
        score="accuracy",
        notes=(CODE,) if validation == "code" else (),
    )


def _stored(path: Path) -> dict[str, Any]:
    try:
        stored = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise DatasetError(f"{path} cannot be read as JSON: {error}") from error
    absent = [key for key in _KEYS if not isinstance(stored, dict) or key not in stored]
    if absent:
        raise DatasetError(f"{path}: no {', '.join(absent)}")
    return stored  # type: ignore[no-any-return]


def _folds(path: Path, stored: dict[str, Any], count: int, validation: str) -> tuple[Fold, ...]:
    train, val, stopping, test = (
        np.atleast_2d(np.array(stored[key], bool))
        for key in ("train_masks", "val_masks", "stopping_masks", "test_mask")
    )
    for masks in (train, val, stopping, test):
        if masks.shape[1] != count or len(masks) not in (1, len(train)):
            raise DatasetError(f"{path}: a mask has the shape {masks.shape}, there are {count} nodes")
    val = val | stopping if validation == "both" else val
    chosen = [
        tuple(np.flatnonzero(mask) for mask in (*both, test[0])) for both in zip(train, val, strict=True)
    ]
    return tuple(fold_of(*parts) for parts in chosen)


def from_pyg(place: Path) -> None:
    """The authors' file by PyG's loader."""
    from torch_geometric.datasets import WikiCS

    raw = Path(WikiCS(str(place / "pyg" / "WikiCS")).raw_dir) / "data.json"
    _store(place, raw)


def from_source(place: Path) -> None:
    """The authors' file."""
    _store(place, download(URL, place / "downloads" / "wikics"))


def _store(place: Path, file: Path) -> None:
    with replacing(place / FILE) as part:
        shutil.copyfile(file, part)
    vouch(place, FILE)


LOADERS = {"torch_geometric.datasets.WikiCS": from_pyg, URL: from_source}

WIKICS = TaskEntry(
    make=wikics,
    kind="stored",
    about="fields of articles of Wikipedia on computer science",
    licence="MIT (repository); text CC BY-SA (Wikipedia)",
    source="https://github.com/pmernyei/wiki-cs-dataset",
    citation="Mernyei, Cangea. Wiki-CS: a Wikipedia-based benchmark for graph neural networks. GRL+ at "
    "ICML 2020; Dwivedi et al. Benchmarking Graph Neural Networks. JMLR 24, 2023",
    sizes={"train": 585, "val": 5265, "test": 5851},
    loss="cross_entropy",
    score="accuracy",
    slack=20,  # shares of every class, 5 / 45 / 50 %, are rounded
    folds=20,
    graphs=1,
    nodes=11701,
    smaller=False,
)
