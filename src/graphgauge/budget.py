"""Parameter budgets: the one way to count parameters, and the width that fits a limit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from torch import nn


def count_parameters(module: nn.Module) -> int:
    """Trainable numbers in a module; a parameter used in several places counts once, buffers do not.

    >>> count_parameters(nn.Linear(3, 2))
    8
    """
    return sum(p.numel() for p in module.parameters() if p.requires_grad)


@dataclass(frozen=True)
class Fit:
    """A width and the number of parameters it gives, under a limit."""

    width: int
    parameters: int
    limit: int

    def __str__(self) -> str:
        share = self.parameters / self.limit
        return f"width {self.width}: {self.parameters:,} of {self.limit:,} parameters ({share:.1%})"


def fit_width(
    build: Callable[[int], nn.Module], limit: int, *, multiple_of: int = 1, max_width: int = 1 << 16
) -> Fit:
    """The largest width whose model has at most `limit` parameters, by bisection.

    Parameters
    ----------
    build : width → module; parameters must grow with the width
    limit : most parameters allowed
    multiple_of : widths tried are multiples of this (attention heads must divide the width)
    max_width : widest model that is built

    Raises ValueError if the narrowest model is too large, if parameters do not grow with the width, or if
    the widest is still within the limit.

    >>> print(fit_width(lambda w: nn.Linear(w, w), 1000))
    width 31: 992 of 1,000 parameters (99.2%)
    """
    counts: dict[int, int] = {}

    def count(step: int) -> int:
        if step not in counts:
            counts[step] = count_parameters(build(step * multiple_of))
        return counts[step]

    if count(1) > limit:
        raise ValueError(
            f"width {multiple_of} already has {count(1):,} parameters, more than the limit {limit:,}"
        )
    low, high = 1, 2
    while count(high) <= limit:
        _check_grows(counts, multiple_of)
        if high * multiple_of >= max_width:
            raise ValueError(
                f"width {high * multiple_of} is still within {limit:,} parameters: does it matter?"
            )
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if count(middle) <= limit else (low, middle)
    _check_grows(counts, multiple_of)
    return Fit(low * multiple_of, count(low), limit)


def _check_grows(counts: dict[int, int], multiple_of: int) -> None:
    steps = sorted(counts)
    for a, b in pairwise(steps):
        if counts[a] >= counts[b]:
            raise ValueError(
                f"parameters do not grow with the width: {counts[a]:,} at {a * multiple_of}, "
                f"{counts[b]:,} at {b * multiple_of}"
            )


def describe(module: nn.Module) -> str:
    """One line for each direct part of a module with its parameters, and the total.

    >>> print(describe(nn.Sequential(nn.Linear(3, 2), nn.ReLU(), nn.Linear(2, 1))))
    0  Linear    8
    2  Linear    3
    total       11
    """
    parts = [(n, type(m).__name__, count_parameters(m)) for n, m in module.named_children()]
    rows = [(n, kind, f"{size:,}") for n, kind, size in parts if size]
    total = f"{count_parameters(module):,}"
    name_width = max([len(n) for n, _, _ in rows], default=0)
    kind_width = max([len(kind) for _, kind, _ in rows], default=0)
    number_width = max([len(total), *(len(size) for _, _, size in rows)]) + 3
    lines = [f"{n:<{name_width}}  {kind:<{kind_width}}{size:>{number_width}}" for n, kind, size in rows]
    left = max(name_width + 2 + kind_width, len("total"))
    return "\n".join([*lines, f"{'total':<{left}}{total:>{number_width}}"])
