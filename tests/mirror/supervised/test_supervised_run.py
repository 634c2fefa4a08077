"""The supervised benchmark end to end on small tasks: rows, budgets, resuming, and what is refused."""

from __future__ import annotations

import math
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from graphgauge.datasets import load_task
from graphgauge.datasets.errors import MissingData
from graphgauge.graphs import Feature, Fold, GraphError, GraphSet, Links, Task
from graphgauge.instruments.supervised import Settings, own_task, recipe_for, run
from graphgauge.instruments.supervised.benchmark import chosen
from graphgauge.instruments.supervised.feeds import GraphFeed, LinkFeed, with_links
from graphgauge.instruments.supervised.protocol import CSL_SEEDS
from graphgauge.models import ModelError
from graphgauge.models.dense import DenseMemoryError
from graphgauge.rows import Row
from graphgauge.sweep import SweepError

SMALL: dict[str, Any] = {"budget": None, "width": 8, "layers": 2, "seeds": 1, "max_epochs": 2, "workers": 1}


def values(rows: list[Row], metric: str) -> dict[tuple[str, str], float]:
    return {(row.split, row.selection): row.value for row in rows if row.metric == metric}


def toy(count: int = 30, y: Tensor | None = None) -> GraphSet:
    """Paths of 2 to 4 nodes, to be told apart by their length."""
    sizes = [2 + i % 3 for i in range(count)]
    graphs = GraphSet.from_edges([[(a, a + 1) for a in range(n - 1)] for n in sizes])
    kind = torch.ones(graphs.num_nodes, dtype=torch.int64)
    label = torch.tensor(sizes) - 2 if y is None else y
    return graphs.with_columns(node={"x": kind}, graph={"y": label})


def test_rows_of_one_run() -> None:
    rows = run("gin", "csl", folds=1, baselines=False, **SMALL)
    assert set(values(rows, "accuracy")) == {
        (part, rule) for part in ("train", "val", "test") for rule in ("last epoch", "best validation")
    }
    assert all(math.isfinite(row.value) for row in rows)
    assert {"parameters", "epochs", "best_epoch", "epoch_seconds", "total_seconds", "peak_memory"} <= {
        row.metric for row in rows
    }
    (one,) = {row.seed for row in rows}
    assert one == CSL_SEEDS[0]
    row = next(r for r in rows if r.metric == "accuracy" and r.split == "test")
    assert row.n == 30
    assert row.params["dataset"] == "csl"
    assert row.params["lr"] == 5e-4  # the task's protocol
    assert "whose most probable class" in row.definition


def test_same_seed_same_rows_and_another_seed_others() -> None:
    first, again = (run("gatedgcn", toy(), baselines=False, **SMALL) for _ in range(2))
    other = run("gatedgcn", toy(), baselines=False, **{**SMALL, "seeds": [5]})
    assert values(first, "loss") == values(again, "loss")
    assert values(first, "loss") != values(other, "loss")


def test_baselines_stand_beside_models() -> None:
    rows = run("mlp", toy(), **SMALL)
    by = {row.subject: row for row in rows if row.split == "test" and row.metric == "accuracy"}
    assert by["majority by size"].value == 1.0  # the length of a path is its class
    assert by["majority"].params["baseline"] is True
    assert by["majority"].selection == "none"


def test_finished_runs_are_not_repeated(tmp_path: Path) -> None:
    first = run("gcn,mlp", toy(), out=tmp_path, baselines=False, **SMALL)
    files = {path: path.stat().st_mtime_ns for path in (tmp_path / "rows").iterdir()}
    second = run("gcn,mlp", toy(), out=tmp_path, baselines=False, **SMALL)
    assert [row.to_json() for row in first] == [row.to_json() for row in second]
    assert files == {path: path.stat().st_mtime_ns for path in (tmp_path / "rows").iterdir()}
    assert len(list((tmp_path / "tasks").iterdir())) == 1


def test_a_damaged_task_file_is_written_again(tmp_path: Path) -> None:
    run("mlp", toy(), out=tmp_path, baselines=False, **SMALL)
    (file,) = (tmp_path / "tasks").iterdir()
    file.write_bytes(b"nothing")
    with pytest.warns(UserWarning, match="written again"):
        run("mlp", toy(), out=tmp_path, baselines=False, **{**SMALL, "seeds": [3]})


