"""The alignment benchmark end to end at a tiny size: rows, caches, users' own models and graphs, errors."""

from __future__ import annotations

import importlib
import linecache
import math
import os
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import graphgauge
from graphgauge import GraphSet, datasets
from graphgauge.instruments.alignment import METRICS, benchmark, evaluate
from graphgauge.instruments.alignment.similarity import blocks
from graphgauge.models import MODELS, ModelError, build
from graphgauge.perturb import make_pairs
from graphgauge.report import table
from graphgauge.rows import Row
from graphgauge.sweep import SweepError

TINY = {"train_pairs": 8, "val_pairs": 4, "epochs": 1, "batch_size": 4, "order": 12, "workers": 1}


def values(rows: list[Row], metric: str = "accuracy") -> list[float]:
    return [row.value for row in rows if row.metric == metric]


class Degree(nn.Module):
    """A user's model that reads a PyG batch."""

    def __init__(self, out_features: int = 64) -> None:
        super().__init__()
        self.out = nn.Linear(1, out_features)

    def forward(self, data) -> torch.Tensor:
        source, target = data.edge_index
        return self.out(torch.zeros_like(data.x).index_add(0, target, data.x[source]))


class Pooled(Degree):
    """Forgets that node embeddings are wanted."""

    def forward(self, data) -> torch.Tensor:
        x = super().forward(data)
        return torch.zeros(data.num_graphs, x.shape[1]).index_add(0, data.batch, x)


class Broken(Degree):
    def forward(self, data) -> torch.Tensor:
        raise RuntimeError("sizes do not match")


class TwoArguments(Degree):
    def forward(self, x, edge_index) -> torch.Tensor:
        return self.out(x)


class Unbuildable(Degree):
    def __init__(self) -> None:
        raise AttributeError("no such thing")


class AlwaysNotANumber(Degree):
    def forward(self, data) -> torch.Tensor:
        return super().forward(data) * float("nan")


class Detached(Degree):
    def forward(self, data) -> torch.Tensor:
        return super().forward(data).detach()


class NotANumber(Degree):
    def forward(self, data) -> torch.Tensor:
        return super().forward(data) * (float("nan") if self.training else 1.0)


class NotANumberLater(Degree):
    def forward(self, data) -> torch.Tensor:
        return super().forward(data) * (1.0 if self.training or data.num_graphs <= 4 else float("nan"))


def test_every_metric_is_a_row_with_its_definition() -> None:
    rows = benchmark("gcn", "er", 0.1, seeds=1, **TINY)
    assert {row.metric for row in rows} == set(METRICS)
    for row in rows:
        assert row.subject == "gcn"
        assert row.definition == METRICS[row.metric].definition
        assert row.data_hash
        assert {"torch", "graphgauge", "device", "threads"} <= set(row.versions)
        assert row.params["dataset"] == "er"
        assert row.params["noise"] == 0.1
        assert (row.split, row.selection) == ("validation", "final")
        if row.unit == "fraction" and row.metric != "edge_overlap":
            assert 0 <= row.value <= 1
            assert row.n == 4
            assert row.spread is not None


def test_same_spec_same_rows_and_seeds_differ() -> None:
    first, second = (benchmark("gin", "er", 0.1, seeds=2, **TINY) for _ in range(2))
    assert values(first, "loss") == values(second, "loss")
    assert values(first) == values(second)
    assert len(set(values(first, "loss"))) == 2


def test_no_repeats_and_nothing_kept_without_out(tmp_path: Path) -> None:
    rows = benchmark(["gcn", "laplacian"], "er", [0.05, 0.2], seeds=2, out=tmp_path, **TINY)
    files = {p.name: p.stat().st_mtime_ns for p in (tmp_path / "rows").glob("*.json")}
    assert len(files) == 2 * 2 * 2
    again = benchmark(["gcn", "laplacian"], "er", [0.05, 0.2], seeds=2, out=tmp_path, **TINY)
    assert [r.to_json() for r in again] == [r.to_json() for r in rows]
    assert files == {p.name: p.stat().st_mtime_ns for p in (tmp_path / "rows").glob("*.json")}
    assert len(list((tmp_path / "pairs").glob("*.safetensors"))) == 4


def test_changed_model_of_the_same_name_runs_again(tmp_path: Path) -> None:
    one = benchmark({"mine": lambda: Degree()}, "er", 0.1, seeds=1, out=tmp_path, **TINY)
    two = benchmark(
        {"mine": lambda: Degree(32)}, "er", 0.1, seeds=1, out=tmp_path, embedding_width=None, **TINY
    )
    assert one[0].spec_id != two[0].spec_id


