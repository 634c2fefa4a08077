"""Evaluators on disk: the reference graphs, the settings, and what was dear to compute."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from graphgauge.graphs import GraphError, GraphSet
from graphgauge.graphs.file_safetensors import graphs_of, load, save, tensors_of
from graphgauge.graphs.sources import Source
from graphgauge.instruments.generation.labels import Columns
from graphgauge.instruments.generation.measures import Kept
from graphgauge.instruments.generation.settings import Settings

KEY, FORMAT, VERSION = "graphgauge", "evaluator", 1
GRAPHS, KEPT = "graphs.", "kept/"
ENDING = ".safetensors"


@dataclass(frozen=True)
class Saved:
    """What a file holds.

    Parameters
    ----------
    source, settings : of the evaluator
    check, encoder : names of the validity check and the encoder, which are not stored
    kept : label columns → metric/seed/size → arrays
    """

    source: Source
    settings: Settings
    check: str
    encoder: str | None
    kept: Mapping[Columns, Mapping[str, Kept]]


def is_saved(path: str | Path) -> bool:
    """Whether a file is a saved evaluator (and not a graph set of the same ending)."""
    path = Path(path)
    if path.suffix != ENDING or not path.is_file():
        return False
    try:
        return bool(_about(load(path)[0]).get("format") == FORMAT)
    except GraphError:
        return False


def write(path: Path, saved: Saved) -> None:
    """Write an evaluator, whole or not at all."""
    check_ending(path)
    tensors: dict[str, Tensor] = tensors_of(saved.source.graphs, GRAPHS)
    lenses = []
    for number, (columns, metrics) in enumerate(saved.kept.items()):
        lenses.append([columns.node, columns.edge, list(columns.atom)])
        for key, arrays in metrics.items():
            for name, values in arrays.items():
                tensors[f"{KEPT}{number}/{key}/{name}"] = torch.from_numpy(values)
    about = {
        "format": FORMAT,
        "version": VERSION,
        "directed": saved.source.graphs.directed,
        "name": saved.source.name,
        "listed": saved.source.listed,
        "settings": saved.settings.to_params(),
        "check": saved.check,
        "encoder": saved.encoder,
        "lenses": lenses,
    }
    about["digest"] = _digest(about, tensors)
    save(path, tensors, {KEY: json.dumps(about, sort_keys=True)})


def check_ending(path: Path) -> None:
    """A wrong name is an error before the work, not after it."""
    if path.suffix != ENDING:
        raise ValueError(f"{path}: an evaluator is saved in a {ENDING} file")


def read(path: str | Path) -> Saved:
    """What a file holds, checked; the error names the file."""
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {str(path)!r}")
    try:
        metadata, tensors = load(path)
        about = _about(metadata)
        if about.pop("digest", None) != _digest(about, tensors):
            raise GraphError("its contents are not those that were written")
        return _saved(about, tensors)
    except (GraphError, ValueError, TypeError, KeyError, IndexError) as error:
        raise GraphError(f"{path}: not an evaluator that can be read ({error})") from error


def _about(metadata: Mapping[str, str]) -> dict[str, Any]:
    about = json.loads(metadata.get(KEY, "null"))
    if not isinstance(about, dict):
        raise GraphError(f"its metadata {KEY!r} are missing")
    return about


def _digest(about: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> str:
    """SHA-256 of all that a file says; the format has no checksum of its own."""
    total = hashlib.sha256(json.dumps(about, sort_keys=True).encode())
    for name in sorted(tensors):
        values = tensors[name].detach().cpu().contiguous()
        total.update(f"{name} {values.dtype} {tuple(values.shape)}".encode())
        total.update(values.reshape(-1).view(torch.uint8).numpy().data)
    return total.hexdigest()


def _saved(about: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> Saved:
    if about.get("format") != FORMAT or about.get("version") != VERSION:
        raise GraphError(f"its format is {about.get('format')!r}, version {about.get('version')!r}")
    own = {name: value for name, value in tensors.items() if name.startswith(GRAPHS)}
    graphs: GraphSet = graphs_of(own, bool(about["directed"]), GRAPHS).check()
    columns = [Columns(node, edge, tuple(atom)) for node, edge, atom in about["lenses"]]
    kept: dict[Columns, dict[str, dict[str, Any]]] = {one: {} for one in columns}
    for name, value in tensors.items():
        if name.startswith(GRAPHS):
            continue
        if not name.startswith(KEPT):
            raise GraphError(f"the tensor {name!r} is no part of an evaluator")
        number, metric, seed, size, array = name.removeprefix(KEPT).split("/", 4)
        key = f"{metric}/{seed}/{size}"
        kept[columns[int(number)]].setdefault(key, {})[array] = value.numpy()
    return Saved(
        Source(graphs, str(about["name"]), int(about["listed"])),
        Settings(**about["settings"]),
        str(about["check"]),
        about["encoder"],
        kept,
    )
