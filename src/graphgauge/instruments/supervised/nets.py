"""Nets of the paper's code: their widths and rates by task, and what a task asks of any net."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any

from graphgauge.encodings import encoding as encoding_of
from graphgauge.graphs import Task

SUPERPIXELS = ("mnist", "cifar10", "digits")
TU = ("enzymes", "proteins", "dd")
# Tasks whose MLP has no embedding before its L maps.
BARE_MLP = (*SUPERPIXELS, *TU, "tsp", "ogbl-collab")
# Tasks whose positional encoding stands in place of the node's own column.
REPLACING = ("csl", "cycles")
# Tasks whose printed attention nets have a bias vector.
WITH_BIAS = ("aqsol", "wikics")
# Rates that a published net may have of its own.
RATES = ("lr", "patience", "min_lr", "batch_size")

Key = tuple[str, str, str, bool, int]


def task_options(task: Task, model: str | Callable[..., Any], encoding: str | None) -> dict[str, Any]:
    """Options of `build_network` that the published nets of a task share (architectures by name only)."""
    if not isinstance(model, str) or ":" in model:
        return {}
    options: dict[str, Any] = {}
    name = task.name
    message_passing = model not in ("ringgnn", "ppgn")
    if name in REPLACING and encoding:
        options["pe_mode"] = "replace"
    if message_passing and name == "cycles":
        options["pooling"] = "sum"
    if message_passing and name == "graphtheoryprop":
        options |= {"pooling": "set2set", "gru": True}
    if message_passing and name in TU and task.node is not None:
        options["edge_ones"] = task.node.size
    if name == "wikics" and model == "gatedgcn":
        options["edge_empty"] = "type"
    if model == "mlp" and name in BARE_MLP:
        options["input_layer"] = True
    if model == "gin" and name == "ogbl-collab":
        options["readout"] = "mlp"
    return options


def configuration(
    task: str,
    model: str | Callable[..., Any],
    budget: str | int | None,
    edge_features: bool,
    encoding: str | None,
) -> dict[str, Any] | None:
    """Layers, width and options of the published net, and whether it reads edges; None where there is none.

    >>> configuration("aqsol", "gcn", "100k", False, None)["width"]
    145
    """
    found = _row(task, model, budget, edge_features, encoding)
    if found is None:
        return None
    options: dict[str, Any] = {}
    if found["heads"]:  # attention without its bias vector, but for two tasks: which the counts say
        options = {"heads": int(found["heads"]), "bias": task in WITH_BIAS}
    options |= {"residual": True} if found["residual"] else {}
    return {
        "layers": int(found["layers"]),
        "width": int(found["width"]),
        "edge_features": found["reads_edges"] == "1",
        "options": options,
    }


def rates(
    task: str,
    model: str | Callable[..., Any],
    budget: str | int | None,
    edge_features: bool,
    encoding: str | None,
) -> dict[str, float | int]:
    """Learning rate, patience and batch size of the published net; empty where there is none.

    >>> rates("enzymes", "gin", "100k", False, None)["lr"]
    0.007
    """
    found = _row(task, model, budget, edge_features, encoding) or {}
    kinds: dict[str, type[float] | type[int]] = {
        "lr": float, "patience": int, "min_lr": float, "batch_size": int,
    }  # fmt: skip
    return {name: kinds[name](found[name]) for name in RATES if found.get(name)}


def _row(
    task: str,
    model: str | Callable[..., Any],
    budget: str | int | None,
    edge_features: bool,
    encoding: str | None,
) -> dict[str, str] | None:
    if not isinstance(model, str):
        return None
    width = 0
    if encoding is not None:
        if not re.fullmatch(r"lap:\d+", encoding):
            return None
        width = encoding_of(encoding).width
    return published_nets().get((task, model, str(budget), edge_features, width))


@cache
def published_nets() -> dict[Key, dict[str, str]]:
    """Rows of published_nets.csv; of several depths at one budget the first, the one with fewer layers."""
    text = files("graphgauge.instruments.supervised").joinpath("published_nets.csv").read_text("utf-8")
    found: dict[Key, dict[str, str]] = {}
    for row in csv.DictReader(text.splitlines()):
        key = (
            row["task"], row["model"], row["budget"], row["edge_features"] == "1", int(row["pe"] or 0),
        )  # fmt: skip
        found.setdefault(key, row)
    return found
