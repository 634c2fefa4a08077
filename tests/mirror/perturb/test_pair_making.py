"""Pairs: input that is refused by name, meta, seeds, size."""

from __future__ import annotations

import time

import numpy as np
import pytest
import torch

from graphgauge.graphs import GraphError, GraphSet
from graphgauge.perturb import NOISE, NOISE_LEVELS, PAPER, add_remove, make_pairs, paper_datasets
from graphgauge.perturb.noise import _pair

PATH = [(0, 1), (1, 2)]


def raw(edges: list[tuple[int, int]], nodes: list[int], counts: list[int]) -> GraphSet:
    """A set as the constructor takes it, without the converters' checks."""
    ptr = torch.tensor([0, *np.cumsum(nodes).tolist()])
    edge_ptr = torch.tensor([0, *np.cumsum(counts).tolist()])
    return GraphSet(ptr, torch.tensor(edges).T.reshape(2, -1).contiguous(), edge_ptr)


@pytest.mark.parametrize(
    ("edges", "nodes", "counts", "message"),
    [
        ([(0, 1), (1, 0), (4, 4)], [2, 3], [2, 1], r"graph 1: edge \(2, 2\) is a self-loop"),
        (
            [(0, 1), (1, 0), (2, 3), (3, 2), (2, 3), (3, 2)],
            [2, 3],
            [2, 4],
            r"graph 1: edge .* is there twice",
        ),
        ([(0, 1), (1, 0), (2, 3)], [2, 3], [2, 1], r"graph 1: edge \((0, 1|1, 0)\) is there one way only"),
        ([(0, 1), (1, 0), (2, 9), (9, 2)], [2, 3], [2, 2], r"graph 1: edge \(0, 7\) is outside"),
        ([(0, 2), (2, 0)], [2, 3], [2, 0], r"graph 0: edge \(0, 2\) is outside"),
    ],
)
@pytest.mark.parametrize("model", sorted(NOISE))
def test_names_graph_and_edge(
    edges: list[tuple[int, int]], nodes: list[int], counts: list[int], message: str, model: str
) -> None:
    with pytest.raises(GraphError, match=message):
        make_pairs(raw(edges, nodes, counts), 0.1, model)


def test_refuses_a_directed_set() -> None:
    graphs = GraphSet.from_edges([PATH])
    directed = GraphSet(graphs.node_ptr, graphs.edge_index, graphs.edge_ptr, directed=True)
    with pytest.raises(GraphError, match="directed"):
        make_pairs(directed, 0.1)


@pytest.mark.parametrize("noise", [-0.01, 1.0, 1.5, float("nan"), float("inf")])
def test_refuses_noise_levels(noise: float) -> None:
    with pytest.raises(GraphError, match="noise level"):
        make_pairs(GraphSet.from_edges([PATH]), noise)


@pytest.mark.parametrize("seed", [-1, 0.5, True, "a", None])
def test_refuses_seeds(seed: object) -> None:
    with pytest.raises(GraphError, match="seed"):
        make_pairs(GraphSet.from_edges([PATH]), 0.1, seed=seed)  # type: ignore[arg-type]


def test_refuses_an_unknown_model() -> None:
    with pytest.raises(GraphError, match="swap"):
        make_pairs(GraphSet.from_edges([PATH]), 0.1, model="swap")


def test_dense_graphs_raise_with_the_bound() -> None:
    complete = [(u, v) for v in range(5) for u in range(v)]
    graphs = GraphSet.from_edges([PATH, complete[1:], complete])
    with pytest.raises(GraphError, match=r"graph 1: N = 5 nodes and m = 9 edges .*0\.111111.*1 more graph"):
        make_pairs(graphs, 0.3)
    with pytest.raises(GraphError, match=r"graph 1: .*0\.111111"):
        make_pairs(graphs, 0.3, "add")
    with pytest.raises(GraphError, match=r"graph 0: N = 5 nodes and m = 10 edges .* = 0, got"):
        make_pairs(graphs[[2]], 0.01)
    assert make_pairs(graphs[[2]], 0.3, "add").right.num_edges == 20


