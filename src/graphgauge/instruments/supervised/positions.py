"""Positional encodings of a run: the column that holds one, and what training does to it (table 13)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import torch

from graphgauge.encodings import Encoding, EncodingError, Policy, encoding, vary
from graphgauge.graphs import GraphSet, Task

# What training does to an encoding: name → policy.
VARIATIONS = {
    "keep": Policy(),
    "flip": Policy("flip"),
    "flip_graph": Policy("flip", "graph"),
    "absolute": Policy("absolute"),
    "shuffle": Policy("shuffle"),
}
PE, ORDER = "pe", "order"


def is_order(name: str) -> bool:
    """Whether an encoding is nothing but the node's number."""
    return [part.name for part in encoding(name).parts] == ["order"]


def column_of(name: str) -> str:
    """The node column that holds an encoding."""
    return ORDER if is_order(name) else PE


@lru_cache(maxsize=4)
def encoded(task: Task, name: str | None, variant: str = "keep") -> Task:
    """The task with its encoding in a node column, computed once in a process."""
    if name is None:
        return task
    chosen: Encoding = encoding(name)
    values = chosen(task.graphs)
    if variant == "absolute":  # in evaluation too
        values = vary(values, task.graphs, VARIATIONS[variant], kinds=chosen.kinds)
    column = column_of(name)
    kept = values.argmax(1) if column == ORDER else values
    return replace(task, graphs=task.graphs.with_columns(node={column: kept}))


# Kind of column → what it is.
NEEDED = {"signed": "eigenvectors of one sign, such as lap:8", "order": "node numbers, such as order:40"}


def variation(name: str | None, asked: str | None) -> str:
    """What training does to an encoding: what was asked for, else signs of eigenvectors are flipped.

    >>> variation("lap:8", None), variation("rwpe:8", None), variation(None, None)
    ('flip', 'keep', 'keep')
    """
    if asked is not None and asked not in VARIATIONS:
        raise EncodingError(f"unknown variant {asked!r} of an encoding; known: {', '.join(VARIATIONS)}")
    if name is None:
        return "keep"
    kinds, needed = (
        encoding(name).kinds,
        {"flip": "signed", "flip_graph": "signed", "absolute": "signed", "shuffle": "order"},
    )
    if asked in needed and needed[asked] not in kinds:
        raise EncodingError(f"{asked!r} changes {NEEDED[needed[asked]]}, and {name} has none")
    return asked or ("flip" if "signed" in encoding(name).kinds else "keep")


def changing(name: str | None, variant: str) -> Callable[[GraphSet, torch.Generator], GraphSet] | None:
    """What is done to every training batch; None where nothing is."""
    if name is None or variant in ("keep", "absolute"):
        return None
    policy, kinds, column = VARIATIONS[variant], encoding(name).kinds, column_of(name)

    def change(graphs: GraphSet, generator: torch.Generator) -> GraphSet:
        values = graphs.node[column]
        if column == ORDER:  # whole numbers, one column
            varied = vary(values[:, None], graphs, policy, generator).squeeze(1)
        else:
            varied = vary(values, graphs, policy, generator, kinds=kinds)
        return graphs.with_columns(node={column: varied})

    return change
