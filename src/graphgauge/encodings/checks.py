"""Checks of what a caller asks for."""

from __future__ import annotations

from collections.abc import Sequence


class EncodingError(ValueError):
    """An encoding that cannot be found or made. The message names the wrong part and says what is known."""


def width(k: object) -> int:
    """A number of columns, 1 or more.

    >>> width(8)
    8
    """
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise ValueError(f"an encoding has 1 column or more, a whole number; got {k!r}")
    return k


def choice(name: str, value: str, known: Sequence[str]) -> str:
    """`value`, if it is one of the known ones.

    >>> choice("sign", "fixed", ["fixed", "absolute"])
    'fixed'
    """
    if value not in known:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}, got {value!r}")
    return value
