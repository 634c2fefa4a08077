"""Checks of what a caller asks for, and the random streams that answer it."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from graphgauge.datasets.errors import DatasetError


def stream(name: str, seed: int, split: str) -> np.random.Generator:
    """An independent random stream for every (name, seed, split): the only source of chance in this room.

    >>> stream("er", 0, "train").random() == stream("er", 0, "val").random()
    False
    """
    whole("seed", seed, 0)
    label = hashlib.sha256(f"{name}|{split}".encode()).digest()[:16]
    return np.random.default_rng([int.from_bytes(label, "little"), int(seed)])


def known(function: Callable[..., Any]) -> dict[str, Any]:
    """Options of a generator or reader and their defaults: its keyword-only parameters.

    >>> known(lambda rng, size, *, nodes=100: None)
    {'nodes': 100}
    """
    parameters = inspect.signature(function).parameters.values()
    return {p.name: p.default for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY}


def check_options(name: str, given: Mapping[str, Any], allowed: Mapping[str, Any]) -> None:
    """Raise unless every given option is one of the allowed ones."""
    for option in given:
        if option not in allowed:
            listed = ", ".join(f"{k} (default {v!r})" for k, v in allowed.items()) or "none"
            raise DatasetError(f"{name} has no option {option!r}; its options are: {listed}")


def whole(what: str, value: Any, low: int, high: int | None = None) -> int:
    """`value` as a whole number between `low` and `high`, or an error that says what is wrong.

    >>> whole("nodes", 5, 1)
    5
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise DatasetError(f"{what} must be a whole number, got {value!r}")
    return int(number(what, value, low, high))


def number(what: str, value: Any, low: float, high: float | None = None) -> float:
    """`value` as a finite number between `low` and `high`, or an error that says what is wrong."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise DatasetError(f"{what} must be a number, got {value!r}")
    if not np.isfinite(value) or value < low or (high is not None and value > high):
        bound = f"at least {low}" if high is None else f"between {low} and {high}"
        raise DatasetError(f"{what} must be {bound}, got {value!r}")
    return value  # type: ignore[return-value]
