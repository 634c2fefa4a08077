"""Positional encodings of all of ZINC against PyTorch Geometric's transforms, and of large graphs alone.

    python benchmarks/encodings.py [--allocator default|keep]      GRAPHGAUGE_DATA: the folder of data sets

Both start from graphs in memory: ours from a GraphSet, theirs from a list of Data. Their eigenvector
transform fails on graphs of no more nodes than eigenvectors, which are left out on both sides.
`is_undirected=True` lets it use a symmetric solver; that is not its default.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace

import measure  # isort: skip  (first: it sets the number of threads)
import networkx as nx
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.transforms import AddLaplacianEigenvectorPE, AddRandomWalkPE, BaseTransform

from graphgauge import GraphSet, datasets
from graphgauge.encodings import laplacian, random_walk

EIGENVECTORS, STEPS = 8, 16
Function = Callable[[GraphSet, int], Tensor]


def against_pyg(setting: str) -> list[dict[str, object]]:
    graphs = datasets.load("zinc").structure()
    graphs = graphs[graphs.nodes_per_graph > EIGENVECTORS]
    data = [Data(edge_index=g.edge_index, num_nodes=g.num_nodes) for g in graphs]
    lap, symmetric = AddLaplacianEigenvectorPE(EIGENVECTORS), "is_undirected=True"
    cases: list[tuple[str, Function, int, BaseTransform]] = [
        (f"Laplacian eigenvectors, k={EIGENVECTORS}", laplacian, EIGENVECTORS, lap),
        (
            f"Laplacian eigenvectors, k={EIGENVECTORS}, {symmetric}",
            laplacian,
            EIGENVECTORS,
            AddLaplacianEigenvectorPE(EIGENVECTORS, is_undirected=True),
        ),
        (f"random walks, k={STEPS}", random_walk, STEPS, AddRandomWalkPE(STEPS)),
    ]
    rows = []
    for name, function, k, transform in cases:
        function(graphs[:2], k)  # loads the compiled loops
        [transform(d) for d in data[:200]]
        # A fresh set each time: what a set keeps of its own structure is computed again.
        _, peak = measure.peak_memory(lambda f=function, k=k: f(replace(graphs), k))
        seconds = measure.interleaved(
            lambda f=function, k=k: f(replace(graphs), k),
            lambda t=transform: [t(d) for d in data],
            repeats=3,
            warm_up=0,
        )
        title = f"ZINC, {name}"
        more = {"peak_mb": round(peak, 1)}
        rows.append(measure.row(title, *seconds, n=len(graphs), setting=setting, opponent="PyG", **more))
    return rows


def large(setting: str) -> list[dict[str, object]]:
    """One graph of 20,000 nodes, on which PyG's transforms need many minutes or a dense matrix."""
    n = 20_000
    kinds = {
        "path": nx.path_graph(n),
        "grid 100 × 200": nx.convert_node_labels_to_integers(nx.grid_2d_graph(100, 200)),
        "random, mean degree 8": nx.gnm_random_graph(n, 4 * n, seed=1),
    }
    rows = []
    for name, graph in kinds.items():
        graphs = GraphSet.from_edges([list(graph.edges)], [n])
        walks = [] if "random" in name else [("walks", random_walk, STEPS)]  # there all nodes are near
        for title, function, k in [("eigenvectors", laplacian, EIGENVECTORS), *walks]:
            seconds, peak = measure.peak_memory(lambda f=function, g=graphs, k=k: f(replace(g), k))
            more = {"peak_mb": round(peak, 1)}
            rows.append(measure.row(f"{name}, {title}, k={k}", seconds, None, n=n, setting=setting, **more))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--allocator", choices=measure.ALLOCATORS, default="default")
    setting = measure.set_allocator(parser.parse_args().allocator)
    rows = [*against_pyg(setting), *large(setting)]
    measure.show(rows)
    measure.write(measure.RESULTS / "encodings.json", rows)


if __name__ == "__main__":
    main()