class Scaled(Degree):
    """Differs in what it does, not in what it prints."""

    def __init__(self, scale: float) -> None:
        super().__init__()
        self.scale = scale

    def forward(self, data) -> torch.Tensor:
        return self.scale * super().forward(data)


def test_changed_attribute_of_a_model_runs_again(tmp_path: Path) -> None:
    ids = {
        benchmark({"mine": lambda s=s: Scaled(s)}, "er", 0.1, seeds=1, out=tmp_path, **TINY)[0].spec_id
        for s in (1.0, 0.5, 1.0)
    }
    assert len(ids) == 2


def test_changed_forward_of_a_model_runs_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    ids = []
    for scale in (1, 22):
        (tmp_path / "edited_net.py").write_text(
            "import torch\nclass Base(torch.nn.Module):\n"
            "    def __init__(self):\n        super().__init__()\n"
            f"        self.w = torch.nn.Linear(1, 64)\n    def forward(self, data):\n        "
            f"return {scale} * self.w(data.x)\nclass Net(Base):\n    pass\n"
        )
        sys.modules.pop("edited_net", None)
        importlib.invalidate_caches()
        linecache.checkcache()
        ids.append(benchmark("edited_net:Net", "er", 0.1, seeds=1, **TINY)[0].spec_id)
    assert ids[0] != ids[1]


def test_damaged_pairs_are_made_again(tmp_path: Path) -> None:
    rows = benchmark("gcn", "er", 0.1, seeds=1, out=tmp_path, **TINY)
    for path in (tmp_path / "pairs").iterdir():
        path.write_bytes(path.read_bytes()[:-20])
    with pytest.warns(UserWarning, match=r"not a whole safetensors file.*made again"):
        again = benchmark("gcn", "er", 0.1, seeds=1, out=tmp_path, **TINY)
    assert [r.to_json() for r in again] == [r.to_json() for r in rows]


def test_datasets_and_noise_in_every_form() -> None:
    rows = benchmark("gcn", ("er", "tree"), np.float32(0.0625), seeds=1, **TINY)
    assert {r.params["dataset"] for r in rows} == {"er", "tree"}
    assert {r.params["noise"] for r in rows} == {0.0625}


def test_users_models_in_every_form() -> None:
    torch_module = Degree()
    rows = benchmark(
        {"class": Degree, "function": lambda: Degree(), "module": torch_module, "path": f"{__name__}:Degree"}
        if __name__ != "__main__" and _importable(__name__)
        else {"class": Degree, "function": lambda: Degree(), "module": torch_module},
        "er", 0.1, seeds=1, **TINY,
    )  # fmt: skip
    losses = values(rows, "loss")
    assert len(set(losses)) == 1  # one architecture, one seed: one result, however it was given


def _importable(name: str) -> bool:
    try:
        __import__(name)
    except ImportError:
        return False
    return True


def test_a_pyg_model_as_it_is() -> None:
    pyg = pytest.importorskip("torch_geometric.nn")

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.gnn = pyg.GIN(1, 16, 2, out_channels=64)

        def forward(self, data) -> torch.Tensor:
            return self.gnn(data.x, data.edge_index)

    rows = benchmark(Net, "er", 0.1, seeds=1, **TINY)
    assert len(values(rows)) == 1


def test_own_graphs_one_set_or_two() -> None:
    ring = [(i, (i + 1) % 9) for i in range(9)]
    own = GraphSet.from_edges([[*ring, (0, k)] for k in (2, 3, 4)] * 8)
    rows = benchmark("gcn", own, 0.1, seeds=1, **TINY)
    assert rows[0].params["dataset"] == "own"
    rows = benchmark("gcn", (own[:10], own[10:]), 0.1, seeds=1, **TINY)
    assert rows[0].params["noise_model"] == "add"  # average degree below 3


