"""What holds for every encoding of the table, whatever the graphs."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from graphgauge import GraphSet
from graphgauge.encodings import ENCODINGS, encoding
from graphgauge.encodings.table import VERSIONS

TEXTS = [f"{name}:40" for name in ENCODINGS] + [
    "lap:3,normalisation=random_walk",
    "lap:3,normalisation=none",
    "lap:3,skip=null",
    "lap:3,apart=True",
    "lap:3,sign=absolute",
    "lap:2,skip=0",
    "rwpe:5,space_dim=2",
    "lap:4+rwpe:6",
]
INVARIANT = ["rwpe:9", "degree:4", "rwpe:3,space_dim=1"]


def random_set(seed: int, count: int = 4, largest: int = 16) -> GraphSet:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, largest + 1, count)
    graphs = [nx.gnp_random_graph(int(n), 0.3, seed=int(rng.integers(2**31))) for n in sizes]
    return GraphSet.from_edges([list(g.edges) for g in graphs], sizes.tolist())


def shuffled(graphs: GraphSet, seed: int) -> tuple[GraphSet, torch.Tensor]:
    rng = np.random.default_rng(seed)
    start = graphs.node_ptr.tolist()
    new = [a + rng.permutation(b - a) for a, b in itertools.pairwise(start)]
    new_id = torch.from_numpy(np.concatenate([np.zeros(0, dtype=np.int64), *new]))
    return graphs.relabel(new_id), new_id


@pytest.mark.parametrize("text", TEXTS)
def test_width_type_and_repeatability(text: str) -> None:
    pe = encoding(text)
    for graphs in (
        random_set(1),
        GraphSet.from_edges([]),
        GraphSet.from_edges([[]], [0]),
        GraphSet.from_edges([[]], [1]),
        GraphSet.from_edges([[], [(0, 1)], []], [5, 2, 0]),
    ):
        values = pe(graphs)
        assert values.shape == (graphs.num_nodes, pe.width)
        assert values.dtype == torch.float32
        assert torch.isfinite(values).all()
        assert torch.equal(values, pe(graphs))


@pytest.mark.parametrize("text", TEXTS)
@settings(max_examples=10, deadline=None)
@given(st.integers(0, 2**31))
def test_batch_mates_do_not_matter(text: str, seed: int) -> None:
    graphs = random_set(seed)
    together = encoding(text)(graphs)
    alone = torch.cat([encoding(text)(g) for g in graphs])
    assert torch.equal(together, alone)


@pytest.mark.parametrize("text", INVARIANT)
@settings(max_examples=10, deadline=None)
@given(st.integers(0, 2**31))
def test_the_node_order_does_not_matter(text: str, seed: int) -> None:
    graphs = random_set(seed)
    moved, new_id = shuffled(graphs, seed)
    assert torch.allclose(encoding(text)(moved)[new_id], encoding(text)(graphs), atol=1e-6)


@pytest.mark.parametrize("normalisation", ["symmetric", "random_walk", "none"])
@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**31))
def test_simple_eigenvectors_follow_the_nodes(normalisation: str, seed: int) -> None:
    """Sign included, unless the values of v are those of −v; with repeated eigenvalues the basis is open."""
    graph = nx.gnp_random_graph(11, 0.4, seed=seed)
    if not nx.is_connected(graph):
        return
    graphs = GraphSet.from_edges([list(graph.edges)], [11])
    from graphgauge.encodings import laplacian_eigenvalues

    values = laplacian_eigenvalues(graphs, 11, skip=0, normalisation=normalisation)[0].diff()
    if values.min() < 1e-4:
        return
    moved, new_id = shuffled(graphs, seed)
    pe = encoding(f"lap:10,normalisation={normalisation}")
    before, after = pe(graphs), pe(moved)[new_id]
    assert torch.allclose(before.abs(), after.abs(), atol=1e-4)
    ordered = before.sort(0).values
    one_sign = (ordered + ordered.flip(0)).abs().amax(0) > 1e-4
    assert torch.allclose(before[:, one_sign], after[:, one_sign], atol=1e-4)
    assert one_sign.any()


def test_every_encoding_has_a_version_and_a_law() -> None:
    assert set(VERSIONS) == set(ENCODINGS)
    assert {text.split(":")[0] for text in TEXTS} == set(ENCODINGS)
