"""Encodings by name, on disk, in training and as transforms."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
import torch

from graphgauge import GraphError, GraphSet
from graphgauge.encodings import VARIANTS, AsTransform, EncodingError, Policy, encoding, table, vary

GRAPHS = GraphSet.from_edges(
    [[(0, 1), (1, 2), (2, 3), (3, 1)], [(0, 1), (1, 2)], [(0, 1), (0, 2), (0, 3), (3, 4)]]
)


# ── names ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_parts_stand_side_by_side() -> None:
    both = encoding("lap:3 + rwpe:4,space_dim=1.5")
    assert both.name == "lap:3+rwpe:4,space_dim=1.5"
    assert encoding(both.name) == both
    assert hash(encoding(both.name)) == hash(both)
    expected = torch.cat([encoding("lap:3")(GRAPHS), encoding("rwpe:4,space_dim=1.5")(GRAPHS)], dim=1)
    assert torch.equal(both(GRAPHS), expected)
    assert both.kinds == ("signed",) * 3 + ("plain",) * 4
    assert encoding("lap:2,sign=absolute+order:9").kinds == ("plain",) * 2 + ("order",) * 9
    assert encoding("")(GRAPHS).shape == (12, 0)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("lab:8", "unknown encoding 'lab'; known: lap, rwpe"),
        ("lap", "lap:8"),
        ("lap:", "name:columns"),
        ("lap:-1", "name:columns"),
        ("lap:0", "lap: an encoding has 1 column or more"),
        ("lap:8+", "unknown encoding ''"),
        ("lap:8,skp=2", "lap has no option 'skp'; its options: normalisation, skip"),
        ("lap:8,null", "option=value"),
        ("degree:3,x=1", "its options: none"),
    ],
)
def test_errors_name_the_wrong_part(text: str, says: str) -> None:
    with pytest.raises(EncodingError, match=says.replace("?", r"\?")):
        encoding(text)


def test_a_graph_larger_than_the_columns_of_node_numbers() -> None:
    with pytest.raises(GraphError, match="graph 0 has 4 nodes"):
        encoding("order:3")(GRAPHS)


def test_degrees_above_the_last_column_share_it() -> None:
    assert encoding("degree:3")(GRAPHS)[:4].argmax(1).tolist() == [1, 2, 2, 2]


# ── cache ──────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every computation, by name."""
    made: list[str] = []
    real = table.Part.__call__

    def counted(part: table.Part, graphs: GraphSet) -> torch.Tensor:
        made.append(str(part))
        return real(part, graphs)

    monkeypatch.setattr(table.Part, "__call__", counted)
    return made


def test_the_second_time_nothing_is_computed(tmp_path: Path, calls: list[str]) -> None:
    first = encoding("lap:3+rwpe:4")(GRAPHS, cache=tmp_path)
    assert calls == ["lap:3", "rwpe:4"]
    again = encoding("rwpe:4+lap:3")(GRAPHS, cache=tmp_path)
    assert calls == ["lap:3", "rwpe:4"]
    assert torch.equal(torch.cat([again[:, 4:], again[:, :4]], dim=1), first)
    assert torch.equal(first, encoding("lap:3+rwpe:4")(GRAPHS))