def test_a_number_is_learned_and_the_best_epoch_is_kept() -> None:
    graphs = toy(60, torch.tensor([2.0 + i % 3 for i in range(60)]))
    rows = run("gin", graphs, **{**SMALL, "max_epochs": 60}, lr=0.01, baselines=False)
    mae = values(rows, "mae")
    assert mae["test", "last epoch"] < 0.4
    assert mae["val", "best validation"] <= mae["val", "last epoch"]


# ── budgets ────────────────────────────────────────────────────────────────────────────────────────────────


def test_published_configuration_and_fitted_width() -> None:
    task = load_task("csl")
    published = recipe_for(task, "gcn", budget="100k")
    assert (published.width, published.layers, published.published) == (146, 4, True)
    fitted = recipe_for(task, "gcn", budget=20_000)
    size = fitted.fingerprint(task)["parameters"]
    assert 19_400 <= size <= 20_000
    assert not fitted.published


def test_own_class_fits_a_budget() -> None:
    task = own_task("mine", toy(), 0)
    recipe = recipe_for(task, Encoder, budget="5k")
    assert 4850 <= recipe.fingerprint(task)["parameters"] <= 5000


def test_a_budget_that_is_missed_is_refused_unless_asked() -> None:
    task = load_task("csl")
    with pytest.raises(ValueError, match=r"of width 10 has [\d,]+ parameters, -\d+\.\d% from its budget"):
        recipe_for(task, "gcn", budget="100k", width=10)
    assert recipe_for(task, "gcn", budget="100k", width=10, loose=True).width == 10


@pytest.mark.parametrize(
    ("budget", "word"),
    [("10", "more than the limit"), ("lots", "such as 100k"), ("0", "such as 100k"), ("1.5", "such as 100k")],
)
def test_impossible_budgets_are_named(budget: str, word: str) -> None:
    with pytest.raises(ValueError, match=word):
        recipe_for(load_task("csl"), "gcn", budget=budget)


# ── what is refused before anything is trained ─────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("changes", "error", "word"),
    [
        ({"learning_rate": 1.0}, ValueError, "unknown settings"),
        ({"dense_batches": "no"}, ValueError, "dense_batches"),
        ({"device": "nowhere"}, ValueError, "cannot be used"),
        ({"options": {"depth": 3}}, ModelError, "no option 'depth'"),
        ({"folds": [7]}, ValueError, "folds are numbered 0 to 4"),
        ({"seeds": 0}, ValueError, "seeds must be at least 1"),
        ({"edge_features": True}, ValueError, "no edge features"),
        ({"encoding": "foo:3"}, ValueError, "foo"),
    ],
    ids=["setting", "dense", "device", "option", "fold", "seeds", "edges", "encoding"],
)
def test_wrong_arguments_are_named(changes: dict[str, Any], error: type[Exception], word: str) -> None:
    with pytest.raises(error, match=word):
        run("gcn", "csl", **{**SMALL, **changes})


def test_unknown_names() -> None:
    with pytest.raises(ModelError, match="unknown net 'gnc'"):
        run("gnc", "csl", **SMALL)
    with pytest.raises(ValueError, match="neither a task nor a file"):
        run("gcn", "nope", **SMALL)
    with pytest.raises(MissingData, match="not at hand"):
        run("gcn", "cifar10", root="/nonexistent", **SMALL)


def test_targets_that_do_not_fit_are_refused_not_broadcast() -> None:
    graphs = toy(30, torch.rand(30, 1, 1))
    kind = Feature("x", "category", 2)
    task = Task("odd", graphs, {"graph": 1}, kind, folds=(thirds(30),), loss="l1", score="mae")
    with pytest.raises(ModelError, match="not broadcast"):
        run("gcn", task, **SMALL)


def test_own_graphs_need_a_target() -> None:
    with pytest.raises(GraphError, match="needs a column 'y'"):
        run("gcn", toy().structure(), **SMALL)
    with pytest.raises(GraphError, match="cannot be split"):
        run("gcn", toy(2), **SMALL)


