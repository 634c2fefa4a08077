"""GraphTheoryProp: six properties of small random graphs of ten families, computed exactly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from graphgauge.datasets.errors import DatasetError
from graphgauge.datasets.options import stream
from graphgauge.datasets.packing import Ints, packed
from graphgauge.datasets.tasks.entry import Request, TaskEntry, consecutive
from graphgauge.graphs import Feature, GraphSet, Task
from graphgauge.graphs.task import PARTS

Matrix = NDArray[np.float32]
Edges = list[tuple[int, int]]

NODE_TARGETS = ("distance", "eccentricity", "laplacian")
GRAPH_TARGETS = ("connected", "diameter", "spectral_radius")
SMALLEST = 15
GROUPS = {"train": 10, "val": 5, "test": 5}  # sizes of graphs: 15 to 24, and 15 to 19
KEPT = 0.9  # chance that an edge stays
CONNECTED = ("exact", "published")


# ── families: random graph of n nodes → edges ──────────────────────────────────────────────────────────


def erdos_renyi(rng: np.random.Generator, n: int) -> Edges:
    """G(n, p) with p uniform in [0, 1)."""
    u, v = np.triu_indices(n, 1)
    kept = rng.random(u.size) < rng.random()
    return list(zip(u[kept].tolist(), v[kept].tolist(), strict=True))


def barabasi_albert(rng: np.random.Generator, n: int) -> Edges:
    """From a star of m + 1 nodes, each new one joins m by their degrees; m uniform in 1 to n - 1."""
    m = int(rng.integers(1, n))
    edges = [(m, i) for i in range(m)]
    ends = [node for edge in edges for node in edge]
    for new in range(m + 1, n):
        targets: set[int] = set()
        while len(targets) < m:
            targets.add(ends[int(rng.random() * len(ends))])
        for target in sorted(targets):
            edges.append((new, target))
            ends += (new, target)
    return edges


def _side(n: int) -> int:
    """The largest divisor of n that is at most its square root."""
    return max(k for k in range(1, int(n**0.5) + 1) if n % k == 0)


def grid(rng: np.random.Generator, n: int) -> Edges:
    """A grid whose sides are as close as they can be."""
    width = n // _side(n)
    right = [(i, i + 1) for i in range(n) if (i + 1) % width]
    return right + [(i, i + width) for i in range(n - width)]


def caveman(rng: np.random.Generator, n: int) -> Edges:
    """Cliques of equal size, as close to their number as it can be, without an edge between them."""
    size = n // _side(n)
    return [(i, j) for i in range(n) for j in range(i + 1, (i // size + 1) * size)]


def tree(rng: np.random.Generator, n: int) -> Edges:
    """A caterpillar with degrees of a power law of exponent 3: Pareto numbers, redrawn till they fit."""
    degree = np.minimum(np.rint((1 - rng.random(n)) ** -0.5), n).astype(int).tolist()
    while sum(degree) != 2 * (n - 1):
        at = int(rng.random() * n)
        degree[at] = min(round((1 - rng.random()) ** -0.5), n)
    inner = sorted(d for d in degree if d > 1)
    edges = [(i, i + 1) for i in range(len(inner) + 1)]
    leaf = len(inner) + 2
    for i, d in enumerate(inner, 1):
        edges += [(i, leaf + k) for k in range(d - 2)]
        leaf += d - 2
    return edges


def ladder(rng: np.random.Generator, n: int) -> Edges:
    """Two joined rows; a last odd node hangs on the first."""
    half = n // 2
    rows = [(r + i, r + i + 1) for r in (0, half) for i in range(half - 1)]
    odd = [(0, n - 1)] if n % 2 else []
    return rows + [(i, half + i) for i in range(half)] + odd


def line(rng: np.random.Generator, n: int) -> Edges:
    """A path."""
    return [(i, i + 1) for i in range(n - 1)]


def star(rng: np.random.Generator, n: int) -> Edges:
    """A star."""
    return [(0, i) for i in range(1, n)]


def caterpillar(rng: np.random.Generator, n: int) -> Edges:
    """A path of 1 to n - 1 nodes; the others hang on random ones of it."""
    spine = int(rng.integers(1, n))
    return line(rng, spine) + [(i, int(rng.integers(spine))) for i in range(spine, n)]


def lobster(rng: np.random.Generator, n: int) -> Edges:
    """A path, nodes that hang on random ones of it, and nodes that hang on random ones of those."""
    spine = int(rng.integers(1, n))
    near = int(rng.integers(spine + 1, n + 1))
    first = [(i, int(rng.integers(spine))) for i in range(spine, near)]
    return line(rng, spine) + first + [(i, int(rng.integers(spine, near))) for i in range(near, n)]


FAMILIES: dict[str, tuple[Callable[[np.random.Generator, int], Edges], float]] = {
    "erdos_renyi": (erdos_renyi, 0.2),
    "barabasi_albert": (barabasi_albert, 0.2),
    "grid": (grid, 0.05),
    "caveman": (caveman, 0.05),
    "tree": (tree, 0.15),
    "ladder": (ladder, 0.05),
    "line": (line, 0.05),
    "star": (star, 0.05),
    "caterpillar": (caterpillar, 0.1),
    "lobster": (lobster, 0.1),
}


def draw(rng: np.random.Generator, graphs: int, n: int) -> tuple[Matrix, Ints]:
    """Adjacency matrices of random graphs of n nodes, (G, n, n), and the number of the family of each.

    A graph of a random family has edges toggled (`toggled`); if a node is left alone, another of the same
    family is drawn.
    """
    chances = [chance for _, chance in FAMILIES.values()]
    family = rng.choice(len(FAMILIES), graphs, p=chances)
    makers = [maker for maker, _ in FAMILIES.values()]
    adjacency = np.zeros((graphs, n, n), np.float32)
    waiting = np.arange(graphs)
    while waiting.size:
        fresh = np.zeros((waiting.size, n, n), np.float32)
        for k, g in enumerate(waiting):
            u, v = np.array(makers[family[g]](rng, n), np.int64).reshape(-1, 2).T
            fresh[k, u, v] = fresh[k, v, u] = 1
        fresh = toggled(rng, fresh)
        adjacency[waiting] = fresh
        waiting = waiting[(fresh.sum(2) == 0).any(1)]
    order = np.argsort(rng.random((graphs, n)), axis=1)
    every = np.arange(graphs)[:, None, None]
    return adjacency[every, order[:, :, None], order[:, None, :]], family


def toggled(rng: np.random.Generator, adjacency: Matrix) -> Matrix:
    """Some edges gone and about as many new ones.

    With e edges and r pairs that are none: where e ≤ r an edge stays with chance 0.9 and a pair becomes one
    with 0.1 e / r; else with 0.9 + 0.1 (e - r) / e and 0.1. The published code compares the mean of two
    uniform numbers with these chances, which is not uniform itself: an edge stays with chance 0.98, a pair
    becomes one with chance 2 x² of its x. This does the same.
    """
    graphs, n = adjacency.shape[:2]
    e = adjacency.sum((1, 2)) / 2
    r = n * (n - 1) / 2 - e
    many = e > r
    stays = np.where(many, KEPT + (1 - KEPT) * (e - r) / np.maximum(e, 1), KEPT)
    comes = np.where(many, 1 - KEPT, (1 - KEPT) * e / np.maximum(r, 1))
    drawn = rng.random((graphs, n, n)) / 2
    drawn += drawn.transpose(0, 2, 1)
    limit = np.where(adjacency > 0, stays[:, None, None], comes[:, None, None])
    changed = (drawn < limit).astype(np.float32)
    changed[:, np.arange(n), np.arange(n)] = 0
    return changed


# ── targets ────────────────────────────────────────────────────────────────────────────────────────────


def distances(adjacency: Matrix) -> NDArray[np.int64]:
    """Edges on a shortest path between all pairs, (G, n, n); -1 where there is none."""
    graphs, n = adjacency.shape[:2]
    reached = np.broadcast_to(np.eye(n, dtype=np.float32), (graphs, n, n)) > 0
    found = np.where(reached, 0, -1)
    for steps in range(1, n):
        further = (reached.astype(np.float32) @ adjacency > 0) & ~reached
        if not further.any():
            break
        found[further] = steps
        reached = reached | further
    return found


def targets(
    adjacency: Matrix, values: NDArray[np.float64], source: Ints, connected: str = "exact"
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Targets of nodes (G, n, 3) and of graphs (G, 3), not divided by anything.

    Nodes: distance from the source (0 where there is no path), eccentricity among what is reached, and the
    Laplacian D - A times the values. Graphs: 1 where connected, the largest distance of two nodes with a
    path, the largest absolute eigenvalue of A.

    Parameters
    ----------
    values : (G, n)
    source : (G,)
    connected : "exact", or "published": 0 for bipartite graphs too, since that code squares A again and again
    """
    length = distances(adjacency)
    first = length[np.arange(len(length)), source]
    degree = adjacency.sum(2)
    laplacian = degree * values - np.einsum("gij,gj->gi", adjacency.astype(np.float64), values)
    node = np.stack([np.maximum(first, 0), length.max(2), laplacian], axis=2)
    whole = (length >= 0).all((1, 2))
    if connected == "published":
        even = length[:, 0] % 2
        whole = whole & ((even[:, :, None] == even[:, None, :]) & (adjacency > 0)).any((1, 2))
    radius = np.abs(np.linalg.eigvalsh(adjacency.astype(np.float64))).max(1)
    return node, np.stack([whole, length.max((1, 2)), radius], axis=1)


