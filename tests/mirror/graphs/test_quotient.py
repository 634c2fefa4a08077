"""The quotient by hand: small graphs whose rows can be listed, batches, refusals, and loops against twins."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from graphgauge import GraphSet
from graphgauge.graphs import GraphError, numbering
from graphgauge.graphs.quotient import Histories, Rows, _edge_rows, quotient, share
from graphgauge.graphs.rounds import Rounds

PATH, STAR = [(0, 1), (1, 2), (2, 3)], [(0, 1), (0, 2), (0, 3)]
BOTH = GraphSet.from_edges([PATH, STAR])


def test_a_path_and_a_star_by_hand() -> None:
    rounds = Histories.of(BOTH, 2).batch()
    assert [None if p is None else p.tolist() for p in rounds.place] == [
        [0] * 8,
        [0, 1, 1, 0, 2, 0, 0, 0],  # degrees 1, 2 and 3
        [0, 1, 1, 0, 2, 3, 3, 3],  # an end of the path has another neighbour than a leaf of the star
    ]
    assert [None if w is None else w.tolist() for w in rounds.weight] == [[8], [5, 2, 1], [2, 2, 1, 3]]
    second = rounds.rounds[1]
    assert second.csr.ptr.tolist() == [0, 1, 3, 6, 7]
    assert second.csr.source.tolist() == [1, 0, 1, 0, 0, 0, 2]
    assert second.own is not None
    assert second.own.tolist() == [0, 1, 2, 0]
    assert second.csr.senders == 3
    assert rounds.node is not None
    assert rounds.node.tolist() == [0]


def test_edges_have_rows_by_their_kind_and_both_ends() -> None:
    kinds = torch.tensor([0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0])  # the middle of the path is of its own kind
    rounds = Histories.of(BOTH, 2, edge=kinds, edge_states=True).batch()
    first = rounds.rounds[0]
    assert rounds.edge is not None
    assert rounds.edge.tolist() == [0, 2]
    assert first.edge_own is None  # one kind of node: edges still differ by their own kind only
    assert first.ends.tolist() == [[0, 0], [0, 0]]
    assert first.edges is not None
    assert first.edges.tolist() == [10, 2]
    second = rounds.rounds[1]
    assert second.edge_own is not None
    assert second.edges is not None
    listed = zip(second.edge_own.tolist(), *second.ends.tolist(), second.edges.tolist(), strict=True)
    middle, end, hub = 1, 0, 2
    assert set(listed) == {
        (0, end, middle, 2.0),
        (0, middle, end, 2.0),
        (1, middle, middle, 2.0),
        (0, hub, end, 3.0),
        (0, end, hub, 3.0),
    }


def test_without_edge_states_edges_keep_their_kinds() -> None:
    kinds = torch.tensor([7, 7, 3, 3, 7, 7, 7, 7, 7, 7, 7, 7])
    rounds = Histories.of(BOTH, 2, edge=kinds).batch()
    for one in rounds.rounds:
        assert one.edge_own is None
        assert one.ends.shape == (2, 0)
        assert one.edges is not None
        assert one.edges.tolist() == [10, 2]
    assert rounds.edge is not None
    assert kinds[rounds.edge].tolist() == [7, 3]


def test_without_categories_every_entry_is_an_edge() -> None:
    one = Histories.of(BOTH, 2).batch().rounds[1]
    assert one.csr.edge.tolist() == list(range(7))
    assert one.ends.tolist() == [[1, 0, 1, 0, 0, 0, 2], [0, 1, 1, 2, 2, 2, 0]]
    assert one.edges is not None
    assert one.edges.tolist() == [2, 2, 2, 1, 1, 1, 3]


def test_directed_edges_count_at_their_targets_only() -> None:
    arrows = GraphSet.from_edges([[(0, 1), (1, 2)], [(2, 0)]], [3, 3], directed="keep")
    places = Histories.of(arrows, 2).batch().place
    assert [None if p is None else p.tolist() for p in places[1:]] == [
        [0, 1, 1, 1, 0, 0],
        [0, 1, 2, 1, 0, 0],  # node 2 hears of node 1, which has heard of node 0
    ]


def test_degrees_of_senders_make_rows_of_their_own() -> None:
    arrows = GraphSet.from_edges([[(0, 1), (0, 2)], [(0, 1)]], directed="keep")
    one = Histories.of(arrows, 1).batch()
    two = Histories.of(arrows, 1, degrees=True).batch()
    assert one.place[1] is not None
    assert two.place[1] is not None
    assert one.place[1].tolist() == [0, 1, 1, 0, 1]
    assert two.place[1].tolist() == [0, 1, 1, 2, 3]  # what comes from node 0 counts 1/√2, or 1
    assert one.rounds[0].degree is None
    assert two.rounds[0].degree is not None
    assert two.rounds[0].degree.tolist() == [[0, 1, 0], [2, 0, 1]]


def test_a_batch_is_read_from_the_histories_of_the_set() -> None:
    columns = BOTH.with_columns(graph={"y": torch.tensor([5, 6])})
    rounds = Histories.of(columns, 2).batch([1, 1, 0])
    assert rounds.graphs.y is not None
    assert rounds.graphs.y.tolist() == [6, 6, 5]
    assert rounds.place[2] is not None
    assert rounds.place[2].tolist() == [0, 1, 1, 1, 0, 1, 1, 1, 2, 3, 3, 2]
    pool = rounds.pool(2)
    assert pool.ptr.tolist() == [0, 4, 8, 12]
    assert pool.source.tolist() == rounds.place[2].tolist()


def test_rounds_that_split_nothing_are_one_object() -> None:
    rounds = Histories.of(BOTH, 9, edge_states=True).batch().rounds
    assert len(rounds) == 9
    assert rounds[-1] is rounds[-2]
    assert rounds[-1].own is None
    assert rounds[-1].edge_own is None
    assert rounds[0] is not rounds[1]


def test_sets_without_nodes_edges_or_graphs() -> None:
    for graphs in (GraphSet.from_edges([]), GraphSet.from_edges([[], []], [0, 3]), BOTH[[]]):
        rounds = Histories.of(graphs, 2, edge_states=True, degrees=True).batch()
        assert [graphs.num_nodes if p is None else p.numel() for p in rounds.place] == [graphs.num_nodes] * 3
        assert rounds.rounds[1].csr.source.numel() == 0
        assert len(rounds.rounds[1].csr.ptr) == min(graphs.num_nodes, 1) + 1


def test_no_layers_are_no_rounds() -> None:
    rounds = Histories.of(BOTH, 0).batch()
    assert rounds.rounds == ()
    assert len(rounds.place) == len(rounds.weight) == 1


# ── when it steps aside ────────────────────────────────────────────────────────────────────────────────────


def test_it_steps_aside_where_nodes_differ() -> None:
    numbers = torch.arange(8)
    assert quotient(BOTH, 2, node=numbers) is None
    assert quotient(BOTH, 2, node=numbers, limit=1.0) is not None
    assert quotient(BOTH, 2) is not None
    assert share(Histories.of(BOTH, 2, node=numbers).batch()) == 1.0
    assert share(Histories.of(BOTH, 2).batch()) == (1 + 3 + 4) / 24


def test_a_refusal_says_how_many_rows_are_left() -> None:
    histories = Histories.of(BOTH, 2, node=torch.arange(8))
    assert histories.refusal() == (
        "few nodes have the same history: 100% of the rows are left, and above 90% the plain way is as fast"
    )
    assert Histories.of(BOTH, 2).refusal() is None
    assert Histories.of(BOTH, 2).share(size=1) == pytest.approx(((1 + 2 + 2) / 12 + (1 + 2 + 2) / 12) / 2)


def test_bad_input_is_named() -> None:
    with pytest.raises(GraphError, match="initial colours must be 8 whole numbers"):
        Histories.of(BOTH, 1, node=torch.zeros(8))
    with pytest.raises(GraphError, match="initial colours of edges must be 12 whole numbers"):
        Histories.of(BOTH, 1, edge=torch.zeros(5, dtype=torch.int64))
    with pytest.raises(ValueError, match="layers must be 0 or more, got -1"):
        Histories.of(BOTH, -1)
    astray = GraphSet(
        torch.tensor([0, 1, 2]), torch.tensor([[0], [1]]), torch.tensor([0, 1, 1]), directed=True
    )
    with pytest.raises(GraphError, match="graph 0: edge"):
        Histories.of(astray, 1)
    with pytest.raises(IndexError, match="graph 2 of a set of 2"):
        Histories.of(BOTH, 1).batch([2])


# ── compiled loops against their twins ─────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", [np.int32, np.int64])
@pytest.mark.parametrize("most", [1, 5, 1000, 2**31 - 1])
def test_numbered_equals_its_twin(kind: type, most: int) -> None:
    rng = np.random.default_rng(0)
    for size in (0, 1, 2, 3, 64, 1000):
        values = rng.integers(-most, most, size).astype(kind)
        for got, want in zip(numbering.numbered(values), numbering.numbered_plain(values), strict=True):
            np.testing.assert_array_equal(got, want)


def test_equal_hashes_do_not_join_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """With one hash for all, everything falls into one chain, and numbers stay what they are."""
    monkeypatch.setattr(numbering, "mixed", lambda key: np.uint64(3))
    monkeypatch.setattr(numbering, "empty_table", numbering.empty_table.py_func)
    monkeypatch.setattr(numbering, "same", numbering.same.py_func)
    values = np.array([5, 9, 5, 2, 9, 7])
    got = numbering.numbered.py_func(values)
    np.testing.assert_array_equal(got[0], [0, 1, 0, 2, 1, 3])
    csr = BOTH.csr
    args = np.array([0, 1, 0, 1, 0, 0, 1, 0], np.int32), csr.ptr.numpy(), csr.source.numpy()
    kinds = np.arange(12, dtype=np.int32) % 2
    number, count = numbering.refined.py_func(*args, kinds, 2)
    want, classes = numbering.refined_plain(*args, kinds, 2)
    np.testing.assert_array_equal(number, want)
    assert count == classes


def test_refined_equals_its_twin() -> None:
    rng = np.random.default_rng(1)
    for n, m in ((0, 0), (1, 0), (1, 3), (30, 90), (200, 150), (40, 4000)):
        ptr = np.concatenate([[0], np.sort(rng.integers(0, m + 1, max(n - 1, 0))), [m]])[: n + 1]
        source = rng.integers(0, max(n, 1), m)
        colour = rng.integers(0, 3, n).astype(np.int32)
        kind = rng.integers(0, 2, m).astype(np.int32)
        number, count = numbering.refined(colour, ptr, source, kind, 2)
        want, classes = numbering.refined_plain(colour, ptr, source, kind, 2)
        np.testing.assert_array_equal(number, want)
        assert count == classes


@pytest.mark.parametrize("ids", [[], [1], [1, 0, 1]], ids=str)
def test_taken_graphs_are_the_selected_ones(ids: list[int]) -> None:
    graphs, chosen = BOTH, BOTH[ids]
    arrays = (one.numpy() for one in (graphs.node_ptr, graphs.edge_ptr, graphs.edge_index))
    node_ptr, edge_ptr, ends, nodes, edges, moved = numbering.taken(*arrays, np.array(ids, np.int64))
    assert node_ptr.tolist() == chosen.node_ptr.tolist()
    assert edge_ptr.tolist() == chosen.edge_ptr.tolist()
    assert ends.tolist() == chosen.edge_index.tolist()
    numbered = graphs.with_columns(
        node={"i": torch.arange(graphs.num_nodes)}, edge={"i": torch.arange(graphs.num_edges)}
    )[ids]
    assert nodes.tolist() == numbered.node["i"].tolist()
    assert edges.tolist() == numbered.edge["i"].tolist()
    places = torch.arange(len(edges)) - torch.from_numpy(edges)
    assert moved[chosen.edge_index[0]].tolist() == places.tolist()


@pytest.mark.parametrize("directed", ["keep", "symmetrise"])
def test_symmetric_weights_equal_their_twin(directed: str) -> None:
    graphs = GraphSet.from_edges([[(0, 1), (2, 1), (3, 1)], [(0, 1)]], [5, 2], directed=directed)
    plain = Rounds.plain(graphs, 1).rounds[0]
    torch.testing.assert_close(plain.symmetric_weight, plain.symmetric_weight_plain(), rtol=1e-15, atol=0)
    rows = Histories.of(graphs, 2, degrees=True).batch().rounds[1]
    torch.testing.assert_close(rows.symmetric_weight, rows.symmetric_weight_plain(), rtol=1e-15, atol=0)


def test_entries_equal_their_twin() -> None:
    part = BOTH[[1, 0]]
    nodes = np.array([4, 5, 6, 7, 0, 1, 2, 3])
    first = np.array([0, 3, 6])
    shift = np.array([-6, -6, 6])
    csr = BOTH.csr
    rows = csr.ptr.numpy(), csr.source.numpy(), csr.edge.numpy()
    args = first, nodes, shift, *rows, np.arange(8) * 10, np.arange(12) * 100
    got, want = numbering.entries(*args), numbering.entries_plain(*args)
    for one, other in zip(got, want, strict=True):
        np.testing.assert_array_equal(one, other)
    ptr, source, edge = got
    assert ptr.tolist() == [0, 3, 4, 6]
    for r, i in enumerate(first):
        places = edge[ptr[r] : ptr[r + 1]] // 100
        assert part.edge_index[1, places].tolist() == [i] * len(places)
        assert (part.edge_index[0, places] * 10).tolist() == source[ptr[r] : ptr[r + 1]].tolist()


def test_keys_of_edges_that_do_not_fit_64_bits() -> None:
    n = 2**21
    kinds = np.array([2**31 - 1, 2**31 - 1, 5, 5, 2**31 - 1], np.int32)
    number = np.array([n - 1, 0, 3])
    before = Rows(number, np.arange(n), np.ones(n, np.int64))
    ends = np.array([[0, 1, 0, 0, 0], [1, 0, 2, 2, 1]])
    assert _edge_rows(kinds, ends, before).number.tolist() == [0, 1, 2, 2, 0]


def test_plain_rounds_know_degrees() -> None:
    arrows = GraphSet.from_edges([[(0, 1), (2, 1)]], directed="keep")
    degree = Rounds.plain(arrows, 1).rounds[0].degree
    assert degree is not None
    assert degree.tolist() == [[0, 2, 0], [1, 0, 1]]
    both = Rounds.plain(BOTH, 1).rounds[0].degree
    assert both is not None
    assert both.tolist() == [BOTH.degree.tolist()] * 2
