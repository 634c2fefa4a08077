"""Weisfeiler–Lehman subtree features: how often each refined colour occurs in each graph."""

from __future__ import annotations

import numpy as np
import torch
from scipy.sparse import csr_array

from graphgauge.descriptors.columns import Array, label_rows
from graphgauge.descriptors.sparse import Vocabulary
from graphgauge.graphs import GraphSet
from graphgauge.graphs.segments import gather_segments
from graphgauge.graphs.structure import wl_colours


def wl_features(
    graphs: GraphSet, *, rounds: int = 4, labels: str | None = None, vocabulary: Vocabulary | None = None
) -> csr_array:
    """Counts of Weisfeiler–Lehman colours of rounds 0 to `rounds`: φ(G)_c = number of nodes of colour c.

    Colour 0 of a node is its label. A round gives two nodes the same new colour exactly when they had the
    same colour and equal multisets of neighbour colours (in- and out-neighbours where the set is directed).
    The subtree kernel of two graphs is φ(G)·φ(H); `unit_rows` makes it the normalised one.

    Colours are exact: a column *is* a colour written out (own colour, sorted neighbour colours), not a hash
    of it, so two colours never share a column, in no process and no release. Sets described with the same
    `vocabulary` are comparable, and a set described once need not be described again when others follow.
    Equal features do not mean isomorphic graphs: a cycle of 6 and two triangles are equal in every round.

    Parameters
    ----------
    rounds : refinements; the released code of paper C uses 4 on normalised features
    labels : a node column of whole numbers (N,) or (N, k), a row being one label; None takes the degree
    vocabulary : the columns, extended in place; None starts an empty one

    Returns
    -------
    (G, C) sparse counts (float64); every round sums to the nodes of the graph. Columns of a fresh vocabulary
    do not depend on the order of graphs or nodes, and those of earlier rounds come first.

    Raises
    ------
    GraphError : no such column, or a label that is not whole
    ValueError : fewer than 0 rounds

    References: Shervashidze et al., Weisfeiler-Lehman Graph Kernels, JMLR 2011; paper C, classical metrics.

    >>> pair = GraphSet.from_edges([[(0, 1), (1, 2)], [(0, 1)]])   # a path of 3 nodes, an edge
    >>> wl_features(pair, rounds=0).toarray().tolist()             # nodes of degree 1 and 2
    [[2.0, 1.0], [2.0, 0.0]]
    >>> wl_features(pair, rounds=1).toarray().tolist()             # ends of an edge, a path; middle
    [[2.0, 1.0, 0.0, 2.0, 1.0], [2.0, 0.0, 2.0, 0.0, 0.0]]
    """
    if rounds < 0:
        raise ValueError(f"rounds must be 0 or more, got {rounds}")
    vocabulary = Vocabulary() if vocabulary is None else vocabulary
    labelled = label_rows(graphs, labels)
    _, example, kind = np.unique(labelled, axis=0, return_index=True, return_inverse=True)
    column = vocabulary.columns([tuple(row) for row in labelled[example].tolist()])
    colour = column[kind.reshape(-1)]
    seen = [colour]
    for _ in range(rounds):
        colour = _refined(graphs, colour, vocabulary)
        seen.append(colour)
    graph = np.tile(graphs.batch.cpu().numpy(), rounds + 1)
    entries = (np.ones(graph.size), (graph, np.concatenate(seen)))
    return csr_array(entries, shape=(graphs.num_graphs, len(vocabulary)))


def _refined(graphs: GraphSet, colour: Array, vocabulary: Vocabulary) -> Array:
    """Colours (columns) of the next round: classes are found over the set at once, then one node of each is
    written out."""
    fine = wl_colours(graphs, 1, initial=torch.from_numpy(colour).to(graphs.device)).cpu().numpy()
    example = np.zeros(int(fine.max(initial=-1)) + 1, dtype=np.int64)
    example[fine] = np.arange(fine.size)
    written = _written_out(graphs, colour, example)
    order = sorted(range(len(written)), key=written.__getitem__)
    column = np.empty(len(written), dtype=np.int64)
    column[order] = vocabulary.columns([written[i] for i in order])
    refined: Array = column[fine]
    return refined


def _written_out(graphs: GraphSet, colour: Array, nodes: Array) -> list[bytes]:
    """Own colour, number of neighbours and their sorted colours of each of `nodes`, as bytes that sort alike.

    Columns of different rounds are different, so the own colour also says which round it is.
    """
    own = np.arange(nodes.size)
    row, word = [own], [colour[nodes]]
    for side in [graphs.csr, graphs.csr.transpose] if graphs.directed else [graphs.csr]:
        places, ptr = gather_segments(side.ptr, torch.from_numpy(nodes).to(side.ptr.device))
        degree = ptr.diff().cpu().numpy()
        of = np.repeat(own, degree)
        around = colour[side.source[places].cpu().numpy()]
        row += [own, of]
        first = of * (int(colour.max(initial=0)) + 1)  # one key to sort: nodes in order, colours within each
        word += [degree, np.sort(first + around) - first]
    rows, words = np.concatenate(row), np.concatenate(word)
    text = words[np.argsort(rows, kind="stable")].astype(">i8").tobytes()
    end = np.cumsum(np.bincount(rows, minlength=nodes.size)) * 8
    return [text[a:b] for a, b in zip([0, *end.tolist()], end.tolist(), strict=False)]
