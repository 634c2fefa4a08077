"""Other people's packages, imported safely: what their import drags in but the measured code never calls is
replaced by an empty module, and only if it is missing."""

from __future__ import annotations

import sys
import typing
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

# Imported by ngab at the top of a file, used only to log a run or to download data.
UNUSED = ("wandb", "huggingface_hub")

HOW = "python -m pip install --no-deps --ignore-requires-python -r benchmarks/requirements.txt"


def ngab() -> ModuleType:
    """The package `ngab` 0.1.1. It asks for Python 3.12, of which it only uses `typing.override`."""
    if not hasattr(typing, "override"):
        typing.override = lambda method: method  # type: ignore[attr-defined]
    for name in UNUSED:
        _stand_in(name)
    return _imported("ngab")


def polygraph() -> ModuleType:
    """The package `polygraph-benchmark` 1.1.0, with `polygraph.metrics` and its descriptors and kernels.

    Its classifier TabPFN, a pretrained network of a gigabyte, is only asked whether another classifier is
    one of its kind. Its log of every random network is silenced.
    """
    kinds = {name: type(name, (), {}) for name in ("TabPFNClassifier", "ModelVersion")}
    _stand_in("tabpfn", **{"": kinds, "classifier": kinds})
    package = _imported("polygraph")
    import_module("loguru").logger.disable("polygraph")
    for part in ("metrics", "metrics.base", "utils.descriptors", "utils.kernels"):
        import_module(f"polygraph.{part}")
    return package


def _stand_in(package: str, **contents: Mapping[str, object]) -> None:
    """Modules of these contents in place of a package and its parts, unless it is installed."""
    if package in sys.modules or find_spec(package) is not None:
        return
    for part, names in ({"": {}} | contents).items():
        module = ModuleType(f"{package}.{part}".rstrip("."))
        vars(module).update(names)
        sys.modules[module.__name__] = module


def _imported(name: str) -> ModuleType:
    if find_spec(name) is None:
        sys.exit(f"{name} is not installed; run: {HOW}")
    return import_module(name)
