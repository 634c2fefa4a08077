"""Laws of graph sets: selection, concatenation, every converter and file, colours and orbits."""

from __future__ import annotations

import random

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphgauge import GraphSet, Pairs, read, write
from graphgauge.graphs import structure

LAW = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@st.composite
def graph_sets(draw: st.DrawFn, directed: bool | None = None, columns: bool = True) -> GraphSet:
    """Small sets with empty, one-node, edgeless and trailing empty graphs."""
    arcs = draw(st.booleans()) if directed is None else directed
    edges, counts = [], []
    for _ in range(draw(st.integers(0, 5))):
        n = draw(st.integers(0, 6))
        pairs = [(u, v) for u in range(n) for v in range(n) if (u != v if arcs else u < v)]
        edges.append(draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else [])
        counts.append(n)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    total = sum(map(len, edges))
    named: dict[str, dict[str, np.ndarray]] = {}
    if columns:
        named = {
            "node": {"x": rng.random((sum(counts), 2)), "mark": rng.integers(0, 3, sum(counts))},
            "edge": {"edge_attr": rng.random(total)},
            "graph": {"y": rng.random(len(edges))},
        }
    return GraphSet.from_edges(edges, counts, directed="keep" if arcs else "error", **named)


def shuffled(graphs: GraphSet, seed: int) -> tuple[GraphSet, torch.Tensor]:
    """Nodes renumbered at random inside each graph, and the new number of each node."""
    generator = torch.Generator().manual_seed(seed)
    keys = torch.rand(graphs.num_nodes, generator=generator, dtype=torch.float64)
    order = torch.from_numpy(np.lexsort((keys.numpy(), graphs.batch.numpy())))
    new_id = torch.empty_like(order)
    new_id[order] = torch.arange(graphs.num_nodes)
    return graphs.relabel(new_id), new_id


@LAW
@given(graph_sets())
def test_split_then_concat_is_identity(graphs: GraphSet) -> None:
    graphs.check()
    if len(graphs):
        assert GraphSet.concat(list(graphs)).same_as(graphs)
        assert GraphSet.concat([graphs[:2], graphs[2:]]).same_as(graphs)


@LAW
@given(graph_sets(), st.data())
def test_selection_equals_the_list_of_parts(graphs: GraphSet, data: st.DataObject) -> None:
    assert graphs[:].same_as(graphs)
    if not len(graphs):
        return
    ids = data.draw(st.lists(st.integers(-len(graphs), len(graphs) - 1), min_size=1, max_size=8))
    assert graphs[ids].same_as(GraphSet.concat([graphs[i] for i in ids]))
    mask = torch.tensor(data.draw(st.lists(st.booleans(), min_size=len(graphs), max_size=len(graphs))))
    assert graphs[mask].same_as(graphs[mask.nonzero()[:, 0]])
    assert graphs[::-1][::-1].same_as(graphs)


@LAW
@given(graph_sets(), st.integers(0, 10**6))
def test_relabelling_back_is_identity(graphs: GraphSet, seed: int) -> None:
    moved, new_id = shuffled(graphs, seed)
    back = torch.empty_like(new_id)
    back[new_id] = torch.arange(graphs.num_nodes)
    assert moved.check().relabel(back).same_as(graphs)
    assert torch.equal(moved.degree[new_id], graphs.degree)


@LAW
@given(graph_sets())
def test_edge_lists_round_trip(graphs: GraphSet) -> None:
    back = GraphSet.from_edges(
        graphs.to_edges(), graphs.nodes_per_graph, directed="keep" if graphs.directed else "error"
    )
    assert edge_sets(back) == edge_sets(graphs)
    assert back.nodes_per_graph.tolist() == graphs.nodes_per_graph.tolist()


@LAW
@given(graph_sets())
def test_networkx_round_trip(graphs: GraphSet) -> None:
    labels = [[f"node-{i * 7 % 101}" for i in range(n)] for n in graphs.nodes_per_graph.tolist()]
    there = graphs.to_networkx(labels=labels)
    back, names = GraphSet.from_networkx(
        there, return_labels=True, directed="keep" if graphs.directed else "error"
    )
    assert names == labels
    again = back.to_networkx(labels=names)
    assert all(nx.utils.graphs_equal(a, b) for a, b in zip(there, again, strict=True))
    assert all(a.is_directed() == graphs.directed for a in again)
    if graphs.num_nodes and graphs.num_edges:
        assert back.directed == graphs.directed
        assert torch.equal(back.x, graphs.x)
        assert torch.equal(back.y, graphs.y)


@LAW
@given(graph_sets())
def test_pyg_round_trip_is_exact(graphs: GraphSet) -> None:
    from torch_geometric.data import Batch

    rule = {"directed": "keep"} if graphs.directed else {}
    levels = {"x": "node", "mark": "node", "edge_attr": "edge", "y": "graph"}
    listed = graphs.to_pyg()
    if len(graphs):
        assert GraphSet.from_pyg(listed, levels=levels, **rule).same_as(graphs)
        assert GraphSet.from_pyg(Batch.from_data_list(listed), levels=levels, **rule).same_as(graphs)


@LAW
@given(graph_sets(columns=False), st.booleans())
def test_adjacency_round_trip(graphs: GraphSet, sparse: bool) -> None:
    matrices = graphs.to_adjacency(sparse=sparse)
    assert [m.shape[0] for m in matrices] == graphs.nodes_per_graph.tolist()
    back = GraphSet.from_adjacency(matrices, directed="keep" if graphs.directed else "error")
    assert edge_sets(back) == edge_sets(graphs)
    assert back.nodes_per_graph.tolist() == graphs.nodes_per_graph.tolist()


