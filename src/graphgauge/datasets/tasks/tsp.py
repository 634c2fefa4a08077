"""TSP: which edges between near neighbours are in a shortest tour."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from graphgauge.datasets.errors import DatasetError, MissingData
from graphgauge.datasets.home import Home
from graphgauge.datasets.options import number, stream, whole
from graphgauge.datasets.packing import Ints
from graphgauge.datasets.tasks.entry import Request, TaskEntry, consecutive
from graphgauge.datasets.tasks.kept import Arrays, kept
from graphgauge.graphs import Feature, GraphSet, Task
from graphgauge.graphs.task import PARTS

Points = NDArray[np.float64]
NEIGHBOURS = 25
SCALE = 45000  # the solver takes whole numbers up to 65,535, and the unit square is 1.42 wide
BLOCK = 100  # tours that are stored together
GAP = (
    "tours by the heuristic fast-tsp {version}, {seconds} s each: longer than the best one found by 0 % at "
    "50 and 200 nodes and by 0.04 to 0.17 % at 500 (measured at 0.2 s); the published ones are of Concorde"
)


def tsp(
    request: Request, *, smallest: int = 50, largest: int = 500, seconds: float = 0.2, workers: int = 1
) -> Task:
    """Uniform points in the unit square, each joined to its 25 nearest; target: is the edge in the tour.

    Parameters
    ----------
    smallest, largest : nodes of a graph, uniform between them; at least 26
    seconds : for every tour
    workers : tours that are sought at once; no more than there are free cores, or they get less time

    Node column ``x``: coordinates; edge column ``edge_attr``: length; edge target ``y``: 1 in the tour.
    Edges are directed: from every node to its neighbours. Every instance has a random stream of its own, so
    points do not depend on how many are drawn or by whom. Tours depend on the machine, since the solver is
    stopped by the clock; they are kept in the data home, where the next call finds them.
    """
    whole("smallest", smallest, NEIGHBOURS + 1)
    whole("largest", largest, smallest)
    number("seconds", seconds, 0.001)
    whole("workers", workers, 1)
    solver, version = _solver()
    parts = []
    for part in PARTS:
        points = [_points(request.seed, part, i, smallest, largest) for i in range(request.sizes[part])]
        name = f"tasks/tsp-{version}-{part}-{smallest}-{largest}-{request.seed}-{seconds}"
        tours = _tours(partial(tour, solver, seconds), points, name, request.root, workers)
        parts.append(packed_instances(points, tours))
    return Task(
        "tsp",
        GraphSet.concat(parts),
        {"edge": 2},
        node=Feature("x", "number", 2),
        edge=Feature("edge_attr", "number", 1),
        folds=(consecutive(request.sizes),),
        loss="cross_entropy",
        score="f1",
        notes=(GAP.format(version=version, seconds=seconds),),
    )


def _points(seed: int, part: str, index: int, smallest: int, largest: int) -> Points:
    rng = stream("task-tsp", seed, f"{part}-{index}")
    return rng.random((int(rng.integers(smallest, largest + 1)), 2))


def _solver() -> tuple[Callable[..., list[int]], str]:
    try:
        import fast_tsp
    except ImportError as error:
        raise MissingData(
            "tours need fast-tsp, which is not installed: pip install 'graphgauge[tsp]'"
        ) from error
    return fast_tsp.find_tour, str(fast_tsp.__version__)


def tour(solver: Callable[..., list[int]], seconds: float, points: Points) -> Ints:
    """A short tour, from node 0 in the direction of the smaller of its two neighbours."""
    difference = points[:, None] - points
    lengths = np.rint(np.sqrt(np.square(difference).sum(2)) * SCALE).astype(np.uint16)
    found = np.array(solver(lengths, seconds, 1), np.int64)
    found = np.roll(found, -int(found.argmin()))
    return found if found[1] < found[-1] else np.concatenate([found[:1], found[:0:-1]])


def _tours(
    solve: Callable[[Points], Ints], points: list[Points], name: str, root: Home, workers: int
) -> list[Ints]:
    """Tours of all instances, block after block; a block that is stored is not sought again."""
    found: list[Ints] = []
    for start in range(0, len(points), BLOCK):
        block = points[start : start + BLOCK]
        file = f"{name}/{start}-{len(block)}.npz"
        order = kept(root, file, partial(_solved, solve, block, workers), "tours")["tours"].astype(np.int64)
        ends = np.cumsum([len(p) for p in block])
        if order.size != ends[-1]:
            raise DatasetError(f"{file}: expected tours of {ends[-1]} nodes in all, found {order.size}")
        found += np.split(order, ends[:-1])
    return found


def _solved(solve: Callable[[Points], Ints], points: list[Points], workers: int) -> Arrays:
    with ThreadPoolExecutor(workers) as pool:
        return {"tours": np.concatenate(list(pool.map(solve, points))).astype(np.int16)}


def packed_instances(points: list[Points], tours: list[Ints]) -> GraphSet:
    """Points and their tours as directed graphs of 25 nearest neighbours, sorted by source and target.

    >>> points = np.random.default_rng(0).random((26, 2))
    >>> graphs = packed_instances([points], [np.arange(26)])
    >>> graphs.num_edges, int(graphs.edge["y"].sum())
    (650, 52)
    """
    neighbours = [np.sort(_nearest(p), axis=1) for p in points]
    sizes = np.array([len(p) for p in points])
    node_ptr = np.concatenate([[0], np.cumsum(sizes)])
    x = np.concatenate(points)
    local = np.concatenate(neighbours)
    source = np.repeat(np.arange(x.shape[0]), NEIGHBOURS)
    target = (local + np.repeat(node_ptr[:-1], sizes)[:, None]).reshape(-1)
    before, after = np.empty(len(x), np.int64), np.empty(len(x), np.int64)
    for first, order in zip(node_ptr[:-1], tours, strict=True):
        after[first + order] = first + np.roll(order, -1)
        before[first + order] = first + np.roll(order, 1)
    y = (after[source] == target) | (before[source] == target)
    columns: dict[str, Any] = {
        "edge_attr": torch.from_numpy(np.linalg.norm(x[source] - x[target], axis=1)).float()[:, None],
        "y": torch.from_numpy(y.astype(np.int64)),
    }
    return GraphSet(
        torch.from_numpy(node_ptr),
        torch.from_numpy(np.stack([source, target])),
        torch.from_numpy(node_ptr * NEIGHBOURS),
        node={"x": torch.from_numpy(x).float()},
        edge=columns,
        directed=True,
    )


def _nearest(points: Points) -> Ints:
    """The 25 nearest other nodes of each, (n, 25)."""
    found = cKDTree(points).query(points, NEIGHBOURS + 1)[1]
    other = found != np.arange(len(points))[:, None]
    other[other.all(1), -1] = False  # of points in the same place one may miss itself
    kept: Ints = found[other].reshape(len(points), NEIGHBOURS)
    return kept


TSP = TaskEntry(
    make=tsp,
    kind="generated",
    about="edges of a short tour through random points",
    licence="none needed: generated on this machine",
    source="graphgauge; tours by fast-tsp (MIT)",
    citation="Joshi et al. Learning the travelling salesperson problem requires rethinking generalization. "
    "Constraints 27, 2022; Dwivedi et al. Benchmarking Graph Neural Networks. JMLR 24, 2023",
    sizes={"train": 10000, "val": 1000, "test": 1000},
    loss="cross_entropy",
    score="f1",
    graphs=12000,
    average=(275.76, 6894.04),
    tolerance=0.02,
)
