"""Validity checks and encoders by name, by import path, or as an object of the user's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphgauge.instruments.generation.shares import Check
from graphgauge.instruments.generation.views import Encoder
from graphgauge.models import ModelError, resolve
from graphgauge.scores import VALID

UNCHECKED = "every graph that could be read"  # the name of no check at all


def as_check(valid: Any) -> Check:
    """What makes a graph valid.

    Parameters
    ----------
    valid : None (every graph that could be read), a name of `graphgauge.scores.VALID`, "package.module:name",
        or a function GraphSet → (G,) bool

    >>> as_check("tree").name
    'tree'
    """
    if valid is None:
        return Check(UNCHECKED)
    if isinstance(valid, str) and valid in VALID:
        return Check(valid, VALID[valid])
    if isinstance(valid, str):
        if ":" not in valid:
            raise ValueError(
                f"no validity check {valid!r}; there are {', '.join(VALID)}, and package.module:function"
            )
        return Check(valid, _imported(valid))
    if not callable(valid):
        raise TypeError(f"valid must be a name or a function of a GraphSet, got a {type(valid).__name__}")
    return Check(getattr(valid, "__name__", type(valid).__name__), valid)


def as_encoder(path: str) -> Encoder:
    """The node encoder behind "package.module:Name": a function of a GraphSet, a module, or a class or
    function without arguments that makes one."""
    found = _imported(path)
    made = found() if isinstance(found, type) else found
    encoder: Encoder = made
    return encoder


def _imported(path: str) -> Callable[..., Any]:
    try:
        found: Callable[..., Any] = resolve(path)
    except ModelError as error:
        raise ValueError(str(error).removeprefix("model ")) from error
    return found
