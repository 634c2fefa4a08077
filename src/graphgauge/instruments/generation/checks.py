"""Validity checks and encoders by name, by import path, or as an object of the user's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor

from graphgauge.graphs import GraphSet
from graphgauge.instruments.generation.shares import Check
from graphgauge.instruments.generation.views import Encoder
from graphgauge.models import ModelError, resolve
from graphgauge.models.identity import reason
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
        return Check(valid, _named(_imported(valid), valid))
    if not callable(valid):
        raise TypeError(f"valid must be a name or a function of a GraphSet, got a {type(valid).__name__}")
    name = getattr(valid, "__name__", type(valid).__name__)
    return Check(name, _named(valid, name))


def _named(function: Callable[[GraphSet], Tensor], name: str) -> Callable[[GraphSet], Tensor]:
    """The user's own check; what it raises is told with its name, the graph where that is known, and the
    line."""

    def check(graphs: GraphSet) -> Tensor:
        try:
            return function(graphs)
        except Exception as error:
            where = "".join(f", {one}" for one in getattr(error, "__notes__", ()))
            raise ValueError(f"the validity check {name!r} raised {reason(error)}{where}") from error

    return check


def check_encoder(encoder: Any) -> Encoder:
    """The encoder, once it is certain that it can be called with graphs."""
    if isinstance(encoder, type):
        raise TypeError(f"encoder is the class {encoder.__name__}; give an object of it")
    if not callable(encoder):
        raise TypeError(
            f"encoder must be a function of a GraphSet, got a {type(encoder).__name__}; as_encoder finds one "
            "by its path"
        )
    found: Encoder = encoder
    return found


def as_encoder(path: str) -> Encoder:
    """The node encoder behind "package.module:Name": a function of a GraphSet, a module, or a class or
    function without arguments that makes one."""
    found = _imported(path)
    if not isinstance(found, type):
        return found
    try:
        return check_encoder(found())
    except Exception as error:
        raise ValueError(f"the encoder {path!r} cannot be made: {reason(error)}") from error


def _imported(path: str) -> Callable[..., Any]:
    try:
        found: Callable[..., Any] = resolve(path)
    except ModelError as error:
        raise ValueError(str(error).removeprefix("model ")) from error
    return found
