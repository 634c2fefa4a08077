"""Isomorphism with node and edge labels against networkx, and molecules against canonical SMILES."""

from __future__ import annotations

import os
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch

from graphgauge import GraphError, GraphSet
from graphgauge.graphs.sources import source
from graphgauge.graphs.structure import isomorphic, isomorphism_classes, wl_colours
from graphgauge.scores import isomorphism_numbers, novel, unique, unique_and_novel

ATOM = ["node_type", "charge", "hydrogens", "radicals", "isotope"]


def labelled(seed: int, directed: bool, count: int = 60) -> list[nx.Graph]:
    """Small graphs, some with self-loops, of few enough labels that many are isomorphic."""
    rng = np.random.default_rng(seed)
    graphs = []
    for _ in range(count):
        n = int(rng.integers(1, 5))
        graph = nx.gnp_random_graph(n, 0.7, seed=int(rng.integers(10**6)), directed=directed)
        graph.add_edges_from((v, v) for v in range(n) if rng.random() < 0.1)
        nx.set_node_attributes(graph, {v: int(rng.random() < 0.2) for v in graph}, "kind")
        nx.set_edge_attributes(graph, {e: int(rng.random() < 0.4) for e in graph.edges}, "bond")
        graphs.append(graph)
    return graphs


@pytest.mark.parametrize("directed", [False, True])
def test_classes_equal_pairwise_tests_of_networkx(directed: bool) -> None:
    graphs = labelled(0, directed)
    ours = GraphSet.from_networkx(graphs, self_loops="keep", directed="keep" if directed else "error")
    found = isomorphism_classes(ours, initial=ours.node["kind"], edge_initial=ours.edge["bond"]).tolist()
    node = nx.isomorphism.categorical_node_match("kind", None)
    edge = nx.isomorphism.categorical_edge_match("bond", None)
    firsts: list[int] = []
    for g, graph in enumerate(graphs):
        like = [f for f in firsts if nx.is_isomorphic(graph, graphs[f], node_match=node, edge_match=edge)]
        assert len(like) <= 1
        if not like:
            firsts.append(g)
        assert found[g] == (found[like[0]] if like else len(firsts) - 1)
    plain = isomorphism_classes(ours, initial=ours.node["kind"]).max()
    assert plain + 1 < len(firsts) < len(graphs)


def test_regular_graphs_that_differ_in_the_place_of_bonds_only() -> None:
    """Rings of six with two double bonds, side by side or not: refinement alone leaves nodes alike."""
    ring = [(i, (i + 1) % 6) for i in range(6)]
    bonds = torch.tensor([[2, 1, 1, 2, 1, 1], [2, 1, 2, 1, 1, 1], [1, 1, 2, 1, 1, 2], [2, 2, 1, 1, 1, 1]])
    graphs = GraphSet.from_edges([ring] * 4, edge={"bond": bonds.reshape(-1)})
    assert isomorphism_classes(graphs, edge_initial=graphs.bond).tolist() == [0, 1, 0, 2]
    assert isomorphism_classes(graphs).tolist() == [0, 0, 0, 0]
    assert isomorphic(graphs[0], graphs[2], edge_initial=(graphs[0].bond, graphs[2].bond))
    assert not isomorphic(graphs[0], graphs[1], edge_initial=(graphs[0].bond, graphs[1].bond))
    # Two triangles joined by three bonds of a second kind, and a ring with three such bonds across it: all
    # nodes have one colour, and the graphs differ.
    triangles = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)]
    prism = GraphSet.from_edges([triangles, [*ring, (0, 3), (1, 4), (2, 5)]])
    kind = (prism.edge_index[0] % 6 - prism.edge_index[1] % 6).abs() == 3
    assert wl_colours(prism, edge_initial=kind.to(torch.int64)).unique().numel() == 1
    assert isomorphism_classes(prism, edge_initial=kind.to(torch.int64)).tolist() == [0, 1]


def test_two_matchings_of_one_graph_that_refinement_cannot_tell_apart() -> None:
    """A prism whose rungs are double bonds leaves two triangles; with another matching it leaves a ring."""
    prism = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)]
    rungs, other = {(0, 3), (1, 4), (2, 5)}, {(0, 1), (3, 4), (2, 5)}
    bonds = [[1 + (pair in double) for pair in prism] for double in (rungs, other, rungs)]
    graphs = GraphSet.from_edges([prism] * 3, edge={"bond": torch.tensor(bonds).reshape(-1)})
    assert wl_colours(graphs, edge_initial=graphs.bond).unique().numel() == 1
    assert isomorphism_classes(graphs, edge_initial=graphs.bond).tolist() == [0, 1, 0]


def test_labels_of_self_loops_are_not_those_of_edges() -> None:
    """Two joined nodes with loops: the labels of edge and loops change places."""
    edges = [(0, 0), (0, 1), (1, 1)]
    bonds = torch.tensor([1, 0, 1, 0, 1, 0])
    graphs = GraphSet.from_edges([edges, edges], self_loops="keep", edge={"bond": bonds})
    assert isomorphism_classes(graphs, edge_initial=graphs.bond).tolist() == [0, 1]


