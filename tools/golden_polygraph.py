"""Make tests/golden/polygraph.json: what polygraph-benchmark 1.1.0 says of small sets that anyone can draw.

    python tools/golden_polygraph.py        needs benchmarks/requirements.txt

Every row has `theirs`, the value as the package gives it. Where a known fault of a descriptor may move
it, the row also has `mended`: the package's own kernel and estimator on networkx's clustering coefficients in
exact bins, on NumPy's eigenvalues clipped to [0, 2], or on WL colours that begin with labels of three digits.
docs/differences-polygraph.md says why.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import torch

from graphgauge import GraphSet, datasets
from graphgauge.descriptors import PRESETS, RandomGIN
from graphgauge.descriptors.features import Features

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "tests/golden/polygraph.json"
sys.path.insert(0, str(ROOT / "benchmarks"))
import opponents  # noqa: E402

# Name → arguments of `datasets.base` for the reference and the generated graphs.
SETS: dict[str, tuple[tuple[Any, ...], tuple[Any, ...]]] = {
    name: ((name, "train", 24, 1), (name, "val", 20, 2)) for name in ("grid", "lobster", "community", "tree")
}
APART = (
    ("community", "train", 60, 1),
    ("community", "val", 60, 2),
    {"p": 0.27},
)  # generated from another law
SMALL = (("er", "train", 60, 1), ("er", "val", 50, 2), {"nodes": 5, "degree": 2.0})  # many are isomorphic
PACKAGES = ("polygraph-benchmark", "orbit-count", "networkx", "numpy", "scipy", "scikit-learn", "torch")
BANDWIDTHS = np.array([0.01, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0])
WIDTHS = {"degree": 1.0, "clustering": 0.1, "orbit": 30.0, "spectral": 1.0}  # of the Gaussian of variation


def as_networkx(graphs: GraphSet) -> list[nx.Graph]:
    """Plain graphs of networkx, nodes in order."""
    out = []
    for graph in graphs:
        out.append(nx.Graph())
        out[-1].add_nodes_from(range(graph.num_nodes))
        out[-1].add_edges_from(graph.edge_index.T.tolist())
    return out


def exact_clustering(graphs: list[nx.Graph], bins: int = 100) -> np.ndarray[Any, Any]:
    """Shares of networkx's coefficients, taken for fractions."""
    rows = np.zeros((len(graphs), bins))
    for row, graph in zip(rows, graphs, strict=True):
        for node, triangles in nx.triangles(graph).items():
            pairs = max(graph.degree(node) * (graph.degree(node) - 1) // 2, 1)
            row[min(int(Fraction(triangles, pairs) * bins), bins - 1)] += 1
    return rows / rows.sum(1, keepdims=True)


def clipped_spectrum(graphs: list[nx.Graph], bins: int = 200) -> np.ndarray[Any, Any]:
    """Shares of NumPy's eigenvalues, all of them, none outside [0, 2]."""
    rows = []
    for graph in graphs:
        values = np.linalg.eigvalsh(nx.normalized_laplacian_matrix(graph, weight=None).toarray())
        rows.append(np.histogram(values.clip(0, 2), bins, range=(-1e-5, 2))[0] / len(graph))
    return np.stack(rows)


def with_our_weights(pg: Any, seed: int = 0) -> Any:
    """Their random GIN with the weights that ours draws, in float64 under that default type."""
    theirs, ours = pg.utils.descriptors.RandomGIN(seed=0), RandomGIN(Features(), seed=seed, rounds=2)
    assert PRESETS["released"] == {"rounds": 2, "width": 35, "degree_factor": 2.0}
    with torch.no_grad():
        for layer, maps in zip(theirs.model.ginlayers, ours.rounds, strict=True):
            for target, source in zip(layer.apply_func.mlp.linears, maps.children(), strict=True):
                target.weight.copy_(source.weight)
                target.bias.copy_(source.bias)
    return theirs


def mmds(pg: Any, reference: list[nx.Graph], generated: list[nx.Graph]) -> Iterator[tuple[str, float, Any]]:
    """(metric, theirs, mended or None)."""
    from polygraph.metrics.base.mmd import DescriptorMMD2, MaxDescriptorMMD2  # type: ignore[import-not-found]

    kernels, descriptors = pg.utils.kernels, pg.utils.descriptors
    plain = {
        "degree": (descriptors.SparseDegreeHistogram(), None),
        "clustering": (descriptors.ClusteringHistogram(bins=100), exact_clustering),
        "orbit": (descriptors.OrbitCounts(), None),
        "spectral": (descriptors.EigenvalueHistogram(), clipped_spectrum),
    }
    gin = with_our_weights(pg)
    scaled = descriptors.NormalizedDescriptor(gin, reference)

    def value(kernel: Any, variant: str = "biased") -> float:
        kind = MaxDescriptorMMD2 if kernel.num_kernels > 1 else DescriptorMMD2
        return float(kind(reference, kernel, variant=variant).compute(generated))

    for name, (describe, mended) in plain.items():
        forms: dict[str, Callable[[Any], float]] = {
            "tv": lambda d, name=name: value(kernels.GaussianTV(d, bw=WIDTHS[name])),
            "tv unbiased": lambda d, name=name: value(kernels.GaussianTV(d, bw=WIDTHS[name]), "umve"),
            "rbf": lambda d: value(kernels.AdaptiveRBFKernel(d, bw=BANDWIDTHS)),
            "laplacian": lambda d: value(kernels.LaplaceKernel(d, lbd=0.5)),
        }
        for form, compute in forms.items():
            yield f"{form} {name}", compute(describe), None if mended is None else compute(mended)
    yield "rbf random_gin", value(kernels.AdaptiveRBFKernel(scaled, bw=BANDWIDTHS)), None
    yield "linear random_gin", value(kernels.LinearKernel(scaled)), None
    colours = descriptors.WeisfeilerLehmanDescriptor
    for graph in [*reference, *generated]:
        nx.set_node_attributes(graph, {node: 100 + degree for node, degree in graph.degree}, "label")
    mended = value(kernels.LinearKernel(colours(3, use_node_labels=True, node_label_key="label")))
    yield "linear wl", value(kernels.LinearKernel(colours(3))), mended  # last: it writes into the graphs


def discrepancies(
    pg: Any, reference: list[nx.Graph], generated: list[nx.Graph]
) -> Iterator[tuple[str, float]]:
    """Values on the held-out halves, for logistic regression; sizes must be equal there."""
    from polygraph.metrics.base.polygraphdiscrepancy import ClassifierMetric  # type: ignore[import-not-found]
    from sklearn.linear_model import LogisticRegression

    for name, describe in (
        ("orbit", pg.utils.descriptors.OrbitCounts()),
        ("degree", pg.utils.descriptors.SparseDegreeHistogram()),
    ):
        for variant, bound_on in (("jsd", "js"), ("informedness", "tv")):
            metric = ClassifierMetric(reference, describe, variant, LogisticRegression(max_iter=1000))
            yield f"pgd {bound_on} {name}", float(metric.compute(generated)[1])


def measured() -> list[dict[str, Any]]:
    """One row for each set and metric."""
    pg = opponents.polygraph()
    rows: list[dict[str, Any]] = []
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        for name, (first, second) in SETS.items():
            reference, generated = (as_networkx(datasets.base(*each)) for each in (first, second))
            for metric, theirs, mended in mmds(pg, reference, generated):
                more = {} if mended is None else {"mended": mended}
                rows.append({"set": name, "metric": metric, "theirs": theirs, **more})
        first, second, options = APART
        pair = as_networkx(datasets.base(*first)), as_networkx(datasets.base(*second, **options))
        rows += [{"set": "apart", "metric": m, "theirs": value} for m, value in discrepancies(pg, *pair)]
        first, second, options = SMALL
        vun = pg.metrics.VUN(as_networkx(datasets.base(*first, **options)))
        shares = vun.compute(as_networkx(datasets.base(*second, **options)))
        rows += [{"set": "small", "metric": name, "theirs": share} for name, share in shares.items()]
    finally:
        torch.set_default_dtype(before)
    return rows


def main() -> None:
    made = {"made_by": "tools/golden_polygraph.py", "versions": {name: version(name) for name in PACKAGES}}
    TARGET.write_text(json.dumps({**made, "rows": measured()}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
