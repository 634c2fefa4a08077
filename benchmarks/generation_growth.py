"""How the metrics of graph generators grow: with the number of graphs, with their edges, with their nodes.

    python benchmarks/generation_growth.py [--allocator default|keep] [--only TEXT]

Every row is measured in a process of its own, so that its peak of memory is its own; ours alone, no opponent.

- graphs: 1,000 to 100,000 random graphs of the size of molecules on each side; exact values where the cost is
  linear or few rows differ, `mmd_approximate` beyond
- edges: 50 graphs of 1,000 nodes, from a tenth of all edges to all of them (paper C's experiment)
- nodes: 50 graphs of 1,000 to 100,000 nodes and 5,000 edges (paper C's experiment)
- table: every metric that `graphgauge compare` has by default, 10,000 molecules on each side, one random GIN
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import measure  # isort: skip  (first: it sets the number of threads)
import warnings

import numpy as np

from generation import sampled
from graphgauge import datasets
from graphgauge.descriptors import (
    DESCRIPTORS,
    PairVocabulary,
    Vocabulary,
    mean_in_parts,
    nspdk_features,
    random_gin,
    wl_features,
)
from graphgauge.distances import gaussian_tv, mmd, prdc
from graphgauge.graphs import GraphSet
from graphgauge.scores.novelty import novel, unique

Pair = tuple[GraphSet, GraphSet]
STRUCTURAL = ("degree", "clustering", "orbit", "spectral", "path_length", "components")
FAMILIES = ("table", "graphs", "edges", "nodes")


def drawn(family: str, n: float) -> Pair:
    """Generated and reference graphs of a family at its size."""
    if family == "table":
        return sampled(int(n))
    if family == "graphs":
        options, count = {"nodes": 22, "degree": 2.2}, int(n)
    elif family == "edges":
        options, count = {"nodes": 1_000, "degree": 999 * n}, 50
    else:
        options, count = {"nodes": int(n), "degree": 10_000 / n}, 50
    sides = [datasets.base("er", split, count, 0, **options) for split in ("val", "train")]
    return sides[0], sides[1]


def linear(describe: Callable[..., Any], words: Callable[[], Any], pair: Pair) -> float:
    vocabulary = words()
    means = [mean_in_parts(side, partial(describe, vocabulary=vocabulary)) for side in reversed(pair)]
    means[0] = np.pad(means[0], (0, len(means[1]) - len(means[0])))
    return float(np.square(means[0] - means[1]).sum())


def degrees(pair: Pair) -> float:
    rows = [DESCRIPTORS["degree"](side, max_degree=21).numpy() for side in pair]
    return mmd(*rows, gaussian_tv()).value


def embedded(pair: Pair) -> list[np.ndarray[Any, Any]]:
    return [random_gin(side).numpy() for side in pair]


def approximate(pair: Pair) -> float:
    from graphgauge.distances import mmd_approximate

    return mmd_approximate(*embedded(pair), standardise=True).value


def table(pair: Pair, replicates: int) -> float:
    from graphgauge.instruments.generation import Evaluator

    return float(len(Evaluator(pair[1], seeds=1, replicates=replicates).score(pair[0]).found["generated"]))


def describe(name: str, pair: Pair) -> float:
    return float(DESCRIPTORS[name](pair[1]).sum())


TABLES = {
    "whole table": partial(table, replicates=10),
    "whole table without noise floor and interval": partial(table, replicates=0),
}
TASKS: dict[str, Callable[[Pair], float]] = {
    **TABLES,
    **{name: partial(describe, name) for name in STRUCTURAL},
    "random GIN": lambda pair: float(random_gin(pair[1]).sum()),
    "WL features": lambda pair: float(wl_features(pair[1]).nnz),
    "NSPDK features": lambda pair: float(nspdk_features(pair[1]).nnz),
    "uniqueness": lambda pair: float(unique(pair[1]).double().mean()),
    "TV degree": degrees,
    "RBF random GIN": lambda pair: mmd(*embedded(pair), standardise=True).value,
    "RBF random GIN, random features": approximate,
    "precision, recall, density, coverage": lambda pair: float(
        prdc(*embedded(pair), standardise=True)["density"]
    ),
    "WL linear": partial(linear, wl_features, Vocabulary),
    "NSPDK linear": partial(linear, nspdk_features, PairVocabulary),
    "uniqueness and novelty": lambda pair: float((unique(pair[0]) & novel(*pair)).double().mean()),
}

GRAPHS = (1_000, 10_000, 100_000)
SHARES = (0.1, 0.5, 0.75, 1.0)
NODES = (1_000, 10_000, 100_000)
# Family → task → its sizes. What is missing costs more than a minute or the machine's memory.
PLAN: dict[str, dict[str, tuple[float, ...]]] = {
    "table": dict.fromkeys(TABLES, GRAPHS[:2]),
    "graphs": {
        **dict.fromkeys(STRUCTURAL, GRAPHS),
        "random GIN": GRAPHS,
        "TV degree": GRAPHS,
        "RBF random GIN": GRAPHS[:2],
        "RBF random GIN, random features": GRAPHS,
        "precision, recall, density, coverage": GRAPHS[:2],
        "WL linear": GRAPHS,
        "NSPDK linear": GRAPHS[:2],
        "uniqueness and novelty": GRAPHS,
    },
    "edges": {
        **dict.fromkeys((*STRUCTURAL, "random GIN", "WL features"), SHARES),
        "uniqueness": SHARES[:3],
    },
    "nodes": {
        **dict.fromkeys((*STRUCTURAL, "random GIN", "WL features", "uniqueness"), NODES),
        "spectral": NODES[:1],
        "path_length": NODES[:2],
        "NSPDK features": NODES[2:],
    },
}


def one(family: str, task: str, n: float) -> tuple[float, float, float]:
    """CPU seconds, peak MB above what was there before, and the value; after a call that compiles loops."""
    TASKS[task](drawn("table" if family == "table" else "graphs", 40))
    pair = drawn(family, n)
    values: list[float] = []
    seconds, peak = measure.peak_memory(lambda: values.append(TASKS[task](pair)))
    return seconds, peak, values[0]


def title(family: str, task: str, n: float) -> str:
    if family == "edges":
        return f"{task}, 50 graphs of 1000 nodes, p = {n}"
    if family == "nodes":
        return f"{task}, 50 graphs of {n} nodes, 5000 edges"
    return f"{task}, {'molecules' if family == 'table' else 'graphs of 22 nodes'}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--allocator", choices=measure.ALLOCATORS, default="default")
    parser.add_argument("--only", default="", help="part of the titles of the rows to measure")
    parser.add_argument("--one", nargs=3, metavar=("FAMILY", "TASK", "N"), help="measure one, print JSON")
    arguments = parser.parse_args()
    setting = measure.set_allocator(arguments.allocator)
    if arguments.one:
        family, task, n = arguments.one
        print(json.dumps(one(family, task, json.loads(n))))
        return
    for family in FAMILIES:
        for task, sizes in PLAN[family].items():
            for n in sizes:
                name = title(family, task, n)
                if arguments.only not in name:
                    continue
                command = [sys.executable, __file__, "--allocator", arguments.allocator]
                child = subprocess.run(
                    [*command, "--one", family, task, json.dumps(n)], stdout=subprocess.PIPE, check=True
                )
                seconds, peak, value = json.loads(child.stdout)
                count = int(n) if family in ("table", "graphs") else 50
                row = measure.row(
                    name, seconds, None, n=count, setting=setting, peak_mb=round(peak, 1), value=value
                )
                measure.show([row])
                measure.write(measure.RESULTS / "generation.json", [row])


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