def test_own_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    ring = [(i, (i + 1) % 9) for i in range(9)]
    graphgauge.write(path, GraphSet.from_edges([ring] * 10))
    rows = benchmark("gcn", str(path), 0.1, seeds=1, **TINY)
    assert rows[0].params["dataset"] == "mine.jsonl"
    (ceiling,) = values(rows, "ceiling_automorphism")
    assert ceiling == pytest.approx(1 / 9)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ({"mine": Pooled}, r"model 'mine' returned shape \(4, 64\).*node embeddings of these 48 nodes"),
        ({"mine": lambda: Degree(32)}, "model 'mine' returned embeddings of width 32.*width 64"),
        ("nonet", "unknown model 'nonet'; known: gcn"),
        ("no.such.module:Net", "no module 'no'"),
        ({"mine": lambda: "text"}, "not a torch.nn.Module"),
        ({"mine": nn.Parameter}, "mine"),
        (
            {"mine": Broken},
            r"model 'mine' fails on the first pairs: RuntimeError: sizes do not match \(test_bench.*py, line",
        ),
        ({"mine": Unbuildable}, "model 'mine' cannot be built: AttributeError: no such thing"),
        ({"mine": TwoArguments}, r"argument: 'edge_index'; it is called as model\(data\), where data has x"),
        ({"mine": lambda: nn.Linear(1, 64).nothing}, r"no attribute 'nothing' \(test_benchmark.py, line"),
        ({"mine": AlwaysNotANumber}, "model 'mine' returns NaN or infinity before any training"),
    ],
)
def test_models_that_cannot_work_are_refused_before_training(model, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        benchmark(model, "er", 0.1, seeds=1, **TINY)


def test_output_without_gradient_is_explained() -> None:
    with pytest.raises(SweepError, match="model 'bad', seed 0: epoch 1, step 1: the loss has no gradient"):
        benchmark({"bad": Detached}, "er", 0.1, seeds=1, **TINY)


def test_nan_loss_names_the_model_and_others_finish(tmp_path: Path) -> None:
    with pytest.raises(SweepError, match="bad, seed 0") as caught:
        benchmark({"good": Degree, "bad": NotANumber}, "er", 0.1, seeds=1, out=tmp_path, **TINY)
    assert "epoch 1, step 1: the loss is nan" in str(caught.value)
    assert len(list((tmp_path / "rows").glob("*.json"))) == 1


def test_nan_embedding_at_evaluation_names_pair_and_node() -> None:
    with pytest.raises(SweepError, match="not finite: pair 0, left graph, node 0"):
        benchmark({"bad": NotANumberLater}, "er", 0.1, seeds=1, **{**TINY, "val_pairs": 8, "batch_size": 8})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"dataset": "nodata"}, "'nodata' is neither a dataset nor a file"),
        ({"preset": "fast"}, "unknown preset 'fast'"),
        ({"noise": 1.5}, "1.5"),
        ({"noise": []}, "no noise level"),
        ({"noise": "lots"}, "noise is a number or several, got 'lots'"),
        ({"dataset": []}, "no dataset given"),
        ({"dataset": [3]}, "a dataset is a name.*got a int.*from_networkx"),
        ({"dataset": GraphSet.from_edges([[(0, 1)]])}, "at least two graphs"),
        ({"seeds": [1, 1]}, "distinct"),
        ({"seeds": 0}, "at least one"),
        ({"epoch": 3}, r"unknown settings \['epoch'\]"),
        ({"noise_model": "both"}, "unknown noise model 'both'"),
        ({"batch_size": 0}, "batch_size must be at least 1"),
        ({"models": ["gcn", "gcn"]}, "several models are called"),
        ({"models": []}, "no model given"),
        ({"device": "abacus"}, "device 'abacus' cannot be used here"),
    ],
)
def test_bad_calls_name_what_is_wrong(call: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        benchmark(**{"models": "gcn", "dataset": "er", "noise": 0.1, "seeds": 1, **TINY, **call})


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device here")
def test_a_missing_cuda_device_is_said_at_once() -> None:
    with pytest.raises(ValueError, match="device 'cuda' cannot be used here"):
        benchmark("gcn", "er", 0.1, seeds=1, device="cuda", **TINY)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device here")
def test_cuda_agrees_with_the_cpu() -> None:
    cpu, cuda = (benchmark("gcn,gat,ggnn", "er", 0.1, seeds=1, device=d, **TINY) for d in ("cpu", "cuda"))
    assert values(cuda, "loss") == pytest.approx(values(cpu, "loss"), rel=0.02)


def test_dense_graphs_are_refused_with_the_bound() -> None:
    full = GraphSet.from_edges([[(u, v) for u in range(6) for v in range(u)]] * 10)
    with pytest.raises(graphgauge.GraphError, match="graph 0"):
        benchmark("gcn", full, 0.1, seeds=1, noise_model="add-remove", **TINY)


def test_paper_values_stand_beside_the_papers_models_only() -> None:
    small = {**TINY, "order": 100}
    for models, shown in (("gcn", True), ({"gcn": Degree}, False)):
        rows = benchmark(models, "er", 0.08, seeds=1, **small)
        assert ("78.9" in table(rows)) == shown
    rows = benchmark("gcn", "er", 0.08, seeds=1, budget=20_000, **small)
    assert "78.9" not in table(rows)


def test_two_own_sets_of_one_name_keep_their_settings_and_data(tmp_path: Path) -> None:
    ring = [(i, (i + 1) % 9) for i in range(9)]
    for folder, count in (("a", 10), ("b", 15)):
        graphgauge.write(tmp_path / folder / "mine.jsonl", GraphSet.from_edges([ring] * count))
    names = [str(tmp_path / folder / "mine.jsonl") for folder in "ab"]
    rows = benchmark("laplacian", names, 0.1, seeds=1, **{**TINY, "val_pairs": None})
    assert [row.n for row in rows if row.metric == "accuracy"] == [2, 3]


def test_models_without_a_name_of_their_own() -> None:
    class Maker:
        def __call__(self) -> nn.Module:
            return Degree()

    rows = benchmark([Maker()], "er", 0.1, seeds=1, **TINY)
    assert rows[0].subject == "Maker"


def test_several_datasets_at_once() -> None:
    rows = benchmark("laplacian", "er,tree", 0.1, seeds=1, **TINY)
    assert {row.params["dataset"] for row in rows} == {"er", "tree"}


def test_budget_fits_the_width() -> None:
    rows = benchmark("gcn,gin", "er", 0.1, seeds=1, budget=20_000, **TINY)
    for count in values(rows, "parameters"):
        assert 17_000 < count <= 20_000


def test_training_improves_on_the_untrained_model() -> None:
    sizes = {**TINY, "train_pairs": 100, "val_pairs": 20, "order": 30}
    before = benchmark("gin", "er", 0.05, seeds=1, **{**sizes, "epochs": 0})
    after = benchmark("gin", "er", 0.05, seeds=1, **{**sizes, "epochs": 8})
    assert values(after)[0] > values(before)[0] + 0.1


def test_odd_graphs_go_through_every_model() -> None:
    """Empty, one-node and edgeless graphs, the last batch a single one-node graph."""
    ring = [(i, (i + 1) % 7) for i in range(7)]
    own = GraphSet.from_edges([ring, [], [], [(0, 1)], ring, []], num_nodes=[7, 0, 1, 3, 9, 1])
    sizes = {**TINY, "batch_size": 5, "val_pairs": None}
    rows = benchmark(list(MODELS), (own, own[[0, 3, 1, 2, 5]]), 0.1, seeds=1, noise_model="add", **sizes)
    for row in rows:
        assert math.isfinite(row.value), row
    counted = {row.n for row in rows if row.metric == "accuracy"}
    assert counted == {4}  # the empty graph has no accuracy


def test_scores_do_not_depend_on_batches_or_the_order_of_pairs() -> None:
    rng = np.random.default_rng(0)
    trees = [[(int(rng.integers(v)), v) for v in range(1, n)] for n in rng.integers(2, 30, size=20)]
    pairs = make_pairs(GraphSet.from_edges(trees), 0.1, "add", seed=3)
    torch.manual_seed(0)
    model = build("gin")
    whole = evaluate(model, pairs, batch_size=20)
    order = torch.from_numpy(rng.permutation(20))
    one_by_one = evaluate(model, pairs, batch_size=1)
    shuffled = evaluate(model, pairs[order], batch_size=7)
    for name in ("top1", "top5", "ceiling_wl1", "ceiling_automorphism", "accuracy_expected"):
        torch.testing.assert_close(one_by_one[name], whole[name], rtol=0, atol=0.2)
        torch.testing.assert_close(shuffled[name], whole[name][order], rtol=0, atol=0.2)


def test_large_pairs_need_memory_for_one_similarity_matrix_at_a_time() -> None:
    pairs = make_pairs(datasets.base("ba", "val", 3, nodes=3000), 0.05, seed=0)
    assert [b.pairs.numel() for b in blocks(pairs)] == [1, 1, 1]


def test_runs_under_deterministic_algorithms() -> None:
    torch.use_deterministic_algorithms(True)
    try:
        rows = benchmark(list(MODELS), "er", 0.1, seeds=1, **TINY)
    finally:
        torch.use_deterministic_algorithms(False)
    assert rows[0].versions["deterministic"] == "True"


@pytest.mark.parametrize("precision", ["float32", "bf16"])
def test_precisions_train(precision: str) -> None:
    rows = benchmark("gcn,gat", "er", 0.1, seeds=1, precision=precision, **TINY)
    assert all(math.isfinite(v) for v in values(rows, "loss"))


def test_real_molecules_show_their_ceiling() -> None:
    if not os.environ.get("GRAPHGAUGE_DATA"):
        pytest.skip("GRAPHGAUGE_DATA is not set: no AQSOL at hand")
    rows = benchmark("laplacian", "aqsol", 0.15, seeds=1, **{**TINY, "val_pairs": None})
    (ceiling,) = values(rows, "ceiling_automorphism")
    (wl,) = values(rows, "ceiling_wl1")
    assert 0.73 < ceiling < 0.80
    assert wl <= ceiling
    assert rows[0].params["noise_model"] == "add"
    assert rows[0].params["val_pairs"] == 996
