"""Encodings on disk: found again by the content of the graphs and every parameter."""

from __future__ import annotations

import hashlib
import json
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from torch import Tensor

from graphgauge.graphs import GraphError, GraphSet
from graphgauge.graphs.file_safetensors import KEY, load, save

if TYPE_CHECKING:
    from graphgauge.encodings.table import Part

FORMAT = 1


def stored(folder: str | Path, part: Part, graphs: GraphSet) -> Tensor:
    """The values of `part`, read from the folder if they are there, else computed and written there.

    A file is named by the hash of the graphs' structure (with the weights, where they are used) and of all
    parameters, defaults and version included, and holds these beside the values: a change of any of them
    meets no old values. Files appear whole or not at all. One that is damaged is computed again, with a
    warning.
    """
    about = describe(part, graphs)
    path = Path(folder) / f"{part.name}-{hashlib.sha256(about.encode()).hexdigest()[:32]}.safetensors"
    try:
        return _read(path, about, (graphs.num_nodes, part.k)).to(graphs.device)
    except FileNotFoundError:
        pass
    except (GraphError, OSError) as error:
        warnings.warn(f"{path} is computed again: {error}", UserWarning, stacklevel=3)
    values = part(graphs)
    digest = _digest(values)
    save(path, {"values": values}, {KEY: json.dumps({"about": about, "sha256": digest})})
    return values


def describe(part: Part, graphs: GraphSet) -> str:
    """All that decides about the values, as canonical JSON."""
    used = graphs.structure()
    weight = part.parameters.get("weight")
    if weight is not None and weight in graphs.edge:
        used = used.with_columns(edge={weight: graphs.edge[weight]})
    about = {"format": FORMAT, "graphs": used.content_hash, **part.parameters}
    return json.dumps(about, sort_keys=True)


def _read(path: Path, about: str, shape: tuple[int, int]) -> Tensor:
    if not path.is_file():
        raise FileNotFoundError(path)
    metadata, tensors = load(path)
    try:
        facts = json.loads(metadata[KEY])
        values = tensors["values"].clone()  # the mapped file may be replaced
        ours = facts["about"] == about and facts["sha256"] == _digest(values)
    except (KeyError, TypeError, ValueError) as error:
        raise GraphError(f"not an encoding of ours ({error!r})") from error
    if not ours or tuple(values.shape) != shape:
        raise GraphError("its content is not what it says")
    return values


def _digest(values: Tensor) -> str:
    return hashlib.sha256(values.detach().cpu().contiguous().numpy().tobytes()).hexdigest()
