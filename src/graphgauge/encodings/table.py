"""The encodings by name, and how an encoding is made from a text like ``"lap:8+rwpe:16"``."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from graphgauge.encodings.cache import stored
from graphgauge.encodings.checks import EncodingError, width
from graphgauge.encodings.indices import degree, node_order
from graphgauge.encodings.laplacian import laplacian
from graphgauge.encodings.walks import random_walk
from graphgauge.graphs import GraphSet

ENCODINGS: dict[str, Callable[..., Tensor]] = {
    "lap": laplacian,
    "rwpe": random_walk,
    "degree": degree,
    "order": node_order,
}

# Raised when the numbers of an encoding change: stored values of another version are never read.
VERSIONS = {"lap": 1, "rwpe": 1, "degree": 1, "order": 1}


@dataclass(frozen=True)
class Part:
    """One encoding of `ENCODINGS` with its number of columns and its options."""

    name: str
    k: int
    options: tuple[tuple[str, Any], ...] = ()

    def __post_init__(self) -> None:
        if self.name not in ENCODINGS:
            raise EncodingError(f"unknown encoding {self.name!r}; known: {', '.join(ENCODINGS)}")
        try:
            width(self.k)
        except ValueError as error:
            raise EncodingError(f"{self.name}: {error}") from error
        known = self.defaults
        for option, _ in self.options:
            if option not in known:
                listed = ", ".join(known) or "none"
                raise EncodingError(f"{self.name} has no option {option!r}; its options: {listed}")

    @property
    def defaults(self) -> dict[str, Any]:
        """Options of the function and their defaults: its keyword-only parameters."""
        parameters = inspect.signature(ENCODINGS[self.name]).parameters.values()
        return {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}

    @property
    def parameters(self) -> dict[str, Any]:
        """Every parameter that can change a value, given or not: what stored values are known by."""
        return (
            {"name": self.name, "version": VERSIONS[self.name], "k": self.k}
            | self.defaults
            | dict(self.options)
        )

    @property
    def kind(self) -> str:
        """What training may do to the columns: "signed" (flip), "order" (shuffle), "plain" (nothing)."""
        if self.name == "order":
            return "order"
        return "signed" if self.parameters.get("sign") == "fixed" else "plain"

    def __str__(self) -> str:
        options = "".join(f",{key}={value}" for key, value in self.options)
        return f"{self.name}:{self.k}{options}"

    def __call__(self, graphs: GraphSet) -> Tensor:
        return ENCODINGS[self.name](graphs, self.k, **dict(self.options)).to(torch.float32)


@dataclass(frozen=True)
class Encoding:
    """Encodings side by side: called with a GraphSet of N nodes it returns (N, `width`) float32.

    >>> pe = encoding("lap:2+rwpe:3")
    >>> pe.name, pe.width, pe(GraphSet.from_edges([[(0, 1)]])).shape
    ('lap:2+rwpe:3', 5, torch.Size([2, 5]))
    """

    parts: tuple[Part, ...]

    @property
    def name(self) -> str:
        return "+".join(map(str, self.parts))

    @property
    def width(self) -> int:
        """Number of columns, whatever the graphs."""
        return sum(part.k for part in self.parts)

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """Of every column what a policy may do to it; see `Part.kind`."""
        return tuple(part.kind for part in self.parts for _ in range(part.k))

    def __call__(self, graphs: GraphSet, cache: str | Path | None = None) -> Tensor:
        """The encoding of every node: (N, width) float32.

        With `cache`, a folder, values are stored there and found again by the content of the graphs and every
        parameter; see `graphgauge.encodings.cache`.
        """
        columns = [part(graphs) if cache is None else stored(cache, part, graphs) for part in self.parts]
        empty = torch.zeros(graphs.num_nodes, 0, dtype=torch.float32, device=graphs.device)
        return torch.cat([empty, *columns], dim=1)


def encoding(text: str) -> Encoding:
    """An encoding from its name: ``name:columns`` with options after commas, several joined by ``+``.

    `EncodingError` names the wrong part and lists what is known. The empty text is the encoding of no
    columns.

    >>> encoding("lap:8,skip=null,apart=True").parts[0].options
    (('skip', 'null'), ('apart', True))
    >>> encoding("lab:8")
    Traceback (most recent call last):
    ...
    graphgauge.encodings.checks.EncodingError: unknown encoding 'lab'; known: lap, rwpe, degree, order
    """
    return Encoding(tuple(_part(part.strip()) for part in text.split("+")) if text.strip() else ())


def _part(text: str) -> Part:
    head, *options = (piece.strip() for piece in text.split(","))
    name, colon, columns = head.partition(":")
    if name not in ENCODINGS:
        raise EncodingError(f"unknown encoding {name!r}; known: {', '.join(ENCODINGS)}")
    if not colon or not columns.isascii() or not columns.isdigit():
        raise EncodingError(f"{text!r}: an encoding is given as name:columns, such as {name}:8")
    return Part(name, int(columns), tuple(_option(text, option) for option in options))


def _option(text: str, option: str) -> tuple[str, Any]:
    name, equals, value = option.partition("=")
    if not equals:
        raise EncodingError(f"{text!r}: {option!r} is not of the form option=value")
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value
