"""How often every node takes each place in the connected graphs of 2 to 4 or 5 nodes: its orbit counts."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from graphgauge.compiling import Ints
from graphgauge.descriptors.five import five_node_orbits, trees
from graphgauge.descriptors.simple import Rows, simple_rows
from graphgauge.descriptors.subgraphs import edge_triangles, node_subgraphs
from graphgauge.graphs import GraphSet
from graphgauge.graphs.errors import TooLargeError
from graphgauge.graphs.segments import segment_sum

# Orbits, as Pržulj numbers them: the graphlet, and the place in it.
ORBITS = (
    "edge", "path of 3: end", "path of 3: middle", "triangle", "path of 4: end", "path of 4: inner node",
    "claw: leaf", "claw: centre", "4-cycle", "paw: leaf", "paw: node of degree 2", "paw: node of degree 3",
    "diamond: node of degree 2", "diamond: node of degree 3", "4-clique",
)  # fmt: skip

# Graphlets, and for each the nodes of one orbit: a graphlet is met that often in the sum over the orbit.
GRAPHLETS = {
    "edge": (0, 2), "path of 3": (2, 1), "triangle": (3, 3), "path of 4": (4, 2), "claw": (7, 1),
    "4-cycle": (8, 4), "paw": (9, 1), "diamond": (12, 2), "4-clique": (14, 4),
}  # fmt: skip

# A subgraph with the node in place `a` lies this often in an induced one with the node in place `b`:
# CONTAINED[a] = {b: times}. A path of 3, for one, lies twice with the node as its end in a triangle.
CONTAINED = {
    1: {3: 2}, 2: {3: 1},
    13: {14: 3}, 12: {14: 3},
    11: {13: 2, 14: 3}, 10: {12: 2, 13: 2, 14: 6}, 9: {12: 2, 14: 3},
    8: {12: 1, 13: 1, 14: 3},
    7: {11: 1, 13: 1, 14: 1}, 6: {9: 1, 10: 1, 12: 2, 13: 1, 14: 3},
    5: {8: 2, 10: 1, 11: 2, 12: 2, 13: 4, 14: 6}, 4: {8: 2, 9: 2, 10: 1, 12: 4, 13: 2, 14: 6},
}  # fmt: skip


def node_orbits(graphs: GraphSet, *, size: int = 4, most: int = 10**10) -> Tensor:
    """Induced connected subgraphs of 2 to `size` nodes at every node, by its place in them.

    Exact. Up to 4 nodes, subgraphs are counted from degrees, triangles, 4-cycles, diamonds and 4-cliques at
    each node, and those that are not induced are taken off; no 4-clique is listed in dense graphs. For the
    cost see `graphgauge.descriptors.subgraphs`; the worst of n nodes is a random graph with three quarters of
    all edges, n⁴/900 word operations. Subgraphs of 5 nodes are listed one by one, up to 3·10⁷ a second.

    Parameters
    ----------
    size : 4 or 5
    most : refuse before counting if the set may hold more subgraphs of 5 nodes than this, by the number of
        its trees of 5 nodes, of which a dense subgraph has many

    Returns
    -------
    (N, 15) or (N, 73) int64; the first 15 columns are named by `ORBITS`, the others are the orbits of
    `graphgauge.descriptors.five.GRAPHLETS`, in order

    Raises
    ------
    GraphError
        for graphs that are not simple and undirected, naming graph and edge
    TooLargeError
        for more than `most` subgraphs of 5 nodes, naming the graph that may have the most
    ValueError
        for another size

    Source: Pržulj, Biological network comparison using graphlet degree distribution, 2007 (the numbering).
    Counting by equations is an idea of Hočevar and Demšar, 2014, listing without repeats of Wernicke, 2006.

    >>> node_orbits(GraphSet.from_edges([[(0, 1), (1, 2), (2, 3)]]))[:, [0, 1, 2, 4, 5]].tolist()
    [[1, 1, 0, 1, 0], [2, 1, 1, 0, 1], [2, 1, 1, 0, 1], [1, 1, 0, 1, 0]]
    """
    if size not in (4, 5):
        raise ValueError(f"orbits are counted for graphlets of up to 4 or 5 nodes, not {size}")
    rows = simple_rows(graphs)
    count = _subgraphs(rows)
    for place, supergraphs in CONTAINED.items():  # those with more edges come first and are induced by then
        for other, times in supergraphs.items():
            count[place] -= times * count[other]
    orbits = np.stack(count, axis=1)
    if size == 5:
        _refuse_too_many(rows, most)
        orbits = np.concatenate([orbits, five_node_orbits(rows)], axis=1)
    return torch.from_numpy(orbits).to(graphs.device)


def orbit_counts(graphs: GraphSet, *, size: int = 4, most: int = 10**10) -> Tensor:
    """Mean over the nodes of each graph of their orbit counts: (G, 15) or (G, 73) float64, 0 or more.

    The counts are not normalised: they grow with degrees. A graph without nodes is a row of 0. The options
    are those of `node_orbits`.

    Source: paper C, section 2 (counts summed over the nodes, divided by their number).

    >>> orbit_counts(GraphSet.from_edges([[(0, 1), (1, 2)], []], [3, 0]))[:, :3].tolist()
    [[1.3333333333333333, 0.6666666666666666, 0.3333333333333333], [0.0, 0.0, 0.0]]
    """
    total = segment_sum(node_orbits(graphs, size=size, most=most), graphs.node_ptr).to(torch.float64)
    return total / graphs.nodes_per_graph.clamp(min=1)[:, None]


def graphlet_counts(graphs: GraphSet) -> Tensor:
    """How often each connected graph of 2 to 4 nodes is an induced subgraph: (G, 9) float64.

    The columns are the keys of `GRAPHLETS`. A graphlet with k nodes in an orbit is a k-th of the orbit's sum.

    >>> counts = graphlet_counts(GraphSet.from_edges([[(0, 1), (1, 2), (2, 0), (2, 3)]]))[0]
    >>> {name: int(c) for name, c in zip(GRAPHLETS, counts) if c}
    {'edge': 4, 'path of 3': 2, 'triangle': 1, 'paw': 1}
    """
    total = segment_sum(node_orbits(graphs), graphs.node_ptr)
    columns = [total[:, orbit] // nodes for orbit, nodes in GRAPHLETS.values()]
    return torch.stack(columns, dim=1).to(torch.float64)


def _refuse_too_many(rows: Rows, most: int) -> None:
    bound = trees(rows)
    if bound.sum() > most:
        owner = np.repeat(np.arange(rows.node_ptr.size - 1), np.diff(rows.node_ptr))
        each = np.bincount(owner, weights=bound)
        raise TooLargeError(
            f"up to {bound.sum():.2g} connected subgraphs of 5 nodes, {each.max():.2g} of them in graph "
            f"{int(each.argmax())}, are more than most={most:.2g}; count up to 4 nodes, or raise most"
        )


def _subgraphs(rows: Rows) -> list[Ints]:
    """Subgraphs, induced or not, with each node in each of the 15 places."""
    node_ptr, ptr, neighbour = rows
    d = np.diff(ptr)
    over = edge_triangles(node_ptr, ptr, neighbour)

    def along(value: Ints) -> Ints:
        """Sums of (E,) over the edges of each node."""
        total = np.zeros(value.size + 1, np.int64)
        np.cumsum(value, out=total[1:])
        return total[ptr[1:]] - total[ptr[:-1]]

    own, other = np.repeat(d, d), d[neighbour]
    t = along(over) // 2
    beside = along(other)  # degrees of the neighbours, summed
    cycles, ends, cliques = node_subgraphs(node_ptr, ptr, neighbour, over)
    return [
        d,
        beside - d,
        d * (d - 1) // 2,
        t,
        along(beside[neighbour] - own - other + 1) - 2 * t,
        along((own - 1) * (other - 1)) - 2 * t,
        along((other - 1) * (other - 2) // 2),
        d * (d - 1) * (d - 2) // 6,
        cycles,
        along(t[neighbour] - over),
        along(over * (other - 2)),
        t * (d - 2),
        ends,
        along(over * (over - 1) // 2),
        cliques,
    ]
