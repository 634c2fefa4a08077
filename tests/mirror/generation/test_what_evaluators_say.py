"""What an evaluator says besides its numbers: help, notices, definitions."""

from __future__ import annotations

import inspect
import json
from dataclasses import Field, fields

import networkx as nx
import numpy as np
import pytest
import torch

from graphgauge import distances, report
from graphgauge.distances import Distance
from graphgauge.graphs import GraphSet
from graphgauge.instruments.generation import METRICS, Evaluator, Notice, Settings, as_encoder
from graphgauge.instruments.generation.records import dominated
from graphgauge.instruments.generation.reference import Found
from graphgauge.scores import per_graph


@pytest.mark.parametrize("field", fields(Settings), ids=lambda field: field.name)
def test_help_names_every_setting_with_its_default(field: Field[object]) -> None:
    default = json.dumps(field.default) if isinstance(field.default, str) else repr(field.default)
    assert f"{field.name} ({default})" in (inspect.getdoc(Evaluator) or "")


def found(values: list[float], half: float = 1.0, floor: float = 0.5) -> Found:
    """One metric by several networks, its half-samples and floors twice each."""
    distances = {seed: Distance(value, "", {}, (None, None), True) for seed, value in enumerate(values)}
    size = (len(values), 2)
    return Found(distances, np.full(size, half), np.full(size, floor), 0.0)


def test_one_network_that_makes_most_of_a_mean_is_named() -> None:
    text = dominated({"gin_fd": found([1.0, 20.0, 2.0]), "gin_kd": found([1.0, 1.0, 1.5])})
    assert text == (
        "one random network makes most of the mean of gin_fd (network 1 has 87 % of the sum; mean 7.66667, "
        "median 2)"
    )


@pytest.mark.parametrize(
    ("metric", "one"),
    [
        ("gin_fd", found([1.0, 20.0])),  # too few networks to tell
        ("gin_fd", found([1.0, 20.0, 2.0], half=0.4)),  # no further off than the reference from itself
        ("gin_density", found([0.1, 1.0, 0.1])),  # no distance
        ("gin_fd", found([1.0, float("nan"), 2.0])),
        ("gin_fd", found([0.0, 0.0, 0.0])),
    ],
    ids=["two networks", "below the floor", "share", "nan", "zero"],
)
def test_no_network_is_named_without_reason(metric: str, one: Found) -> None:
    assert dominated({metric: one}) == ""


def test_an_evaluator_warns_of_a_dominating_network(real: GraphSet) -> None:
    stars = GraphSet.from_edges([[(0, leaf) for leaf in range(1, 12 + g)] for g in range(12)])
    evaluator = Evaluator(real, metrics="gin_kd", seeds=5, replicates=2)
    with pytest.warns(Notice, match="stars: one random network makes most of the mean of gin_kd"):
        scores = evaluator.score(stars, name="stars")
    values = [row.value for row in scores if row.split == "all"]
    assert max(values) > sum(values) / 2
    assert any("gin_kd" in notice for notice in scores.notices)


def test_validity_is_not_told_where_nothing_was_checked(real: GraphSet, paths: GraphSet) -> None:
    scores = Evaluator(real, metrics="shares", replicates=3).score(paths)
    line = next(line for line in str(scores).splitlines() if "valid" in line)
    assert line.split() == ["↑", "valid", "–", "–", "–", "–", "not", "checked"]
    assert "Nothing was checked" in next(row.definition for row in scores if row.metric == "valid")
    assert "generated, valid: generated not checked" in report.ranking(scores).replace(
        "reference", "generated"
    )
    both = Evaluator(real, metrics="shares", replicates=3).compare({"a": paths, "b": real})
    assert "valid" not in report.ranking(both)
    checked = str(Evaluator(real, metrics="shares", replicates=3, valid="tree").score(paths))
    assert "not checked" not in checked
    assert next(line for line in checked.splitlines() if "valid" in line).split()[2] == "1"


def test_molecules_are_checked_by_reading_them() -> None:
    scores = Evaluator(["C", "CC", "CCO", "N"], metrics="shares", replicates=2).score(["CC", "CN"])
    assert "not checked" not in str(scores)


def test_the_largest_over_bandwidths_is_positive_between_equal_distributions() -> None:
    rng = np.random.default_rng(0)
    values = [
        float(distances.mmd(*rng.normal(size=(2, 20, 3)), distances.rbf("ten_reference"), "unbiased"))
        for _ in range(60)
    ]
    assert np.mean(values) > 3 * np.std(values) / np.sqrt(len(values))
    assert "on average above 0 between equal distributions too" in METRICS["gin_mmd2_rbf"].about


# ── the user's own functions ───────────────────────────────────────────────────────────────────────────────


def only_long(graph: nx.Graph) -> bool:
    """Fails at paths of 6 nodes, of which the third is the first."""
    if len(graph) == 6:
        raise RuntimeError("six")
    return True


def test_what_a_check_raises_names_side_check_graph_and_line(real: GraphSet, paths: GraphSet) -> None:
    evaluator = Evaluator(real, metrics="shares", valid=per_graph(only_long), replicates=0)
    text = r"^generated \(p\): the validity check 'check' raised RuntimeError: six \(.*, line \d+\), graph 2$"
    with pytest.raises(ValueError, match=text):
        evaluator.score(paths, name="p")


def nothing(graphs: GraphSet) -> torch.Tensor:
    return torch.ones(graphs.num_nodes, 2) / (graphs.num_nodes != 69)  # those of the paths


def failing(graphs: GraphSet) -> torch.Tensor:
    raise RuntimeError("no weights")


def test_an_encoder_at_fault_is_named(real: GraphSet, paths: GraphSet) -> None:
    few = {"metrics": "gin_fd", "replicates": 0}
    with pytest.raises(
        ValueError, match=r"^generated: the encoder 'nothing': the net returns inf for graph 0$"
    ):
        Evaluator(real, encoder=nothing, **few).score(paths, name="generated")
    text = r"^reference: the encoder 'failing' raised RuntimeError: no weights \(.*say.py, line \d+\)$"
    with pytest.raises(ValueError, match=text):
        Evaluator(real, encoder=failing, **few).score(paths)
    with pytest.raises(TypeError, match="encoder must be a function of a GraphSet, got a int"):
        Evaluator(real, encoder=3, **few)
    with pytest.raises(TypeError, match="encoder is the class Linear; give an object of it"):
        Evaluator(real, encoder=torch.nn.Linear, **few)
    with pytest.raises(ValueError, match=r"'torch.nn:Linear' cannot be made: TypeError: .*in_features"):
        as_encoder("torch.nn:Linear")
