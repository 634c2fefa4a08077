"""Graph pairs with a hidden matching (paper A, section 4, "Graph Datasets to Graph Alignment Datasets")."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version

import numpy as np
import torch
from torch import Tensor

from graphgauge.graphs import GraphError, GraphSet, Pairs
from graphgauge.perturb.edges import by_target
from graphgauge.perturb.kernels import shuffle
from graphgauge.perturb.noise import NOISE

FORMAT = 1


def make_pairs(graphs: GraphSet, noise: float, model: str = "add-remove", seed: int = 0) -> Pairs:
    """Pair every graph with a noisy copy of itself whose nodes are renumbered uniformly at random.

    Parameters
    ----------
    graphs : GraphSet of G simple undirected graphs, N nodes in all; columns are dropped
    noise : η in [0, 1), see `NOISE`
    model : name of the noise model, a key of `NOISE`
    seed : the same graphs, noise, model and seed give the same pairs

    Returns
    -------
    Pairs
        left: `graphs` without columns; right: noisy and renumbered, edges by (target, source); truth: (N,)
        right node of each left node; meta: format, noise, model, seed,
        library. The hash of the base graphs is ``left.content_hash``, computed when asked for.

    Raises
    ------
    GraphError
        as the noise models do; an unknown `model`; a seed that is not a whole number ≥ 0

    >>> triangle_with_tail = GraphSet.from_edges([[(0, 1), (1, 2), (2, 0), (2, 3)]])
    >>> pairs = make_pairs(triangle_with_tail, noise=0.0, seed=1)
    >>> back = pairs.left.relabel(pairs.truth)
    >>> sorted(zip(*back.edge_index.tolist())) == sorted(zip(*pairs.right.edge_index.tolist()))
    True
    """
    if model not in NOISE:
        raise GraphError(f"no noise model {model!r}; there are {sorted(NOISE)}")
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise GraphError(f"the seed must be a whole number ≥ 0, got {seed!r}")
    rng = np.random.default_rng(seed)
    left = graphs.structure() if graphs.node or graphs.edge or graphs.graph else graphs
    truth = _random_numbers(left, rng)
    right = NOISE[model](left, noise, rng, truth)
    meta = {
        "format": FORMAT,
        "noise": float(noise),
        "model": model,
        "seed": int(seed),
        "library": f"graphgauge {_library_version()}",
    }
    return Pairs(left, right, truth, meta)


def relabel_randomly(graphs: GraphSet, rng: np.random.Generator) -> tuple[GraphSet, Tensor]:
    """Renumber the nodes of every graph by a uniformly random permutation of its own.

    Returns
    -------
    graphs : the renumbered GraphSet; node columns move with the nodes, edges end ordered by (target, source)
    new_id : (N,) int64, new global id of each old node

    >>> g = GraphSet.from_edges([[(0, 1)], [(0, 1), (1, 2)]])
    >>> moved, new_id = relabel_randomly(g, np.random.default_rng(0))
    >>> sorted(new_id[:2].tolist()), sorted(new_id[2:].tolist()), moved.edges_per_graph.tolist()
    ([0, 1], [2, 3, 4], [2, 4])
    """
    new_id = _random_numbers(graphs, rng)
    return by_target(graphs.relabel(new_id)), new_id


def _random_numbers(graphs: GraphSet, rng: np.random.Generator) -> Tensor:
    """A uniformly random permutation inside every graph: (N,) global ids."""
    ptr = graphs.node_ptr.cpu().numpy()
    place = np.arange(graphs.num_nodes) - np.repeat(ptr[:-1], np.diff(ptr))
    return torch.from_numpy(shuffle(rng.integers(0, place + 1, dtype=np.int64), ptr)).to(graphs.device)


@cache
def _library_version() -> str:
    return version("graphgauge")