def test_colours_with_edge_labels_equal_the_definition() -> None:
    graphs = labelled(1, False, 30)
    ours = GraphSet.from_networkx(graphs, self_loops="keep")
    found = wl_colours(ours, initial=ours.node["kind"], edge_initial=ours.edge["bond"]).tolist()
    union = nx.disjoint_union_all(graphs)
    colour: dict[int, object] = nx.get_node_attributes(union, "kind")
    for _ in range(len(union)):
        signature = {
            v: (colour[v], tuple(sorted((union.edges[v, u]["bond"], colour[u]) for u in union[v])))
            for v in union
        }
        rank = {s: i for i, s in enumerate(sorted(set(signature.values())))}
        colour = {v: rank[signature[v]] for v in union}
    expected = [colour[v] for v in union]
    assert len(set(zip(found, expected, strict=True))) == len(set(found)) == len(set(expected))


def test_edge_labels_of_an_undirected_set_agree_both_ways() -> None:
    graphs = GraphSet.from_edges([[(0, 1)]])
    with pytest.raises(GraphError, match=r"graph 0: edge .* than its reverse"):
        isomorphism_classes(graphs, edge_initial=torch.tensor([0, 1]))
    with pytest.raises(GraphError, match="initial colours of edges must be 2 whole numbers"):
        isomorphism_classes(graphs, edge_initial=torch.tensor([0]))


def test_scores_with_labels_of_both_kinds() -> None:
    pytest.importorskip("rdkit")
    molecules = GraphSet.from_smiles(["CC=O", "CCO", "OCC", "CC#N"])
    plain = molecules.with_columns(node={"hydrogens": molecules.hydrogens * 0})
    assert unique(plain, "node_type").tolist() == [True, False, False, True]
    assert unique(plain, "node_type", "edge_type").tolist() == [True, True, False, True]
    assert unique(molecules, ATOM).tolist() == [True, True, False, True]
    assert novel(molecules[1:], molecules[:1], "node_type").tolist() == [False, False, True]
    both = unique_and_novel(molecules[1:], molecules[:1], "node_type", ["edge_type"])
    assert [part.tolist() for part in both] == [[True, False, True], [True, True, True]]
    one_hot = torch.nn.functional.one_hot(molecules.node_type)
    wide = molecules.with_columns(node={"x": one_hot.float()})
    assert unique(wide, "x", "edge_type").tolist() == [True, True, False, True]


def test_labels_that_are_missing_or_not_whole() -> None:
    graphs = GraphSet.from_edges([[(0, 1)]]).with_columns(node={"a": torch.tensor([0.5, 1.0])})
    with pytest.raises(GraphError, match=r"set 0: node 0 has 0.5 in 'a'"):
        unique(graphs, "a")
    with pytest.raises(GraphError, match=r"set 1 has no node column 'a'; its node columns are \[\]"):
        isomorphism_numbers([graphs.with_columns(node={"a": torch.tensor([1, 0])}), graphs.structure()], "a")
    one, two = torch.ones(2, 1, dtype=torch.int64), torch.ones(2, 2, dtype=torch.int64)
    with pytest.raises(GraphError, match=r"different widths in the sets: \[1, 2\]"):
        isomorphism_numbers([graphs.with_columns(node={"a": one}), graphs.with_columns(node={"a": two})], "a")


@pytest.mark.skipif("GRAPHGAUGE_DATA" not in os.environ, reason="GRAPHGAUGE_DATA names no data folder")
@pytest.mark.parametrize("kekulise", [False, True])
def test_classes_of_real_molecules_are_their_canonical_smiles(kekulise: bool, tmp_path: Path) -> None:
    """Two files of samples, and each molecule once more with another order of atoms."""
    Chem = pytest.importorskip("rdkit.Chem")
    home = Path(os.environ["GRAPHGAUGE_DATA"]) / "ggm"
    files = ["jtvae_moses_molvae_samples.txt", "jtvae_zinc_prior_mols.txt"]
    if not all((home / file).exists() for file in files):
        pytest.skip("ggm is not at hand (GRAPHGAUGE_DATA names the folder that holds it)")
    lines = [line.split()[0] for file in files for line in (home / file).read_text().splitlines()[1:801]]
    texts = [text for text in lines if text != "None"]
    rng = np.random.default_rng(0)
    molecules = [Chem.MolFromSmiles(text) for text in texts]
    turned = [Chem.RenumberAtoms(m, rng.permutation(m.GetNumAtoms()).tolist()) for m in molecules[::3]]
    graphs = source([*molecules, *turned], kekulise=False).graphs
    if kekulise:  # a ring has two forms, so kekulised forms may differ where molecules are equal
        graphs = GraphSet.from_rdkit(molecules, kekulise=True)
        molecules, turned = molecules, []
    canonical = [Chem.MolToSmiles(m, isomericSmiles=False) for m in [*molecules, *turned]]
    numbers = isomorphism_numbers([graphs], ATOM, "edge_type")[0]
    pairs = set(zip(canonical, numbers.tolist(), strict=True))
    assert len(set(numbers.tolist())) == len(pairs)  # a class is one molecule
    if not kekulise:
        assert len(pairs) == len(set(canonical)) < len(canonical)  # and a molecule one class