def test_meta_says_how_and_left_is_structure_only() -> None:
    graphs = GraphSet.from_edges([PATH]).with_columns(
        node={"x": torch.ones(3, 2)}, graph={"y": torch.ones(1)}
    )
    pairs = make_pairs(graphs, 0.25, "add", seed=7)
    assert not pairs.left.node
    assert not pairs.left.graph
    assert torch.equal(pairs.left.edge_index, graphs.edge_index)
    meta = dict(pairs.meta)
    assert meta.pop("library").startswith("graphgauge ")
    assert meta == {"format": 1, "noise": 0.25, "model": "add", "seed": 7}
    assert pairs.left.content_hash == graphs.structure().content_hash


def test_rows_of_a_right_graph_need_no_sorting() -> None:
    """Edges are in the order of the compressed rows; the rows are those of any other edge order."""
    right = make_pairs(GraphSet.from_edges([[(i, i + 1) for i in range(30)]]), 0.3).right
    assert torch.equal(right.csr.edge, torch.arange(right.num_edges))
    backwards = GraphSet(right.node_ptr, right.edge_index.flip(1), right.edge_ptr)
    for name in ("ptr", "source", "target"):
        assert torch.equal(getattr(right.csr, name), getattr(backwards.csr, name))


def test_new_id_numbers_the_result_anew() -> None:
    graphs = GraphSet.from_edges([[(i, i + 1) for i in range(20)], PATH])
    new_id = torch.cat([torch.arange(20, -1, -1), torch.tensor([22, 23, 21])])
    plain = add_remove(graphs, 0.3, np.random.default_rng(1))
    renumbered = add_remove(graphs, 0.3, np.random.default_rng(1), new_id)
    edges = [set(zip(*g.edge_index.tolist(), strict=True)) for g in (plain.relabel(new_id), renumbered)]
    assert edges[0] == edges[1]


def test_pair_numbers_stay_exact_when_large() -> None:
    v = np.array([1, 2, 3, 10**6, 94_906_266, 1_000_000_007])
    first, last = v * (v - 1) // 2, v * (v + 1) // 2 - 1
    for number, u in ((first, np.zeros_like(v)), (last, v - 1)):
        found_u, found_v = _pair(number)
        assert np.array_equal(found_v, v)
        assert np.array_equal(found_u, u)


def test_no_graph_at_all() -> None:
    pairs = make_pairs(GraphSet.from_edges([]), 0.2).check()
    assert len(pairs) == 0


def test_one_graph_of_20_000_nodes() -> None:
    n = 20_000
    u = np.random.default_rng(0).integers(0, n, (60_000, 2))
    edges = np.unique(np.sort(u[u[:, 0] != u[:, 1]], axis=1), axis=0)
    graphs = GraphSet.from_edges([edges], num_nodes=[n])
    pairs = make_pairs(graphs, 0.1, seed=1).check()
    assert pairs.right.num_edges == pytest.approx(graphs.num_edges, rel=0.02)


@pytest.mark.slow
def test_time_grows_linearly() -> None:
    """A hundred times the molecules take at most about a hundred times the time: 4 × slack for noise."""
    one = GraphSet.from_edges([[(i, i + 1) for i in range(k)] for k in range(5, 25)])

    def seconds(count: int) -> float:
        graphs = one[torch.arange(count) % len(one)]
        make_pairs(graphs, 0.15, "add")
        times = []
        for seed in range(3):
            started = time.process_time()
            make_pairs(graphs, 0.15, "add", seed)
            times.append(time.process_time() - started)
        return min(times)

    assert seconds(100_000) < 4 * 100 * seconds(1_000)


def test_the_forty_datasets() -> None:
    found = paper_datasets()
    assert len(found) == len({d.name for d in found}) == 40
    assert list(NOISE_LEVELS) == [0.04, 0.06, 0.08, 0.12, 0.15, 0.18, 0.24, 0.30]
    assert {d.model for d in found} <= set(NOISE)
    assert [d.base for d in paper_datasets("aqsol", "er")] == ["aqsol"] * 8 + ["er"] * 8
    assert {b for b, row in PAPER.items() if row[0] == "add"} == {"aqsol", "pcqm4mv2"}
    with pytest.raises(KeyError, match="zinc"):
        paper_datasets("zinc")


@pytest.mark.parametrize("noise", ["0.1", None, True, [0.1]])
def test_a_noise_level_is_a_number(noise: object) -> None:
    with pytest.raises(GraphError, match="the noise level η must be a number"):
        make_pairs(GraphSet.from_edges([[(0, 1)]], [9]), noise)  # type: ignore[arg-type]