def test_dense_model_on_one_huge_graph_is_refused_before_it_allocates() -> None:
    n = 200_000
    path = torch.stack([torch.arange(n - 1), torch.arange(1, n)])
    graphs = GraphSet(
        torch.tensor([0, n]), path, torch.tensor([0, n - 1]), node={"x": torch.zeros(n, 2)}, directed=True
    )
    pairs = torch.tensor([[0, 2]])
    links = {"train": Links(pairs), "val": Links(pairs, pairs), "test": Links(pairs, pairs)}
    task = Task(
        "big", graphs, {"link": 1}, Feature("x", "number", 2), split_over="links", links=links,
        loss="link_bce", score="hits@50",
    )  # fmt: skip
    with pytest.raises(DenseMemoryError, match="200,000 nodes"):
        run("ppgn", task, **SMALL)


# ── models of the user ─────────────────────────────────────────────────────────────────────────────────────


class Encoder(nn.Module):
    def __init__(self, out_features: int = 8) -> None:
        super().__init__()
        self.map = nn.Linear(1, out_features)

    def forward(self, graphs: GraphSet) -> Tensor:
        x = graphs.x
        assert x is not None
        hidden: Tensor = self.map(x[:, None].float())
        return hidden


class Broken(Encoder):
    def forward(self, graphs: GraphSet) -> Tensor:
        return super().forward(graphs) * float("nan")


class Failing(Encoder):
    def forward(self, graphs: GraphSet) -> Tensor:
        raise RuntimeError("not today")


def test_own_class_and_module_are_trained() -> None:
    rows = run({"mine": Encoder, "made": Encoder(8)}, toy(), baselines=False, **SMALL)
    assert {row.subject for row in rows} == {"mine", "made"}


def test_nan_loss_is_named_and_the_others_finish() -> None:
    with pytest.raises(SweepError, match="the loss is nan") as caught:
        run({"broken": Broken, "good": Encoder}, toy(), baselines=False, **SMALL)
    assert {row.subject for row in caught.value.rows} == {"good"}


def test_an_exception_names_the_line() -> None:
    with pytest.raises(ModelError, match="RuntimeError: not today"):
        run(Failing, toy(), **SMALL)


# ── nodes and links ────────────────────────────────────────────────────────────────────────────────────────


