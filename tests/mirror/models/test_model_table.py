"""Building models: parameter counts, options, users' own models, inputs, and the allocator setting."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch import nn

from graphgauge import GraphSet
from graphgauge.budget import count_parameters, describe, fit_width
from graphgauge.graphs import GraphError
from graphgauge.models import MODELS, ModelError, build, resolve

COUNTS = {
    "gcn": 59_584,
    "gin": 59_770,
    "ggnn": 59_968,
    "gat": 60_352,
    "gatv2": 64_000,
    "gatedgcn": 59_761,
    "laplacian": 0,
}
PAIR = GraphSet.from_edges([[(0, 1)]])


@pytest.mark.parametrize("name", MODELS)
def test_parameter_counts(name: str) -> None:
    assert count_parameters(build(name)) == COUNTS[name]


@pytest.mark.parametrize("name", MODELS)
def test_a_model_of_the_table_names_its_options(name: str) -> None:
    with pytest.raises(ModelError, match=rf"{name} has no option 'depth'; its options: \w+"):
        build(name, depth=3)


def test_unknown_name_lists_the_known() -> None:
    with pytest.raises(ModelError, match=r"unknown model 'gnc'; known: gcn, gin, .*package.module:Name"):
        build("gnc")


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("width", 0, "width"),
        ("layers", 0, "layers"),
        ("in_features", 0, "in_features"),
        ("out_features", 0, "out"),
    ],
)
def test_sizes_must_be_positive(option: str, value: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build("gcn", **{option: value})


def test_heads_must_divide_the_width() -> None:
    for name in ("gat", "gatv2"):
        with pytest.raises(ValueError, match="width 10 is not a multiple of heads=4"):
            build(name, width=10, heads=4)
    with pytest.raises(ValueError, match="rounds must be at least 1"):
        build("ggnn", rounds=0)


def test_input_width_is_checked() -> None:
    graphs = PAIR.with_columns(node={"x": torch.ones(2, 5)})
    with pytest.raises(GraphError, match=r"column 'x' has shape \(2, 5\).*in_features=1"):
        build("gcn")(graphs)
    assert build("gcn", in_features=5)(graphs).shape == (2, 64)


def test_no_column_means_the_constant_one() -> None:
    model = build("gin")
    ones = PAIR.with_columns(node={"x": torch.ones(2, 1)})
    assert torch.equal(model(PAIR), model(ones))
    assert torch.equal(model(PAIR), model(PAIR.with_columns(node={"x": torch.ones(2)})))


class Own(nn.Module):
    def __init__(self, out_features: int, scale: float = 1.0) -> None:
        super().__init__()
        self.out_features, self.scale = out_features, scale


class Plain(nn.Module):
    pass


class Wants(nn.Module):
    def __init__(self, hidden: int) -> None:
        super().__init__()


def test_classes_and_factories_of_users() -> None:
    model = build(Own, out_features=7, scale=2.0)
    assert isinstance(model, Own)
    assert (model.out_features, model.scale) == (7, 2.0)
    assert isinstance(build(Plain, out_features=7), Plain)
    assert isinstance(build(lambda: Plain()), Plain)
    with pytest.raises(ModelError, match=r"Wants wants hidden"):
        build(Wants)
    with pytest.raises(ModelError, match=r"Own has no option 'depth'; its options: scale"):
        build(Own, depth=1)
    with pytest.raises(ModelError, match="made a int"):
        build(lambda: 3)
    with pytest.raises(ModelError, match="int; a model is made"):
        build(3)  # type: ignore[arg-type]


def test_resolve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_nets.py").write_text(
        "from torch import nn\nclass Net(nn.Module):\n    class Inner(nn.Module): pass\n"
        "number = 3\nmade = nn.Linear(1, 1)\n"
    )
    (tmp_path / "my_broken.py").write_text("import a_module_that_is_not_there\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert resolve("my_nets:Net").__name__ == "Net"
    assert resolve("my_nets:Net.Inner").__name__ == "Inner"
    for path, message in {
        "my_nets": "is not of the form package.module:Name",
        "my_nets:": "is not of the form package.module:Name",
        ":Net": "is not of the form package.module:Name",
        "my_other:Net": "there is no module 'my_other'",
        "my_nets.deep:Net": "there is no module 'my_nets.deep'",
        "my_nets:Nte": "'my_nets' has no 'Nte'",
        "my_nets:number": "is a int, not a class or function",
        "my_nets:made": "is a Linear, not a class or function",
    }.items():
        with pytest.raises(ModelError, match=message):
            resolve(path)
    with pytest.raises(ModuleNotFoundError, match="a_module_that_is_not_there"):
        resolve("my_broken:Net")


def test_budget_fits_every_architecture() -> None:
    """The width found is the largest within the limit."""
    for name in MODELS:
        if name == "laplacian":
            continue
        step = 8 if name in ("gat", "gatv2") else 1
        fit = fit_width(lambda w, name=name: build(name, width=w), 60_000, multiple_of=step)
        assert fit.parameters <= 60_000 < count_parameters(build(name, width=fit.width + step))


def test_budget_errors() -> None:
    with pytest.raises(ValueError, match=r"already has .* more than the limit 5"):
        fit_width(lambda w: nn.Linear(w, 10), 5)
    with pytest.raises(ValueError, match="still within"):
        fit_width(lambda w: nn.Linear(w, 1), 1_000, max_width=16)
    with pytest.raises(ValueError, match="do not grow"):
        fit_width(lambda w: nn.Linear(1, 100 if w in (4, 5) else 200 if w == 2 else w), 1_000, max_width=64)


def test_counting_skips_frozen_and_counts_shared_once() -> None:
    shared = nn.Linear(2, 2)
    assert count_parameters(nn.ModuleList([shared, shared])) == 6
    shared.bias.requires_grad_(False)
    assert count_parameters(shared) == 4
    assert "total" in describe(build("gat"))


def test_memory_setting() -> None:
    """In a process of its own, as it lasts until the process ends."""
    code = "from graphgauge.models import free_memory_lazily as f; print(f())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(sys.platform.startswith("linux"))
