"""Parameter budgets: what they mean, the width that meets one, and nets that miss theirs."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import torch
from torch import nn

from graphgauge.budget import count_parameters, fit_width

# A net may miss its budget by so much.
TOLERANCE = 0.03
LARGEST = 10**9
# Width → net.
Maker = Callable[[int], nn.Module]


def limit_of(budget: str | int) -> int:
    """Parameters of a budget.

    >>> limit_of("100k"), limit_of("2500"), limit_of("1.5m")
    (100000, 2500, 1500000)
    """
    text = str(budget).strip().lower()
    factor = {"k": 1_000, "m": 1_000_000}.get(text[-1:], 1)
    try:
        limit = float(text[:-1] if factor > 1 else text) * factor
    except ValueError:
        limit = 0.0
    if not 1 <= limit <= LARGEST or limit != int(limit):
        raise ValueError(
            f"a budget is a number of parameters up to {LARGEST:,}, such as 100k or 250000, not {budget!r}"
        )
    return int(limit)


def spelled(budget: str | int) -> str:
    """The one spelling of a budget, by which published nets are known.

    >>> spelled("0.5m"), spelled(100_000), spelled(2500)
    ('500k', '100k', '2500')
    """
    limit = limit_of(budget)
    return f"{limit // 1000}k" if limit % 1000 == 0 else str(limit)


def fitted(name: str, make: Maker, budget: str, step: int) -> int:
    """The width, a multiple of `step`, whose net has the number of parameters nearest to the budget."""
    limit = limit_of(budget)
    try:
        below = fit_width(lambda width: _bare(make, width), limit, multiple_of=step).width
    except ValueError as error:
        raise ValueError(f"model {name!r}, budget {budget}: {error}") from error
    return min((below, below + step), key=lambda width: abs(size_of(make, width) - limit))


def check(name: str, make: Maker, width: int, budget: str, layers: int, step: int) -> None:
    """Raise `ValueError` where the net misses its budget by more than 3 %, with what is near."""
    limit, size = limit_of(budget), size_of(make, width)
    if abs(size - limit) <= TOLERANCE * limit:
        return
    near = [w for w in (width - step, width + step) if w > 0]
    others = ", ".join(f"{w}: {size_of(make, w):,}" for w in near)
    raise ValueError(
        f"model {name!r} with {layers} layers of width {width} has {size:,} parameters, "
        f"{size / limit - 1:+.1%} from its budget of {limit:,} (width {others}); choose another width or "
        "number of layers, or allow it (loose=True, --loose)"
    )


def size_of(make: Maker, width: int) -> int:
    return count_parameters(_bare(make, width))


def _bare(make: Maker, width: int) -> nn.Module:
    """A net without memory for its weights, where it can be made so."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Initializing zero-element tensors", UserWarning)
        try:
            with torch.device("meta"):
                return make(width)
        except Exception:  # noqa: BLE001  some modules compute with their weights when they are made
            return make(width)
