"""A number between two samples, with everything that defines it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True)
class Distance:
    """One value, and what it means; it converts to a plain float.

    Parameters
    ----------
    value : the number, float64, without any hidden factor
    name : short and stable, such as "mmd2" or "precision"
    definition : what was computed, in JSON values: squared or not, estimator, kernel, bandwidth, k, scaler,
        and the sizes `n`, `m` (rows of x and of y) and `d` (columns)
    range : smallest and largest value that the definition allows, ±inf where there is no bound
    lower_is_better : direction, where y is the reference
    extra : further results that came at no cost, such as the value at every bandwidth

    >>> result = Distance(0.25, "mmd2", {"squared": True, "n": 10}, range=(0.0, 2.0))
    >>> float(result), result
    (0.25, mmd2 = 0.25 (squared=True, n=10; lower is better, range [0, 2]))
    """

    value: float
    name: str
    definition: Mapping[str, Any]
    range: tuple[float, float]
    lower_is_better: bool = True
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", float(self.value))
        object.__setattr__(self, "definition", MappingProxyType(dict(self.definition)))
        object.__setattr__(self, "extra", MappingProxyType(dict(self.extra)))

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        parts = ", ".join(f"{key}={value}" for key, value in self.definition.items())
        direction = "lower" if self.lower_is_better else "higher"
        low, high = self.range
        return f"{self.name} = {self.value:.6g} ({parts}; {direction} is better, range [{low:g}, {high:g}])"

    def __reduce__(self) -> tuple[Any, ...]:
        """Read-only mappings cannot be pickled as such: they travel as plain dicts."""
        parts = (self.name, dict(self.definition), self.range, self.lower_is_better, dict(self.extra))
        return Distance, (self.value, *parts)
