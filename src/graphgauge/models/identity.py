"""What a model is, so that it can be made again and a changed one is told from the old."""

from __future__ import annotations

import copy
import hashlib
import inspect
import traceback
from pathlib import Path

from torch import nn

from graphgauge.models.table import ModelError


def architecture_digest(model: nn.Module) -> str:
    """16 digits that change with what the model prints, the shapes of its tensors and a user's own code.

    >>> architecture_digest(nn.Linear(2, 1)) == architecture_digest(nn.Linear(2, 1))
    True
    >>> architecture_digest(nn.Linear(2, 1)) == architecture_digest(nn.Linear(2, 2))
    False
    """
    shapes = [(name, tuple(value.shape)) for name, value in model.state_dict().items()]
    return hashlib.sha256(f"{model!r}{shapes}{own_code(model)}".encode()).hexdigest()[:16]


def reason(error: Exception) -> str:
    """Kind and text of an error, and the last line of the user's own code on the way to it."""
    frames = traceback.walk_tb(error.__traceback__)
    own = [(frame, line) for frame, line in frames if _is_own_name(frame.f_globals.get("__name__", ""))]
    where = "".join(f" ({Path(frame.f_code.co_filename).name}, line {line})" for frame, line in own[-1:])
    return f"{type(error).__name__}: {error}{where}"


# Packages whose classes are told apart by what they print; a change of theirs is a change of version.
LIBRARIES = ("torch", "torch_geometric", "graphgauge", "builtins")


def own_code(model: nn.Module) -> str:
    """Source and plain attributes of all modules whose class is no library's; "" where there are none."""
    found = [m for m in model.modules() if _is_own(type(m))]
    sources = sorted({_source(cls) for m in found for cls in type(m).__mro__ if _is_own(cls)})
    plain = [
        sorted((k, repr(v)) for k, v in vars(m).items() if isinstance(v, bool | int | float | str))
        for m in found
    ]
    return f"{sources}{plain}" if found else ""


def _is_own(cls: type) -> bool:
    return _is_own_name(cls.__module__)


def _is_own_name(module: str) -> bool:
    return module.partition(".")[0] not in LIBRARIES


def _source(cls: type) -> str:
    try:
        return inspect.getsource(cls)
    except (OSError, TypeError):  # made by exec, or its file is gone
        return cls.__qualname__


def reinitialised(model: nn.Module) -> nn.Module:
    """A copy of a module with fresh weights, drawn by its own `reset_parameters` methods.

    Raises ModelError naming a parameter that no such method covers; give the class or a function then.
    """
    fresh = copy.deepcopy(model)
    covered: set[int] = set()

    def visit(module: nn.Module) -> None:
        reset = getattr(module, "reset_parameters", None)
        if callable(reset):
            reset()
            covered.update(id(p) for p in module.parameters())
            return
        for child in module.children():
            visit(child)

    visit(fresh)
    missed = [name for name, p in fresh.named_parameters() if id(p) not in covered]
    if missed:
        raise ModelError(
            f"the parameter {missed[0]!r} of {type(model).__name__} belongs to no module with "
            "reset_parameters(); give the class or a function that builds the model instead"
        )
    return fresh
