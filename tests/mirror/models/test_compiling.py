"""Compiled loops where nothing can be cached on disk."""

from __future__ import annotations

import pytest

from graphgauge import compiling


def double(x: int) -> int:
    return 2 * x


def test_without_a_place_for_the_cache_loops_are_compiled_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    real = compiling.njit

    def njit(**options):
        if options.get("cache"):
            raise RuntimeError("cannot cache function 'double': no locator available for file 'x.py'")
        return real(**options)

    monkeypatch.setattr(compiling, "njit", njit)
    assert compiling.loop(double)(21) == 42


def test_other_errors_are_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def njit(**options):
        raise RuntimeError("something else")

    monkeypatch.setattr(compiling, "njit", njit)
    with pytest.raises(RuntimeError, match="something else"):
        compiling.loop(double)
