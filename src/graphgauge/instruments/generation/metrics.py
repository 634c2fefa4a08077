"""The metrics by name: what they look at, how it is compared, and what the number means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphgauge import distances
from graphgauge.distances import Distance
from graphgauge.instruments.generation.measures import MMD, SLOW_REPLICATES, Each, Measure, Neighbours
from graphgauge.instruments.generation.settings import Settings
from graphgauge.instruments.generation.shares import Shares


@dataclass(frozen=True)
class Metric:
    """
    Parameters
    ----------
    group : which metrics belong together
    view : what is looked at, a name of `VIEWS`
    measure : how it is compared; one that yields several metrics is computed once
    unit, higher_is_better : of the value
    about : one sentence that defines it; the numbers that belong to it are added to every row
    key : of the metric among the results of the measure
    needs : graphs on each side from which on paper C found that the metric tells real graphs from random
        ones (Knowl 7); None where it says nothing
    default : whether it is computed where no metrics are named
    """

    group: str
    view: str
    measure: Measure
    unit: str
    higher_is_better: bool
    about: str
    key: str = ""
    needs: int | None = None
    default: bool = True


def _frechet(x: Any, y: Any, settings: Settings) -> Mapping[str, Distance]:
    return {"": distances.frechet(x, y)}


def _discrepancy(x: Any, y: Any, settings: Settings) -> Mapping[str, Distance]:
    width = {name: max(x[name].shape[1], y[name].shape[1]) for name in x}
    x, y = ({name: _widened(rows, width[name]) for name, rows in side.items()} for side in (x, y))
    x["gin"], y["gin"] = _on_a_grid(x["gin"], y["gin"])
    return {"": distances.polygraph_discrepancy(x, y, seed=settings.seed)}


def _widened(rows: Any, width: int) -> Any:
    """Empty bins on the right: a histogram is as wide as its own set needs."""
    return np.pad(rows, ((0, 0), (0, width - rows.shape[1])))


def _classifier(x: Any, y: Any, settings: Settings) -> Mapping[str, Distance]:
    return {"": distances.classifier_accuracy(*_on_a_grid(x, y), seed=settings.seed)}


def _on_a_grid(x: Any, y: Any) -> tuple[Any, Any]:
    """Both without their last digits, which depend on the order of nodes and on the machine: the folds of a
    classifier depend on the content of the rows."""
    size = float(np.abs(y).max() or np.abs(x).max() or 1.0)
    unit = 2.0 ** (np.ceil(np.log2(size)) - 30.0)
    return np.round(x / unit) * unit, np.round(y / unit) * unit


def _wasserstein(x: Any, y: Any, settings: Settings) -> Mapping[str, Distance]:
    return {"": distances.wasserstein(x, y)}


_PRDC, _SHARES = Neighbours(), Shares()
_LINEAR = MMD(lambda s: distances.linear())


def _mmd(group: str, view: str, measure: Measure, about: str, **more: Any) -> Metric:
    return Metric(group, view, measure, "MMD²", False, about, **more)


def _gin_share(key: str, about: str, unit: str = "fraction", needs: int | None = 7) -> Metric:
    return Metric("gin", "gin", _PRDC, unit, True, f"{about} {_GIN}", key=key, needs=needs)


def _share(key: str, about: str) -> Metric:
    return Metric("shares", "checked", _SHARES, "fraction", True, about, key=key)


def _w1(group: str, view: str, what: str, unit: str, default: bool = True) -> Metric:
    about = f"Wasserstein-1 distance between the distributions of {what}."
    return Metric(group, view, Each(_wasserstein), unit, False, about, default=default)


_EMD = "Squared MMD with the kernel exp(−EMD² / (2 s²)) of"
_TV = "Squared MMD with the kernel exp(−TV² / (2 s²)) of"
_GIN = "Embeddings are sums of a random GIN's node states, standardised by the reference."

METRICS: dict[str, Metric] = {
    "degree_mmd2_emd": _mmd(
        "classical", "degree", MMD(lambda s: distances.gaussian_emd(1.0)),
        f"{_EMD} degree histograms (shares of nodes), s = 1 degree.", needs=9,
    ),
    "degree_mmd2_tv": _mmd(
        "classical", "degree", MMD(lambda s: distances.gaussian_tv(1.0)),
        f"{_TV} degree histograms (shares of nodes), s = 1.", needs=9,
    ),
    "clustering_mmd2_emd": _mmd(
        "classical", "clustering", MMD(lambda s: distances.gaussian_emd(0.1, bin_width=0.01)),
        f"{_EMD} histograms of local clustering coefficients in 100 exact bins on [0, 1], s = 0.1.", needs=7,
    ),
    "clustering_mmd2_tv": _mmd(
        "classical", "clustering", MMD(lambda s: distances.gaussian_tv(0.1)),
        f"{_TV} histograms of local clustering coefficients in 100 exact bins on [0, 1], s = 0.1.", needs=7,
    ),
    "orbit_mmd2_emd": _mmd(
        "classical", "orbit_shares", MMD(lambda s: distances.gaussian_emd(1.0)),
        f"{_EMD} shares of the 15 orbits of graphlets of up to 4 nodes, neighbouring orbits at distance 1, "
        "s = 1 (the released code of paper C takes unequal masses, which saturates).", needs=122,
    ),
    "orbit_mmd2_tv": _mmd(
        "classical", "orbit", MMD(lambda s: distances.gaussian_tv(30.0, normalise=False)),
        f"{_TV} mean counts per node of the 15 orbits of graphlets of up to 4 nodes, not normalised, s = 30.",
        needs=122,
    ),
    "spectral_mmd2_emd": _mmd(
        "classical", "spectral", MMD(lambda s: distances.gaussian_emd(1.0)),
        f"{_EMD} histograms of the normalised Laplacian's eigenvalues in 200 bins on [0, 2], s = 1 bin.",
    ),
    "spectral_mmd2_tv": _mmd(
        "classical", "spectral", MMD(lambda s: distances.gaussian_tv(1.0)),
        f"{_TV} histograms of the normalised Laplacian's eigenvalues in 200 bins on [0, 2], s = 1.",
    ),
    "nspdk_mmd2": _mmd(
        "kernels", "nspdk", _LINEAR,
        "Squared MMD of the normalised neighbourhood subgraph pairwise distance kernel, with labels where "
        "both sides have them, else degrees.", needs=8,
    ),
    "wl_mmd2": _mmd(
        "kernels", "wl", _LINEAR,
        "Squared MMD of the normalised Weisfeiler–Lehman subtree kernel, with labels where both sides have "
        "them, else degrees.",
    ),
    "gin_mmd2_rbf": _mmd(
        "gin", "gin", MMD(lambda s: distances.rbf(s.bandwidth)),
        f"Squared MMD with the kernel exp(−|x − y|² / (2 s²)), the largest over the bandwidths: on average "
        f"above 0 between equal distributions too, also with the unbiased estimator. {_GIN}",
        needs=42,
    ),
    "gin_mmd2_linear": _mmd(
        "gin", "gin", _LINEAR, f"Squared distance of the mean embeddings. {_GIN}", needs=57
    ),
    "gin_fd": Metric(
        "gin", "gin", Each(_frechet, fewest=2), "squared distance", False,
        f"Squared Fréchet distance of Gaussians fitted to the embeddings. {_GIN}", needs=58,
    ),
    "gin_kd": _mmd(
        "gin", "gin", MMD(lambda s: distances.polynomial(3), estimator="unbiased"),
        "Kernel distance: unbiased squared MMD with the kernel (x·y / d + 1)³, which may be below 0. " + _GIN,
        needs=89,
    ),
    "gin_precision": _gin_share("precision", "Share of generated graphs near a reference graph."),
    "gin_recall": _gin_share("recall", "Share of reference graphs near a generated graph."),
    "gin_density": _gin_share(
        "density", "How many reference balls hold a generated graph, over k; may exceed 1.", "balls / k"
    ),
    "gin_coverage": _gin_share("coverage", "Share of reference balls that hold a generated graph."),
    "gin_f1_pr": _gin_share("f1_pr", "Harmonic mean of precision and recall."),
    "gin_f1_dc": _gin_share("f1_dc", "Harmonic mean of density and coverage."),
    "pgd": Metric(
        "classifier", "together", Each(_discrepancy, fewest=4, replicates=SLOW_REPLICATES), "fraction", False,
        "PolyGraph discrepancy: how well a logistic regression on the best of five descriptors tells the "
        "sets apart, a lower bound of the Jensen–Shannon distance.",
    ),
    "gin_c2st": Metric(
        "classifier", "gin", Each(_classifier, fewest=5, replicates=SLOW_REPLICATES), "fraction", False,
        f"Balanced accuracy of a cross-validated logistic regression; 0.5 is chance. {_GIN}", default=False,
    ),
    "valid": _share("valid", "Share of all given graphs that could be read and pass the validity check."),
    "unique": _share(
        "unique", "Isomorphism classes among the generated graphs that could be read, over their number."
    ),
    "novel": _share(
        "novel", "Share of the generated graphs that could be read and are isomorphic to no reference graph."
    ),
    "vun": _share(
        "vun",
        "Share of all given graphs that are valid (without a check: that could be read), the first of their "
        "class, and novel.",
    ),
    "nodes_w1": _w1("sizes", "nodes", "the number of nodes", "nodes"),
    "edges_w1": _w1("sizes", "edges", "the number of edges", "edges"),
    "components_w1": _w1("sizes", "components", "the number of connected components", "components"),
    "diameter_w1": _w1("sizes", "diameter", "the longest shortest path in a graph", "edges", default=False),
    "path_length_mmd2_emd": _mmd(
        "classical", "paths", MMD(lambda s: distances.gaussian_emd(1.0)),
        f"{_EMD} histograms of shortest path lengths, s = 1 edge.", default=False,
    ),
    "orbit5_mmd2_tv": _mmd(
        "classical", "orbit5", MMD(lambda s: distances.gaussian_tv(30.0, normalise=False)),
        f"{_TV} mean counts per node of the 73 orbits of graphlets of up to 5 nodes, not normalised, s = 30.",
        default=False,
    ),
    "logp_w1": _w1("molecules", "logp", "logP (Crippen)", "logP", default=False),
    "qed_w1": _w1("molecules", "qed", "the estimate of drug-likeness QED", "QED", default=False),
    "sa_w1": _w1("molecules", "sa", "the synthetic accessibility score", "SA", default=False),
    "weight_w1": _w1("molecules", "weight", "molecular weight", "Da", default=False),
    "rings_w1": _w1("molecules", "rings", "the number of rings", "rings", default=False),
}  # fmt: skip

GROUPS: dict[str, tuple[str, ...]] = {
    group: tuple(name for name, metric in METRICS.items() if metric.group == group)
    for group in dict.fromkeys(metric.group for metric in METRICS.values())
}


@dataclass(frozen=True)
class Choice:
    """Which metrics are wanted, in the order of the table; `named` one by one, so that one that cannot be
    had is an error and not left out."""

    wanted: tuple[str, ...]
    named: frozenset[str] = frozenset()


def choose(names: Sequence[str] | str | None) -> Choice:
    """Metrics by name or group; the default ones for None, every one for "all".

    >>> choose("kernels,gin_fd").wanted
    ('nspdk_mmd2', 'wl_mmd2', 'gin_fd')
    """
    if names is None:
        return Choice(tuple(name for name, metric in METRICS.items() if metric.default))
    listed = names.split(",") if isinstance(names, str) else list(names)
    if not listed:
        raise ValueError("no metric is named; None computes the default ones")
    wanted: set[str] = set()
    named: set[str] = set()
    for name in (part.strip() for part in listed):
        if name in METRICS:
            named.add(name)
        elif name == "all" or name in GROUPS:
            wanted.update(GROUPS.get(name, METRICS))
        else:
            raise ValueError(
                f"no metric {name!r}; there are all, the groups {', '.join(GROUPS)}, and {', '.join(METRICS)}"
            )
    return Choice(tuple(name for name in METRICS if name in wanted | named), frozenset(named))
