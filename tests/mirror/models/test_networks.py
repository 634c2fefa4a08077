"""Nets for supervised tasks: what they return, what they read, and what they say of wrong options."""

from __future__ import annotations

import pytest
import torch

from graphgauge import GraphSet
from graphgauge.graphs.task import Feature
from graphgauge.models.architectures import ARCHITECTURES, build_network
from graphgauge.models.table import ModelError

ATOM, BOND = Feature("atom", "category", 5), Feature("bond", "number", 2)
GRAPHS = GraphSet.from_edges([[(0, 1), (1, 2), (2, 0)], [], [(0, 1)], []], [4, 0, 2, 1]).with_columns(
    node={"atom": torch.tensor([0, 1, 2, 3, 4, 0, 1])}, edge={"bond": torch.rand(8, 2)}
)
EVERY = pytest.mark.parametrize(
    ("name", "edges"), [(name, edges) for name, plan in ARCHITECTURES.items() for edges in plan.variants]
)


@EVERY
def test_outputs_of_every_level(name: str, edges: str) -> None:
    outputs = {"graph": 3, "node": 2, "edge": 4}
    net = build_network(name, ATOM, BOND, outputs, width=8, layers=2, edges=edges)
    found = net(GRAPHS)
    assert {k: tuple(v.shape) for k, v in found.items()} == {"graph": (4, 3), "node": (7, 2), "edge": (8, 4)}
    assert all(torch.isfinite(v).all() for v in found.values())
    sum(v.sum() for v in found.values()).backward()


@EVERY
def test_links(name: str, edges: str) -> None:
    net = build_network(name, ATOM, BOND, {"link": 1}, width=8, layers=2, edges=edges)
    states = net.states(GRAPHS)
    pairs = torch.tensor([[0, 1], [1, 0], [6, 6]])
    assert states.shape == (7, 8)
    scores = net.pair_scores(states, pairs)
    assert scores.shape == (3,)
    assert net(GRAPHS) == {}
    many = net.pair_scores(states, pairs.repeat(5, 1))  # the other order of work
    torch.testing.assert_close(many, scores.repeat(5))


def test_unknown_names_and_options() -> None:
    with pytest.raises(ModelError, match=r"unknown net 'gnc'; known: mlp, gcn"):
        build_network("gnc", None, None, {"graph": 1}, width=8, layers=2)
    with pytest.raises(ModelError, match=r"gin has no option 'heads'; its options: dropout, edge_empty"):
        build_network("gin", None, None, {"graph": 1}, width=8, layers=2, heads=8)
    with pytest.raises(ModelError, match=r"edges of gat must be one of none, features, .*, got 'all'"):
        build_network("gat", None, None, {"graph": 1}, width=8, layers=2, edges="all")
    with pytest.raises(ModelError, match="pooling must be one of mean, sum, max, set2set, got 'median'"):
        build_network("gin", None, None, {"graph": 1}, width=8, layers=2, pooling="median")
