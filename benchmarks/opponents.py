"""Other people's packages, imported safely: what their import drags in but the measured code never calls is
replaced by an empty module, and only if it is missing."""

from __future__ import annotations

import sys
import typing
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

# Imported by ngab at the top of a file, used only to log a run or to download data.
UNUSED = ("wandb", "huggingface_hub")


def ngab() -> ModuleType:
    """The package `ngab` 0.1.1. It asks for Python 3.12, of which it only uses `typing.override`."""
    if not hasattr(typing, "override"):
        typing.override = lambda method: method  # type: ignore[attr-defined]
    for name in UNUSED:
        if name not in sys.modules and find_spec(name) is None:
            sys.modules[name] = ModuleType(name)
    if find_spec("ngab") is None:
        sys.exit(
            "ngab is not installed; run: python -m pip install --no-deps --ignore-requires-python "
            "-r benchmarks/requirements.txt"
        )
    return import_module("ngab")
