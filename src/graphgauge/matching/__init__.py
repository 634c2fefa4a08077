"""Similarity → assignment. Every solver takes one (n, m) matrix and returns the column of every row."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor

from graphgauge.matching.greedy import greedy
from graphgauge.matching.lap import linear_assignment

SOLVERS: dict[str, Callable[[Tensor], Tensor]] = {
    "lap": linear_assignment,
    "greedy": greedy,
}

__all__ = ["SOLVERS", "greedy", "linear_assignment"]