@pytest.mark.parametrize("ending", [".safetensors", ".npz"])
@LAW
@given(graphs=graph_sets())
def test_binary_files_round_trip_exactly(
    ending: str, graphs: GraphSet, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("files") / f"set{ending}"
    write(path, graphs)
    assert read(path).same_as(graphs)
    write(path, graphs.with_columns(node={"small": torch.zeros(graphs.num_nodes, 3, dtype=torch.int8)}))
    assert read(path).node["small"].dtype == torch.int8


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz"])
@LAW
@given(graphs=graph_sets())
def test_json_lines_round_trip(
    ending: str, graphs: GraphSet, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("files") / f"set{ending}"
    write(path, graphs)
    back = read(path)
    assert edge_sets(back) == edge_sets(graphs)
    assert back.nodes_per_graph.tolist() == graphs.nodes_per_graph.tolist()
    if len(graphs):
        assert back.directed == graphs.directed
        assert torch.equal(back.y, graphs.y)
        assert torch.equal(back.node["mark"], graphs.node["mark"])
        assert sorted(back.edge_attr.tolist()) == sorted(graphs.edge_attr.tolist())


@LAW
@given(graph_sets(columns=False), st.integers(0, 10**6), st.integers(0, 3))
def test_colours_do_not_depend_on_node_numbers(graphs: GraphSet, seed: int, rounds: int) -> None:
    moved, new_id = shuffled(graphs, seed)
    for limit in (None, rounds):
        colours = structure.wl_colours(graphs, limit)
        assert torch.equal(structure.wl_colours(moved, limit)[new_id], colours)
    assert torch.equal(structure.isomorphism_classes(moved), structure.isomorphism_classes(graphs))


@LAW
@given(graph_sets(columns=False), st.integers(0, 10**6))
def test_orbits_do_not_depend_on_node_numbers_and_refine_colours(graphs: GraphSet, seed: int) -> None:
    moved, new_id = shuffled(graphs, seed)
    orbit, again = structure.orbits(graphs), structure.orbits(moved)[new_id]
    assert partition(orbit) == partition(again)
    colour = structure.wl_colours(graphs)
    for members in partition(orbit):
        assert len(set(colour[list(members)].tolist())) == 1
        assert len(set(graphs.batch[list(members)].tolist())) == 1


@LAW
@given(st.integers(0, 10**6))
def test_complements_have_the_classes_and_orbits_of_the_graphs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 7, 12)
    pairs = [np.argwhere(np.triu(np.ones((n, n)), 1)) for n in sizes]
    there = [rng.random(len(each)) < rng.random() for each in pairs]
    graphs, complements = (
        GraphSet.from_edges([each[kept == side] for each, kept in zip(pairs, there, strict=True)], sizes)
        for side in (True, False)
    )
    assert torch.equal(structure.isomorphism_classes(graphs), structure.isomorphism_classes(complements))
    assert partition(structure.orbits(graphs)) == partition(structure.orbits(complements))


@LAW
@given(graph_sets(columns=False))
def test_colours_of_a_set_equal_those_of_its_graphs(graphs: GraphSet) -> None:
    whole = structure.wl_colours(graphs)
    parts = [structure.wl_colours(graphs[i]) for i in range(len(graphs))]
    ends = graphs.node_ptr.tolist()
    for i, part in enumerate(parts):
        assert partition(part) == partition(whole[ends[i] : ends[i + 1]])


@LAW
@given(graph_sets(columns=False))
def test_components_match_networkx(graphs: GraphSet) -> None:
    found = structure.components(graphs)
    expected: list[frozenset[int]] = []
    for start, graph in zip(graphs.node_ptr.tolist(), graphs.to_networkx(), strict=False):
        expected += [
            frozenset(v + start for v in part) for part in nx.connected_components(graph.to_undirected())
        ]
    assert partition(found) == set(expected)
    first = [min(part) for part in expected]
    assert found[sorted(first)].tolist() == list(range(len(first)))


@LAW
@given(graph_sets(), st.data())
def test_pairs_selection_keeps_the_matching(graphs: GraphSet, data: st.DataObject) -> None:
    moved, new_id = shuffled(graphs, 3)
    pairs = Pairs(graphs, moved, new_id).check()
    if not len(pairs):
        return
    ids = data.draw(st.lists(st.integers(0, len(pairs) - 1), max_size=6))
    chosen = pairs[ids].check()
    assert chosen.left.same_as(graphs[ids])
    for p, i in enumerate(ids):
        assert torch.equal(chosen[p].truth, pairs[i].truth)


def partition(label: torch.Tensor) -> set[frozenset[int]]:
    members: dict[int, set[int]] = {}
    for i, value in enumerate(label.tolist()):
        members.setdefault(value, set()).add(i)
    return {frozenset(m) for m in members.values()}


def edge_sets(graphs: GraphSet) -> list[list[tuple[int, ...]]]:
    return [sorted(map(tuple, g.edge_index.T.tolist())) for g in graphs]


def test_shuffled_really_shuffles() -> None:
    random.seed(0)
    graphs = GraphSet.from_edges([[(i, i + 1) for i in range(30)]])
    assert not torch.equal(shuffled(graphs, 0)[1], torch.arange(31))
