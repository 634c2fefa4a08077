"""Metrics of graph generators against polygraph-benchmark 1.1.0 (and prdc 0.2).

    python benchmarks/generation.py [--allocator default|keep] [--only TEXT]     GRAPHGAUGE_DATA: see README

10,000 molecules of one trained generator against 10,000 of another, and communities that are drawn. Both
sides describe both sets and compare them; ours begins with packed graphs, theirs with networkx graphs, and
packing has a row of its own. Rows hold both values; docs/differences-polygraph.md says why some differ.
What takes longer than 20 s runs once. Beyond 1,000 graphs the opponent runs under the default allocator only.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import measure  # isort: skip  (first: it sets the number of threads)
import warnings

import networkx as nx
import numpy as np
from sklearn.linear_model import LogisticRegression

import opponents
from graphgauge import datasets
from graphgauge.datasets.home import find, homes
from graphgauge.descriptors import (
    DESCRIPTORS,
    PRESETS,
    PairVocabulary,
    Vocabulary,
    mean_in_parts,
    nspdk_features,
    orbit_counts,
    random_gin,
    wl_features,
)
from graphgauge.distances import (
    Kernel,
    gaussian_emd,
    gaussian_tv,
    mmd,
    polygraph_discrepancy,
    prdc,
    rbf,
)
from graphgauge.graphs import GraphSet
from graphgauge.scores.novelty import novel, unique

POLYGRAPH = "polygraph-benchmark 1.1.0"
SAMPLES = ("ggm/jtvae_moses_fast_molvae_samples.txt", "ggm/jtvae_moses_molvae_samples.txt")
DEFAULT = "allocator=default"
ENOUGH = 20.0  # seconds of an item after which it is not repeated
Networkx = list[nx.Graph]
WL_ROUNDS = 3


class Pair(NamedTuple):
    """Generated and reference graphs, packed and as networkx."""

    x: GraphSet
    y: GraphSet
    theirs_x: Networkx
    theirs_y: Networkx

    def first(self, n: int) -> Pair:
        return Pair(*(each[:n] for each in self))


class Item(NamedTuple):
    """What is timed: ours, theirs (None: there is no such thing), and the opponent's name."""

    ours: Callable[[Pair], Any]
    theirs: Callable[[Pair], Any] | None = None
    opponent: str | None = POLYGRAPH


def as_networkx(packed: GraphSet) -> Networkx:
    out = []
    for graph in packed:
        out.append(nx.Graph())
        out[-1].add_nodes_from(range(graph.num_nodes))
        out[-1].add_edges_from(graph.edge_index.T.tolist())
    return out


