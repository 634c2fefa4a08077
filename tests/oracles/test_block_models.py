"""Blocks against every partition of small graphs and against planted ones; the published test by hand."""

from __future__ import annotations

from collections.abc import Iterator
from math import comb, factorial, log

import networkx as nx
import numpy as np
import pytest
import torch
from scipy.stats import chi2

from graphgauge import GraphError, GraphSet
from graphgauge.datasets.sbm import sbm
from graphgauge.scores import VALID, blocks_of, is_block_model
from graphgauge.scores import blockmodel as module
from graphgauge.scores.blockmodel import description_length, settle


def partitions(n: int) -> Iterator[list[int]]:
    """Every partition of n nodes once, blocks numbered in the order of their first nodes."""
    if n == 0:
        yield []
        return
    for part in partitions(n - 1):
        for block in range(max(part, default=-1) + 2):
            yield [*part, block]


def slow_length(graph: nx.Graph, block: list[int]) -> float:
    """The formula, term by term, with whole numbers under the logarithms."""
    n, names = len(block), sorted(set(block))
    size = {r: block.count(r) for r in names}
    total = log(n) + log(comb(n - 1, len(names) - 1)) + log(factorial(n))
    for r in names:
        total -= log(factorial(size[r]))
        for s in names:
            if r <= s:
                pairs = comb(size[r], 2) if r == s else size[r] * size[s]
                edges = sum(1 for u, v in graph.edges if {block[u], block[v]} == {r, s})
                total += log((pairs + 1) * comb(pairs, edges))
    return total


def test_the_description_length_is_the_formula() -> None:
    rng = np.random.default_rng(0)
    for seed in range(20):
        graph = nx.gnp_random_graph(int(rng.integers(1, 12)), 0.4, seed=seed)
        block = rng.integers(0, 4, len(graph)).tolist()
        found = description_length(GraphSet.from_networkx([graph]), torch.tensor(block))
        assert found == pytest.approx(slow_length(graph, block), rel=1e-12)


def test_no_partition_of_a_small_graph_is_shorter() -> None:
    two_cliques = nx.disjoint_union(nx.complete_graph(3), nx.complete_graph(4))
    star = nx.star_graph(6)
    bipartite = nx.complete_bipartite_graph(4, 4)
    random = [nx.gnp_random_graph(6, p, seed=s) for s, p in enumerate([0.2, 0.5, 0.8] * 4)]
    for graph in [two_cliques, star, nx.complete_bipartite_graph(3, 4), *random]:
        one = GraphSet.from_networkx([graph], attributes=())
        found = description_length(one, blocks_of(one))
        shortest = min(slow_length(graph, block) for block in partitions(len(graph)))
        assert found == pytest.approx(shortest, rel=1e-9)
    assert blocks_of(GraphSet.from_networkx([bipartite], attributes=())).tolist() == [0] * 4 + [1] * 4


def draws(
    seed: int, count: int, p_in: float = 0.3, p_out: float = 0.005
) -> tuple[GraphSet, list[np.ndarray]]:
    """As the published data set is drawn, nodes in random order, and the planted blocks."""
    rng = np.random.default_rng(seed)
    matrices, planted = [], []
    for _ in range(count):
        sizes = rng.integers(20, 41, rng.integers(2, 6))
        block = rng.permutation(np.repeat(np.arange(sizes.size), sizes))
        chance = np.where(block[:, None] == block, p_in, p_out)
        upper = np.triu(rng.random(chance.shape) < chance, 1)
        matrices.append((upper | upper.T).astype(int))
        planted.append(block)
    return GraphSet.from_adjacency(matrices), planted


def test_planted_blocks_are_found_and_never_shorter_than_the_found_ones() -> None:
    graphs, planted = draws(0, 40)
    found = blocks_of(graphs)
    same = 0
    for g, block in enumerate(planted):
        ours = found[graphs.node_ptr[g] : graphs.node_ptr[g + 1]]
        length = description_length(graphs[g], ours)
        assert length <= description_length(graphs[g], torch.from_numpy(block)) + 1e-9
        pairs = set(zip(ours.tolist(), block.tolist(), strict=True))
        same += len(pairs) == len(set(block.tolist())) == int(ours.max()) + 1
    assert same >= 38


def slow_test(graph: nx.Graph, block: np.ndarray, p_in: float, p_out: float) -> bool:
    """The published test for given blocks, over ordered pairs of blocks."""
    values = []
    for r in range(block.max() + 1):
        for s in range(block.max() + 1):
            a, b = np.flatnonzero(block == r), np.flatnonzero(block == s)
            pairs = [(u, v) for u in a for v in b if u != v]
            share = sum(graph.has_edge(u, v) for u, v in pairs) / len(pairs)
            wald = (share - (p_in if r == s else p_out)) ** 2 / (share * (1 - share) + 1e-6)
            values.append(1 - chi2.cdf(wald, 1))
    return bool(np.mean(values) > 0.9)


