"""Models written for PyG run on a GraphSet unchanged and give what they give on PyG's own Batch."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from graphgauge import GraphSet

pytest.importorskip("torch_geometric")

from torch_geometric.data import Batch
from torch_geometric.nn import GINConv, GPSConv, global_add_pool, global_mean_pool
from torch_geometric.nn.models import GAT, GCN, GIN, PNA

EDGES = [[(0, 1), (1, 2), (2, 0), (2, 3)], [], [(0, 1), (1, 2), (2, 3), (3, 4)], [(0, 1)]]
WITH_GAPS = ([*EDGES, []], [5, 1, 5, 2, 0])
WITH_EMPTY_INSIDE = ([[], *EDGES], [0, 4, 2, 5, 3])
PLAIN = (EDGES, [4, 1, 5, 2])


class Pooled(nn.Module):
    """A graph-level model as people write it: everything is read from `data`."""

    def __init__(self, body: nn.Module) -> None:
        super().__init__()
        self.body, self.head = body, nn.Linear(8, 3)

    def forward(self, data: GraphSet | Batch) -> Tensor:
        h = self.body(data.x, data.edge_index)
        pooled = global_mean_pool(h, data.batch, size=data.num_graphs)
        return self.head(pooled + global_add_pool(h, data.batch, size=data.num_graphs))


class WithEdges(nn.Module):
    """PNA that reads edge attributes and gives node outputs."""

    def __init__(self) -> None:
        super().__init__()
        self.body = PNA(
            4, 8, 2, aggregators=["mean", "max", "std"], scalers=["identity", "amplification"],
            deg=torch.tensor([1, 4, 6, 1]), edge_dim=2,
        )  # fmt: skip

    def forward(self, data: GraphSet | Batch) -> Tensor:
        return self.body(data.x, data.edge_index, edge_attr=data.edge_attr)


class Transformer(nn.Module):
    """A GPS stack: local messages and attention inside each graph, by `data.batch`."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.layers = nn.ModuleList(
            GPSConv(8, GINConv(nn.Linear(8, 8)), heads=2, norm="layer_norm") for _ in range(2)
        )

    def forward(self, data: GraphSet | Batch) -> Tensor:
        h = self.first(data.x)
        for layer in self.layers:
            h = layer(h, data.edge_index, data.batch)
        return global_mean_pool(h, data.batch, size=data.num_graphs)


MODELS: dict[str, Callable[[], nn.Module]] = {
    "gcn": lambda: Pooled(GCN(4, 8, 2)),
    "gin": lambda: Pooled(GIN(4, 8, 2)),
    "gat": lambda: Pooled(GAT(4, 8, 2, heads=2)),
    "pna": WithEdges,
    "gps": Transformer,
}


def filled(edges: list[list[tuple[int, int]]], counts: list[int]) -> GraphSet:
    generator = torch.Generator().manual_seed(0)
    total = sum(map(len, edges))
    return GraphSet.from_edges(
        edges, counts,
        node={"x": torch.randn(sum(counts), 4, generator=generator)},
        edge={"edge_attr": torch.randn(total, 2, generator=generator)},
        graph={"y": torch.randn(len(edges), generator=generator)},
    )  # fmt: skip


@pytest.mark.parametrize("case", [PLAIN, WITH_GAPS, WITH_EMPTY_INSIDE], ids=["plain", "trailing", "inside"])
@pytest.mark.parametrize("name", MODELS)
def test_output_equals_that_on_a_batch(name: str, case: tuple[list, list[int]]) -> None:
    graphs = filled(*case)
    batch = Batch.from_data_list(graphs.to_pyg())
    torch.manual_seed(1)
    model = MODELS[name]().eval()
    with torch.no_grad():
        ours, theirs = model(graphs), model(batch)
    assert torch.equal(ours, theirs)
    assert torch.isfinite(ours).all()


@pytest.mark.parametrize("name", MODELS)
def test_training_step_gives_the_same_gradients(name: str) -> None:
    graphs = filled(*WITH_GAPS)
    torch.manual_seed(1)
    model = MODELS[name]().eval()
    gradients = []
    for data in (graphs, Batch.from_data_list(graphs.to_pyg())):
        model.zero_grad()
        model(data).square().sum().backward()
        gradients.append([None if p.grad is None else p.grad.clone() for p in model.parameters()])
    for ours, theirs in zip(*gradients, strict=True):
        assert (ours is None) == (theirs is None)
        if ours is not None:
            assert torch.equal(ours, theirs)


def test_the_batch_interface() -> None:
    graphs = filled(*WITH_GAPS)
    batch = Batch.from_data_list(graphs.to_pyg())
    for name in ("x", "edge_index", "edge_attr", "y", "batch", "ptr"):
        assert torch.equal(getattr(graphs, name), getattr(batch, name)), name
    for name in ("num_nodes", "num_edges", "num_graphs", "num_node_features", "num_edge_features"):
        assert getattr(graphs, name) == getattr(batch, name), name
