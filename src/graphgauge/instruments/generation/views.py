"""What of the graphs is looked at: GraphSet → one description of every graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse import csr_array, hstack
from torch import Tensor

from graphgauge import descriptors
from graphgauge.descriptors import PairVocabulary, Vocabulary
from graphgauge.descriptors.encoder import EncoderError
from graphgauge.graphs import GraphError, GraphSet
from graphgauge.instruments.generation.labels import Labels
from graphgauge.instruments.generation.settings import Settings
from graphgauge.instruments.generation.shares import Check, Checked
from graphgauge.models.identity import reason

Array = np.ndarray[Any, Any]
Encoder = Callable[[GraphSet], Tensor]


@dataclass(frozen=True)
class Lens:
    """All that two sets must share to be comparable.

    Parameters
    ----------
    labels : codecs of the label columns
    colours, pairs : columns of the WL and NSPDK features, which grow with every set
    encoder : node encoder in place of the random GINs
    check : what makes a graph valid
    """

    settings: Settings
    labels: Labels
    check: Check
    encoder: Encoder | None = None
    colours: Vocabulary = field(default_factory=Vocabulary)
    pairs: PairVocabulary = field(default_factory=PairVocabulary)


@dataclass(frozen=True)
class Side:
    """One set of graphs: as it came, as the lens reads it, how many graphs were given in all, and what
    messages call it."""

    graphs: GraphSet
    coded: GraphSet
    listed: int
    called: str

    @staticmethod
    def of(graphs: GraphSet, labels: Labels, listed: int, called: str) -> Side:
        with errors_of(called):
            return Side(graphs, labels.encode(graphs), listed, called)


@contextmanager
def errors_of(called: str) -> Iterator[None]:
    """Errors about graphs say of which side they are."""
    try:
        yield
    except ValueError as error:
        kind = type(error) if isinstance(error, GraphError) else ValueError
        raise kind(f"{called}: {error}") from error


@dataclass(frozen=True)
class Described:
    """A side seen through a lens; every description is made once."""

    side: Side
    lens: Lens
    made: dict[tuple[str, int], Any] = field(default_factory=dict)

    def __call__(self, view: str, seed: int = 0) -> Any:
        with errors_of(self.side.called):
            return self.own(view, seed)

    def own(self, view: str, seed: int) -> Any:
        """What `of(view, seed)` gives, for a view that is made of others."""
        key = (view, seed if VIEWS[view].seeded else 0)
        if key not in self.made:
            self.made[key] = VIEWS[view].describe(self, seed)
        return self.made[key]


@dataclass(frozen=True)
class View:
    """
    Parameters
    ----------
    describe : described side, seed of the network → an array (G, …)
    seeded : whether it depends on the seed
    standardised : whether both sides are brought to the reference's mean and deviation before they meet
    """

    describe: Callable[[Described, int], Any]
    seeded: bool = False
    standardised: bool = False


def _degree(of: Described, seed: int) -> Array:
    return with_nothing(descriptors.degree_histogram(of.side.coded))


def _clustering(of: Described, seed: int) -> Array:
    return with_nothing(descriptors.clustering_histogram(of.side.coded))


def _spectral(of: Described, seed: int) -> Array:
    return with_nothing(descriptors.spectrum_histogram(of.side.coded))


def _orbit(of: Described, seed: int) -> Array:
    return np.asarray(descriptors.orbit_counts(of.side.coded).numpy())


def _orbit_shares(of: Described, seed: int) -> Array:
    counts = of.own("orbit", seed)
    total = counts.sum(axis=1, keepdims=True)
    return with_nothing(np.divide(counts, total, out=np.zeros_like(counts), where=total > 0))


def _orbit5(of: Described, seed: int) -> Array:
    return np.asarray(descriptors.orbit_counts(of.side.coded, size=5).numpy())


def _paths(of: Described, seed: int) -> Array:
    """Of the pairs that a path joins: the column of the others, the last, is elsewhere in every set."""
    counts = descriptors.path_length_histogram(of.side.coded, normalise=False).numpy()[:, :-1]
    total = counts.sum(axis=1, keepdims=True)
    return with_nothing(np.divide(counts, total, out=np.zeros_like(counts), where=total > 0))


def _wl(of: Described, seed: int) -> Any:
    label = None if of.lens.labels.node is None else "label"
    rounds = of.lens.settings.wl_rounds
    features = descriptors.wl_features(of.side.coded, rounds=rounds, labels=label, vocabulary=of.lens.colours)
    return with_nothing_counted(descriptors.unit_rows(features))


def _nspdk(of: Described, seed: int) -> Any:
    features = descriptors.nspdk_features(
        of.side.coded,
        radius=of.lens.settings.nspdk_radius,
        distance=of.lens.settings.nspdk_distance,
        most=of.lens.settings.nspdk_most,
        labels=None if of.lens.labels.node is None else "label",
        edge_labels=None if of.lens.labels.edge is None else "label",
        normalise=True,
        vocabulary=of.lens.pairs,
    )
    return with_nothing_counted(features)


def _gin(of: Described, seed: int) -> Array:
    if of.lens.encoder is not None:
        return _embedded(of.side.graphs, of.lens.encoder)
    s, labels = of.lens.settings, of.lens.labels
    node, node_types = _features(of.side.coded.node, labels.node)
    edge, edge_types = _features(of.side.coded.edge, labels.edge)
    rows = descriptors.random_gin(
        of.side.coded, seed=seed, rounds=s.rounds, width=s.width, depth=s.depth,
        degree_factor=s.degree_factor, node=node, edge=edge, node_types=node_types, edge_types=edge_types,
    )  # fmt: skip
    return np.asarray(rows.numpy())


def _embedded(graphs: GraphSet, encoder: Encoder) -> Array:
    """By the user's own net; an error names it."""
    called = f"the encoder {encoder_name(encoder)!r}"
    try:
        return np.asarray(descriptors.encoder_descriptor(graphs, encoder).numpy())
    except EncoderError as error:
        raise ValueError(f"{called}: {error}") from error
    except Exception as error:
        raise ValueError(f"{called} raised {reason(error)}") from error


