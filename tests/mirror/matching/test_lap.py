"""Bad similarity matrices are answered by name."""

from __future__ import annotations

import pytest
import torch

from graphgauge.matching import SOLVERS


@pytest.mark.parametrize("solver", SOLVERS.values(), ids=SOLVERS)
class TestSolvers:
    def test_row_that_is_not_finite_is_named(self, solver) -> None:
        sigma = torch.zeros(3, 3)
        sigma[1, 2] = float("nan")
        with pytest.raises(ValueError, match="row 1 of the similarity is not finite"):
            solver(sigma)

    def test_infinite_row_does_not_hang(self, solver) -> None:
        sigma = torch.zeros(3, 3)
        sigma[2] = float("inf")
        with pytest.raises(ValueError, match="row 2"):
            solver(sigma)

    def test_more_rows_than_columns(self, solver) -> None:
        with pytest.raises(ValueError, match="3 rows cannot be assigned one to one to 2 columns"):
            solver(torch.zeros(3, 2))

    def test_too_large_is_refused_before_anything_is_touched(self, solver) -> None:
        huge = torch.zeros(1).expand(50_000, 50_000)  # no memory behind it
        with pytest.raises(ValueError, match="2500000000 entries"):
            solver(huge)

    def test_empty(self, solver) -> None:
        assert solver(torch.zeros(0, 0)).tolist() == []
