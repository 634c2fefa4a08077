"""One row for all nodes that have had the same history: message passing on the quotient of a batch.

After l rounds a message-passing network without noise gives equal states to nodes of equal l-round
Weisfeiler–Leman colour: nodes that started alike and whose in-neighbours, with the edges that lead from
them, were alike as multisets in every round. So one row for every colour and depth is enough, if sums over
nodes (batch statistics, pooling) count how many nodes it stands for. It is exact, not an approximation.

The network must see categories only: no real numbers, encodings or random features at nodes or edges, no
dropout, no norm over single graphs. That is for the caller to know.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from graphgauge.graphs.checks import LEVELS, Index, check_edges, graph_ids
from graphgauge.graphs.colours import edge_colours, start_colours
from graphgauge.graphs.csr import CSR
from graphgauge.graphs.graphset import GraphSet
from graphgauge.graphs.rounds import Round, Rounds, degrees

Array = np.ndarray[Any, Any]

# Above this share of its nodes a batch gets a row for every node: measured, see docs/quotient.md.
APART = 0.95
# Above this share over all depths too few rounds are left to gain from.
WORTH = 0.9


class Rows(NamedTuple):
    """Rows of m things: the row of each (m,), and for every row its first thing and how many it has."""

    number: Array
    first: Array
    size: Array


@dataclass(frozen=True, eq=False)
class Histories:
    """The history of every node of a set at every depth, from which the rounds of any batch are read.

    Colours are found once for the whole set, O(E) a round, and proved by comparing whole neighbourhoods.
    A batch then only has to number the colours that occur in it: some 0.1 ms a layer for 2,000 nodes.

    Parameters
    ----------
    graphs : the set, on the CPU
    layers : L, how many rounds the network makes
    colours : (N,) int32 for depth 0, 1, …, up to L or to the depth from which on no colour splits
    kinds : (E,) int32 category of every edge
    csr : incoming edges of the set
    degree : (2, N) int32 incoming and outgoing edges, which then are part of every colour; None: they are not
    categories : there are categories of edges
    edge_states : the network makes new states of edges in every round
    device : where batches go
    apart : from the depth on at which a batch has more rows than this share of its nodes, every node and edge
        gets a row of its own: further rounds are plain ones

    >>> graphs = GraphSet.from_edges([[(0, 1), (1, 2), (2, 3)], [(0, 1), (1, 2)]])
    >>> histories = Histories.of(graphs, 2)
    >>> [place.tolist() for place in histories.batch([0]).place]  # a path: all, ends, ends
    [[0, 0, 0, 0], [0, 1, 1, 0], [0, 1, 1, 0]]
    """

    graphs: GraphSet
    layers: int
    colours: tuple[Array, ...]
    kinds: Array
    csr: tuple[Array, Array, Array]
    degree: Array | None
    categories: bool
    edge_states: bool
    device: torch.device
    apart: float

    @staticmethod
    def of(
        graphs: GraphSet,
        layers: int,
        *,
        node: Tensor | None = None,
        edge: Tensor | None = None,
        edge_states: bool = False,
        degrees: bool = False,
        apart: float = APART,
    ) -> Histories:
        """The histories of all nodes of a set.

        Parameters
        ----------
        node, edge : (N,), (E,) whole numbers, the categories that the network reads; None: it reads none
        edge_states : whether every round also makes states e′ = f(e, h_source, h_target) of edges. Without
            them the rows of edges are the categories, and `Round.ends` is empty; without categories too,
            every entry of `Round.csr` is an edge with its own ends, for layers that read those alone
        degrees : nodes of different degree get different rows from the start, for layers that divide by the
            degree of the *sender* (symmetric normalisation); `Round.degree` is filled
        apart : see `Histories`

        Raises
        ------
        GraphError : categories that are no whole numbers or too few; edges that leave their graph
        """
        if layers < 0:
            raise ValueError(f"layers must be 0 or more, got {layers}")
        check_edges(graphs)  # compiled loops trust that edges stay in their graphs
        host = graphs.to("cpu")
        csr = host.csr
        arrays = csr.ptr.numpy(), csr.source.numpy(), csr.edge.numpy()
        start, degree = start_colours(host, node), None
        if degrees:
            degree = _degrees(host)
            for row in degree:
                start = start * (int(row.max(initial=0)) + 1) + row
                start = _numbered(start).number
        kinds = edge_colours(host, edge).astype(np.int32)
        colours = _refine(start.astype(np.int32), arrays, kinds, layers)
        return Histories(
            host, layers, colours, kinds, arrays, degree, edge is not None, edge_states, graphs.device, apart
        )

    def batch(self, numbers: Index | None = None) -> Rounds:
        """The rounds of the graphs with these numbers, in this order (None: of all).

        `Rounds.graphs` holds these graphs with all columns. Later rounds are one and the same object once no
        row splits any more.
        """
        part, nodes, kinds, shift = self._taken(numbers)
        ends = part.edge_index.numpy()
        before, lines = _numbered(self.colours[0][nodes]), _numbered(kinds)
        states, inputs, rounds = [before], (before, lines), list[Round]()
        for depth in range(1, self.layers + 1):
            after, drawn = self._coloured(depth, nodes, before), lines
            if after.first.size > self.apart * nodes.size:  # from here on every node has a row of its own
                after = _each(nodes.size)
            if self.edge_states:
                each = after.first.size == nodes.size
                drawn = _each(kinds.size) if each else _edge_rows(kinds, ends, before)
            rounds.append(self._round(nodes, shift, ends, (before, lines), (after, drawn)))
            settled = after.first.size == before.first.size and drawn.first.size == lines.first.size
            before, lines = after, drawn
            states.append(after)
            if settled:
                break
        left = self.layers - len(rounds)
        states += states[-1:] * left
        rounds += rounds[-1:] * left
        return Rounds(
            part if self.device.type == "cpu" else part.to(self.device),
            tuple(rounds),
            self._tensor(inputs[0].first),
            self._tensor(inputs[1].first),
            tuple(None if rows.first.size == nodes.size else self._tensor(rows.number) for rows in states),
            tuple(self._weight(rows, nodes.size) for rows in states),
        )

    def share(self, size: int = 128, batches: int = 4) -> float:
        """Rows of the quotient over plain rows, on average over some random batches of `size` graphs."""
        order = np.random.default_rng(0).permutation(len(self.graphs))
        size = min(size, order.size)
        starts = range(0, max(order.size - size, 0) + 1, max(size, 1))[:batches]
        parts = [self.batch(torch.from_numpy(order[s : s + size])) for s in starts]
        return float(np.mean([share(part) for part in parts]))

    def refusal(self, size: int = 128, limit: float = WORTH) -> str | None:
        """Why batches of `size` graphs had better be computed plainly; None where the quotient pays."""
        return _refusal(self.share(size), limit)

    # ── parts of a batch ───────────────────────────────────────────────────────────────────────────────

    def _taken(self, numbers: Index | None) -> tuple[GraphSet, Array, Array, Array]:
        """The chosen graphs; numbers in the set of their nodes; kinds of their edges; how far edges move."""
        whole = self.graphs
        if numbers is None:
            n = whole.num_nodes
            return whole, np.arange(n), self.kinds, np.zeros(n, np.int64)
        ids = graph_ids(numbers, len(whole), torch.device("cpu"))
        from graphgauge.graphs.numbering import taken  # compiled: loaded when first needed

        arrays = (one.numpy() for one in (whole.node_ptr, whole.edge_ptr, whole.edge_index, ids))
        node_ptr, edge_ptr, ends, nodes, edges, moved = taken(*arrays)
        rows = torch.from_numpy(nodes), torch.from_numpy(edges), ids
        node, edge, graph = (_picked(getattr(whole, k), some) for k, some in zip(LEVELS, rows, strict=True))
        put = torch.from_numpy
        part = GraphSet(put(node_ptr), put(ends), put(edge_ptr), node, edge, graph, whole.directed)
        return part, nodes, self.kinds[edges], moved

    def _coloured(self, depth: int, nodes: Array, before: Rows) -> Rows:
        """Rows of nodes at a depth; the rows before, where no colour of the set splits any more."""
        return _numbered(self.colours[depth][nodes]) if depth < len(self.colours) else before

    def _round(
        self,
        nodes: Array,
        shift: Array,
        ends: Array,
        old: tuple[Rows, Rows],
        new: tuple[Rows, Rows],
    ) -> Round:
        from graphgauge.graphs.numbering import entries  # compiled: loaded when first needed

        (before, lines), (after, drawn), put = old, new, self._tensor
        first = after.first
        own = before.number[first]
        ptr, source, edge = entries(first, nodes, shift[first], *self.csr, before.number, drawn.number)
        joined, counts = np.zeros((2, 0), np.int64), self._weight(drawn, drawn.number.size)
        if self.edge_states:
            joined = before.number[ends[:, drawn.first]]
        elif not self.categories:  # nothing to share: every entry is an edge by itself
            edge, degree = np.arange(source.size), np.diff(ptr)
            joined = np.stack([source, np.repeat(own, degree)])
            if after.first.size < nodes.size:
                counts = put(np.repeat(after.size, degree).astype(np.float32))
            else:
                counts = None
        same = first.size == before.first.size
        same_edges = drawn.first.size == lines.first.size
        return Round(
            CSR(put(ptr), put(source), put(edge), None if same else before.first.size),
            None if same else put(own),
            put(joined),
            None if same_edges else put(lines.number[drawn.first]),
            self._weight(after, nodes.size),
            counts,
            None if self.degree is None else put(self.degree[:, nodes[before.first]].astype(np.int64)),
        )

    def _tensor(self, array: Array) -> Tensor:
        tensor = torch.from_numpy(array)
        return tensor if self.device.type == "cpu" else tensor.to(self.device)

    def _weight(self, rows: Rows, things: int) -> Tensor | None:
        """What each row stands for; None where that is one thing each."""
        return None if rows.first.size == things else self._tensor(rows.size.astype(np.float32))


def quotient(
    graphs: GraphSet,
    layers: int,
    *,
    node: Tensor | None = None,
    edge: Tensor | None = None,
    edge_states: bool = False,
    degrees: bool = False,
    limit: float = WORTH,
) -> Rounds | None:
    """The rounds of one batch with one row for all nodes of equal history; None where that saves too little.

    For batches drawn from one set again and again, `Histories` finds the colours once. The arguments are
    those of `Histories.of`; `limit` is the share of the plain rows above which it steps aside, and
    `Histories.refusal` says why.

    >>> rings = GraphSet.from_edges([[(0, 1), (1, 2), (2, 3), (3, 0)]] * 2)
    >>> rounds = quotient(rings, 3)  # one row at any depth
    >>> rounds.rounds[2].csr.source.tolist(), rounds.weight[3].tolist()
    ([0, 0], [8.0])
    """
    rounds = Histories.of(
        graphs, layers, node=node, edge=edge, edge_states=edge_states, degrees=degrees
    ).batch()
    return rounds if share(rounds) <= limit else None


def share(rounds: Rounds) -> float:
    """Rows of nodes at all depths over what the plain way has.

    >>> ring = GraphSet.from_edges([[(0, 1), (1, 2), (2, 3), (3, 0)]])
    >>> share(Rounds.plain(ring, 2)), share(Histories.of(ring, 2).batch())
    (1.0, 0.25)
    """
    n = rounds.graphs.num_nodes
    rows = sum(n if one is None else one.numel() for one in rounds.weight)
    return rows / max(n * len(rounds.weight), 1)


def _picked(columns: Mapping[str, Tensor], rows: Tensor) -> dict[str, Tensor]:
    return {name: values.index_select(0, rows) for name, values in columns.items()}


def _refusal(found: float, limit: float) -> str | None:
    if found <= limit:
        return None
    return (
        f"few nodes have the same history: {found:.0%} of the rows are left, and above {limit:.0%} the plain "
        "way is as fast"
    )


def _refine(start: Array, csr: tuple[Array, Array, Array], kinds: Array, layers: int) -> tuple[Array, ...]:
    """Colours of depth 0, 1, …, as far as they still split."""
    from graphgauge.graphs.numbering import refined  # compiled: loaded when first needed

    ptr, source, edge = csr
    along, several = kinds[edge], int(kinds.max(initial=0)) + 1
    colours, classes = [start], int(start.max(initial=-1)) + 1
    for _ in range(layers):
        finer, count = refined(colours[-1], ptr, source, along, several)
        if count == classes:
            break
        colours.append(finer)
        classes = count
    return tuple(colours)


def _each(n: int) -> Rows:
    """A row for every thing."""
    return Rows(np.arange(n), np.arange(n), np.ones(n, np.int64))


def _edge_rows(kinds: Array, ends: Array, before: Rows) -> Rows:
    """Rows of edges after a round.

    An edge's own row before is a function of its kind and of its ends' rows before, as rows of nodes only
    split from round to round; so kind and ends are the whole history.
    """
    n = before.first.size
    source, target = before.number[ends]
    key = kinds.astype(np.int64) * n + source
    if int(kinds.max(initial=0)) >= 2**62 // max(n * n, 1):  # a key of all three would not fit 64 bits
        key = _numbered(key).number
    return _numbered(key * n + target)


def _numbered(values: Array) -> Rows:
    from graphgauge.graphs.numbering import numbered  # compiled: loaded when first needed

    return Rows(*numbered(values))


def _degrees(graphs: GraphSet) -> Array:
    """Incoming and, where they may differ, outgoing edges of every node: (2, N)."""
    found: Array = degrees(graphs).numpy().astype(np.int32)
    return found