def encoder_name(encoder: Encoder) -> str:
    """What rows and messages call an encoder."""
    return str(getattr(encoder, "__name__", type(encoder).__name__))


def _features(columns: Any, codec: Any) -> tuple[str | None, int | None]:
    """Column of the coded set that a network reads, and its number of categories."""
    if "numbers" in columns:
        return "numbers", None
    return (None, None) if codec is None else ("label", codec.count)


def _together(of: Described, seed: int) -> dict[str, Array]:
    """The descriptors among which the PolyGraph discrepancy chooses."""
    names = ("degree", "clustering", "orbit", "spectral", "gin")
    return {name: of.own(name, seed) for name in names}


def _numbers(describe: Callable[[GraphSet], Tensor]) -> Callable[[Described, int], Array]:
    return lambda of, seed: np.asarray(describe(of.side.coded).numpy(), dtype=np.float64).reshape(-1)


def _checked(of: Described, seed: int) -> Checked:
    return Checked(of.side.coded, of.lens.check(of.side.graphs), of.side.listed)


def _property(name: str) -> Callable[[Described, int], Array]:
    def describe(of: Described, seed: int) -> Array:
        return np.asarray(descriptors.molecule_properties(of.side.graphs, properties=[name]).numpy())[:, 0]

    return describe


def with_nothing(shares: Any) -> Array:
    """A first column that holds 1 where a histogram is empty (no node, no edge) and 0 elsewhere.

    An empty graph has a place of its own then, at a distance from every other, where its histogram has no
    mass to be compared.

    >>> with_nothing(np.array([[0.5, 0.5], [0.0, 0.0]])).tolist()
    [[0.0, 0.5, 0.5], [1.0, 0.0, 0.0]]
    """
    rows = np.asarray(shares, dtype=np.float64)
    empty = ~rows.any(axis=1, keepdims=True)
    return np.concatenate([empty.astype(np.float64), rows], axis=1)


def with_nothing_counted(features: csr_array) -> csr_array:
    """`with_nothing` for sparse features of length 1: to say nothing would be nearer than to say something
    wrong, where an empty graph is the origin.

    >>> with_nothing_counted(csr_array([[0.0, 1.0], [0.0, 0.0]])).toarray().tolist()
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    """
    empty = np.diff(features.indptr)[:, None] == 0
    return csr_array(hstack([csr_array(empty.astype(np.float64)), features]))


VIEWS: dict[str, View] = {
    "degree": View(_degree),
    "clustering": View(_clustering),
    "spectral": View(_spectral),
    "orbit": View(_orbit),
    "orbit_shares": View(_orbit_shares),
    "orbit5": View(_orbit5),
    "paths": View(_paths),
    "wl": View(_wl),
    "nspdk": View(_nspdk),
    "gin": View(_gin, seeded=True, standardised=True),
    "together": View(_together),
    "nodes": View(_numbers(descriptors.size)),
    "edges": View(_numbers(descriptors.edge_count)),
    "components": View(_numbers(descriptors.component_count)),
    "diameter": View(_numbers(descriptors.diameter)),
    "checked": View(_checked),
    "logp": View(_property("logp")),
    "qed": View(_property("qed")),
    "sa": View(_property("sa")),
    "weight": View(_property("weight")),
    "rings": View(_property("rings")),
}
