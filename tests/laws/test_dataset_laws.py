"""Laws that every dataset keeps, over the whole table; those that are not at hand are skipped by name."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from graphgauge.datasets import (
    DATASETS,
    DatasetError,
    available,
    base,
    bfs_sample,
    card,
    fetch,
    load,
    provenance,
)
from graphgauge.datasets.bfs import _grow, _induce, _prepare, grow_plain, induce_plain
from graphgauge.datasets.er import _unrank, er, positions, unrank_plain
from graphgauge.datasets.packing import _both_ways, both_ways_plain, pack
from graphgauge.datasets.tree import _decode, decode_plain
from graphgauge.graphs import GraphSet
from graphgauge.graphs.structure import components

GENERATED = [name for name, entry in DATASETS.items() if entry.kind == "generated"]
LARGE = [name for name, entry in DATASETS.items() if entry.kind == "large"]
FETCHED = [name for name, entry in DATASETS.items() if entry.kind != "generated"]
SMALL = 40


def need(name: str) -> None:
    if not available(name):
        pytest.skip(f"{name} is not at hand (GRAPHGAUGE_DATA names the folder that holds it)")


def assert_simple(graphs: GraphSet) -> None:
    graphs.check()
    source, target = graphs.edge_index
    code = source * graphs.num_nodes + target
    assert not graphs.directed
    assert bool((source != target).all()), "self-loop"
    assert torch.unique(code).numel() == code.numel(), "edge twice"
    assert torch.equal(code.sort()[0], (target * graphs.num_nodes + source).sort()[0]), "one direction only"
    assert torch.equal(graphs.batch[source], graphs.edge_batch)


@pytest.mark.parametrize("name", DATASETS)
def test_base_graphs_are_simple_undirected_and_without_columns(name: str) -> None:
    need(name)
    for split in ("train", "val"):
        graphs = base(name, split, SMALL)
        assert len(graphs) == SMALL
        assert_simple(graphs)
        assert not graphs.node
        assert not graphs.edge
        assert not graphs.graph


@pytest.mark.parametrize("name", DATASETS)
def test_seed_decides_and_splits_differ(name: str) -> None:
    need(name)
    first = base(name, "train", SMALL, 3)
    assert first.same_as(base(name, "train", SMALL, 3))
    assert not first.same_as(base(name, "train", SMALL, 4))
    assert not first.same_as(base(name, "val", SMALL, 3))


@pytest.mark.parametrize("name", GENERATED + LARGE)
def test_first_graphs_do_not_depend_on_how_many_are_drawn(name: str) -> None:
    need(name)
    assert base(name, "train", 25)[:7].same_as(base(name, "train", 7))


@pytest.mark.parametrize("name", GENERATED)
def test_no_graphs_and_one_node(name: str) -> None:
    assert len(base(name, "train", 0)) == 0
    least = {"ba": {"nodes": 2, "links": 1}, "ws": {"neighbours": 0}, "sbm": {"blocks": 1}}
    zero = {"er": {"degree": 0}, "regular": {"degree": 0}}
    options = {"nodes": 1, **least.get(name, {}), **zero.get(name, {})}
    if "nodes" not in DATASETS[name].options:  # sizes are drawn between bounds
        options = {"smallest": 1, "largest": 1}
    assert len(base(name, "train", 3, **options)) == 3


@pytest.mark.parametrize("name", FETCHED)
def test_counts_are_the_recorded_ones(name: str) -> None:
    need(name)
    for split, expected in DATASETS[name].counts.items():
        graphs = load(name, split)
        assert (graphs.num_graphs, graphs.num_nodes, graphs.num_edges) == expected
        assert_simple(graphs)


@pytest.mark.parametrize("name", DATASETS)
def test_entry_is_complete(name: str) -> None:
    entry = DATASETS[name]
    assert entry.licence
    assert entry.source
    assert entry.citation
    assert entry.about
    if entry.kind != "generated":
        assert entry.files
        assert entry.loaders
    for option in entry.options:
        assert option.isidentifier()
    with pytest.raises(DatasetError, match=f"{name} has no option 'colour'"):
        base(name, "train", 1, colour=1)
    with pytest.raises(DatasetError, match="no split 'test2'"):
        load(name, "test2")


@pytest.mark.parametrize("name", DATASETS)
def test_card_is_computed(name: str) -> None:
    need(name)
    if name in ("pcqm4mv2", "moses"):
        pytest.skip("parsing millions of molecules for a card takes too long for a test")
    found = card(name)
    assert found["licence"] == DATASETS[name].licence
    assert found["stand_in"] == provenance(name)["stand_in"]
    for split, numbers in found["splits"].items():
        graphs = load(name, split)
        assert numbers["graphs"] == len(graphs)
        assert 2 * numbers["edges"] == graphs.num_edges
        assert numbers["components"] == int(components(graphs).max()) + 1
        assert numbers["isolated_nodes"] == int((graphs.degree == 0).sum())
        assert numbers["content_hash"] == graphs.content_hash


@pytest.mark.parametrize("name", GENERATED)
def test_generated_families_have_nothing_to_fetch(name: str) -> None:
    with pytest.raises(DatasetError, match="nothing to fetch"):
        fetch(name)


# ── samples ────────────────────────────────────────────────────────────────────────────────────────────


@st.composite
def large_graphs(draw: st.DrawFn) -> GraphSet:
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    nodes = draw(st.integers(2, 60))
    return er(rng, 1, nodes=nodes, degree=min(nodes - 1, draw(st.floats(0, 6))))


@settings(max_examples=60, deadline=None)
@given(large_graphs(), st.integers(1, 20), st.integers(0, 1000))
def test_samples_keep_their_laws(graph: GraphSet, order: int, seed: int) -> None:
    largest = int(torch.bincount(components(graph)).max())
    if largest < order:
        with pytest.raises(DatasetError):
            bfs_sample(graph, 3, order, seed)
        return
    sample = bfs_sample(graph, 3, order, seed, origin=True)
    assert_simple(sample)
    assert sample.nodes_per_graph.tolist() == [order] * 3
    assert int(components(sample).max()) == 2, "every sample is connected"
    source, target = sample.edge_index
    assert bool((source * sample.num_nodes + target).diff().gt(0).all()), "sorted"
    # The edges are exactly those of the graph between members.
    there = torch.zeros(graph.num_nodes, graph.num_nodes, dtype=torch.bool)
    there[graph.edge_index[0], graph.edge_index[1]] = True
    for g, part in enumerate(sample):
        members = sample.origin[g * order : (g + 1) * order]
        assert members.unique().numel() == order
        assert part.num_edges == int(there[members][:, members].sum())
        assert bool(there[members[part.edge_index[0]], members[part.edge_index[1]]].all())


@settings(max_examples=60, deadline=None)
@given(large_graphs(), st.integers(1, 20), st.integers(0, 1000))
def test_compiled_samples_equal_plain_ones(graph: GraphSet, order: int, seed: int) -> None:
    if int(torch.bincount(components(graph)).max()) < order:
        return
    ptr, neighbours, starts = _prepare(graph, order)
    chance = np.random.default_rng(seed).random((4, order))
    members = _grow(ptr, neighbours, starts, chance)
    np.testing.assert_array_equal(members, grow_plain(ptr, neighbours, starts, chance))
    for ours, plain in zip(
        _induce(ptr, neighbours, members), induce_plain(ptr, neighbours, members), strict=True
    ):
        np.testing.assert_array_equal(ours, plain)


# ── compiled kernels and their plain twins ─────────────────────────────────────────────────────────────


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 30), st.booleans())
def test_packing_equals_its_plain_twin(seed: int, nodes: int, ascending: bool) -> None:
    rng = np.random.default_rng(seed)
    u, v = np.triu_indices(nodes, 1)
    chosen = np.flatnonzero(rng.random(u.size) < 0.3)
    u, v = u[chosen], v[chosen]
    if not ascending:
        order, flip = rng.permutation(u.size), rng.random(u.size) < 0.5
        u, v = np.where(flip, v, u)[order], np.where(flip, u, v)[order]
    for ours, plain in zip(_both_ways(u, v, nodes), both_ways_plain(u, v, nodes), strict=True):
        np.testing.assert_array_equal(ours, plain)
    assert_simple(pack(u, v, np.array([0, nodes])))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 12), st.integers(1, 6), st.floats(0, 1))
def test_unranking_equals_its_plain_twin(seed: int, nodes: int, size: int, p: float) -> None:
    cells = positions(np.random.default_rng(seed), size * nodes * (nodes - 1) // 2, p)
    for ours, plain in zip(_unrank(cells, nodes), unrank_plain(cells, nodes), strict=True):
        np.testing.assert_array_equal(ours, plain)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 15), st.integers(0, 4))
def test_decoding_equals_its_plain_twin(seed: int, nodes: int, size: int) -> None:
    codes = np.random.default_rng(seed).integers(0, nodes, (size, max(nodes - 2, 0)))
    for ours, plain in zip(_decode(codes, nodes), decode_plain(codes, nodes), strict=True):
        np.testing.assert_array_equal(ours, plain)
