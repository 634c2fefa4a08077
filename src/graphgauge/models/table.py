"""The models by name, and how a model is made from a name, a class or a user's module."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Any

from torch import nn

from graphgauge.models.gat import GAT
from graphgauge.models.gatedgcn import GatedGCN
from graphgauge.models.gatv2 import GATv2
from graphgauge.models.gcn import GCN
from graphgauge.models.ggnn import GGNN
from graphgauge.models.gin import GIN
from graphgauge.models.laplacian import Laplacian

Builder = Callable[..., nn.Module]

MODELS: dict[str, Builder] = {
    "gcn": GCN,
    "gin": GIN,
    "gat": GAT,
    "gatv2": GATv2,
    "ggnn": GGNN,
    "gatedgcn": GatedGCN,
    "laplacian": Laplacian,
}


class ModelError(ValueError):
    """A model that cannot be found or made. The message names it and says what is known."""


def build(name: str | Builder, *, out_features: int = 64, **options: Any) -> nn.Module:
    """A new model from a name of `MODELS`, a ``package.module:Name`` or a class or factory.

    Weights come from PyTorch's global generator: call `torch.manual_seed` first. A user's own class gets
    `out_features` only if it has an argument of that name. `ModelError` says what is wrong with a name, an
    unknown or a missing option.

    >>> build("gcn", width=16)(graphs := __import__("graphgauge").GraphSet.from_edges([[(0, 1)]])).shape
    torch.Size([2, 64])
    >>> build("gcn", depth=3)
    Traceback (most recent call last):
    ...
    graphgauge.models.table.ModelError: gcn has no option 'depth'; its options: in_features, layers, width
    """
    shown = name if isinstance(name, str) else getattr(name, "__qualname__", repr(name))
    builder = find(name) if isinstance(name, str) else name
    if not callable(builder):
        raise ModelError(f"{shown} is a {type(builder).__name__}; a model is made by a class or function")
    options = _checked(shown, builder, {"out_features": out_features, **options}, name in MODELS)
    model = builder(**options)
    if not isinstance(model, nn.Module):
        raise ModelError(f"{shown} made a {type(model).__name__}, not a torch.nn.Module")
    return model


def find(name: str) -> Builder:
    """The class or factory of a name: one of `MODELS` or ``package.module:Name``."""
    if name in MODELS:
        return MODELS[name]
    if ":" in name:
        return resolve(name)
    raise ModelError(
        f"unknown model {name!r}; known: {', '.join(MODELS)}, or your own as package.module:Name"
    )


def resolve(path: str) -> Builder:
    """The class or factory behind ``package.module:Name`` (Name may have dots).

    >>> resolve("graphgauge.models.gcn:GCN").__name__
    'GCN'
    """
    module_name, _, attribute = path.partition(":")
    if not module_name or not attribute:
        raise ModelError(f"{path!r} is not of the form package.module:Name")
    try:
        value: Any = import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise  # the user's module was found; something that it imports was not
        raise ModelError(f"model {path!r}: there is no module {error.name!r} (is it installed?)") from error
    for part in attribute.split("."):
        if not hasattr(value, part):
            raise ModelError(f"model {path!r}: {module_name!r} has no {attribute!r}")
        value = getattr(value, part)
    if not callable(value) or isinstance(value, nn.Module):
        raise ModelError(
            f"model {path!r} is a {type(value).__name__}, not a class or function that makes a model"
        )
    builder: Builder = value
    return builder


def _checked(shown: str, builder: Builder, options: dict[str, Any], ours: bool) -> dict[str, Any]:
    """The options that the builder takes; `ModelError` for unknown and for missing ones."""
    bare = inspect.isclass(builder) and builder.__init__ is nn.Module.__init__  # takes nothing, says anything
    parameters = {} if bare else dict(inspect.signature(builder).parameters)
    named = [p for p in parameters.values() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    known = {p.name for p in named}
    takes_all = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    if not ours and not takes_all and "out_features" not in known:
        options = {k: v for k, v in options.items() if k != "out_features"}
    listed = ", ".join(sorted(known - {"out_features"})) or "none"
    unknown = [] if takes_all else [k for k in options if k not in known]
    if unknown:
        raise ModelError(f"{shown} has no option {unknown[0]!r}; its options: {listed}")
    missing = [p.name for p in named if p.default is p.empty and p.name not in options]
    positional = [p.name for p in parameters.values() if p.kind is p.POSITIONAL_ONLY and p.default is p.empty]
    if missing or positional:
        wants = ", ".join(missing + positional)
        raise ModelError(
            f"{shown} wants {wants} and got no value for it; a model is made from options by name"
        )
    return options