def test_no_parameter_meets_the_values_of_another(
    tmp_path: Path, calls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    weighted = GRAPHS.with_columns(edge={"w": torch.ones(GRAPHS.num_edges)})
    heavier = GRAPHS.with_columns(edge={"w": 2 * torch.ones(GRAPHS.num_edges)})
    texts = ["lap:3", "lap:4", "lap:3,skip=null", "lap:3,sign=absolute", "lap:3,normalisation=none"]
    texts += [
        "lap:3,apart=True",
        "lap:3,weight=w",
        "lap:3,directed=symmetrise",
        "rwpe:3",
        "rwpe:3,space_dim=1",
    ]
    for text in texts:
        encoding(text)(weighted, cache=tmp_path)
    encoding("lap:3")(GRAPHS[:2], cache=tmp_path)
    encoding("lap:3,weight=w")(heavier, cache=tmp_path)
    assert len(calls) == len(texts) + 2
    encoding("lap:3")(heavier, cache=tmp_path)  # columns that are not used do not matter
    encoding("lap:3,sign=fixed")(GRAPHS, cache=tmp_path)  # nor does saying a default
    assert len(calls) == len(texts) + 2
    monkeypatch.setitem(table.VERSIONS, "lap", 99)
    encoding("lap:3")(GRAPHS, cache=tmp_path)
    assert len(calls) == len(texts) + 3


@pytest.mark.parametrize("damage", ["cut", "flip", "other", "empty"])
def test_a_damaged_file_is_computed_again(tmp_path: Path, calls: list[str], damage: str) -> None:
    good = encoding("rwpe:4")(GRAPHS, cache=tmp_path)
    (file,) = tmp_path.iterdir()
    data = file.read_bytes()
    if damage == "other":
        encoding("rwpe:4")(GRAPHS[:1], cache=tmp_path)
        (other,) = set(tmp_path.iterdir()) - {file}
        calls.pop()
    broken = {
        "cut": data[:-9],
        "flip": data[:-1] + bytes([data[-1] ^ 1]),
        "other": other.read_bytes() if damage == "other" else b"",
        "empty": b"",
    }
    file.write_bytes(broken[damage])
    with pytest.warns(UserWarning, match="computed again"):
        assert torch.equal(encoding("rwpe:4")(GRAPHS, cache=tmp_path), good)
    assert file.read_bytes() == data
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert torch.equal(encoding("rwpe:4")(GRAPHS, cache=tmp_path), good)
    assert len(calls) == 2


# ── policies ───────────────────────────────────────────────────────────────────────────────────────────────


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_one_sign_an_eigenvector_shared_by_the_batch_or_by_graph() -> None:
    ones = torch.ones(12, 30)
    shared = vary(ones, GRAPHS, Policy("flip"), generator())
    assert (shared == shared[:1]).all()
    assert set(shared[0].tolist()) == {-1.0, 1.0}
    apart = vary(ones, GRAPHS, Policy("flip", per="graph"), generator())
    assert (apart[:4] == apart[:1]).all()
    assert not torch.equal(apart[0], apart[4])
    assert torch.equal(shared, vary(ones, GRAPHS, Policy("flip"), generator()))
    assert not torch.equal(shared, vary(ones, GRAPHS, Policy("flip"), generator(1)))


def test_signs_leave_other_columns_alone() -> None:
    both = encoding("lap:3+rwpe:4")
    values = both(GRAPHS)
    seen = torch.stack(
        [vary(values, GRAPHS, Policy("flip"), generator(s), kinds=both.kinds) for s in range(9)]
    )
    assert (seen[:, :, 3:] == values[:, 3:]).all()
    assert torch.equal(seen.abs(), values.abs().expand(9, -1, -1))
    assert len({tuple(s[:, :3].flatten().tolist()) for s in seen}) > 1


def test_node_orders_are_drawn_inside_graphs() -> None:
    values = encoding("order:5")(GRAPHS)
    seen = [vary(values, GRAPHS, Policy("shuffle"), generator(s)) for s in range(40)]
    for one in seen:
        for a, b in ((0, 4), (4, 7), (7, 12)):
            assert torch.equal(one[a:b].sum(0), values[a:b].sum(0))
    assert len({tuple(s[4:7].argmax(1).tolist()) for s in seen}) == 6  # every order of three nodes


@pytest.mark.parametrize("kind", ["keep", "flip", "absolute", "shuffle"])
def test_evaluation_sees_the_same_values_every_time(kind: str) -> None:
    values = encoding("lap:4")(GRAPHS)
    seen = vary(values, GRAPHS, Policy(kind), generator(), training=False)  # type: ignore[arg-type]
    assert torch.equal(seen, values.abs() if kind == "absolute" else values)
    before = values.clone()
    vary(values, GRAPHS, Policy(kind), generator())  # type: ignore[arg-type]
    assert torch.equal(values, before)


def test_policies_refuse_what_does_not_fit() -> None:
    values = encoding("lap:4")(GRAPHS)
    with pytest.raises(ValueError, match="generator"):
        vary(values, GRAPHS, Policy("flip"))
    with pytest.raises(ValueError, match="12 nodes"):
        vary(values[1:], GRAPHS, Policy("absolute"))
    with pytest.raises(ValueError, match="3 kinds"):
        vary(values, GRAPHS, Policy("absolute"), kinds=("signed",) * 3)
    with pytest.raises(ValueError, match="kind"):
        Policy("random")  # type: ignore[arg-type]


def test_the_six_published_variants_differ_in_training() -> None:
    seen = set()
    for name, variant in VARIANTS.items():
        made = encoding(variant.encoding.format(k=3, n=5))
        values = vary(made(GRAPHS), GRAPHS, variant.policy, generator(3), kinds=made.kinds)
        assert (values.shape[1] == 0) == (name == "none")
        seen.add(tuple(values.flatten().tolist()))
    assert len(seen) == len(VARIANTS) == 6


# ── PyTorch Geometric ──────────────────────────────────────────────────────────────────────────────────────


def test_as_a_transform() -> None:
    data_class = pytest.importorskip("torch_geometric.data").Data
    g = GRAPHS[0]
    data = data_class(x=torch.ones(4, 1), edge_index=g.edge_index, num_nodes=4, name="one")
    out = AsTransform("lap:2+rwpe:3", attribute="position")(data)
    assert torch.equal(out.position, encoding("lap:2+rwpe:3")(g))
    assert "position" not in data
    assert out.name == "one"
