"""The random GIN against dense matrices, one graph at a time, with torch's own batch norms in between."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from graphgauge import GraphSet
from graphgauge.descriptors.features import Features
from graphgauge.descriptors.neighbourhoods import ball_numbers, close_pairs, mix_rows, pair_counts
from graphgauge.descriptors.random_gin import RandomGIN, neighbour_sum, neighbour_sum_plain, random_gin


def labelled_set(seed: int = 0, count: int = 12) -> GraphSet:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 12, count).tolist()
    edges = []
    for n in sizes:
        pairs = [(u, v) for u in range(n) for v in range(u + 1, n)]
        edges.append([pair for pair in pairs if rng.random() < 0.4])
    return GraphSet.from_edges(
        edges,
        sizes,
        node={"x": rng.random((sum(sizes), 3)), "kind": rng.integers(0, 5, sum(sizes))},
        edge={
            "edge_attr": rng.random((sum(map(len, edges)), 2)),
            "bond": rng.integers(0, 3, sum(map(len, edges))),
        },
    )


def dense_embedding(net: RandomGIN, node: Tensor, edges: list[tuple[int, int, Tensor]]) -> Tensor:
    """One graph: message [h_u, e_uv] of every edge, own vector padded with zeros, sums of every round."""

    def norm(x: Tensor) -> Tensor:
        zeros = torch.zeros(x.shape[1], dtype=x.dtype)
        return F.batch_norm(x, zeros, zeros + 1)

    h, sums = node, []
    for maps in net.rounds:
        wide = edges[0][2].numel() if edges else maps[0].in_features - h.shape[1]
        s = torch.cat([h, torch.zeros(h.shape[0], wide, dtype=h.dtype)], 1)
        own = s.clone()
        for u, v, e in edges:
            s[v] = s[v] + torch.cat([own[u, : h.shape[1]], e])
        for i, linear in enumerate(maps):
            s = s @ linear.weight.T + linear.bias
            if i < len(maps) - 1:
                s = torch.relu(norm(s))
        h = torch.relu(norm(torch.relu(norm(s))))
        sums.append(h.sum(0))
    return torch.cat(sums)


CASES = {
    "degree": Features(None, None),
    "doubled degree": Features(None, None, degree_factor=2.0),
    "numbers": Features("x", None),
    "numbers on nodes and edges": Features("x", "edge_attr"),
    "categories": Features("kind", "bond", 5, 3),
    "edges only": Features(None, "bond", None, 4),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_random_gin_is_that_of_dense_matrices(case: str, depth: int) -> None:
    graphs, what = labelled_set(), CASES[case]
    options = {"rounds": 3, "width": 7, "depth": depth, "seed": 5, "dtype": torch.float64}
    net = RandomGIN.for_set(graphs, what, **options)
    found = random_gin(graphs, **vars(what), batch_nodes=20, **options)
    for g, graph in enumerate(graphs):
        adjacency = torch.zeros(graph.num_nodes, graph.num_nodes, dtype=torch.float64)
        adjacency[graph.edge_index[0], graph.edge_index[1]] = 1
        node = what.degree_factor * adjacency.sum(1, keepdim=True)
        if what.node == "x":
            node = graph.node["x"].double()
        if what.node == "kind":
            node = torch.eye(5, dtype=torch.float64)[graph.node["kind"]]
        column = {None: torch.zeros(graph.num_edges, 0), "edge_attr": graph.edge["edge_attr"]}
        column["bond"] = torch.eye(what.edge_types or 3)[graph.edge["bond"]]
        rows = column[what.edge].double()
        edges = [(int(u), int(v), e) for (u, v), e in zip(graph.edge_index.T, rows, strict=True)]
        expected = dense_embedding(net, node, edges)
        assert found[g].shape == expected.shape == (21,)
        torch.testing.assert_close(found[g], expected, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_compiled_neighbour_sum_is_its_plain_twin(dtype: torch.dtype) -> None:
    graphs = labelled_set(1)
    x = torch.rand(graphs.num_nodes, 5, dtype=dtype)
    found = neighbour_sum(x, graphs.csr)
    assert found.dtype == dtype
    torch.testing.assert_close(found, neighbour_sum_plain(x, graphs.csr))


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
def test_compiled_balls_and_pairs_are_those_of_the_plain_functions() -> None:
    graphs = labelled_set(2, 4)
    ptr, source = graphs.csr.ptr.numpy(), graphs.csr.source.numpy()
    label, bond = graphs.node["kind"].numpy()[:, None], graphs.edge["bond"].numpy()[:, None]
    words, bonds = mix_rows(label), mix_rows(bond)
    assert np.array_equal(words, mix_rows.py_func(label))
    alone, twins = np.arange(len(label)), np.array([0, 1, 1, *range(3, len(label))])
    for like in (alone, twins):
        balls = ball_numbers(ptr, source, words, bonds, 2, like)
        assert np.array_equal(balls, ball_numbers.py_func(ptr, source, words, bonds, 2, like))
    bounds = graphs.node_ptr.numpy()
    cap = np.full(len(graphs), 10**6)
    pairs = close_pairs(bounds, ptr, source, 2, 3, cap, 1e9)
    assert np.array_equal(pairs, close_pairs.py_func(bounds, ptr, source, 2, 3, cap, 1e9))
    compiled = pair_counts(bounds, ptr, source, balls, pairs)
    plain = pair_counts.py_func(bounds, ptr, source, balls, pairs)
    for one, other in zip(compiled, plain, strict=True):
        assert np.array_equal(one, other)
