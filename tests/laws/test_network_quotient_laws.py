"""Laws: every net for supervised tasks gives the same on the quotient of a batch as on all of its nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from graphgauge import GraphSet
from graphgauge.graphs.quotient import Histories, share
from graphgauge.graphs.rounds import Rounds
from graphgauge.graphs.task import Feature
from graphgauge.models.architectures import ARCHITECTURES, build_network

ATOM, BOND = Feature("atom", "category", 3), Feature("bond", "category", 2)
OUTPUTS = {"graph": 2, "node": 3, "edge": 2}
READS_DEGREES = ("gcn", "monet")
LAYERS = 4


def forest(directed: bool, seed: int) -> GraphSet:
    """Small graphs with categories, many of them alike: trees, a ring, one with a double edge, lone nodes."""
    rng = np.random.default_rng(seed)
    lists = [[(int(rng.integers(0, i)), i) for i in range(1, n)] for n in (1, 2, 5, 5, 6, 7, 9)]
    lists += [[(i, (i + 1) % 6) for i in range(6)], [(0, 1), (0, 1), (1, 2)], []]
    counts = [1, 2, 5, 5, 6, 7, 9, 6, 3, 2]
    if directed:
        edges = [torch.tensor(e, dtype=torch.int64).reshape(-1, 2).T for e in lists]
    else:
        edges = [torch.tensor(e + [(v, u) for u, v in e], dtype=torch.int64).reshape(-1, 2).T for e in lists]
    parts = [
        GraphSet(
            torch.tensor([0, n]),
            e,
            torch.tensor([0, e.shape[1]]),
            {"atom": torch.from_numpy(rng.integers(0, 3, n)) // 2},
            {"bond": (e.sum(0) % 2)},
            {},
            directed,
        )
        for e, n in zip(edges, counts, strict=True)
    ]
    return GraphSet.concat(parts)


@dataclass(frozen=True)
class Case:
    """A net, and what has to be told to the quotient about it."""

    name: str
    edges: str
    options: dict[str, object]
    node: Feature | None = ATOM
    edge: Feature | None = BOND

    @property
    def reads_edges(self) -> bool:
        return ARCHITECTURES[self.name].variants[self.edges].edge_map == "read"

    def net(self, dtype: torch.dtype, layers: int = LAYERS) -> nn.Module:
        torch.manual_seed(3)
        options = {"width": 8, "layers": layers, "edges": self.edges, **self.options}
        net = build_network(self.name, self.node, self.edge, OUTPUTS, **options)
        with torch.no_grad():  # biases that start at 0 could put all nodes on the kink of ReLU
            for p in net.parameters():
                p += 0.1 * torch.randn_like(p)
        return net.to(dtype)

    def histories(self, graphs: GraphSet, layers: int = LAYERS) -> Histories:
        return Histories.of(
            graphs,
            layers,
            node=None if self.node is None else graphs.node["atom"],
            edge=graphs.edge["bond"] if self.reads_edges and self.edge else None,
            edge_states=self.reads_edges,
            degrees=self.name in READS_DEGREES,
        )


CASES = {
    f"{name}-{edges}": Case(name, edges, {})
    for name, plan in ARCHITECTURES.items()
    for edges in plan.variants
    if not plan.order_only
}
CASES |= {
    "gatedgcn-constant-edges": Case("gatedgcn", "representations", {}, edge=None),
    "gin-constant-nodes": Case("gin", "none", {}, node=None),
    "gcn-levels-max": Case("gcn", "none", {"readout": "levels", "pooling": "max"}),
    "gat-gru-set2set": Case("gat", "none", {"gru": True, "pooling": "set2set"}),
    "gatedgcn-no-residual": Case("gatedgcn", "representations", {"residual": False}),
}


def learned(net: nn.Module, rounds: Rounds) -> dict[str, Tensor]:
    """Outputs of two steps of gradient descent, then gradients, running statistics and judged outputs."""
    found: dict[str, Tensor] = {}
    graphs = rounds.graphs
    for step in range(2):
        net.zero_grad()
        outputs = net(graphs, rounds)
        aim = torch.Generator().manual_seed(step)
        loss = torch.zeros((), dtype=torch.float64)
        for level, value in outputs.items():
            found[f"{level} {step}"] = value.detach()
            noise = torch.randn(value.shape, generator=aim, dtype=torch.float64).to(value.dtype)
            loss = loss + (value * noise).double().mean()
        loss.backward()
        with torch.no_grad():
            for name, p in net.named_parameters():
                if p.grad is not None:
                    found[f"slope of {name} {step}"] = p.grad.clone()
                    p -= 0.05 * p.grad
    found |= {f"buffer {name}": b.clone() for name, b in net.named_buffers()}
    net.eval()
    with torch.no_grad():
        found |= {f"judged {k}": v for k, v in net(graphs, rounds).items()}
        found["states"] = net.states(graphs, rounds)
    return found


def assert_equal_nets(case: Case, small: Rounds, dtype: torch.dtype, bound: float) -> None:
    layers = len(small.rounds)
    got = learned(case.net(dtype, layers), small)
    want = learned(case.net(dtype, layers), Rounds.plain(small.graphs, layers))
    assert got.keys() == want.keys()
    for name, value in want.items():
        scale = 1 + float(value.abs().max()) if value.numel() else 1.0
        torch.testing.assert_close(
            got[name], value, rtol=0, atol=bound * scale, msg=lambda m, n=name: f"{n}: {m}"
        )


@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
@pytest.mark.parametrize("case", CASES)
def test_nets_learn_the_same_on_fewer_rows(case: str, directed: bool) -> None:
    graphs = forest(directed, 0)
    small = CASES[case].histories(graphs).batch([9, 3, 3, 1, 0, 8, 7, 5, 4, 2, 6, 1])
    assert share(small) < 0.8
    assert_equal_nets(CASES[case], small, torch.float64, 1e-9)


@pytest.mark.parametrize("case", CASES)
def test_compiled_loops_take_rounds_of_the_quotient(case: str) -> None:
    """The same in float32, where compiled loops replace the plain ones, to rounding."""
    graphs = forest(False, 1)
    assert_equal_nets(CASES[case], CASES[case].histories(graphs).batch(), torch.float32, 2e-3)


@pytest.mark.parametrize("case", ["gin-none", "gatedgcn-representations", "gcn-none"])
def test_deep_nets_share_settled_rounds(case: str) -> None:
    small = CASES[case].histories(forest(False, 2), 12).batch()
    assert small.rounds[-1] is small.rounds[-2]
    assert_equal_nets(CASES[case], small, torch.float64, 1e-8)


def test_a_set_without_edges() -> None:
    """Not for constant nodes: all would be equal, and norms blow up what rounding leaves of no variance."""
    graphs = GraphSet.from_edges([[], []], [2, 1]).with_columns(
        node={"atom": torch.tensor([0, 0, 1])}, edge={"bond": torch.zeros(0, dtype=torch.int64)}
    )
    for case in CASES.values():
        if case.node is None:
            continue
        assert_equal_nets(case, case.histories(graphs).batch(), torch.float64, 1e-9)
