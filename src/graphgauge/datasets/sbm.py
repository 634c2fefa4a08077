"""Stochastic block model graphs: communities."""

from __future__ import annotations

import numpy as np

from graphgauge.datasets.entry import generated
from graphgauge.datasets.er import edges
from graphgauge.datasets.options import number, whole
from graphgauge.datasets.packing import even_ptr, pack
from graphgauge.graphs import GraphSet


def sbm(
    rng: np.random.Generator,
    size: int,
    *,
    nodes: int = 100,
    blocks: int = 4,
    p_in: float = 0.25,
    p_out: float = 0.025,
) -> GraphSet:
    """`size` graphs of equal communities: a pair is an edge with chance p_in inside one, else p_out.

    Every pair is first marked with the larger chance, then kept with the chance that makes up the rest; so
    time grows with the number of marked pairs. Node i is in block ⌊i b / n⌋, so block sizes differ by at
    most one. By default the average degree is 24 · 0.25 + 75 · 0.025 = 7.9.

    Parameters
    ----------
    rng : where chance comes from
    size : number of graphs
    nodes : nodes n of every graph, at least 1
    blocks : b, between 1 and n
    p_in, p_out : chances between 0 and 1

    >>> sbm(np.random.default_rng(0), 1, nodes=6, blocks=2, p_in=1, p_out=0).edge_index.tolist()[1]
    [1, 2, 0, 2, 0, 1, 4, 5, 3, 5, 3, 4]
    """
    whole("size", size, 0)
    whole("nodes", nodes, 1)
    whole("blocks", blocks, 1, nodes)
    number("p_in", p_in, 0, 1)
    number("p_out", p_out, 0, 1)
    thinning = rng.spawn(1)[0]
    highest = max(p_in, p_out)
    u, v = edges(rng, size, nodes, highest)
    same = u % nodes * blocks // nodes == v % nodes * blocks // nodes
    kept = thinning.random(u.size) * highest < np.where(same, p_in, p_out)
    return pack(u[kept], v[kept], even_ptr(size, nodes))


SBM = generated(
    sbm,
    "stochastic block model graphs: communities of equal size",
    "Holland, Laskey, Leinhardt. Stochastic blockmodels: first steps. Social Networks 5, 1983",
)