def test_draws_are_accepted_as_often_as_with_the_planted_blocks() -> None:
    graphs, planted = draws(1, 60)
    found = is_block_model(graphs)
    expected = [
        slow_test(g, block, 0.3, 0.005) for g, block in zip(graphs.to_networkx(), planted, strict=True)
    ]
    assert abs(int(found.sum()) - sum(expected)) <= 1
    assert 0.85 <= found.float().mean() < 1  # the test itself refuses draws with a pair of blocks unjoined


def test_draws_of_the_data_set_are_accepted() -> None:
    graphs = sbm(np.random.default_rng(0), 40, nodes=90, blocks=3, p_in=0.3, p_out=0.005)
    assert VALID["sbm"](graphs).float().mean() >= 0.85
    mixed = sbm(np.random.default_rng(0), 40, nodes=100, blocks=4, p_in=0.25, p_out=0.025)
    assert is_block_model(mixed, p_in=0.25, p_out=0.025).float().mean() >= 0.8


def test_graphs_of_equal_density_without_blocks_are_refused() -> None:
    graphs, _ = draws(2, 40)
    edges = (graphs.edges_per_graph // 2).tolist()
    sizes = graphs.nodes_per_graph.tolist()
    even = [nx.gnm_random_graph(n, m, seed=s) for s, (n, m) in enumerate(zip(sizes, edges, strict=True))]
    assert not is_block_model(GraphSet.from_networkx(even)).any()


def test_communities_that_are_mixed_are_refused() -> None:
    graphs, _ = draws(3, 40)
    swapped = graphs.to_networkx()
    for s, graph in enumerate(swapped):
        nx.double_edge_swap(graph, nswap=graph.number_of_edges() // 4, max_tries=10**6, seed=s)
    assert is_block_model(GraphSet.from_networkx(swapped)).float().mean() <= 0.1
    assert not is_block_model(draws(4, 20, 0.2, 0.05)[0]).any()


def test_numbers_and_sizes_of_blocks_decide() -> None:
    graphs, planted = draws(5, 12)
    count = torch.tensor([block.max() + 1 for block in planted])
    least = torch.tensor([np.bincount(block).min() for block in planted])
    every = is_block_model(graphs, least=0)
    assert every.all()
    assert torch.equal(is_block_model(graphs, blocks=(2, 3), least=0), count <= 3)
    assert torch.equal(is_block_model(graphs, sizes=(25, 40), least=0), least >= 25)
    tiny = GraphSet.from_networkx([nx.empty_graph(0), nx.complete_graph(30)])
    assert is_block_model(tiny).tolist() == [False, False]


def test_the_answer_does_not_depend_on_the_order_of_nodes_or_graphs() -> None:
    graphs, _ = draws(6, 10)
    rng = np.random.default_rng(0)
    starts, sizes = graphs.node_ptr.tolist(), graphs.nodes_per_graph.tolist()
    order = [a + rng.permutation(n) for a, n in zip(starts, sizes, strict=False)]
    turned = graphs.relabel(torch.from_numpy(np.concatenate(order)))
    assert torch.equal(is_block_model(turned), is_block_model(graphs))
    assert torch.equal(is_block_model(graphs[[3, 1]]), is_block_model(graphs)[[3, 1]])


def test_the_compiled_search_equals_the_plain_one(monkeypatch: pytest.MonkeyPatch) -> None:
    graphs, _ = draws(7, 2)
    one = graphs[0]
    start = np.arange(one.num_nodes) % 6
    logs = module._log_factorials(one.num_nodes)
    ptr, neighbour = one.csr.ptr.numpy(), one.csr.source.numpy()
    fast = start.copy()
    length = settle(ptr, neighbour, fast, logs)
    for name in (
        "_tables",
        "_pair",
        "_rows",
        "_number_of_blocks",
        "_length",
        "_shift",
        "_move",
        "_merge",
        "_merged",
    ):
        monkeypatch.setattr(module, name, getattr(module, name).py_func)
    slow = start.copy()
    assert settle.py_func(ptr, neighbour, slow, logs) == pytest.approx(length, rel=1e-12)
    assert np.array_equal(fast, slow)
    assert length == pytest.approx(description_length(one, torch.from_numpy(fast)), rel=1e-12)


def test_input_that_is_refused() -> None:
    path = GraphSet.from_edges([[(0, 1)]])
    for wrong in ({"p_in": 1.5}, {"p_out": -1}, {"least": 2}, {"blocks": (3, 2)}, {"sizes": (0, 4)}):
        with pytest.raises(ValueError, match="must be"):
            is_block_model(path, **wrong)
    with pytest.raises(GraphError, match="marked directed"):
        blocks_of(GraphSet.from_edges([[(0, 1)]], directed="keep"))
    with pytest.raises(GraphError, match="graph 1 has a self-loop"):
        blocks_of(GraphSet.from_edges([[(0, 1)], [(0, 0)]], self_loops="keep"))
    with pytest.raises(GraphError, match="stored more than once"):
        blocks_of(GraphSet.from_edges([[(0, 1), (0, 1)]], duplicates="keep"))
    assert blocks_of(GraphSet.from_edges([[], []], num_nodes=[0, 2])).tolist() in ([0, 0], [0, 1])
