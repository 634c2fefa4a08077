"""What an evaluator says besides its numbers: help, notices, definitions."""

from __future__ import annotations

import inspect
import json
from dataclasses import Field, fields

import pytest

from graphgauge.instruments.generation import Evaluator, Settings


@pytest.mark.parametrize("field", fields(Settings), ids=lambda field: field.name)
def test_help_names_every_setting_with_its_default(field: Field[object]) -> None:
    default = json.dumps(field.default) if isinstance(field.default, str) else repr(field.default)
    assert f"{field.name} ({default})" in (inspect.getdoc(Evaluator) or "")
