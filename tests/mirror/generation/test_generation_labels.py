"""Which columns are labels, and how they become numbers of the reference."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import torch

from graphgauge.graphs import GraphError, GraphSet
from graphgauge.instruments.generation import Evaluator
from graphgauge.instruments.generation.labels import Codec, Columns, Labels, shared_columns
from graphgauge.instruments.generation.settings import Settings

LABELLED = "kernels,gin_mmd2_linear,shares"


def labelled(values, name="x", level="node", graphs=None) -> GraphSet:
    """Six paths of four nodes (or the given graphs) with one column."""
    graphs = GraphSet.from_networkx([nx.path_graph(4)] * 6) if graphs is None else graphs
    return graphs.with_columns(**{level: {name: torch.as_tensor(values)}})


def test_classes_are_sorted_rows_and_the_unknown_come_last():
    codec = Codec.of(np.array([[8, 0], [6, 1], [8, 0]]))
    assert codec.count == 3
    assert codec.codes(np.array([[6, 1], [8, 0], [7, 7], [6, 0]])).tolist() == [0, 1, 2, 2]
    assert codec.codes(np.empty((0, 2), dtype=np.int64)).tolist() == []


def test_the_first_column_that_both_sides_have_is_taken():
    both = labelled(np.arange(24)).with_columns(node={"node_type": torch.arange(24), "x": torch.arange(24)})
    only_x = labelled(np.arange(24))
    assert shared_columns(both, both, Settings())[0] == Columns("node_type")
    assert shared_columns(both, only_x, Settings()) == (Columns("x"), [])
    assert shared_columns(both, only_x, Settings(labels="none")) == (Columns(), [])


def test_a_column_that_one_side_lacks_is_ignored_with_a_notice():
    bare, full = GraphSet.from_networkx([nx.path_graph(4)] * 6), labelled(np.arange(24) % 2)
    for reference, generated, text in (
        (full, bare, "the reference graphs have x and the generated graphs have none"),
        (bare, full, "the reference graphs have none and the generated graphs have x"),
        (
            full,
            labelled(torch.rand(24)),
            "x holds whole numbers in the reference graphs, floats in the generated graphs; both sides need",
        ),
        (
            full,
            labelled(torch.ones(24, 2, dtype=torch.int64)),
            "x holds whole numbers in the reference graphs, whole numbers, 2 a row in the generated graphs;",
        ),
    ):
        with pytest.warns(UserWarning, match="node labels are ignored"):
            scores = Evaluator(reference, metrics="wl_mmd2", replicates=0).score(generated)
        assert text in scores.notices[0]
        assert scores["wl_mmd2"] == pytest.approx(0.0, abs=1e-12)
        assert scores.rows[0].params["node_labels"] is None


def test_floats_of_which_one_side_is_whole_are_told_apart():
    whole, others = (labelled(torch.arange(24) / part) for part in (1, 2))
    text = (
        r"^generated: the node column 'x' holds whole numbers in the reference.* generated.*, such as 0\.5;"
    )
    with pytest.raises(GraphError, match=text):
        Evaluator(whole, metrics="wl_mmd2", replicates=0).score(others)


def test_a_named_column_must_be_there_and_of_one_width():
    full = labelled(np.arange(24) % 2, "kind")
    named = Evaluator(full, metrics=LABELLED, node_column="kind", seeds=1, replicates=2)
    assert named.score(full).rows[0].params["node_labels"] == "kind"
    with pytest.raises(GraphError, match=r"generated graphs have no node column 'kind'; they have \['x'\]"):
        named.score(labelled(np.arange(24)))
    with pytest.raises(GraphError, match="'kind' is not equally wide on both sides"):
        named.score(labelled(torch.ones(24, 3, dtype=torch.int64), "kind"))
    with pytest.raises(GraphError, match="no edge column 'bond'"):
        Evaluator(full, metrics="wl_mmd2", edge_column="bond").score(full)


@pytest.mark.parametrize("form", ["int64", "float", "one-hot", "bool one-hot"])
def test_whole_numbers_are_labels_whatever_their_type(form):
    numbers = torch.arange(24) ** 2 % 7 % 3
    kinds = {
        "int64": numbers,
        "float": numbers.double(),
        "one-hot": torch.eye(3)[numbers],
        "bool one-hot": torch.eye(3, dtype=torch.bool)[numbers],
    }
    order = numbers.argsort(stable=True)
    one, other = labelled(kinds[form]), labelled(kinds[form][order])
    scores = Evaluator(one, metrics=LABELLED, seeds=1, replicates=0).score(other)
    assert not scores.notices
    assert scores["wl_mmd2"] > 0.01
    assert scores["gin_mmd2_linear"] > 1e-6
    assert scores["novel"] > 0
    plain = Evaluator(labelled(numbers), metrics="kernels,shares", replicates=0).score(
        labelled(numbers[order])
    )
    for metric in plain.found["generated"]:
        assert scores[metric] == plain[metric]


def test_numbers_that_are_not_whole_are_for_networks_only():
    real, other = labelled(torch.linspace(0, 1, 24)), labelled(torch.linspace(1, 0, 24) ** 2)
    with pytest.warns(UserWarning, match="holds numbers that are not whole"):
        scores = Evaluator(real, metrics=LABELLED, seeds=1, replicates=0).score(other)
    assert max(scores["wl_mmd2"], scores["nspdk_mmd2"]) < 1e-30
    assert scores["novel"] == 0.0
    assert scores["gin_mmd2_linear"] > 1e-6


def test_whole_on_one_side_only_is_an_error_that_says_what_to_do():
    with pytest.raises(GraphError, match="labels='none' compares structure only"):
        Evaluator(labelled(torch.ones(24)), metrics="wl_mmd2").score(labelled(torch.full((24,), 0.5)))


def test_a_class_that_the_reference_lacks_is_one_of_its_own():
    real = labelled(np.arange(24) % 2)
    unknown = labelled(np.full(24, 77))
    evaluator = Evaluator(real, metrics=LABELLED, seeds=1, replicates=2)
    scores = evaluator.score(unknown)
    assert scores["novel"] == 1.0
    assert scores["wl_mmd2"] > 0.5
    assert scores["gin_mmd2_linear"] > 0
    assert evaluator.score(labelled(np.full(24, 78)))["gin_mmd2_linear"] == scores["gin_mmd2_linear"]
    assert evaluator.score(real)["wl_mmd2"] == 0.0


def test_unknown_classes_are_told_apart_by_uniqueness_alone():
    generated = labelled(np.repeat([7, 8, 9, 7, 8, 9], 4))
    zeros = labelled(np.zeros(24, dtype=int))
    scores = Evaluator(zeros, metrics="unique,novel", replicates=0).score(generated)
    assert (scores["unique"], scores["novel"]) == (0.5, 1.0)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
@pytest.mark.parametrize("whole", [True, False], ids=["beside whole numbers", "beside fractions"])
def test_numbers_that_are_none_are_named(bad, whole):
    values = torch.ones(24) if whole else torch.full((24,), 0.5)
    broken = values.clone()
    broken[9] = bad
    message = "graph 2: node column 'x', row 9, holds a number that is not finite"
    with pytest.raises(GraphError, match=message):
        Evaluator(labelled(values), metrics="gin_mmd2_linear", seeds=1).score(labelled(broken))
    if not whole:
        with pytest.raises(GraphError, match=message):
            Evaluator(labelled(broken), metrics="gin_mmd2_linear", seeds=1).score(labelled(values))


def test_edge_labels_are_used_where_both_sides_have_them():
    edges = int(GraphSet.from_networkx([nx.path_graph(4)] * 6).num_edges)
    one, two = (labelled(np.full(edges, kind), "edge_type", "edge") for kind in (1, 2))
    scores = Evaluator(one, metrics="nspdk_mmd2,gin_mmd2_linear,novel", seeds=1, replicates=0).score(two)
    assert scores["nspdk_mmd2"] > 0.1
    assert scores["gin_mmd2_linear"] > 0
    assert scores["novel"] == 1.0
    assert scores.rows[0].params["edge_labels"] == "edge_type"


def test_molecules_without_bonds():
    metrics = "classical,kernels,gin_mmd2_rbf,gin_fd,shares,sizes,molecules"
    scores = Evaluator(["C", "N", "O"], metrics=metrics, seeds=1, replicates=2).score(["C", "N"])
    assert (scores["novel"], scores["valid"], scores["unique"]) == (0.0, 1.0, 1.0)
    assert all(np.isfinite(row.value) for row in scores)
    assert Evaluator(["CCO", "CC", "O"], metrics=metrics, seeds=1).score(["C", "N"])["novel"] == 1.0


def test_charges_and_hydrogens_tell_molecules_apart():
    scores = Evaluator(["CC(=O)O", "C[N+](C)(C)C"], metrics="novel", replicates=0).score(["CC(=O)[O-]"])
    assert scores["novel"] == 1.0


def test_encoded_columns():
    graphs = labelled(torch.eye(3)[torch.arange(24) % 3])
    labels = Labels.of(graphs, Columns("x"))
    coded = labels.encode(graphs)
    assert sorted(coded.node) == ["identity", "label", "numbers"]
    assert coded.node["label"].tolist() == [2 - code for code in (torch.arange(24) % 3).tolist()]
    assert not coded.edge
    assert labels.notices() == []
