"""Laws of uniqueness and novelty: what node order, graph order and names of labels may never change."""

from __future__ import annotations

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from graphgauge import GraphSet
from graphgauge.graphs.structure import planar
from graphgauge.scores import isomorphism_numbers, novel, unique, unique_and_novel

LAW = settings(max_examples=40, deadline=None)


def labelled(seed: int) -> GraphSet:
    """Small random graphs with a node label and an edge label, many of them isomorphic."""
    rng = np.random.default_rng(seed)
    edges, sizes = [], []
    for _ in range(12):
        n = int(rng.integers(1, 6))
        pairs = np.stack(np.triu_indices(n, 1), axis=1)
        edges.append(pairs[rng.random(len(pairs)) < 0.6])
        sizes.append(n)
    bond = torch.from_numpy(rng.integers(0, 2, sum(map(len, edges))))
    graphs = GraphSet.from_edges(edges, sizes, edge={"bond": bond})
    return graphs.with_columns(node={"kind": torch.from_numpy(rng.integers(0, 2, graphs.num_nodes))})


def turned(graphs: GraphSet, seed: int) -> GraphSet:
    rng = np.random.default_rng(seed)
    starts, sizes = graphs.node_ptr.tolist(), graphs.nodes_per_graph.tolist()
    order = [a + rng.permutation(n) for a, n in zip(starts, sizes, strict=False)]
    return graphs.relabel(torch.from_numpy(np.concatenate(order).astype(np.int64)))


@LAW
@given(st.integers(0, 10**6))
def test_the_order_of_nodes_makes_no_difference(seed: int) -> None:
    graphs = labelled(seed)
    both = isomorphism_numbers([graphs, turned(graphs, seed + 1)], "kind", "bond")
    assert np.array_equal(*both)
    assert torch.equal(planar(graphs), planar(turned(graphs, seed)))


@LAW
@given(st.integers(0, 10**6), st.integers(-3, 3))
def test_one_label_for_all_edges_says_nothing(seed: int, name: int) -> None:
    graphs = labelled(seed)
    alike = graphs.with_columns(edge={"bond": torch.full_like(graphs.bond, name)})
    both = [isomorphism_numbers([alike], *labels)[0] for labels in [("kind",), ("kind", "bond")]]
    assert np.array_equal(*both)


@LAW
@given(st.integers(0, 10**6))
def test_labels_only_divide_classes_and_their_names_are_free(seed: int) -> None:
    graphs = labelled(seed)
    plain, nodes, every = (
        isomorphism_numbers([graphs], *labels)[0] for labels in [(), ("kind",), ("kind", "bond")]
    )
    assert len(set(zip(nodes, plain, strict=True))) == len(set(nodes))
    assert len(set(zip(every, nodes, strict=True))) == len(set(every))
    renamed = graphs.with_columns(node={"kind": 7 - graphs.kind}, edge={"bond": 100 * graphs.bond - 3})
    assert np.array_equal(isomorphism_numbers([renamed], "kind", "bond")[0], every)


@LAW
@given(st.integers(0, 10**6))
def test_one_classification_gives_what_two_give(seed: int) -> None:
    generated, reference = labelled(seed), labelled(seed + 1)
    found = unique_and_novel(generated, reference, "kind", "bond")
    assert torch.equal(found[0], unique(generated, "kind", "bond"))
    assert torch.equal(found[1], novel(generated, reference, "kind", "bond"))
    assert not novel(generated, generated, "kind", "bond").any()
    # A graph is novel exactly when it is novel to every reference graph alone.
    alone = [novel(generated, one, "kind", "bond") for one in reference]
    assert torch.equal(found[1], torch.stack(alone).all(0))
