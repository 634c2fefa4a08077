"""The random GIN of paper C: an untrained message-passing network whose sums describe graphs."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from graphgauge.compiling import Ints, loop
from graphgauge.descriptors.encoder import encoder_descriptor
from graphgauge.descriptors.features import Features
from graphgauge.graphs import GraphSet
from graphgauge.graphs.csr import CSR
from graphgauge.graphs.segments import segment_sum

Array = np.ndarray[Any, Any]

# What the text of paper C recommends (105 numbers), and what its released code does when left alone (70).
PRESETS: dict[str, dict[str, Any]] = {
    "paper": {"rounds": 3, "width": 35, "degree_factor": 1.0},
    "released": {"rounds": 2, "width": 35, "degree_factor": 2.0},
}

# A batch norm in evaluation mode that has seen nothing divides by sqrt(1 + 1e-5).
NORM = (1 + 1e-5) ** -0.5


def random_gin(
    graphs: GraphSet,
    *,
    seed: int = 0,
    rounds: int = 3,
    width: int = 35,
    depth: int = 2,
    node: str | None = "x",
    edge: str | None = "edge_attr",
    node_types: int | None = None,
    edge_types: int | None = None,
    degree_factor: float = 1.0,
    dtype: torch.dtype = torch.float64,
    batch_nodes: int = 2_048,
) -> Tensor:
    """Random-GIN embedding of every graph: x(G) = [Σ_v h_v^(1), …, Σ_v h_v^(rounds)], see `RandomGIN`.

    Two sets are comparable when they are described with the same seed and options *and* the same kind of
    features: one that has the column "x" and one that lacks it go through different networks.

    Where the text of paper C and its released code differ, and what is done here:

    - rounds: the text has 3 (105 numbers), the code's default makes 2 of its "3 layers" (70). We follow the
      text; ``**PRESETS["released"]`` is the code.
    - degree: the text takes the degree; the code adds in- and out-degree, so an undirected graph has twice
      its degree. We follow the text; the preset "released" doubles.
    - seed: the code draws its network from an unseeded generator, so its values move between runs. Ours
      is an argument; `random_gin_over_seeds` shows how much the draw matters.
    - inside a round the text has an MLP; the code adds batch norms that only divide by sqrt(1 + 1e-5), and
      activations. We follow the code, with which the published numbers were made.
    - standardisation by the reference belongs to the distances and is not done here.

    Parameters
    ----------
    seed : of the network's weights
    rounds, width, depth : message rounds, size of node states, linear maps in each MLP
    node, edge, node_types, edge_types, degree_factor : see `Features`
    dtype : of all arithmetic and of the result; torch.float32 takes half the time, and its errors show in
        distances of close sets
    batch_nodes : about this many nodes are in memory at a time

    Returns
    -------
    (G, rounds · width), non-negative; 0 for a graph without nodes. The order of nodes, graphs and batch
    mates changes nothing beyond rounding.

    Raises
    ------
    GraphError : no such column, categories without their number, a category outside of it

    Source: paper C, section on GIN-based metrics; differences G1, G2, G11 in docs/descriptors.md.

    >>> graphs = GraphSet.from_edges([[(0, 1), (1, 2)], [(0, 1)]])
    >>> random_gin(graphs).shape, random_gin(graphs, **PRESETS["released"]).shape
    (torch.Size([2, 105]), torch.Size([2, 70]))
    """
    features = Features(node, edge, node_types, edge_types, degree_factor)
    net = RandomGIN.for_set(graphs, features, rounds=rounds, width=width, depth=depth, seed=seed, dtype=dtype)
    return encoder_descriptor(graphs, net, dtype=dtype, batch_nodes=batch_nodes)


def random_gin_over_seeds(graphs: GraphSet, seeds: Iterable[int] = range(10), **options: Any) -> Tensor:
    """`random_gin` once for each seed: (S, G, d), a network a seed; its spread is that of the random draw.

    >>> graphs = GraphSet.from_edges([[(0, 1), (1, 2)], [(0, 1)]])
    >>> random_gin_over_seeds(graphs, range(3), width=4).shape
    torch.Size([3, 2, 12])
    """
    return torch.stack([random_gin(graphs, seed=seed, **options) for seed in seeds])


class RandomGIN(nn.Module):
    """Untrained GIN: node states of every round side by side, GraphSet → (N, rounds · width).

    One round, with c = 1 / sqrt(1 + 1e-5) for each batch norm in evaluation mode that was never trained, and
    an MLP of two linear maps::

        s_v = h_v + Σ_{u → v} h_u,   t_v = Σ_{u → v} e_uv          (edge features ride in the message)
        h_v ← c² relu(W₂ c relu(W₁ [s_v, t_v] + b₁) + b₂)

    Weights are orthogonal (gain 1), biases uniform in ±1/sqrt(fan in). They are drawn in float64 from NumPy's
    PCG64 with `seed` and then rounded to `dtype`, so every process draws the same network.

    Parameters
    ----------
    features : what goes in
    node_width, edge_width : columns of the node and edge rows; 0 edge columns for none
    """

    def __init__(
        self,
        features: Features,
        node_width: int = 1,
        edge_width: int = 0,
        *,
        rounds: int = 3,
        width: int = 35,
        depth: int = 2,
        seed: int = 0,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        if min(rounds, width, depth) < 1:
            raise ValueError(f"rounds, width and depth must be 1 or more, got {rounds}, {width}, {depth}")
        if dtype not in (torch.float32, torch.float64):
            raise ValueError(f"dtype must be torch.float32 or torch.float64, got {dtype}")
        self.features, self.dtype = features, dtype
        rng = np.random.default_rng(seed)
        self.rounds = nn.ModuleList()
        for i in range(rounds):
            sizes = [(width if i else node_width) + edge_width, *[width] * depth]
            self.rounds.append(nn.Sequential(*[_random_linear(a, b, rng, dtype) for a, b in pairwise(sizes)]))

    @classmethod
    def for_set(cls, graphs: GraphSet, features: Features, **options: Any) -> RandomGIN:
        """A network whose first map fits the columns of a set."""
        dtype = options.get("dtype", torch.float64)
        edges = features.edge_rows(graphs[:1], dtype)
        node_width = features.node_rows(graphs[:1], dtype).shape[1]
        return cls(features, node_width, 0 if edges is None else edges.shape[1], **options)

    def forward(self, graphs: GraphSet) -> Tensor:
        state = self.features.node_rows(graphs, self.dtype)
        edges = self.features.edge_rows(graphs, self.dtype)
        received = None if edges is None else segment_sum(edges[graphs.csr.edge], graphs.csr.ptr)
        states = []
        for maps in self.rounds:
            state = state + neighbour_sum(state, graphs.csr)
            if received is not None:
                state = torch.cat([state, received], dim=1)
            for linear in maps.children():
                state = NORM * torch.relu(linear(state))
            state = NORM * state
            states.append(state)
        return torch.cat(states, dim=1)


def _random_linear(into: int, out: int, rng: np.random.Generator, dtype: torch.dtype) -> nn.Linear:
    bound = into**-0.5
    weight, bias = orthogonal(out, into, rng), rng.uniform(-bound, bound, out)
    linear = nn.Linear(into, out, device="meta")
    linear.weight = nn.Parameter(torch.from_numpy(weight).to(dtype), requires_grad=False)
    linear.bias = nn.Parameter(torch.from_numpy(bias).to(dtype), requires_grad=False)
    return linear


def orthogonal(rows: int, columns: int, rng: np.random.Generator) -> Array:
    """Uniformly random matrix (rows, columns) whose shorter side is orthonormal (Saxe et al., 2014).

    >>> w = orthogonal(2, 5, np.random.default_rng(0))
    >>> bool(np.allclose(w @ w.T, np.eye(2)))
    True
    """
    q, r = np.linalg.qr(rng.standard_normal((max(rows, columns), min(rows, columns))))
    q = q * np.sign(np.diagonal(r))  # without this the factor is not uniformly distributed
    return np.ascontiguousarray(q if rows >= columns else q.T)


def neighbour_sum(x: Tensor, csr: CSR) -> Tensor:
    """out_v = Σ_{u → v} x_u: (N, d), compiled on the CPU."""
    if x.device.type != "cpu":
        return neighbour_sum_plain(x, csr)
    return torch.from_numpy(_neighbour_sum(csr.ptr.numpy(), csr.source.numpy(), x.detach().numpy()))


def neighbour_sum_plain(x: Tensor, csr: CSR) -> Tensor:
    """The twin of `neighbour_sum` in plain PyTorch: any device."""
    return torch.zeros_like(x).index_add_(0, csr.target, x[csr.source])


@loop
def _neighbour_sum(ptr: Ints, source: Ints, x: Array) -> Array:
    out = np.zeros_like(x)
    for v in range(ptr.size - 1):
        for e in range(ptr[v], ptr[v + 1]):
            for k in range(x.shape[1]):
                out[v, k] += x[source[e], k]
    return out
