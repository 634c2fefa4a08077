"""How numbers of unknown size are written: four significant digits, deviations with two."""

from __future__ import annotations

import math

SMALL, LARGE = 1e-4, 1e6  # scientific below and from here


def number(value: float) -> str:
    """Four significant digits, or three after the point in scientific notation; whole numbers as such.

    >>> number(0.61), number(0.012345), number(0.0000321), number(20), number(12345.6)
    ('0.6100', '0.01235', '3.210e-05', '20', '12,346')
    """
    return _text(value, 4)


def deviation(value: float) -> str:
    """Two significant digits.

    >>> deviation(0.01234), deviation(0.000012), deviation(3.14159), deviation(0)
    ('0.012', '1.2e-05', '3.1', '0')
    """
    return _text(value, 2)


def bound(value: float) -> str:
    """Three significant digits: an end of an interval.

    >>> bound(-0.012345)
    '-0.0123'
    """
    return _text(value, 3)


def _text(value: float, digits: int) -> str:
    if not math.isfinite(value):
        return str(value)
    if value == 0:
        return "0"
    size = abs(value)
    if size < SMALL or size >= LARGE:
        return f"{value:.{digits - 1}e}"
    if (value == round(value) and size >= 1) or size >= 10**digits / 10:
        return f"{value:,.0f}"
    return f"{value:#.{digits}g}".rstrip(".")
