"""Breadth-first samples of a large graph against ngab 0.1.1.

    python benchmarks/sampling.py [--allocator default|keep]      GRAPHGAUGE_DATA: the folder of data sets

Ours keeps nodes without an edge inside the sample and never leaves the component of the start; ngab drops the
former and jumps at random where a component is exhausted.
"""

from __future__ import annotations

import argparse

import measure  # isort: skip  (first: it sets the number of threads)
from torch_geometric.data import Data

import opponents
from graphgauge import datasets

NGAB = "ngab 0.1.1"
SAMPLES, ORDER = 200, 100


def samples(name: str, setting: str) -> dict[str, object]:
    ngab = opponents.ngab()
    graph = datasets.load(name).structure()
    data = Data(edge_index=graph.edge_index, num_nodes=graph.num_nodes)
    seconds = measure.interleaved(
        lambda: datasets.bfs_sample(graph, SAMPLES, ORDER, seed=0),
        lambda: ngab.random.bfs_sub_sampling(data, SAMPLES, ORDER),
    )
    title = f"BFS samples of {ORDER} nodes, {name}"
    return measure.row(title, *seconds, n=SAMPLES, setting=setting, opponent=NGAB)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--allocator", choices=measure.ALLOCATORS, default="default")
    setting = measure.set_allocator(parser.parse_args().allocator)
    rows = [samples(name, setting) for name in ("cora", "pubmed")]
    measure.show(rows)
    measure.write(measure.RESULTS / "sampling.json", rows)


if __name__ == "__main__":
    main()