def thirds(count: int) -> Fold:
    order = torch.arange(count)
    return Fold(order[: count // 3], order[count // 3 : 2 * count // 3], order[2 * count // 3 :])


def test_nodes_of_one_graph() -> None:
    ring = GraphSet.from_edges([[(i, (i + 1) % 12) for i in range(12)]])
    graphs = ring.with_columns(node={"x": torch.eye(12), "y": torch.arange(12) % 2})
    one_hot = Feature("x", "number", 12)
    task = Task("ring", graphs, {"node": 2}, one_hot, folds=(thirds(12),), split_over="nodes")
    rows = run("gcn,gat", task, **{**SMALL, "max_epochs": 80}, lr=0.05, patience=30)
    trained = [r for r in rows if r.metric == "accuracy" and r.split == "train" and r.subject == "gcn"]
    assert trained[0].value == 1.0
    assert trained[0].n == 4


def link_task() -> Task:
    """Two cliques of 8: links inside them are there; validation and test hold out some."""
    inside = [(a + s, b + s) for s in (0, 8) for a in range(8) for b in range(a + 1, 8)]
    pairs = torch.tensor(inside)[torch.randperm(len(inside), generator=torch.Generator().manual_seed(0))]
    train, val, test = pairs[:36], pairs[36:46], pairs[46:]
    across = torch.tensor([(a, b) for a in range(8) for b in range(8, 16)])
    graphs = GraphSet.from_edges([train.tolist()], num_nodes=[16]).with_columns(node={"x": torch.eye(16)})
    links = {"train": Links(train), "val": Links(val, across), "test": Links(test, across)}
    return Task(
        "cliques", graphs, {"link": 1}, Feature("x", "number", 16), split_over="links", links=links,
        loss="link_bce", score="hits@50",
    )  # fmt: skip


def test_links_are_predicted() -> None:
    rows = run("gcn", link_task(), **{**SMALL, "max_epochs": 60}, lr=0.02)
    hits = {(r.subject, r.split, r.selection): r.value for r in rows if r.metric == "hits@50"}
    assert hits["gcn", "test", "last epoch"] > 0.8
    assert {r.metric for r in rows} >= {"hits@10", "hits@50", "hits@100"}
    assert ("degree", "test", "none") in hits


def test_no_held_out_link_is_in_the_message_graph_unless_asked() -> None:
    task = link_task()
    listed = {(int(a), int(b)) for a, b in task.graphs.edge_index.T}
    held = [tuple(p) for part in ("val", "test") for p in task.links[part].positive.tolist()]
    assert not any((a, b) in listed or (b, a) in listed for a, b in held)
    feed = LinkFeed(task, 16, 0, val_links_at_test=True)
    assert feed._graph("val").num_edges == task.graphs.num_edges
    seen = {(int(a), int(b)) for a, b in feed._graph("test").edge_index.T}
    assert all((a, b) in seen and (b, a) in seen for a, b in task.links["val"].positive.tolist())
    assert not any(tuple(p) in seen for p in task.links["test"].positive.tolist())
    assert run("mlp", task, baselines=False, val_links_at_test=True, **SMALL)[0].params["val_links_at_test"]


def test_new_links_carry_edge_columns() -> None:
    one = GraphSet.from_edges([[(0, 1)]], num_nodes=[3]).with_columns(edge={"w": torch.zeros(2, 2)})
    more = with_links(one, torch.tensor([[1, 2]]))
    assert more.edge["w"].tolist() == [[0, 0], [0, 0], [1, 1], [1, 1]]


# ── small parts ────────────────────────────────────────────────────────────────────────────────────────────


def test_more_seeds_than_the_protocol_has_are_all_different() -> None:
    assert len(set(chosen(7, [41, 95, 12, 35], "seeds"))) == 7


def test_settings_survive_their_parameters() -> None:
    settings = Settings(lr=0.1, dropout=0.2)
    assert Settings.from_params(asdict(settings)) == settings


@pytest.mark.parametrize("model", ["gin", "gatedgcn"])
def test_shared_rows_change_no_answer(model: str) -> None:
    """What a batch of equal histories says is what the plain batch says, loss by loss."""
    task = own_task("mine", toy(60), 0)
    recipe = recipe_for(task, model, budget=None, width=8, layers=2)
    settings = Settings(lr=0.1, patience=1, min_lr=1e-3, max_epochs=1, max_seconds=9.0, weight_decay=0.0,
                        dropout=0.0, batch_size=16)  # fmt: skip
    net = recipe.fresh(task, 0)
    shared, plain = (recipe.feed(task, 0, replace(settings, share_rows=share), 0) for share in (True, False))
    assert isinstance(shared, GraphFeed)
    assert shared.histories is not None
    for a, b in zip(shared.batches(0), plain.batches(0), strict=True):
        assert torch.allclose(shared.loss(net, a), plain.loss(net, b), atol=1e-5)
    net.eval()
    assert shared.judge(net, "test").loss == pytest.approx(plain.judge(net, "test").loss, abs=1e-5)


# ── what a trial found ─────────────────────────────────────────────────────────────────────────────────────


class Activated(Encoder):
    def __init__(self, activation: Any, out_features: int = 8) -> None:
        super().__init__(out_features)
        self.activation = activation

    def forward(self, graphs: GraphSet) -> Tensor:
        hidden: Tensor = self.activation(super().forward(graphs))
        return hidden


def test_models_that_differ_in_a_function_are_two_models() -> None:
    rows = run([Activated(torch.relu), Activated(torch.tanh)], toy(), baselines=False, **SMALL)
    assert len({r.value for r in rows if r.metric == "loss" and r.split == "train"}) > 1
    with pytest.raises(ValueError, match="cannot be told apart"):
        run([Activated(torch.relu), Activated(torch.relu)], toy(), **SMALL)


def test_published_is_said_of_the_published_data_and_training_only() -> None:
    few: dict[str, Any] = {"seeds": 1, "folds": 1, "max_epochs": 1, "workers": 1, "baselines": False}

    def published(dataset: Any, **more: Any) -> bool:
        return bool(run("gcn", dataset, **few, **more)[0].params["published"])

    csl = load_task("csl")
    assert published("csl")
    assert published("csl", encoding="lap:20")
    assert not published(csl)
    assert not published("csl", encoding="lap:20", encoding_variant="absolute")
    assert not published("csl", lr=0.1)
    assert not recipe_for(csl, "gcn", encoding="lap:20,sign=absolute").published


@pytest.mark.parametrize("budget", ["100K", 100_000, "0.1m", "100000"])
def test_a_budget_has_one_meaning(budget: str | int) -> None:
    recipe = recipe_for(load_task("csl"), "gcn", budget=budget)
    assert (recipe.budget, recipe.width, recipe.published) == ("100k", 146, True)


def test_baselines_are_kept_with_the_runs(tmp_path: Path) -> None:
    from graphgauge.sweep import stored_rows

    run("mlp", toy(), out=tmp_path, **SMALL)
    assert any(row.params.get("baseline") for row in stored_rows(tmp_path))


def test_edge_features_are_said_of_nets_that_read_them_only() -> None:
    graphs = toy()
    kinds = {"edge_attr": torch.zeros(graphs.num_edges, dtype=torch.int64)}
    task = own_task("mine", graphs.with_columns(edge=kinds), 0)
    read = {m: recipe_for(task, m, budget="30k", edge_features=True, loose=True).edge_features
            for m in ("gcn", "gatedgcn", "ppgn")}  # fmt: skip
    assert read == {"gcn": False, "gatedgcn": True, "ppgn": True}


@pytest.mark.parametrize("seeds", ["12", "two", [-1], [1.5]])
def test_seeds_are_whole_numbers(seeds: Any) -> None:
    with pytest.raises(ValueError, match="whole numbers"):
        run("gcn", toy(), **{**SMALL, "seeds": seeds})


def test_dense_model_and_a_large_graph_among_those_of_the_test_part() -> None:
    small = toy(30)
    n = 40_000
    path = torch.stack([torch.arange(n - 1), torch.arange(1, n)])
    big = GraphSet(
        torch.tensor([0, n]), path, torch.tensor([0, n - 1]), node={"x": torch.ones(n, dtype=torch.int64)},
        graph={"y": torch.tensor([0])},
    )  # fmt: skip
    task = Task("mixed", GraphSet.concat([small, big]), {"graph": 3}, Feature("x", "category", 2),
                folds=(Fold(torch.arange(20), torch.arange(20, 30), torch.tensor([30])),))  # fmt: skip
    with pytest.raises(DenseMemoryError, match="graph 30 with 40,000 nodes"):
        run("ppgn", task, **SMALL)


def test_names_of_tasks_are_no_paths(tmp_path: Path) -> None:
    task = own_task("../../x", toy(), 0)
    run("mlp", task, out=tmp_path / "a" / "b", baselines=False, **SMALL)
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


@pytest.mark.parametrize("dtype", [torch.int32, torch.bool, torch.uint8])
def test_targets_and_columns_of_other_types(dtype: torch.dtype) -> None:
    y = (torch.arange(30) % 2).to(dtype)
    graphs = toy(30, y)
    graphs = graphs.with_columns(node={"x": torch.ones(graphs.num_nodes, 1, dtype=dtype)})
    task = own_task("mine", graphs, 0)
    assert task.node == Feature("x", "category", 2)
    assert run("gin", task, baselines=False, **SMALL)


@pytest.mark.parametrize(
    ("y", "word"),
    [(torch.tensor([0, 10**9] * 15), "different classes"), (torch.tensor([0, -1] * 15), "from 0"),
     (torch.tensor([0.0, float("nan")] * 15), "not finite")],
    ids=["gaps", "negative", "nan"],
)  # fmt: skip
def test_odd_targets(y: Tensor, word: str) -> None:
    with pytest.raises(ValueError, match=word):
        run("gcn", toy(30, y), **SMALL)


def test_one_graph_has_its_nodes_split() -> None:
    ring = GraphSet.from_edges([[(i, (i + 1) % 40) for i in range(40)]])
    task = own_task("ring", ring.with_columns(node={"y": torch.arange(40) % 2}), 0)
    assert task.split_over == "nodes"
    assert [len(task.folds[0][part]) for part in ("train", "val", "test")] == [32, 4, 4]


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"encoding_variant": "flip"}, "there is none"),
        ({"encoding": "rwpe:4", "encoding_variant": "flip"}, "has none"),
        ({"options": {"width": 3}}, "no option of a net"),
        ({"folds": 6}, "at most 5"),
        ({"max_epochs": 0}, "max_epochs"),
        ({"budget": 10**12, "width": None}, "up to"),
    ],
    ids=["variant", "kind", "option", "folds", "epochs", "budget"],
)
def test_what_would_be_ignored_is_refused(changes: dict[str, Any], word: str) -> None:
    with pytest.raises(ValueError, match=word):
        run("gcn", "csl", **{**SMALL, **changes})
    with pytest.raises(ValueError, match="tasks by name"):
        run("gcn", toy(), size=3, **SMALL)
