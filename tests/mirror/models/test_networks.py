"""Nets for supervised tasks: what they return, what they read, and what they say of wrong options."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from graphgauge import GraphSet
from graphgauge.graphs.task import Feature
from graphgauge.models.architectures import ARCHITECTURES, build_network
from graphgauge.models.table import ModelError

ATOM, BOND = Feature("atom", "category", 5), Feature("bond", "number", 2)
GRAPHS = GraphSet.from_edges([[(0, 1), (1, 2), (2, 0)], [], [(0, 1)], []], [4, 0, 2, 1]).with_columns(
    node={"atom": torch.tensor([0, 1, 2, 3, 4, 0, 1]), "order": torch.arange(7)},
    edge={"bond": torch.rand(8, 2)},
)
EVERY = pytest.mark.parametrize(
    ("name", "edges"), [(name, edges) for name, plan in ARCHITECTURES.items() for edges in plan.variants]
)


@EVERY
def test_outputs_of_every_level(name: str, edges: str) -> None:
    outputs = {"graph": 3, "node": 2, "edge": 4}
    net = build_network(name, ATOM, BOND, outputs, width=8, layers=2, edges=edges, order=7)
    found = net(GRAPHS)
    assert {k: tuple(v.shape) for k, v in found.items()} == {"graph": (4, 3), "node": (7, 2), "edge": (8, 4)}
    assert all(torch.isfinite(v).all() for v in found.values())
    sum(v.sum() for v in found.values()).backward()


@EVERY
def test_links(name: str, edges: str) -> None:
    net = build_network(name, ATOM, BOND, {"link": 1}, width=8, layers=2, edges=edges, order=7)
    states = net.states(GRAPHS)
    pairs = torch.tensor([[0, 1], [1, 0], [6, 6]])
    assert states.shape == (7, 8)
    scores = net.pair_scores(states, pairs)
    assert scores.shape == (3,)
    assert net(GRAPHS) == {}
    many = net.pair_scores(states, pairs.repeat(5, 1))  # the other order of work
    torch.testing.assert_close(many, scores.repeat(5))


def test_unknown_names_and_options() -> None:
    with pytest.raises(ModelError, match=r"unknown net 'gnc'; known: mlp, gcn.*ppgn, or your own"):
        build_network("gnc", None, None, {"graph": 1}, width=8, layers=2)
    with pytest.raises(ModelError, match=r"gin has no option 'heads'; its options: dropout, edge_empty"):
        build_network("gin", None, None, {"graph": 1}, width=8, layers=2, heads=8)
    with pytest.raises(ModelError, match=r"ppgn has no option 'heads'; its options: linear_edges"):
        build_network("ppgn", None, None, {"graph": 1}, width=8, layers=2, heads=8)
    for wrong in ({"width": 0}, {"layers": -1}):
        with pytest.raises(ModelError, match=f"{next(iter(wrong))} must be positive"):
            build_network("gin", None, None, {"graph": 1}, **{"width": 8, "layers": 2, **wrong})
    with pytest.raises(ModelError, match=r"edges of gat must be one of none, features, .*, got 'all'"):
        build_network("gat", None, None, {"graph": 1}, width=8, layers=2, edges="all")
    with pytest.raises(ModelError, match="pooling must be one of mean, sum, max, set2set, got 'median'"):
        build_network("gin", None, None, {"graph": 1}, width=8, layers=2, pooling="median")


class Encoder(nn.Module):
    """A user's encoder, wider than asked where `wrong` is not 0."""

    def __init__(self, out_features: int, layers: int, wrong: int = 0) -> None:
        super().__init__()
        self.table, self.layers = nn.Embedding(5, out_features + wrong), layers

    def forward(self, graphs: GraphSet) -> torch.Tensor:
        return self.table(graphs.node["atom"])


def test_a_users_own_encoder_gets_a_readout() -> None:
    torch.manual_seed(0)
    net = build_network(Encoder, ATOM, None, {"graph": 3, "link": 1}, width=8, layers=4, pooling="sum")
    assert net.encoder.layers == 4
    assert net(GRAPHS)["graph"].shape == (4, 3)
    assert net.pair_scores(net.states(GRAPHS), torch.tensor([[0, 1]])).shape == (1,)
    with pytest.raises(ModelError, match=r"Encoder returned \(7, 9\).*\(7, 8\)"):
        build_network(Encoder, ATOM, None, {"graph": 3}, width=8, layers=4, wrong=1)(GRAPHS)
    with pytest.raises(ModelError, match="Encoder has no option 'depth'; its options: layers, wrong"):
        build_network(Encoder, ATOM, None, {"graph": 3}, width=8, layers=4, depth=1)


def test_matrix_factorisation_has_nothing_but_a_vector_for_every_node() -> None:
    net = build_network("matrix_factorisation", ATOM, BOND, {"link": 1}, width=4, layers=2, order=7)
    assert torch.equal(net.states(GRAPHS), net.node.number.weight)
    with pytest.raises(ModelError, match=r"nodes without a column need .* order"):
        build_network("matrix_factorisation", ATOM, BOND, {"link": 1}, width=4, layers=2)