def sampled(n: int) -> tuple[GraphSet, GraphSet]:
    """n molecules of each sample, with atoms and bonds."""
    sides = []
    for name in SAMPLES:
        path = find(homes(), name)
        if path is None:
            raise SystemExit(f"{name} is not at hand: GRAPHGAUGE_DATA names the folder that holds it")
        smiles = path.read_text().split()[1 : n + n // 10 + 11]
        sides.append(GraphSet.from_smiles(smiles, invalid="drop")[:n])
    return sides[0], sides[1]


def molecules(n: int) -> Pair:
    """Their structure."""
    sides = [side.structure() for side in sampled(n)]
    return Pair(*sides, *map(as_networkx, sides))


def communities(n: int) -> Pair:
    sides = [datasets.base("community", "val", n, 1), datasets.base("community", "train", n, 1)]
    return Pair(*sides, *map(as_networkx, sides))


def both(describe: Callable[..., Any], pair: Pair, **options: Any) -> list[np.ndarray[Any, Any]]:
    return [describe(side, **options).numpy() for side in pair[:2]]


def same_width(rows: list[np.ndarray[Any, Any]]) -> list[np.ndarray[Any, Any]]:
    width = max(each.shape[1] for each in rows)
    return [np.pad(each, ((0, 0), (0, width - each.shape[1]))) for each in rows]


def our_mmd(name: str, kernel: Kernel) -> Callable[[Pair], float]:
    return lambda pair: mmd(*same_width(both(DESCRIPTORS[name], pair)), kernel).value


def their_metric(module: str, name: str) -> Callable[[Pair], float]:
    def compute(pair: Pair) -> float:
        kind = getattr(getattr(opponents.polygraph().metrics, module), name)
        return float(kind(pair.theirs_y).compute(pair.theirs_x))

    return compute


def gin(pair: Pair, preset: str) -> list[np.ndarray[Any, Any]]:
    return both(random_gin, pair, **PRESETS[preset])


def their_prdc(pair: Pair) -> float:
    from prdc import compute_prdc

    x, y = gin(pair, "paper")
    scale = np.where(np.ptp(y, axis=0) > 0, y.std(axis=0), 1.0)
    return float(compute_prdc(y / scale, x / scale, 5)["density"])


def our_linear(describe: Callable[..., Any], words: Callable[[], Any], pair: Pair, **options: Any) -> float:
    """MMD² of a linear kernel on counts: the distance of two means."""
    vocabulary = words()
    means = [mean_in_parts(side, partial(describe, vocabulary=vocabulary, **options)) for side in pair[1::-1]]
    means[0] = np.pad(means[0], (0, len(means[1]) - len(means[0])))
    return float(np.square(means[0] - means[1]).sum())


def their_wl(pair: Pair) -> float:
    pg = opponents.polygraph()
    from polygraph.metrics.base.mmd import DescriptorMMD2  # type: ignore[import-not-found]

    kernel = pg.utils.kernels.LinearKernel(pg.utils.descriptors.WeisfeilerLehmanDescriptor(WL_ROUNDS))
    return float(DescriptorMMD2(pair.theirs_y, kernel).compute(pair.theirs_x))


def our_pgd(pair: Pair) -> float:
    """The descriptors of their standard discrepancy, graphlets of 5 nodes included."""
    descriptions = {name: both(DESCRIPTORS[name], pair) for name in ("clustering", "spectral")}
    descriptions["orbit4"] = both(orbit_counts, pair)
    descriptions["orbit5"] = both(orbit_counts, pair, size=5)
    descriptions["degree"] = same_width(both(DESCRIPTORS["degree"], pair))
    descriptions["gin"] = gin(pair, "released")
    x, y = ({name: rows[side] for name, rows in descriptions.items()} for side in (0, 1))
    return polygraph_discrepancy(x, y).value


def their_pgd(pair: Pair) -> float:
    metric = opponents.polygraph().metrics.StandardPGD(
        pair.theirs_y, classifier=LogisticRegression(max_iter=1000)
    )
    return float(metric.compute(pair.theirs_x)["pgd"])


def our_novelty(pair: Pair) -> float:
    return float((unique(pair.x) & novel(pair.x, pair.y)).double().mean())


def their_novelty(pair: Pair) -> float:
    return float(opponents.polygraph().metrics.VUN(pair.theirs_y).compute(pair.theirs_x)["unique_novel"])


TV = {
    "degree": gaussian_tv(1.0),
    "clustering": gaussian_tv(0.1),
    "orbit": gaussian_tv(30.0, normalise=False),
    "spectral": gaussian_tv(1.0),
}
EMD = {
    "degree": gaussian_emd(1.0),
    "clustering": gaussian_emd(0.1, bin_width=0.01),
    "spectral": gaussian_emd(1.0),
}
ITEMS: dict[str, Item] = {
    "networkx to packed": Item(lambda pair: GraphSet.from_networkx(pair.theirs_x + pair.theirs_y).num_nodes),
    **{
        f"TV {name}": Item(
            our_mmd(name, kernel), their_metric("gaussian_tv_mmd", f"GaussianTV{name.title()}MMD2")
        )
        for name, kernel in TV.items()
    },
    **{f"EMD {name}": Item(our_mmd(name, kernel)) for name, kernel in EMD.items()},
    **{
        f"RBF {name}": Item(our_mmd(name, rbf()), their_metric("rbf_mmd", f"RBF{name.title()}MMD2"))
        for name in ("degree", "clustering", "orbit")
    },
    "orbit descriptor": Item(
        lambda pair: np.concatenate(both(orbit_counts, pair)).mean(),
        lambda pair: (
            opponents.polygraph().utils.descriptors.OrbitCounts()(pair.theirs_x + pair.theirs_y).mean()
        ),
    ),
    "RBF random GIN, 70 numbers": Item(
        lambda pair: mmd(*gin(pair, "released"), standardise=True).value,
        their_metric("rbf_mmd", "RBFGraphNeuralNetworkMMD2"),
    ),
    "RBF random GIN, 105 numbers": Item(lambda pair: mmd(*gin(pair, "paper"), standardise=True).value),
    "precision, recall, density, coverage": Item(
        lambda pair: float(prdc(*gin(pair, "paper"), standardise=True)["density"]), their_prdc, "prdc 0.2"
    ),
    "WL linear": Item(lambda pair: our_linear(wl_features, Vocabulary, pair, rounds=WL_ROUNDS), their_wl),
    "NSPDK linear": Item(lambda pair: our_linear(nspdk_features, PairVocabulary, pair, normalise=True)),
    "PGD, logistic regression": Item(our_pgd, their_pgd),
    "uniqueness and novelty": Item(our_novelty, their_novelty),
}

# Set → item → numbers of graphs a side. A number below 0 is ours alone.
PLAN: dict[str, dict[str, tuple[int, ...]]] = {
    "molecules": {
        "networkx to packed": (10_000,),
        **{f"TV {name}": (1_000, 10_000) for name in TV},
        **{f"EMD {name}": (10_000,) for name in EMD},
        **{f"RBF {name}": (1_000,) for name in ("degree", "clustering", "orbit")},
        "orbit descriptor": (10_000,),
        "RBF random GIN, 70 numbers": (1_000, 5_000),
        "RBF random GIN, 105 numbers": (10_000,),
        "precision, recall, density, coverage": (1_000, 10_000),
        "NSPDK linear": (1_000, 10_000),
        "PGD, logistic regression": (1_000, 5_000),
        "uniqueness and novelty": (10_000,),
        "WL linear": (1_000, 2_000, -10_000),  # last: polygraph writes into the graphs
    },
    "communities": {
        **{f"TV {name}": (1_000,) for name in TV},
        "orbit descriptor": (1_000,),
        "RBF random GIN, 70 numbers": (1_000,),
        "uniqueness and novelty": (1_000,),
    },
}
SETS = {"molecules": partial(molecules, 10_000), "communities": partial(communities, 1_000)}


def measured(name: str, setting: str, only: str) -> Iterator[dict[str, Any]]:
    """Rows of all items of a set whose title has `only` in it."""
    plan = {title: sizes for title, sizes in PLAN[name].items() if only in f"{title}, {name}"}
    if not plan:
        return
    everything = SETS[name]()
    for title, sizes in plan.items():
        for n in sizes:
            alone = n < 0 or (n > 1_000 and setting != DEFAULT)
            yield timed(f"{title}, {name}", ITEMS[title], everything, abs(n), alone, setting)


def timed(title: str, item: Item, pair: Pair, n: int, alone: bool, setting: str) -> dict[str, Any]:
    """One row; graphs are cut out anew at every turn, so that nothing is known of them from the last one."""
    values: dict[str, float] = {}

    def turn(name: str, compute: Callable[[Pair], Any] | None, size: int) -> None:
        if compute is not None:
            values[name] = float(compute(pair.first(size)))

    theirs = None if alone else item.theirs
    for size in (20, n):  # the first time to compile loops
        seconds = measure.interleaved(
            partial(turn, "value", item.ours, size),
            partial(turn, "opponent_value", theirs, size),
            warm_up=0,
            repeats=1 if size == 20 else 5,
            at_most=ENOUGH,
        )
    ours_s, theirs_s = seconds
    if theirs is None:
        return measure.row(title, ours_s, None, n=n, setting=setting, **values)
    return measure.row(title, ours_s, theirs_s, n=n, setting=setting, opponent=item.opponent, **values)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--allocator", choices=measure.ALLOCATORS, default="default")
    parser.add_argument("--only", default="", help="part of the title of the rows to measure")
    arguments = parser.parse_args()
    setting = measure.set_allocator(arguments.allocator)
    for name in SETS:
        for row in measured(name, setting, arguments.only):
            measure.show([row])
            measure.write(measure.RESULTS / "generation.json", [row])


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
