"""Tasks on disk: one safetensors file with the graphs, targets and splits, and the rest in its header."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from pathlib import Path
from typing import Any

from torch import Tensor

from graphgauge.graphs.errors import GraphError
from graphgauge.graphs.file_safetensors import graphs_of, load, save, tensors_of
from graphgauge.graphs.task import PARTS, Feature, Fold, Links, Task

FORMAT = "graphgauge-task"
VERSION = 1
# Fields of a Task that are JSON values.
PLAIN = ("name", "outputs", "split_over", "loss", "score", "notes", "options")


def write_task(path: str | Path, task: Task) -> None:
    """Write a task to a .safetensors file, whole or not at all.

    >>> import tempfile, torch
    >>> from graphgauge.graphs import GraphSet
    >>> graphs = GraphSet.from_edges([[(0, 1)]] * 3).with_columns(graph={"y": torch.tensor([0.0, 1.0, 2.0])})
    >>> fold = Fold(*(torch.tensor([i]) for i in range(3)))
    >>> task = Task("toy", graphs, {"graph": 1}, folds=(fold,), loss="l1", score="mae")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_task(f"{folder}/task.safetensors", task)
    ...     task_hash(read_task(f"{folder}/task.safetensors")) == task_hash(task)
    True
    """
    header = {
        "format": FORMAT,
        "version": str(VERSION),
        "hash": task_hash(task),
        "about": _about(task),
    }
    save(Path(path), _tensors(task), header)


def read_task(path: str | Path) -> Task:
    """Read a task that `write_task` wrote; its hash, edges and splits are checked.

    Raises
    ------
    GraphError naming the file: not a whole task file, another version, content without the header's hash
    FileNotFoundError
    """
    if not Path(path).is_file():
        raise FileNotFoundError(f"{path}: there is no such file")
    try:
        header, mapped = load(Path(path))
        tensors = {name: value.clone() for name, value in mapped.items()}  # a task outlives its file
        if header.get("format") != FORMAT or header.get("version") != str(VERSION):
            raise GraphError(
                f"not a task of version {VERSION}: {header.get('format')!r} {header.get('version')!r}"
            )
        task = _task(header.get("about", ""), tensors)
        if task_hash(task) != header.get("hash"):
            raise GraphError("damaged: its content does not have the hash of its header")
    except GraphError as error:
        raise GraphError(f"{path}: {error}") from error
    return task


def task_hash(task: Task) -> str:
    """SHA-256 over graphs, targets, splits and all settings of a task: the identity of the data in rows."""
    digest = hashlib.sha256(f"{task.graphs.content_hash}{_about(task)}".encode())
    for name, value in sorted(_splits(task).items()):
        digest.update(f"|{name}:{tuple(value.shape)}|".encode())
        digest.update(value.detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


def _tensors(task: Task) -> dict[str, Tensor]:
    return {**tensors_of(task.graphs, "graphs."), **_splits(task)}


def _splits(task: Task) -> dict[str, Tensor]:
    found = {f"fold.{i}.{part}": fold[part] for i, fold in enumerate(task.folds) for part in PARTS}
    for part, links in task.links.items():
        found[f"links.{part}.positive"] = links.positive
        if links.negative is not None:
            found[f"links.{part}.negative"] = links.negative
    return found


def _about(task: Task) -> str:
    values: dict[str, Any] = {name: getattr(task, name) for name in PLAIN}
    values |= {
        "outputs": list(task.outputs.items()),
        "notes": list(task.notes),
        "options": dict(task.options),
    }
    for side in ("node", "edge"):
        feature = getattr(task, side)
        values[side] = None if feature is None else dataclasses.asdict(feature)
    values |= {"directed": task.graphs.directed, "folds": len(task.folds), "links": list(task.links)}
    try:
        return json.dumps(values, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise GraphError(f"task {task.name}: its options are not JSON values ({error})") from error


def _task(text: str, tensors: dict[str, Tensor]) -> Task:
    try:
        about = json.loads(text)
        folds = tuple(
            Fold(*(tensors[f"fold.{i}.{part}"] for part in PARTS)) for i in range(int(about["folds"]))
        )
        links = {
            part: Links(tensors[f"links.{part}.positive"], tensors.get(f"links.{part}.negative"))
            for part in about["links"]
        }
        node, edge = (None if about[s] is None else Feature(**about[s]) for s in ("node", "edge"))
        plain = {name: about[name] for name in PLAIN}
        plain |= {"notes": tuple(about["notes"]), "outputs": dict(about["outputs"])}
        directed = about["directed"] is True
    except (KeyError, TypeError, ValueError) as error:
        raise GraphError(f"its header is not that of a task ({type(error).__name__}: {error})") from error
    own = {name: value for name, value in tensors.items() if name.startswith("graphs.")}
    graphs = graphs_of(own, directed, "graphs.").check()
    return Task(graphs=graphs, node=node, edge=edge, folds=folds, links=links, **plain)
