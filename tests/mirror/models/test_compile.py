"""Models under torch.compile: they get the plain twins and give the same values."""

from __future__ import annotations

import pytest
import torch

from graphgauge import GraphSet
from graphgauge.models import build


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gcn", "gat"])
def test_compiled_models_give_the_same(name: str) -> None:
    graphs = GraphSet.from_edges([[(0, 1), (1, 2), (1, 3), (3, 4)], [], [(0, 1)]], [5, 2, 2])
    model = build(name, width=16, layers=2)
    expected = model(graphs)
    out = torch.compile(model, dynamic=True)(graphs)
    torch.testing.assert_close(out, expected, rtol=1e-3, atol=1e-3)
    out.sum().backward()
    assert all(p.grad is not None for p in model.parameters())
