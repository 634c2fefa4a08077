"""Colours, orbits and isomorphism against brute force and networkx."""

from __future__ import annotations

from itertools import permutations

import networkx as nx
import numpy as np
import pytest
import torch

from graphgauge import GraphError, GraphSet
from graphgauge.graphs.structure import isomorphic, isomorphism_classes, orbits, wl_colours

ATLAS = [g for g in nx.graph_atlas_g() if g.number_of_nodes() <= 6][::2]


def brute_force_orbits(graph: nx.Graph, colour: list[int] | None = None) -> list[int]:
    nodes = list(graph)
    edges = {frozenset(e) if not graph.is_directed() else tuple(e) for e in graph.edges()}
    wrap = tuple if graph.is_directed() else frozenset
    smallest = list(range(len(nodes)))
    for image in permutations(range(len(nodes))):
        if colour and any(colour[i] != colour[j] for i, j in enumerate(image)):
            continue
        move = {u: nodes[image[i]] for i, u in enumerate(nodes)}
        if {wrap((move[u], move[v])) for u, v in map(tuple, _pairs(edges))} == edges:
            for i, j in enumerate(image):
                smallest[j] = min(smallest[j], i)
    return smallest


def _pairs(edges: set) -> list[tuple[int, int]]:
    return [tuple(e) if len(e) == 2 else (*e, *e) for e in edges]


def same_partition(a: list[int], b: list[int]) -> bool:
    return len(set(zip(a, b, strict=True))) == len(set(a)) == len(set(b))


def slow_colours(graphs: list[nx.Graph], start: list[list[int]] | None = None) -> list[int]:
    """The definition, in plain Python, with the whole signature as the colour."""
    union = nx.disjoint_union_all(graphs)
    given = [c for part in start for c in part] if start else [0] * len(union)
    colour: dict[int, object] = dict(zip(union, given, strict=True))
    for _ in range(len(union) + 1):
        signature = {v: (colour[v], tuple(sorted(colour[u] for u in union[v]))) for v in union}
        rank = {s: i for i, s in enumerate(sorted(set(signature.values())))}
        fresh = {v: rank[signature[v]] for v in union}
        if len(set(fresh.values())) == len(set(colour.values())):
            break
        colour = fresh
    return [int(colour[v]) for v in union]


def test_colours_equal_the_definition() -> None:
    graphs = [*ATLAS[1:], nx.cycle_graph(6), nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))]
    ours = wl_colours(GraphSet.from_networkx(graphs)).tolist()
    assert same_partition(ours, slow_colours(graphs))


def test_colours_from_a_start_equal_the_definition() -> None:
    rng = np.random.default_rng(0)
    graphs = [nx.gnp_random_graph(8, 0.3, seed=i) for i in range(30)]
    start = [rng.integers(0, 2, 8).tolist() for _ in graphs]
    ours = wl_colours(GraphSet.from_networkx(graphs), initial=torch.tensor(start).reshape(-1))
    assert same_partition(ours.tolist(), slow_colours(graphs, start))


def test_a_fixed_number_of_rounds() -> None:
    path = GraphSet.from_networkx(nx.path_graph(7))
    assert len(wl_colours(path, 0).unique()) == 1
    assert len(wl_colours(path, 1).unique()) == 2
    assert len(wl_colours(path, 2).unique()) == 3
    assert len(wl_colours(path, 99).unique()) == 4


def test_colours_of_directed_graphs_see_both_directions() -> None:
    path = GraphSet.from_networkx(nx.path_graph(4, create_using=nx.DiGraph), directed="keep")
    assert len(wl_colours(path).unique()) == 4
    star = GraphSet.from_edges([[(0, 1), (0, 2), (3, 0)]], [4], directed="keep")
    assert same_partition(wl_colours(star).tolist(), [0, 1, 1, 2])


def test_orbits_equal_brute_force_on_all_small_graphs() -> None:
    set_of_all = GraphSet.from_networkx(ATLAS)
    ours = orbits(set_of_all)
    ends = set_of_all.node_ptr.tolist()
    for g, graph in enumerate(ATLAS):
        assert same_partition(ours[ends[g] : ends[g + 1]].tolist(), brute_force_orbits(graph)), g