def graphtheoryprop(request: Request, *, connected: str = "exact") -> Task:
    """Ten families of graphs of 15 to 24 nodes (train) and 15 to 19 (val, test), and six properties.

    Parameters
    ----------
    connected : "exact", or "published" for the label of the published code, which calls bipartite graphs
        not connected

    Node columns: ``x`` (is it the source, a uniform number), ``y`` (distance from the source, eccentricity,
    Laplacian times the numbers); graph column ``y`` (connected, diameter, spectral radius) and ``family``.
    Every target is divided by its largest value in the training part. Graphs stand in order of size.
    """
    if connected not in CONNECTED:
        raise DatasetError(f"connected must be one of {', '.join(CONNECTED)}, got {connected!r}")
    parts = {part: _part(request, part, connected) for part in PARTS}
    largest = {level: getattr(parts["train"], level)["y"].amax(0) for level in ("node", "graph")}
    scaled = [
        graphs.with_columns(
            node={"y": (graphs.node["y"] / largest["node"]).float()},
            graph={"y": (graphs.graph["y"] / largest["graph"].clamp(min=1e-300)).float()},
        )
        for graphs in parts.values()
    ]
    return Task(
        "graphtheoryprop",
        GraphSet.concat(scaled),
        {"node": len(NODE_TARGETS), "graph": len(GRAPH_TARGETS)},
        node=Feature("x", "number", 2),
        folds=(consecutive(request.sizes),),
        loss="mse",
        score="log10_mse",
    )


