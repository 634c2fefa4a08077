"""Laws of the quotient: any message-passing network gives what it gives on all nodes, only on fewer rows."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from graphgauge import GraphSet
from graphgauge.datasets import available, load
from graphgauge.graphs.quotient import Histories, share
from graphgauge.graphs.rounds import Round, Rounds
from graphgauge.graphs.segments import segment_sum
from graphgauge.graphs.structure import wl_colours

LAW = settings(max_examples=40, deadline=None)
DEPTH, WIDTH, KINDS = 3, 4, 3
State, Weights = Tensor | None, dict[str, Tensor]
Layer = Callable[[Round, Tensor, State, Weights], tuple[Tensor, State]]


@st.composite
def coloured_sets(draw: st.DrawFn) -> GraphSet:
    """Sets with empty and edgeless graphs, lone nodes, loops, several edges, twins and categories."""
    directed = draw(st.booleans())
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kinds = draw(st.integers(1, KINDS))
    parts = [
        random_graph(rng, draw(st.integers(0, 7)), draw(st.integers(0, 8)), directed, kinds)
        for _ in range(draw(st.integers(1, 4)))
    ]
    again = draw(st.lists(st.sampled_from(range(len(parts))), max_size=3))
    return GraphSet.concat(parts + [parts[i] for i in again])


def random_graph(rng: np.random.Generator, n: int, m: int, directed: bool, kinds: int) -> GraphSet:
    edges = torch.from_numpy(rng.integers(0, n, (2, m))) if n else torch.zeros(2, 0, dtype=torch.int64)
    marks = torch.from_numpy(rng.integers(0, kinds, edges.shape[1]))
    if not directed:
        edges, marks = torch.cat([edges, edges.flip(0)], 1), torch.cat([marks, marks])
    return GraphSet(
        torch.tensor([0, n]),
        edges,
        torch.tensor([0, edges.shape[1]]),
        {"kind": torch.from_numpy(rng.integers(0, kinds, n))},
        {"kind": marks},
        {},
        directed,
    )


# ── a plain network on any rounds, in float64 ──────────────────────────────────────────────────────────────


def pooled_messages(one: Round, h: Tensor, e: State, w: Weights) -> tuple[Tensor, State]:
    """Sum, mean, largest and softmax-weighted message; edges keep their states."""
    rows, own = one.csr, h if one.own is None else h[one.own]
    sent = h[rows.source] @ w["a"]
    message = torch.tanh(sent if e is None else sent + e[rows.edge] @ w["b"])
    into = rows.target[:, None].expand_as(message)
    zero = torch.zeros_like(own)
    total = zero.scatter_add(0, into, message)
    mean = zero.scatter_reduce(0, into, message, "mean", include_self=False)
    largest = zero.scatter_reduce(0, into, message, "amax", include_self=False)
    score = torch.exp(torch.tanh(message @ w["d"] + (own @ w["d"])[rows.target]))
    attended = zero.scatter_add(0, into, score * message) / (zero.scatter_add(0, into, score) + 1e-9)
    return own @ w["c"] + total + mean - largest + attended, e


def gated(one: Round, h: Tensor, e: State, w: Weights) -> tuple[Tensor, State]:
    """New states of edges from both ends, which gate the messages."""
    rows, own = one.csr, h if one.own is None else h[one.own]
    assert e is not None
    kept = e if one.edge_own is None else e[one.edge_own]
    new = kept @ w["a"] + h[one.ends[0]] @ w["b"] + h[one.ends[1]] @ w["d"]
    gate = torch.sigmoid(new)[rows.edge]
    total = torch.zeros_like(own).index_add(0, rows.target, gate * (h @ w["c"])[rows.source])
    return own + total, kept + torch.tanh(normed(new, one.edges))


def gated_by_ends(one: Round, h: Tensor, e: State, w: Weights) -> tuple[Tensor, State]:
    """Gates from both ends, normalised over edges; edges have neither categories nor states."""
    rows, own = one.csr, h if one.own is None else h[one.own]
    new = normed(h[one.ends[0]] @ w["b"] + h[one.ends[1]] @ w["d"], one.edges)
    gate = torch.sigmoid(new)[rows.edge]
    return own + torch.zeros_like(own).index_add(0, rows.target, gate * (h @ w["c"])[rows.source]), e


def symmetric(one: Round, h: Tensor, e: State, w: Weights) -> tuple[Tensor, State]:
    """Messages over the root of the sender's outgoing and the receiver's incoming edges, as GCN has them."""
    assert one.degree is not None
    rows = one.csr
    sent = h / one.degree[1].clamp(min=1).sqrt()[:, None]
    share = rows.ptr.diff().clamp(min=1).to(h.dtype).rsqrt()[:, None]
    total = h.new_zeros(rows.ptr.numel() - 1, WIDTH).index_add(0, rows.target, sent[rows.source] @ w["a"])
    sent_to = one.degree[0] if one.own is None else one.degree[0][one.own]
    assert torch.equal(sent_to, rows.ptr.diff())
    return total * share + w["b"][0], e


def normed(h: Tensor, weight: Tensor | None) -> Tensor:
    """Batch norm without parameters: a row counts as often as it stands for something.

    1 is added to the variance, so that columns without any do not turn rounding into numbers.
    """
    share = h.new_ones(h.shape[0]) if weight is None else weight.to(h.dtype)
    share = (share / share.sum().clamp(min=1))[:, None]
    mean = (share * h).sum(0)
    return (h - mean) * ((share * (h - mean) ** 2).sum(0) + 1).rsqrt()


def run(rounds: Rounds, layer: Layer, node: bool, edge: bool) -> tuple[list[Tensor], list[Tensor]]:
    """States of all nodes at every depth, and gradients of all weights of a loss over graphs and nodes."""
    rng = torch.Generator().manual_seed(1)

    def weight(*shape: int) -> Tensor:
        return (torch.randn(shape, generator=rng, dtype=torch.float64) / 2).requires_grad_()

    weights = [{name: weight(WIDTH, WIDTH) for name in "abcd"} for _ in rounds.rounds]
    atoms, bonds = weight(KINDS, WIDTH), weight(KINDS, WIDTH)
    graphs = rounds.graphs
    atom = graphs.node["kind"] if node else torch.zeros(graphs.num_nodes, dtype=torch.int64)
    bond = graphs.edge["kind"] if edge else torch.zeros(graphs.num_edges, dtype=torch.int64)
    h = atoms[atom if rounds.node is None else atom[rounds.node]]
    bond = bond if rounds.edge is None else bond[rounds.edge]
    e = bonds[bond] if edge or layer is gated else None  # constants are read by layers that change them
    states = [h]
    for one, w in zip(rounds.rounds, weights, strict=True):
        h, e = layer(one, h, e, w)
        h = torch.tanh(normed(h, one.nodes))
        states.append(h)
    placed = [s if p is None else s[p] for s, p in zip(states, rounds.place, strict=True)]
    of_nodes = torch.randn(placed[-1].shape, generator=rng, dtype=torch.float64)
    of_graphs = torch.randn(len(graphs), WIDTH, generator=rng, dtype=torch.float64)
    loss = (of_nodes * placed[-1]).sum()
    for depth, state in enumerate(states):
        pool = rounds.pool(depth)
        loss = loss + (of_graphs * segment_sum(state[pool.source], pool.ptr)).sum()
    leaves = [atoms, bonds, *(w[name] for w in weights for name in "abcd")]
    gradients = torch.autograd.grad(loss, leaves, allow_unused=True)
    return placed, [g for g in gradients if g is not None]


def assert_same(small: Rounds, layer: Layer, node: bool, edge: bool, bound: float = 1e-11) -> None:
    states, gradients = run(small, layer, node, edge)
    wanted, slopes = run(Rounds.plain(small.graphs, len(small.rounds)), layer, node, edge)
    assert len(gradients) == len(slopes)
    for got, want in zip(states + gradients, wanted + slopes, strict=True):
        scale = 1 + float(want.detach().abs().max()) if want.numel() else 1.0
        torch.testing.assert_close(got, want, rtol=0, atol=bound * scale)


LAYERS: dict[str, tuple[Layer, bool, bool]] = {
    "sum-mean-max-softmax": (pooled_messages, False, False),
    "gated": (gated, True, False),
    "gated-by-ends": (gated_by_ends, False, False),
    "symmetric": (symmetric, False, True),
}


def small_rounds(
    graphs: GraphSet, layer: str, node: bool, edge: bool, depth: int = DEPTH, apart: float = 1.0
) -> Rounds:
    _, edge_states, degrees = LAYERS[layer]
    return Histories.of(
        graphs,
        depth,
        node=graphs.node["kind"] if node else None,
        edge=graphs.edge["kind"] if edge else None,
        edge_states=edge_states,
        degrees=degrees,
        apart=apart,
    ).batch()


@pytest.mark.parametrize("layer", LAYERS)
@LAW
@given(graphs=coloured_sets(), node=st.booleans(), edge=st.booleans(), apart=st.sampled_from([1.0, 0.5, 0.0]))
def test_states_and_gradients_are_those_of_all_nodes(
    layer: str, graphs: GraphSet, node: bool, edge: bool, apart: float
) -> None:
    """Also where rounds become plain ones, from the first on or from a later one."""
    edge = edge and layer != "gated-by-ends"
    assert_same(small_rounds(graphs, layer, node, edge, apart=apart), LAYERS[layer][0], node, edge)


@LAW
@given(graphs=coloured_sets(), data=st.data())
def test_batches_of_a_set_are_quotients_of_their_graphs(graphs: GraphSet, data: st.DataObject) -> None:
    numbers = data.draw(st.lists(st.integers(0, len(graphs) - 1), max_size=5))
    chosen = torch.tensor(numbers, dtype=torch.int64)
    options = {"edge_states": data.draw(st.booleans()), "degrees": data.draw(st.booleans())}
    histories = Histories.of(graphs, 3, node=graphs.node["kind"], edge=graphs.edge["kind"], **options)
    batch, part = histories.batch(chosen), graphs[chosen]
    own = Histories.of(part, 3, node=part.node["kind"], edge=part.edge["kind"], **options).batch()
    assert batch.graphs.same_as(part)
    for got, want in zip(flat(batch), flat(own), strict=True):
        assert (got is None) == (want is None)
        assert got is None or torch.equal(got, want)


def placed(rounds: Rounds, depth: int) -> Tensor:
    """The row of every node."""
    place = rounds.place[depth]
    return torch.arange(rounds.graphs.num_nodes) if place is None else place


def one_each(weight: Tensor | None, count: int) -> Tensor:
    return torch.ones(count) if weight is None else weight


def flat(rounds: Rounds) -> list[Tensor | None]:
    values = [rounds.node, rounds.edge, *rounds.place, *rounds.weight]
    for one in rounds.rounds:
        values += [one.csr.ptr, one.csr.source, one.csr.edge, one.own, one.ends]
        values += [one.edge_own, one.nodes, one.edges, one.degree]
    return values


@LAW
@given(graphs=coloured_sets(), depth=st.integers(0, 5), edge=st.booleans())
def test_rows_are_the_colours_of_every_depth(graphs: GraphSet, depth: int, edge: bool) -> None:
    """As many rows as there are histories, listed here as nested tuples: none too few, none too many."""
    kinds = (graphs.edge["kind"] if edge else torch.zeros(graphs.num_edges, dtype=torch.int64)).tolist()
    history: list[object] = graphs.node["kind"].tolist()
    source, target = graphs.edge_index.tolist()
    rounds = small_rounds(graphs, "gated", True, edge, depth)
    for d in range(depth + 1):
        place = placed(rounds, d)
        weight = one_each(rounds.weight[d], graphs.num_nodes)
        groups = list(zip(map(repr, history), place.tolist(), strict=True))
        assert len(set(groups)) == len({h for h, _ in groups}) == len({p for _, p in groups})
        assert torch.equal(torch.bincount(place, minlength=weight.numel()), weight.long())
        received: list[list[str]] = [[] for _ in history]
        for s, t, kind in zip(source, target, kinds, strict=True):
            received[t].append(repr((kind, history[s])))
        history = [(h, sorted(r)) for h, r in zip(history, received, strict=True)]


@LAW
@given(graphs=coloured_sets(), depth=st.integers(0, 5))
def test_rows_are_weisfeiler_leman_colours(graphs: GraphSet, depth: int) -> None:
    if graphs.directed:
        return
    marks = graphs.edge["kind"]
    rounds = small_rounds(graphs, "sum-mean-max-softmax", True, True, depth)
    colour = wl_colours(graphs, depth, initial=graphs.node["kind"], edge_initial=marks)
    place = placed(rounds, depth)
    pairs = torch.stack([place, colour]).unique(dim=1).shape[1]
    assert pairs == place.unique().numel() == colour.unique().numel()


@LAW
@given(graphs=coloured_sets())
def test_edges_stand_for_what_they_say(graphs: GraphSet) -> None:
    """Multiplicities of edges add up; an edge's ends are the rows of the ends of the edges it stands for."""
    rounds = small_rounds(graphs, "gated", True, True)
    kinds = graphs.edge["kind"]
    rows = kinds[rounds.edge]
    for depth, one in enumerate(rounds.rounds):
        place = placed(rounds, depth)
        rows = rows if one.edge_own is None else rows[one.edge_own]
        if one.edges is None:  # a row for every edge, in their order
            assert torch.equal(one.ends, place[graphs.edge_index])
            assert torch.equal(rows, kinds)
            continue
        assert int(one.edges.sum()) == graphs.num_edges
        stored = torch.stack([kinds, *place[graphs.edge_index]])
        listed = torch.stack([rows, *one.ends])
        values, counts = stored.unique(dim=1, return_counts=True)
        order = np.lexsort(listed.flip(0).numpy())
        assert torch.equal(values, listed[:, order])
        assert torch.equal(counts, one.edges[order].long())


