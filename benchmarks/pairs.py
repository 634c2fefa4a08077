"""Making graph pairs against ngab 0.1.1, and the growth of our time and memory with the number of pairs.

    python benchmarks/pairs.py [--allocator default|keep]      GRAPHGAUGE_DATA names the folder of data sets

Ours does more in the same row: it checks the graphs, renumbers the right one and keeps the matching.
"""

from __future__ import annotations

import argparse

import measure  # isort: skip  (first: it sets the number of threads)
import torch
from torch_geometric.data import Batch, Data

import opponents
from graphgauge import datasets
from graphgauge.perturb import make_pairs

NGAB = "ngab 0.1.1"


def erdos_renyi(setting: str) -> dict[str, object]:
    """1,000 Erdős–Rényi pairs of 100 nodes and degree 8, η = 8 %, graphs and noise."""
    ngab = opponents.ngab()

    def ours() -> object:
        return make_pairs(datasets.base("er", "train", size=1000), 0.08)

    def theirs() -> object:
        graphs = ngab.random.erdos_renyi(1000, 100, 8 / 99)
        return ngab.random.bernoulli_corruption(graphs, 0.08, type="add_remove")

    seconds = measure.interleaved(ours, theirs, repeats=7)
    return measure.row("ER pairs, N=100, degree 8", *seconds, n=1000, setting=setting, opponent=NGAB)


def molecules(setting: str) -> list[dict[str, object]]:
    """Noise on the AQSOL training molecules, η = 15 %, edges added only; ngab one by one and in chunks."""
    ngab = opponents.ngab()
    graphs = datasets.base("aqsol", "train")
    data = [Data(edge_index=g.edge_index, num_nodes=g.num_nodes) for g in graphs]

    def theirs(chunk: int) -> None:
        for start in range(0, len(data), chunk):
            batch = Batch.from_data_list(data[start : start + chunk])
            ngab.random.bernoulli_corruption(batch, 0.15, type="add")

    rows = []
    for chunk, repeats in ((1, 1), (50, 3), (200, 3)):
        seconds = measure.interleaved(
            lambda: make_pairs(graphs, 0.15, "add"),
            lambda c=chunk: theirs(c),
            repeats,
            warm_up=repeats > 1,
        )
        name = f"corrupt molecules, {'one by one' if chunk == 1 else f'chunks of {chunk}'}"
        rows.append(measure.row(name, *seconds, n=len(graphs), setting=setting, opponent=NGAB))
    return rows


def growth(setting: str) -> list[dict[str, object]]:
    """Pairs of molecules, 10³, 10⁴ and 10⁵ of them: time and memory."""
    graphs = datasets.base("aqsol", "train")
    rows = []
    for count in (1_000, 10_000, 100_000):
        make_pairs(graphs[:2], 0.15, "add")  # loads the compiled loops
        some = graphs[torch.arange(count) % len(graphs)]
        seconds, peak = measure.peak_memory(lambda some=some: make_pairs(some, 0.15, "add"))
        rows.append(
            measure.row(
                "molecule pairs",
                seconds,
                None,
                n=count,
                setting=setting,
                peak_mb=round(peak, 1),
                us_per_pair=round(1e6 * seconds / count, 2),
            )
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--allocator", choices=measure.ALLOCATORS, default="default")
    setting = measure.set_allocator(parser.parse_args().allocator)
    rows = [*growth(setting), erdos_renyi(setting), *molecules(setting)]  # memory before others leave theirs
    measure.show(rows)
    measure.write(measure.RESULTS / "pairs.json", rows)


if __name__ == "__main__":
    main()
