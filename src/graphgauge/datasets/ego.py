"""Ego networks: what lies within three steps of a paper in CiteSeer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.sparse import csr_array, eye_array

from graphgauge.datasets.entry import WHOLE, Dataset, Pick
from graphgauge.datasets.errors import DatasetError
from graphgauge.datasets.options import whole
from graphgauge.datasets.packing import Ints, packed
from graphgauge.datasets.parts import PARTS, part
from graphgauge.datasets.planetoid import CITESEER, planetoid
from graphgauge.graphs import GraphSet
from graphgauge.graphs.structure import components

Mask = np.ndarray[Any, np.dtype[np.bool_]]


def ego(
    path: Path, split: str, pick: Pick, *, radius: int = 3, smallest: int = 50, largest: int = 400
) -> GraphSet:
    """Balls around the nodes of CiteSeer's largest component, those of 50 to 400 nodes (paper C).

    All edges between the nodes of a ball are kept. Node columns: ``y`` (class of the paper, -1 unknown) and
    ``origin`` (its number in CiteSeer, ascending); graph column ``centre`` (the same of the centre).

    Parameters
    ----------
    path : an archive of CiteSeer
    split : "train", "val" or "test" of `graphgauge.datasets.parts.part`
    radius : steps from the centre, at least 0
    smallest, largest : bounds of the number of nodes
    """
    whole("radius", radius, 0)
    whole("smallest", smallest, 0)
    whole("largest", largest, smallest)
    graph = planetoid(path, WHOLE, None)
    found, expected = (1, graph.num_nodes, graph.num_edges), CITESEER.counts[WHOLE]
    if found != expected:
        raise DatasetError(
            f"{path}: expected {expected} graphs, nodes and ordered edges of CiteSeer, got {found}"
        )
    centres, balls = _balls(graph, radius)
    fitting = np.flatnonzero((balls.sum(1) >= smallest) & (balls.sum(1) <= largest))
    fitting = fitting[part(split, fitting.size)]
    if pick is not None:
        fitting = fitting[pick(fitting.size)]
    return _induce(graph, balls[fitting]).with_columns(graph={"centre": torch.from_numpy(centres[fitting])})


def _balls(graph: GraphSet, radius: int) -> tuple[Ints, Mask]:
    """Nodes C of the largest component, and for each of them a mask (C, N) of what it reaches."""
    n = graph.num_nodes
    component = components(graph).numpy()
    centres = np.flatnonzero(component == np.bincount(component).argmax())
    source, target = graph.edge_index.numpy()
    step = csr_array((np.ones(source.size, np.int64), (source, target)), shape=(n, n))
    ball = csr_array(eye_array(n, dtype=np.int64, format="csr")[centres])
    for _ in range(radius):
        ball = ball + ball @ step
        ball.data[:] = 1  # reached or not: no count of ways, which would grow
    return centres, ball.toarray() > 0


def _induce(graph: GraphSet, inside: Mask) -> GraphSet:
    """One graph for each row of the mask (G, N): its nodes, and all edges between them."""
    source, target = graph.edge_index.numpy()
    place = np.cumsum(inside.reshape(-1)).reshape(inside.shape) - 1
    kept = inside[:, source] & inside[:, target]
    g, e = np.nonzero(kept)
    edges = np.stack([place[g, source[e]], place[g, target[e]]])
    edge_ptr, node_ptr = (np.concatenate([[0], np.cumsum(mask.sum(1))]) for mask in (kept, inside))
    origin = torch.from_numpy(np.nonzero(inside)[1])
    columns = {name: column[origin] for name, column in graph.node.items() if name == "y"}
    return packed(edges, edge_ptr, node_ptr).with_columns(node={**columns, "origin": origin})


EGO = Dataset(
    kind="stored",
    read=ego,
    about="ego networks of CiteSeer: three steps around a paper, 50 to 400 nodes",
    licence=CITESEER.licence,
    source=CITESEER.source,
    citation=f"{CITESEER.citation}; You et al. GraphRNN. ICML 2018; Thompson et al. On Evaluation Metrics "
    "for Graph Generative Models. ICLR 2022",
    files=dict.fromkeys(PARTS, CITESEER.files[WHOLE]),
    loaders=CITESEER.loaders,
)
