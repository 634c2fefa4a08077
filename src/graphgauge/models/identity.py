"""What a model is, so that it can be made again and a changed one is told from the old.

A change in a function of the user's that a model merely calls is not seen.
"""

from __future__ import annotations

import copy
import hashlib
import inspect
import re
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import Tensor, nn

from graphgauge.models.table import ModelError


def architecture_digest(model: nn.Module) -> str:
    """16 digits that change with what the model prints, the shapes of its parameters, the values of its
    buffers, and the code and attributes of classes that are the user's own.

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
LIBRARIES = ("torch", "torch_geometric", "graphgauge", "builtins", "numpy", "scipy", "networkx", "rdkit")


def own_code(model: nn.Module) -> str:
    """Source, attributes and buffers of all modules whose class is no library's; "" where there are none."""
    found = [m for m in model.modules() if _is_own(type(m))]
    sources = sorted({_source(cls) for m in found for cls in type(m).__mro__ if _is_own(cls)})
    told = [
        [
            sorted((k, _told(v)) for k, v in vars(m).items() if k not in _OF_TORCH),
            _told(dict(m.named_buffers())),
        ]
        for m in found
    ]
    return f"{sources}{told}" if found else ""


# What every module has; parameters are drawn anew, and modules and buffers looked at by themselves.
_OF_TORCH = frozenset(vars(nn.Module()))


def _told(value: Any, depth: int = 0) -> str:
    """A value as a text that changes with it; without addresses, which change by themselves."""
    if isinstance(value, Tensor):
        array = value.detach().cpu().contiguous().numpy()
        return f"{array.dtype}{array.shape}{hashlib.sha256(array.tobytes()).hexdigest()}"
    if depth < 5 and isinstance(value, Mapping):
        return str(sorted((str(k), _told(v, depth + 1)) for k, v in value.items()))
    if depth < 5 and isinstance(value, list | tuple):
        return str([_told(v, depth + 1) for v in value])
    if inspect.isfunction(value):
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
        return f"{value.__qualname__}{_source(value)}{_told(cells, depth + 1)}"
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


def _is_own(cls: type) -> bool:
    return _is_own_name(cls.__module__)


def _is_own_name(module: str) -> bool:
    return module.partition(".")[0] not in LIBRARIES


def _source(cls: Any) -> str:
    try:
        return inspect.getsource(cls)
    except (OSError, TypeError):  # made by exec, or its file is gone
        return str(cls.__qualname__)


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