# ── graphs of known kinds ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("degree", [2, 3, 4])
def test_regular_graphs_have_one_row(degree: int) -> None:
    """No network without features tells nodes of regular graphs apart, in whichever graph they are."""
    graphs = GraphSet.from_networkx([nx.random_regular_graph(degree, n, seed=n) for n in (8, 10, 12)])
    rounds = Histories.of(graphs, 5, edge_states=True, degrees=True).batch()
    assert [w is not None and w.tolist() for w in rounds.weight] == [[30.0]] * 6
    assert rounds.rounds[-1].csr.source.tolist() == [0] * degree


@pytest.mark.parametrize("layer", LAYERS)
def test_molecules(layer: str) -> None:
    """Batches of 128 molecules, drawn from the histories of the set."""
    if not available("aqsol"):
        pytest.skip("aqsol is not at hand (GRAPHGAUGE_DATA names the folder that holds it)")
    molecules = load("aqsol", split="val")
    assert molecules.x is not None
    assert molecules.edge_attr is not None
    atom, bond = molecules.x.flatten(), molecules.edge_attr.flatten()
    graphs = molecules.with_columns(node={"kind": atom % KINDS}, edge={"kind": bond % KINDS})
    edge, (_, edge_states, degrees) = layer != "gated-by-ends", LAYERS[layer]
    histories = Histories.of(
        graphs,
        DEPTH,
        node=graphs.node["kind"],
        edge=graphs.edge["kind"] if edge else None,
        edge_states=edge_states,
        degrees=degrees,
    )
    for numbers in torch.randperm(len(graphs), generator=torch.Generator().manual_seed(0)).split(128)[:2]:
        small = histories.batch(numbers)
        assert share(small) < 0.5
        assert_same(small, LAYERS[layer][0], True, edge, 1e-11)
