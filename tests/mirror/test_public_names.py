"""What a user imports."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

import graphgauge


@pytest.mark.parametrize("instrument", ["alignment", "generation"])
def test_an_instrument_is_a_module_of_the_package(instrument: str) -> None:
    inside = import_module(f"graphgauge.instruments.{instrument}")
    outside = import_module(f"graphgauge.{instrument}")
    assert getattr(graphgauge, instrument).Settings is inside.Settings
    assert set(inside.__all__) <= set(vars(outside))
    assert all(getattr(outside, name) is getattr(inside, name) for name in inside.__all__)


def test_every_public_name_is_there() -> None:
    for name in graphgauge.__all__:
        assert getattr(graphgauge, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'instruments_of_music'"):
        _ = graphgauge.instruments_of_music


def test_a_fresh_process_imports_from_them() -> None:
    code = (
        "from graphgauge.alignment import benchmark\n"
        "from graphgauge.generation import Evaluator\n"
        "import graphgauge\n"
        "assert graphgauge.generation.Evaluator is Evaluator\n"
        "assert graphgauge.alignment.benchmark is benchmark\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
