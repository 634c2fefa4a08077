"""Dense models: what they read, how much memory they take, and what they say where it is too much."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
import torch

from graphgauge.graphs import Feature, GraphError, GraphSet
from graphgauge.models.dense import DenseMemoryError, available_memory, ppgn, ringgnn, room
from graphgauge.models.dense.entries import Channels, Entries
from graphgauge.models.dense.pooling import largest
from graphgauge.models.dense.squares import Squares
from graphgauge.models.table import ModelError

BUILDERS = {"ringgnn": ringgnn, "ppgn": ppgn}
EVERY = pytest.mark.parametrize("name", BUILDERS)
PATH = GraphSet.from_edges([[(0, 1), (1, 2)]])


def dense(graphs: GraphSet, channels: Channels) -> list[list[list[float]]]:
    x = Entries.of(channels.read(graphs), channels, torch.float64).dense()
    return x.unflatten(1, (graphs.num_nodes, graphs.num_nodes)).tolist()


def test_adjacency_is_divided_by_roots_of_degrees() -> None:
    h = 0.5**0.5
    (adjacency, nothing) = dense(PATH, Channels.of(None, None))
    torch.testing.assert_close(torch.tensor(adjacency), torch.tensor([[0, h, 0], [h, 0, h], [0, h, 0]]))
    assert nothing == [[0.0] * 3] * 3


def test_features_stand_on_the_diagonal_and_at_edges() -> None:
    graphs = PATH.with_columns(
        node={"x": torch.tensor([1, 0, 1]), "pe": torch.tensor([[0.5], [2.0], [3.0]])},
        edge={"e": torch.tensor([5.0, 6.0, 7.0, 8.0])},
    )
    node, edge = Feature("x", "category", 2), Feature("e", "number", 1)
    _, zero, one, pe, at_edges = dense(graphs, Channels.of(node, edge, 1))
    assert zero == [[0, 0, 0], [0, 1, 0], [0, 0, 0]]
    assert one == [[1, 0, 0], [0, 0, 0], [0, 0, 1]]
    assert pe == [[0.5, 0, 0], [0, 2, 0], [0, 0, 3]]
    expected = torch.zeros(3, 3)
    expected[graphs.edge_index[0], graphs.edge_index[1]] = graphs.edge["e"]
    assert at_edges == expected.tolist()
    assert dense(graphs, Channels.of(node, None, 1, "replace"))[1:] == [pe]
    assert dense(graphs, Channels.of(None, None, 1))[1:] == [pe]


def test_edges_of_directed_graphs_stand_at_source_and_target() -> None:
    graphs = GraphSet.from_edges([[(0, 1), (2, 1)]], directed="keep")
    graphs = graphs.with_columns(edge={"e": torch.tensor([5.0, 6.0])})
    adjacency, _, at_edges = dense(graphs, Channels.of(None, Feature("e", "number", 1)))
    assert at_edges == [[0, 5, 0], [0, 0, 0], [0, 6, 0]]
    assert torch.tensor(adjacency).abs().sum() == 0  # the sources have no incoming edge


def test_largest_entries() -> None:
    x = torch.tensor([[7.0, -1.0, 9.0, 8.0, -2.0, -3.0, -4.0, -5.0, -6.0]], requires_grad=True)
    found = largest(x, Squares((0, 1, 2, 2)))
    assert found.tolist() == [[0, 7, -1, -3], [0, 0, 9, -4]]
    found.sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [[1, 1, 1, 0, 0, 1, 1, 0, 0]]


@EVERY
def test_a_graph_that_cannot_fit_is_named_before_anything_is_allocated(name: str) -> None:
    """The size of OGBL-COLLAB's only graph."""
    large = GraphSet.from_edges([[(0, 1)], [(0, 1), (5, 235_867)]], [2, 235_868])
    net = BUILDERS[name](None, None, {"link": 1}, width=32, layers=2)
    with pytest.raises(
        DenseMemoryError, match=rf"{name} .*graph 1 with 235,868 nodes needs about .* GiB"
    ) as e:
        net.states(large)
    assert isinstance(e.value, GraphError)
    assert (e.value.model, e.value.graph, e.value.nodes) == (name, 1, 235_868)
    assert e.value.needed > 235_868**2 * 4 * 32 > e.value.limit > 0
    assert str(pickle.loads(pickle.dumps(e.value))) == str(e.value)  # noqa: S301


@EVERY
def test_memory_limit(name: str) -> None:
    graphs = GraphSet.from_edges([[(0, 1)], [(0, 1), (1, 2)]], [2, 10])
    needed = 100 * 4 * BUILDERS[name](None, None, {"graph": 1}, width=4, layers=2).features_per_pair(True)
    for limit, fits in ((needed, True), (needed - 1, False)):
        net = BUILDERS[name](None, None, {"graph": 1}, width=4, layers=2, memory_limit=limit)
        if fits:
            net(graphs)
            continue
        with pytest.raises(DenseMemoryError, match="graph 1 with 10 nodes"):
            net(graphs)
        with torch.no_grad():  # without gradients less is kept
            net(graphs)


def test_available_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(room, "CGROUP", tmp_path)
    physical = available_memory()
    assert physical > 2**20
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:    7 kB\n")
    assert available_memory() == 7 * 1024
    (tmp_path / "memory.max").write_text("5000\n")
    (tmp_path / "memory.current").write_text("1000\n")
    assert available_memory() == 4000
    (tmp_path / "memory.max").write_text("max\n")
    assert available_memory() == 7 * 1024


@EVERY
def test_wrong_options(name: str) -> None:
    build = BUILDERS[name]
    with pytest.raises(ModelError, match="outputs of the levels graph, node, edge, link, not face"):
        build(None, None, {"face": 1}, width=4, layers=1)
    with pytest.raises(ModelError, match=f"{name} needs layers of at least 1, got 0"):
        build(None, None, {"graph": 1}, width=4, layers=0)
    with pytest.raises(ModelError, match="pe_mode must be one of add, replace"):
        build(None, None, {"graph": 1}, width=4, layers=1, pe=2, pe_mode="instead")
    with pytest.raises(GraphError, match="no node column 'x'"):
        build(Feature("x", "number", 1), None, {"graph": 1}, width=4, layers=1)(PATH)
    with pytest.raises(ModelError, match="the net predicts graph, not links"):
        build(None, None, {"graph": 1}, width=4, layers=1).pair_scores(torch.zeros(1, 1), torch.zeros(1, 2))


@EVERY
def test_links(name: str) -> None:
    net = BUILDERS[name](None, None, {"link": 1}, width=4, layers=2)
    states = net.states(PATH)
    assert net(PATH) == {}
    assert net.pair_scores(states, torch.tensor([[0, 1], [2, 1]])).shape == (2,)


def test_parts_of_a_block_need_no_padding() -> None:
    squares = Squares((2, 2, 3))
    assert squares.pairs == 4 + 4 + 9
    x = torch.arange(17.0)[None]
    views = list(squares.of_pairs(x))
    assert [tuple(v.shape) for v in views] == [(1, 2, 2, 2), (1, 1, 3, 3)]
    assert all(v.untyped_storage().data_ptr() == x.untyped_storage().data_ptr() for v in views)