def test_coloured_orbits_equal_brute_force() -> None:
    rng = np.random.default_rng(1)
    for seed in range(25):
        graph = nx.gnp_random_graph(6, 0.5, seed=seed)
        colour = rng.integers(0, 2, 6).tolist()
        ours = orbits(GraphSet.from_networkx(graph), initial=torch.tensor(colour))
        assert same_partition(ours.tolist(), brute_force_orbits(graph, colour))


def test_directed_orbits_equal_brute_force() -> None:
    for seed in range(25):
        graph = nx.gnp_random_graph(5, 0.35, seed=seed, directed=True)
        ours = orbits(GraphSet.from_networkx(graph, directed="keep"))
        assert same_partition(ours.tolist(), brute_force_orbits(graph))


def test_orbits_of_a_regular_graph_that_colours_cannot_split() -> None:
    # One triangle beside one square: 2-regular, so 1-WL sees one colour, but there are two orbits.
    graphs = GraphSet.from_networkx(nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(4)))
    assert len(wl_colours(graphs).unique()) == 1
    assert orbits(graphs).tolist() == [0, 0, 0, 1, 1, 1, 1]


def test_orbits_by_graph_matcher_on_larger_symmetric_graphs() -> None:
    for graph in (nx.petersen_graph(), nx.frucht_graph(), nx.balanced_tree(2, 2), nx.barbell_graph(3, 1)):
        graph = nx.convert_node_labels_to_integers(graph)
        moves = nx.isomorphism.GraphMatcher(graph, graph).isomorphisms_iter()
        smallest = list(range(len(graph)))
        for move in moves:
            for u, v in move.items():
                smallest[v] = min(smallest[v], u)
        assert same_partition(orbits(GraphSet.from_networkx(graph)).tolist(), smallest)


def test_a_self_loop_breaks_symmetry() -> None:
    graphs = GraphSet.from_edges([[(0, 1), (1, 1)]], self_loops="keep")
    assert orbits(graphs).tolist() == [0, 1]
    plain = GraphSet.from_edges([[(0, 1)]])
    assert not isomorphic(graphs, plain)


def test_isomorphism_equals_networkx() -> None:
    graphs = [nx.gnp_random_graph(6, 0.5, seed=i) for i in range(40)]
    graphs += [nx.relabel_nodes(g, dict(zip(range(6), [3, 5, 1, 0, 2, 4], strict=True))) for g in graphs]
    classes = isomorphism_classes(GraphSet.from_networkx(graphs)).tolist()
    for i, a in enumerate(graphs):
        for j, b in enumerate(graphs[:i]):
            assert (classes[i] == classes[j]) == nx.is_isomorphic(a, b)


def test_isomorphism_of_regular_graphs() -> None:
    regular = [nx.random_regular_graph(3, 8, seed=i) for i in range(30)]
    classes = isomorphism_classes(GraphSet.from_networkx(regular)).tolist()
    for i, a in enumerate(regular):
        for j, b in enumerate(regular[:i]):
            assert (classes[i] == classes[j]) == nx.is_isomorphic(a, b)


def test_isomorphism_of_nearly_complete_graphs() -> None:
    """Regular, 2 to 4 edges short at every node, which colours cannot tell apart, and their mixed copies."""
    graphs = [nx.complement(nx.random_regular_graph(2 + i % 3, 8, seed=i)) for i in range(12)]
    graphs += [
        nx.relabel_nodes(g, dict(zip(range(8), [3, 7, 5, 1, 0, 6, 2, 4], strict=True))) for g in graphs
    ]
    classes = isomorphism_classes(GraphSet.from_networkx(graphs)).tolist()
    assert len(set(classes)) > 3
    for i, a in enumerate(graphs):
        for j, b in enumerate(graphs[:i]):
            assert (classes[i] == classes[j]) == nx.is_isomorphic(a, b)


