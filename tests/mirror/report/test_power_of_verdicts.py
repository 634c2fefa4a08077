"""The script behind the table of powers in docs/generation.md."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

FILE = Path(__file__).parents[3] / "tools/power_of_verdicts.py"


@pytest.fixture(scope="module")
def power() -> ModuleType:
    spec = importlib.util.spec_from_file_location("power_of_verdicts", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["power_of_verdicts.py"])
        spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("measure", ["mean_difference", "biased_mmd"])
def test_verdicts_find_large_shifts_and_nothing_where_there_is_none(power: ModuleType, measure: str) -> None:
    function = getattr(power, measure)
    assert power.experiment(function, 40, 0.0, 60, seed=1)[0] <= 0.05
    worse, better, held, width = power.experiment(function, 40, 2.0, 60, seed=1)
    assert worse >= 0.9
    assert better == 0
    assert held >= 0.8
    assert 0.8 < width < 1.6


def test_parts_are_those_of_the_instrument(power: ModuleType) -> None:
    x = np.zeros((6, 4))
    y = np.arange(24.0).reshape(6, 4)
    value, half, floor = power.mean_difference(x, y)
    assert value == (y.mean(axis=0) ** 2).sum()
    assert len(half) == len(floor) == power.REPLICATES == 10