def _part(request: Request, part: str, connected: str) -> GraphSet:
    rng = stream("task-graphtheoryprop", request.seed, part)
    graphs, groups = request.sizes[part], GROUPS[part]
    group = np.arange(graphs) * groups // max(graphs, 1)
    found = []
    for k, count in enumerate(np.bincount(group, minlength=groups).tolist()):
        if count:
            found.append(_group(rng, count, SMALLEST + k, connected))
    return GraphSet.concat(found)


def _group(rng: np.random.Generator, graphs: int, n: int, connected: str) -> GraphSet:
    adjacency, family = draw(rng, graphs, n)
    values = rng.random((graphs, n))
    source = rng.integers(0, n, graphs)
    node, graph = targets(adjacency, values, source, connected)
    g, i, j = np.nonzero(adjacency)
    edge_ptr = np.concatenate([[0], np.cumsum(np.bincount(g, minlength=graphs))])
    x = np.stack([np.arange(n) == source[:, None], values], axis=2).reshape(-1, 2)
    columns: dict[str, Any] = {"x": torch.from_numpy(x).float(), "y": torch.from_numpy(node.reshape(-1, 3))}
    return packed(np.stack([g * n + i, g * n + j]), edge_ptr, np.arange(graphs + 1) * n).with_columns(
        node=columns, graph={"y": torch.from_numpy(graph), "family": torch.from_numpy(family)}
    )


GRAPHTHEORYPROP = TaskEntry(
    make=graphtheoryprop,
    kind="generated",
    about="six properties of random graphs of ten families",
    licence="none needed: generated on this machine",
    source="graphgauge; law of https://github.com/lukecavabarrett/pna (multitask benchmark)",
    citation="Corso et al. Principal Neighbourhood Aggregation. NeurIPS 2020; "
    "Dwivedi et al. Benchmarking Graph Neural Networks. JMLR 24, 2023",
    sizes={"train": 5120, "val": 640, "test": 1280},
    loss="mse",
    score="log10_mse",
    graphs=7040,
    nodes=132480,
    average=(18.82, 95.17),
    tolerance=0.07,  # the densities of Erdős–Rényi graphs are random: 1.3 % from seed to seed
)