def test_classes_and_orbits_of_large_nearly_complete_graphs() -> None:
    """K_120 without a path of 4, without a star of 4, twice each, and without a path and an edge."""
    gaps = {"path": [(0, 1), (1, 2), (2, 3)], "star": [(0, 1), (0, 2), (0, 3)]}
    listed = [gaps["path"], gaps["star"], gaps["path"], gaps["star"], [*gaps["path"], (5, 6)]]
    rng, graphs = np.random.default_rng(0), []
    for missing in listed:
        graph = nx.complete_graph(120)
        graph.remove_edges_from(missing)
        graphs.append(nx.relabel_nodes(graph, dict(enumerate(rng.permutation(120).tolist()))))
    packed = GraphSet.from_networkx(graphs)
    assert isomorphism_classes(packed).tolist() == [0, 1, 0, 1, 2]
    orbit = np.split(orbits(packed).numpy(), packed.node_ptr[1:-1].tolist())
    sizes = [sorted(np.unique(own, return_counts=True)[1].tolist()) for own in orbit]
    assert sizes == [[2, 2, 116], [1, 3, 116], [2, 2, 116], [1, 3, 116], [2, 2, 2, 114]]


def test_isomorphism_of_many_equal_components() -> None:
    """Cycles, which colours cannot tell apart: of the same lengths, or of others with as many nodes."""
    rng, lengths = np.random.default_rng(0), [[5] * 600, [3, 7] * 300, [7, 3] * 300, [5] * 600]
    lengths.append([5, 5, 3, 7] * 150)
    graphs = []
    for own in lengths:
        graph = nx.disjoint_union_all([nx.cycle_graph(n) for n in own])
        graphs.append(nx.relabel_nodes(graph, dict(enumerate(rng.permutation(3000).tolist()))))
    packed = GraphSet.from_networkx(graphs)
    assert isomorphism_classes(packed).tolist() == [0, 1, 1, 0, 2]


def test_components_keep_their_colours_and_their_number() -> None:
    """Two squares, their two colours beside each other or opposite, in one square or in both."""
    squares = [[(0, 1), (1, 2), (2, 3), (3, 0)], [(4, 5), (5, 6), (6, 7), (7, 4)]]
    graphs = GraphSet.from_edges([squares[0] + squares[1]] * 3)
    colour = torch.tensor([[0, 0, 1, 1, 0, 0, 1, 1], [0, 1, 0, 1, 0, 1, 0, 1], [1, 0, 1, 0, 0, 0, 1, 1]])
    assert isomorphism_classes(graphs, initial=colour.reshape(-1)).tolist() == [0, 1, 2]
    swapped = torch.cat([colour[2, 4:], colour[2, :4]])
    again = torch.cat([colour[2], swapped, colour[0]])
    assert isomorphism_classes(graphs, initial=again).tolist() == [0, 0, 1]


def test_isomorphism_of_directed_and_coloured_graphs() -> None:
    one = GraphSet.from_edges([[(0, 1), (1, 2)]], directed="keep")
    other = GraphSet.from_edges([[(2, 1), (1, 0)]], directed="keep")
    inward = GraphSet.from_edges([[(0, 1), (2, 1)]], directed="keep")
    assert isomorphic(one, other)
    assert not isomorphic(one, inward)
    edge = GraphSet.from_edges([[(0, 1)]])
    assert isomorphic(edge, edge, initial=(torch.tensor([5, 9]), torch.tensor([9, 5])))
    assert not isomorphic(edge, edge, initial=(torch.tensor([5, 9]), torch.tensor([9, 9])))


def test_parallel_edges_are_refused() -> None:
    graphs = GraphSet.from_edges([[], [(0, 1), (0, 1)]], [1, 2], duplicates="keep")
    with pytest.raises(GraphError, match=r"graph 1: edge \(0, 1\) is stored more than once"):
        orbits(graphs)


def test_empty_sets_have_no_structure() -> None:
    none = GraphSet.from_edges([])
    assert wl_colours(none).numel() == orbits(none).numel() == isomorphism_classes(none).numel() == 0
    empty = GraphSet.from_edges([[], []], [0, 0])
    assert isomorphism_classes(empty).tolist() == [0, 0]
