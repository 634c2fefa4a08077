"""Laws of the supervised tasks: what every one of them keeps, and what each generator promises."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from graphgauge.datasets import TASKS, DatasetError, MissingData, load_task
from graphgauge.datasets.tasks.blocks import NO_PATTERN, _pairs, place
from graphgauge.datasets.tasks.entry import sizes_of
from graphgauge.datasets.tasks.folds import restricted, stratified_folds
from graphgauge.datasets.tasks.graphtheoryprop import FAMILIES, draw, toggled
from graphgauge.datasets.tasks.superpixels import _nearest
from graphgauge.graphs import Task
from graphgauge.graphs.structure import components
from graphgauge.graphs.task import PARTS

LOSSES = {"l1", "cross_entropy", "class_weighted_cross_entropy", "mse", "link_bce"}
SCORES = {"mae", "accuracy", "class_accuracy", "f1", "hits@50", "log10_mse"}
SIZES = {"csl": 100, "tsp": 10, "mnist": 6, "cifar10": 6, "enzymes": 200, "proteins": 200, "dd": 200}
OPTIONS: dict[str, dict[str, Any]] = {"tsp": {"smallest": 26, "largest": 40, "seconds": 0.02}}
GENERATED = [name for name, entry in TASKS.items() if entry.kind == "generated" and name != "tsp"]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))
    monkeypatch.setenv("GRAPHGAUGE_OFFLINE", "1")


def small(name: str, seed: int = 0) -> Task:
    """A small task of this name, or a skip that says why there is none."""
    size = SIZES.get(name, 60) if TASKS[name].smaller else None
    try:
        return load_task(name, size=size, seed=seed, **OPTIONS.get(name, {}))
    except MissingData as error:
        pytest.skip(str(error).splitlines()[0])


@pytest.mark.parametrize("name", TASKS)
def test_every_entry_says_what_it_is(name: str) -> None:
    entry = TASKS[name]
    assert entry.loss in LOSSES
    assert entry.score in SCORES
    assert set(entry.sizes) == set(PARTS)
    assert min(entry.sizes.values()) > 0
    for text in (entry.about, entry.licence, entry.source, entry.citation):
        assert text.strip()


@pytest.mark.parametrize("name", TASKS)
def test_a_task_is_what_its_entry_says(name: str) -> None:
    task = small(name)
    entry = TASKS[name]
    assert (task.name, task.loss, task.score) == (name, entry.loss, entry.score)
    assert task.options["seed"] == 0
    for level, outputs in task.outputs.items():
        if level == "link":
            continue
        y = getattr(task.graphs, level)["y"]
        if y.is_floating_point():
            assert y.dtype == torch.float32
            assert outputs == (1 if y.dim() == 1 else y.shape[1])
        else:
            assert y.dtype == torch.int64
            assert 0 <= int(y.min()) <= int(y.max()) < outputs
    for level in ("node", "edge"):
        for column in getattr(task.graphs, level).values():
            assert not column.is_floating_point() or bool(column.isfinite().all())
    task.graphs.check()
    if task.split_over == "graphs":
        assert sum(len(task.part(part)) for part in PARTS) == len(task.graphs)


@pytest.mark.parametrize("name", TASKS)
def test_same_seed_same_task(name: str) -> None:
    first, again, other = small(name), small(name), small(name, 1)
    assert first.graphs.same_as(again.graphs)
    for one, two in zip(first.folds, again.folds, strict=True):
        assert all(torch.equal(one[part], two[part]) for part in PARTS)
    assert not first.graphs.same_as(other.graphs)


@pytest.mark.parametrize("name", GENERATED)
def test_parts_are_drawn_independently(name: str) -> None:
    task = small(name)
    parts = [task.part(part) for part in PARTS]
    assert len({graphs[:5].content_hash for graphs in parts}) == len(PARTS)


@given(
    size=st.integers(3, 20000), name=st.sampled_from(["cluster", "graphtheoryprop", "cycles", "zinc", "dd"])
)
@settings(max_examples=60, deadline=None)
def test_shares_add_up_and_keep_the_official_proportions(size: int, name: str) -> None:
    entry = TASKS[name]
    official = sum(entry.sizes.values())
    if entry.kind != "generated" and size > official:
        with pytest.raises(DatasetError, match="size must be between 3 and"):
            sizes_of(name, entry, size)
        return
    sizes = sizes_of(name, entry, size)
    assert sum(sizes.values()) == size
    assert min(sizes.values()) >= 1
    for part, count in sizes.items():
        exact = size * entry.sizes[part] / official
        assert abs(count - exact) < 2 or exact < 1


def test_official_size_has_the_official_shares() -> None:
    for entry in TASKS.values():
        if entry.smaller:
            assert sizes_of("x", entry, sum(entry.sizes.values())) == dict(entry.sizes)


# ── block models ───────────────────────────────────────────────────────────────────────────────────────


def test_cluster_labels_one_node_of_each_block() -> None:
    graphs = load_task("cluster", size=40).graphs
    x, y = graphs.node["x"], graphs.node["y"]
    labelled = x > 0
    assert torch.equal(x[labelled] - 1, y[labelled])
    pairs = graphs.batch[labelled] * 6 + y[labelled]
    assert pairs.sort()[0].tolist() == list(range(40 * 6))
    count = torch.bincount(graphs.batch * 6 + y)
    assert int(count.min()) >= 5
    assert int(count.max()) <= 34


def test_chances_of_edges_are_those_asked_for() -> None:
    task = load_task("cluster", size=200, p=0.8, q=0.1)
    y = task.graphs.node["y"]
    source, target = task.graphs.edge_index
    same = int((y[source] == y[target]).sum())
    count = torch.bincount(task.graphs.batch * 6 + y, minlength=1200).reshape(-1, 6)
    inside = int((count * (count - 1)).sum())
    between = int((count.sum(1) ** 2 - (count**2).sum(1)).sum())
    assert same / inside == pytest.approx(0.8, abs=0.01)
    assert (task.graphs.num_edges - same) / between == pytest.approx(0.1, abs=0.01)


def test_pattern_is_the_same_in_all_its_graphs() -> None:
    """With 100 graphs in a part every graph has a pattern of its own; with 200, two share one."""
    graphs = load_task("pattern", size=280).part("train")  # 200, 40, 40
    values = []
    for g in graphs:
        inside = g.node["y"] == 1
        source, target = g.edge_index
        degree = torch.bincount(source[inside[source] & inside[target]], minlength=g.num_nodes)[inside]
        values.append(sorted(zip(g.node["x"][inside].tolist(), degree.tolist(), strict=True)))
    assert all(values[2 * k] == values[2 * k + 1] for k in range(100))
    assert values[0] != values[2]


def test_pattern_sizes_follow_the_option() -> None:
    drawn = load_task("pattern", size=300).graphs
    sizes = torch.bincount(drawn.batch[drawn.node["y"] == 1])
    assert sizes.min() >= 5
    assert sizes.max() <= 34
    assert sizes.unique().numel() > 10
    fixed = load_task("pattern", size=20, pattern_size=20).graphs
    assert torch.bincount(fixed.batch[fixed.node["y"] == 1]).tolist() == [20] * 20


def test_earlier_setting_of_pattern_gives_the_published_averages() -> None:
    """Table 2 of the paper has 117.47 nodes and 4749.15 edges: q = 0.2 and patterns of 20 nodes."""
    graphs = load_task("pattern", size=3000, q=0.2, pattern_size=20).graphs
    assert graphs.num_nodes / len(graphs) == pytest.approx(117.47, rel=0.01)
    assert graphs.num_edges / len(graphs) == pytest.approx(4749.15, rel=0.02)


def test_no_chance_and_full_chance() -> None:
    assert load_task("cluster", size=5, p=0, q=0).graphs.num_edges == 0
    full = load_task("cluster", size=5, p=1, q=1).graphs
    n = full.nodes_per_graph
    assert torch.equal(full.edges_per_graph, n * (n - 1))


def test_compiled_pairs_and_their_plain_twin() -> None:
    rng = np.random.default_rng(0)
    block, _, ptr = place(rng, rng.integers(1, 4, (5, 3)))
    chance = np.array([[0.9, 0.1, 0.3], [0.1, 0.5, 0.5], [0.3, 0.5, 0.2]])
    none = np.zeros(0, np.int64)
    found = [
        loop(np.random.default_rng(1), ptr, block, chance, none, NO_PATTERN, none, 500)
        for loop in (_pairs, _pairs.py_func)
    ]
    (edges, count), (plain, count_plain) = found
    assert count == count_plain > 0
    assert np.array_equal(edges[:, :count], plain[:, :count])


# ── cycles, circulants, theory ─────────────────────────────────────────────────────────────────────────


def test_cycles_are_balanced_and_sizes_say_nothing() -> None:
    task = load_task("cycles", size=2000)
    for part in PARTS:
        y = task.part(part).graph["y"]
        assert int(y.sum()) * 2 == y.numel()
    graphs = task.graphs
    nodes, y = graphs.nodes_per_graph, graphs.graph["y"]
    assert torch.equal(graphs.edges_per_graph, 2 * (nodes - 5))
    assert 37 <= int(nodes.min()) <= int(nodes.max()) <= 65
    first = np.unique(components(graphs).numpy(), return_index=True)[1]
    component = np.bincount(graphs.batch.numpy()[first])
    assert component.tolist() == [7] * 2000  # two with a cycle, five trees
    assert float(nodes[y == 1].double().mean()) == pytest.approx(
        float(nodes[y == 0].double().mean()), abs=0.6
    )


def test_csl_folds() -> None:
    task = load_task("csl")
    y = task.graphs.graph["y"]
    assert torch.cat([fold.test for fold in task.folds]).sort()[0].tolist() == list(range(150))
    for fold in task.folds:
        for part, count in (("train", 9), ("val", 3), ("test", 3)):
            assert torch.bincount(y[fold[part]]).tolist() == [count] * 10


def test_copies_of_a_class_of_csl_are_numbered_differently() -> None:
    graphs = load_task("csl").graphs
    assert len({g.structure().content_hash for g in graphs}) == 150


@given(st.lists(st.integers(0, 4), min_size=10, max_size=80), st.integers(2, 5))
@settings(max_examples=40, deadline=None)
def test_drawn_folds_partition_and_keep_proportions(classes: list[int], folds: int) -> None:
    y = np.array(classes)
    found = stratified_folds(np.random.default_rng(0), y, folds)
    assert sorted(torch.cat([fold.test for fold in found]).tolist()) == list(range(y.size))
    for fold in found:
        assert sorted(torch.cat([fold[part] for part in PARTS]).tolist()) == list(range(y.size))
        for value in np.unique(y):
            share = (y == value).sum() / folds
            assert abs(int((y[fold.test.numpy()] == value).sum()) - share) < 1


def test_folds_of_some_graphs_are_the_same_graphs() -> None:
    folds = stratified_folds(np.random.default_rng(0), np.arange(40) % 4, 4)
    chosen = np.sort(np.random.default_rng(1).choice(40, 25, replace=False))
    for whole, some in zip(folds, restricted(folds, chosen, 40), strict=True):
        for part in PARTS:
            assert set(chosen[some[part].numpy()]) == set(whole[part].tolist()) & set(chosen.tolist())


@pytest.mark.parametrize("family", FAMILIES)
def test_families_give_simple_graphs_of_the_right_size(family: str) -> None:
    maker, chance = FAMILIES[family]
    rng = np.random.default_rng(0)
    assert 0 < chance < 1
    for n in (15, 16, 17, 24):
        for _ in range(10):
            edges = maker(rng, n)
            assert all(0 <= u < n and 0 <= v < n and u != v for u, v in edges)
            assert len({frozenset(edge) for edge in edges}) == len(edges)
            if family in ("tree", "line", "star", "caterpillar", "lobster"):
                assert len(edges) == n - 1


def test_chances_of_the_families_add_up_and_are_kept() -> None:
    assert sum(chance for _, chance in FAMILIES.values()) == pytest.approx(1)
    _, family = draw(np.random.default_rng(0), 3000, 15)
    share = np.bincount(family, minlength=10) / 3000
    assert np.abs(share - [chance for _, chance in FAMILIES.values()]).max() < 0.03


def test_no_node_is_alone_and_matrices_are_symmetric() -> None:
    adjacency, _ = draw(np.random.default_rng(0), 300, 18)
    assert (adjacency == adjacency.transpose(0, 2, 1)).all()
    assert (adjacency.sum(2) > 0).all()
    assert set(np.unique(adjacency)) == {0, 1}


def test_toggling_keeps_98_of_100_edges_of_sparse_graphs() -> None:
    path = np.zeros((4000, 20, 20), np.float32)
    for i in range(19):
        path[:, i, i + 1] = path[:, i + 1, i] = 1
    changed = toggled(np.random.default_rng(0), path)
    assert float(changed[path > 0].mean()) == pytest.approx(0.98, abs=0.003)


def test_targets_of_theory_are_scaled_by_the_training_part() -> None:
    task = load_task("graphtheoryprop", size=300)
    train = task.part("train")
    assert torch.allclose(train.node["y"].amax(0), torch.ones(3))
    assert torch.allclose(train.graph["y"].amax(0), torch.ones(3))
    sizes = {part: task.part(part).nodes_per_graph.unique().tolist() for part in PARTS}
    assert sizes == {"train": list(range(15, 25)), "val": list(range(15, 20)), "test": list(range(15, 20))}


def test_published_label_of_connection_is_never_larger() -> None:
    exact, published = (
        load_task("graphtheoryprop", size=400, connected=how).graphs.graph["y"][:, 0]
        for how in ("exact", "published")
    )
    assert bool((published <= exact).all())
    assert bool((published < exact).any())


# ── points ─────────────────────────────────────────────────────────────────────────────────────────────


def test_compiled_neighbours_and_their_plain_twin() -> None:
    xy = np.random.default_rng(0).random((25, 2))
    ptr, edges = np.array([0, 12, 13, 25]), np.array([0, 96, 96, 192])
    for one, two in zip(_nearest(xy, ptr, edges, 8), _nearest.py_func(xy, ptr, edges, 8), strict=True):
        assert np.allclose(one, two, atol=1e-6)


@pytest.mark.parametrize(("name", "degree"), [("digits", 8), ("mnist", 8), ("tsp", 25)])
def test_every_node_has_its_neighbours(name: str, degree: int) -> None:
    graphs = small(name).graphs
    assert graphs.directed
    assert torch.bincount(graphs.edge_index[0], minlength=graphs.num_nodes).unique().tolist() == [degree]
    assert bool((graphs.edge_index[0] != graphs.edge_index[1]).all())


def test_digits_are_all_the_images_with_classes_in_proportion() -> None:
    task = load_task("digits")
    for part in PARTS:
        share = torch.bincount(task.part(part).graph["y"], minlength=10) / len(task.part(part))
        assert float((share - 0.1).abs().max()) < 0.02
