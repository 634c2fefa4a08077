"""Eigenvalues of the normalised Laplacian, all of them, connected components of equal size at once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor

from graphgauge.descriptors.histograms import count_rows, shares
from graphgauge.descriptors.simple import simple_rows
from graphgauge.graphs import GraphSet
from graphgauge.graphs.colours import components, components_apart
from graphgauge.graphs.segments import counts_to_ptr, gather_segments
from graphgauge.graphs.symmetry import merged, twins

ENTRIES = 1 << 21  # entries of the matrices held at once, 16 MB; more where one graph needs more
SMALL = 200  # nodes of graphs that are not worth the search for components and twins
BELOW = 1e-5  # the first bin starts here under 0, so that 1/2, 1, 3/2, … lie inside bins and not on edges


def eigenvalues(graphs: GraphSet) -> Tensor:
    """Eigenvalues of L = I − D^(−1/2) A D^(−1/2) of every graph, ascending in each: (N,) float64 in [0, 2].

    Graph g owns ``eigenvalues[node_ptr[g]:node_ptr[g+1]]``. Rounding is clipped to [0, 2]; the row of a node
    without neighbours is 0, so it adds the eigenvalue 0. O(Σ n³) over the connected components, of which a
    spectrum is the union, where nodes with the same neighbours count once: k of them add k − 1 times the
    eigenvalue 1.

    Raises
    ------
    GraphError
        for graphs that are not simple and undirected, naming graph and edge

    >>> eigenvalues(GraphSet.from_edges([[(0, 1)], []], [2, 1])).round(decimals=9).tolist()
    [0.0, 2.0, 0.0]
    """
    simple_rows(graphs)
    if (graphs.nodes_per_graph <= SMALL).all():
        return _of_each(graphs, _scale(graphs))
    parts, label = graphs, components(graphs)
    if int(label.max()) >= int((graphs.nodes_per_graph > 0).sum()):  # some are in pieces
        parts = components_apart(graphs, label)[0].to(graphs.device)  # those of one graph follow one another
    values = _of_connected(parts)
    by_value = torch.argsort(values, stable=True)
    return values[by_value[torch.argsort(graphs.batch[by_value], stable=True)]]


def spectrum_histogram(graphs: GraphSet, *, bins: int = 200, normalise: bool = True) -> Tensor:
    """Share of the eigenvalues of each graph's normalised Laplacian in each of equal bins on [−10⁻⁵, 2].

    Every eigenvalue is used, whatever the size of the graph. The bins start a little below 0, as in the
    published code: the eigenvalues that graphs often share exactly (0, 1/2, 1, 3/2) then lie inside a bin,
    where rounding cannot move them to another. The eigenvalue 2 of bipartite graphs is in the last bin.

    Parameters
    ----------
    bins : number of bins
    normalise : False gives counts, which sum to the number of nodes

    Returns
    -------
    (G, bins) float64, rows that sum to 1; a graph without nodes is a row of 0, one without edges has
    everything in the first bin

    Source: paper C, section 2 (200 bins); networkx's ``normalized_laplacian_spectrum``.

    >>> path_and_empty = GraphSet.from_edges([[(0, 1), (1, 2)], []], [3, 0])
    >>> spectrum_histogram(path_and_empty, bins=4, normalise=False).tolist()
    [[1.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0]]
    """
    if bins < 1:
        raise ValueError(f"bins must be 1 or more, got {bins}")
    place = ((eigenvalues(graphs) + BELOW) * (bins / (2 + BELOW))).long().clamp(max=bins - 1)
    counts = count_rows(graphs.batch, place, (len(graphs), bins))
    return shares(counts) if normalise else counts


def _of_connected(graphs: GraphSet) -> Tensor:
    """Eigenvalues of every graph, none of which is in pieces, in any order in each: (N,).

    The difference of two nodes with the same neighbours is an eigenvector: A takes it to 0, L to itself. All
    others are constant on k such nodes. In the orthonormal basis of these constants, L is the matrix of a
    graph with one node for the k, whose edges weigh √k times as much.
    """
    scale = _scale(graphs)
    like = twins(graphs, np.zeros(graphs.num_nodes, np.int64))
    if like is None:
        return _of_each(graphs, scale)
    smaller, _, kept = merged(graphs, np.zeros_like(like), like)
    times = torch.from_numpy(np.bincount(like, minlength=like.size)[kept]).to(scale)
    places = torch.from_numpy(kept).to(graphs.device)
    out = torch.ones_like(scale)
    # Values of a graph need not stand at its kept nodes in order: the caller sorts them.
    out[places] = _of_each(smaller.to(graphs.device), scale[places] * times.sqrt())
    return out


def _scale(graphs: GraphSet) -> Tensor:
    """1 / √degree of every node, 0 of one without neighbours: (N,) float64."""
    degree = graphs.degree.to(torch.float64)
    return torch.where(degree > 0, degree.clamp(min=1).rsqrt(), 0.0)


def _of_each(graphs: GraphSet, scale: Tensor) -> Tensor:
    """Eigenvalues of I − S A S of every graph, ascending in each, with S = diag(scale): (N,).

    Where the scale of a node is 0, so is its row.
    """
    out = torch.zeros(graphs.num_nodes, dtype=torch.float64, device=graphs.device)
    for ids, n in _equal_sizes(graphs.nodes_per_graph):
        values = torch.linalg.eigvalsh(_laplacians(graphs, scale, ids, n)).clamp(0, 2)
        out[gather_segments(graphs.node_ptr, ids)[0]] = values.view(-1)
    return out


def _equal_sizes(sizes: Tensor) -> Iterator[tuple[Tensor, int]]:
    """Graphs of one size after another, no more at once than `ENTRIES` allows."""
    order = torch.argsort(sizes, stable=True)
    ptr = counts_to_ptr(sizes.bincount()).tolist()
    for n, (start, stop) in enumerate(pairwise(ptr)):
        step = max(1, ENTRIES // max(n, 1) ** 2)
        for first in range(start, stop if n else start, step):
            yield order[first : min(first + step, stop)], n


def _laplacians(graphs: GraphSet, scale: Tensor, ids: Tensor, n: int) -> Tensor:
    """Normalised Laplacians of graphs of n nodes each: (k, n, n)."""
    edges, ptr = gather_segments(graphs.edge_ptr, ids)
    which = torch.repeat_interleave(torch.arange(ids.numel(), device=ids.device), ptr.diff())
    source, target = graphs.edge_index[:, edges]
    first = graphs.node_ptr[ids][which]
    out = torch.zeros((ids.numel(), n, n), dtype=torch.float64, device=graphs.device)
    out[which, source - first, target - first] = -scale[source] * scale[target]
    joined = (scale > 0).to(torch.float64)
    nodes = gather_segments(graphs.node_ptr, ids)[0]
    out.diagonal(dim1=1, dim2=2).copy_(joined[nodes].view(-1, n))
    return out
