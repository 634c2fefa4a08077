"""Community graphs: a few random graphs of one size, and few edges between them."""

from __future__ import annotations

import numpy as np

from graphgauge.datasets.entry import generated
from graphgauge.datasets.er import positions
from graphgauge.datasets.errors import DatasetError
from graphgauge.datasets.options import number, whole
from graphgauge.datasets.packing import Ints, pack
from graphgauge.graphs import GraphSet
from graphgauge.graphs.structure import components


def community(
    rng: np.random.Generator,
    size: int,
    *,
    blocks: int = 2,
    smallest: int = 30,
    largest: int = 79,
    p: float = 0.3,
    between: float = 0.05,
) -> GraphSet:
    """`size` graphs of b blocks G(n, p), n uniform between 30 and 79 and the same for all blocks of a graph.

    Then ⌊(|A| + |B|) · between⌋ times a random node of A is joined to a random node of B, for all pairs of
    connected components A, B; a pair of nodes drawn twice is one edge. So the pieces of a block that is not
    connected are joined as blocks are: the law of the published code (paper C).

    Parameters
    ----------
    rng : where chance comes from
    size : number of graphs
    blocks : b, at least 1
    smallest, largest : bounds of a block's number of nodes n, at least 1
    p : chance of an edge in a block
    between : edges drawn between two components for each of their nodes, at least 0

    >>> graphs = community(np.random.default_rng(0), 2, smallest=40, largest=40, p=1)
    >>> graphs.nodes_per_graph.tolist(), (graphs.edges_per_graph // 2 - 1560).tolist()
    ([80, 80], [4, 4])
    """
    whole("size", size, 0)
    whole("blocks", blocks, 1)
    whole("smallest", smallest, 1)
    if whole("largest", largest, 1) < smallest:
        raise DatasetError(f"largest must be at least smallest={smallest}, got {largest}")
    number("p", p, 0, 1)
    number("between", between, 0)
    sizes, inside, outside = rng.spawn(3)
    order = np.repeat(sizes.integers(smallest, largest + 1, size), blocks)
    first = np.concatenate([[0], np.cumsum(order)])
    u, v = _inside(inside, order, first[:-1], p)
    a, b = _between(outside, pack(u, v, first[::blocks]), between)
    return pack(np.concatenate([u, a]), np.concatenate([v, b]), first[::blocks])


def _inside(rng: np.random.Generator, order: Ints, first: Ints, p: float) -> tuple[Ints, Ints]:
    """End nodes u < v of the edges of one G(n, p) for each block of `order` nodes from `first` on."""
    start = np.concatenate([[0], np.cumsum(order * (order - 1) // 2)])
    cell = positions(rng, int(start[-1]), p)
    block = np.searchsorted(start, cell, side="right") - 1
    cell = cell - start[block]
    v = ((1 + np.sqrt(1 + 8 * cell)) / 2).astype(np.int64)  # the triangle, row by row: exact
    u = cell - v * (v - 1) // 2
    return first[block] + u, first[block] + v


def _between(rng: np.random.Generator, graphs: GraphSet, share: float) -> tuple[Ints, Ints]:
    """Random edges between all pairs of components of a graph, in proportion to their nodes, each once."""
    component = components(graphs).numpy()
    member = np.argsort(component, kind="stable")
    count = np.bincount(component)
    start = np.concatenate([[0], np.cumsum(count)])[:-1]
    graph = graphs.batch.numpy()[member[start]] if count.size else start
    # Components are numbered graph by graph: the partners of one are those after it in its graph.
    partners = np.searchsorted(graph, graph, side="right") - np.arange(count.size) - 1
    a = np.repeat(np.arange(count.size), partners)
    b = a + 1 + np.arange(a.size) - np.repeat(np.cumsum(partners) - partners, partners)
    times = ((count[a] + count[b]) * share).astype(np.int64)
    a, b = np.repeat(a, times), np.repeat(b, times)
    chance = rng.random((a.size, 2))
    u = member[start[a] + (chance[:, 0] * count[a]).astype(np.int64)]
    v = member[start[b] + (chance[:, 1] * count[b]).astype(np.int64)]
    pair = np.unique(u * graphs.num_nodes + v)
    return pair // max(graphs.num_nodes, 1), pair % max(graphs.num_nodes, 1)


COMMUNITY = generated(
    community,
    "two communities of one size, 30 to 79 nodes each, and few edges between them",
    "You et al. GraphRNN. ICML 2018; Thompson et al. On Evaluation Metrics for Graph Generative Models. "
    "ICLR 2022",
    sizes={"train": 500, "val": 500, "test": 500},
)
