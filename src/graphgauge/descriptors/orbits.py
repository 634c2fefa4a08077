"""How often every node takes each place in the connected graphs of 2, 3 and 4 nodes: the 15 orbits."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from graphgauge.compiling import Ints
from graphgauge.descriptors.simple import Rows, simple_rows
from graphgauge.descriptors.subgraphs import edge_triangles, node_subgraphs
from graphgauge.graphs import GraphSet
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


def node_orbits(graphs: GraphSet) -> Tensor:
    """Induced connected subgraphs of 2 to 4 nodes at every node, by the node's place in them: (N, 15) int64.

    Exact. Subgraphs are counted from degrees, triangles, 4-cycles, diamonds and 4-cliques at each node, and
    those that are not induced are taken off; only triangles and, in sparse graphs, 4-cliques are listed.
    The names of the columns are `ORBITS`. For the cost see `graphgauge.descriptors.subgraphs`; complete
    graphs are the worst case: n⁴/384 word operations.

    Raises
    ------
    GraphError
        for graphs that are not simple and undirected, naming graph and edge

    Source: Pržulj, Biological network comparison using graphlet degree distribution, 2007 (the numbering);
    the counting by equations follows the idea of Hočevar and Demšar, 2014.

    >>> node_orbits(GraphSet.from_edges([[(0, 1), (1, 2), (2, 3)]]))[:, [0, 1, 2, 4, 5]].tolist()
    [[1, 1, 0, 1, 0], [2, 1, 1, 0, 1], [2, 1, 1, 0, 1], [1, 1, 0, 1, 0]]
    """
    count = _subgraphs(simple_rows(graphs))
    for place, supergraphs in CONTAINED.items():  # those with more edges come first and are induced by then
        for other, times in supergraphs.items():
            count[place] -= times * count[other]
    return torch.from_numpy(np.stack(count, axis=1)).to(graphs.device)


def orbit_counts(graphs: GraphSet) -> Tensor:
    """Mean over the nodes of each graph of their 15 orbit counts: (G, 15) float64, 0 or more.

    The counts are not normalised: they grow with degrees. A graph without nodes is a row of 0.

    Source: paper C, section 2 (counts summed over the nodes, divided by their number).

    >>> orbit_counts(GraphSet.from_edges([[(0, 1), (1, 2)], []], [3, 0]))[:, :3].tolist()
    [[1.3333333333333333, 0.6666666666666666, 0.3333333333333333], [0.0, 0.0, 0.0]]
    """
    total = segment_sum(node_orbits(graphs), graphs.node_ptr).to(torch.float64)
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
