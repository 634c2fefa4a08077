"""Evaluator: a reference that scores one generated set after another."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, overload

import numpy as np

from graphgauge.graphs import GraphSet
from graphgauge.graphs.sources import Source
from graphgauge.instruments.generation import saving
from graphgauge.instruments.generation.checks import as_check, check_encoder
from graphgauge.instruments.generation.inputs import as_source, distinct
from graphgauge.instruments.generation.labels import Columns, Labels, shared_columns
from graphgauge.instruments.generation.measures import Kept
from graphgauge.instruments.generation.metrics import choose
from graphgauge.instruments.generation.records import dominated, make_rows, rank_rows
from graphgauge.instruments.generation.reference import Found, Reference
from graphgauge.instruments.generation.saving import Saved
from graphgauge.instruments.generation.settings import make_settings, preset_values
from graphgauge.instruments.generation.views import Described, Encoder, Lens, Side, encoder_name
from graphgauge.rows import Row
from graphgauge.scores import VALID


class Notice(UserWarning):
    """Something about a comparison that its reader should know: labels ignored, metrics left out."""


@dataclass(frozen=True)
class Scores(Sequence[Row]):
    """The rows of a comparison; printed as a table, and by a metric's name a plain number.

    Parameters
    ----------
    rows : for every generated set and metric, by `split`: "all" (the value, a row for each network),
        "half-samples", "reference halves" (the noise floor) and, of several sets, "rank"
    found : generated set → metric → what was found, replicates included
    graphs : generated set → its graphs
    notices : what was left out or ignored, and why
    """

    rows: tuple[Row, ...]
    found: Mapping[str, Mapping[str, Found]]
    graphs: Mapping[str, GraphSet]
    notices: tuple[str, ...] = ()

    @overload
    def __getitem__(self, key: int) -> Row: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[Row]: ...
    @overload
    def __getitem__(self, key: str) -> float: ...
    def __getitem__(self, key: int | slice | str) -> Row | Sequence[Row] | float:
        """A row by number, or the mean value of a metric over networks (of the only set, or "set/metric")."""
        if not isinstance(key, str):
            return self.rows[key]
        subject, _, metric = key.rpartition("/")
        if not subject and len(self.found) > 1:
            raise KeyError(
                f"several sets were scored: ask for one of {[f'{s}/{metric}' for s in self.found]}"
            )
        if subject and subject not in self.found:
            raise KeyError(f"no set {subject!r} was scored; there are {', '.join(self.found)}")
        known = self.found[subject or next(iter(self.found))]
        if metric not in known:
            raise KeyError(f"no metric {metric!r} was computed; there are {', '.join(known)}")
        return float(np.mean([float(value) for value in known[metric].values.values()]))

    def __len__(self) -> int:
        return len(self.rows)

    def __str__(self) -> str:
        from graphgauge.report import table

        return table(self.rows)

    def __repr__(self) -> str:
        return f"Scores of {', '.join(self.found)}: {len(self.rows)} rows; print them for a table"


class Evaluator:
    """Scores generated graphs against a reference with every metric of paper C.

    Everything about the reference (descriptions, kernel sums, neighbourhoods, noise floors) is computed once,
    when it is first needed, and kept: a further generated set costs only its own part.

    Parameters
    ----------
    reference : a `GraphSet`, a file, a dataset's name ("grid", "moses:test"), SMILES, or a list of networkx
        graphs, PyG data, adjacency matrices or RDKit molecules
    name : what rows call the reference; by default the file's or dataset's name
    metrics : names or groups of `METRICS`; by default all but the slow and the special ones
    valid : what makes a graph valid: a name of `graphgauge.scores.VALID` ("planar", "tree", "molecule", …) or
        a function GraphSet → (G,) bool; by default every graph that could be read is valid
    encoder : GraphSet → (N, d), in place of the random GINs, such as a network trained by graph alignment
    preset : "default", or "released" for what the code published with paper C computes
    rules : what to do with odd input, such as ``{"self_loops": "drop"}``
    root : data home, for datasets by name
    max_graphs : at most so many graphs of the reference, chosen at random
    settings : any field of `Settings`, by keyword; the defaults stand in brackets

    Settings
    --------
    seeds (5) : random GINs, seeds 0, 1, …; values are averaged over them
    rounds (3), width (35), depth (2), degree_factor (1.0) : of the random GIN, see
        `graphgauge.descriptors.random_gin`
    bandwidth ("ten_reference") : rule or number of the RBF kernel on GIN embeddings. "ten_reference" measures
        with the reference alone: one ruler for every generator, and work that is done once. "ten" is the
        published code's, whose scale depends on the generated graphs too.
    estimator ("biased") : "biased" (published) or "unbiased", of every MMD but the kernel distance, which is
        unbiased
    k (5), ties ("shared") : of precision, recall, density and coverage: how many neighbours a ball holds, and
        what counts as inside: "shared", "open" (d < r) or "closed" (d ≤ r), see `graphgauge.distances.prdc`
    random_features (0) : 0 for the exact RBF MMD; else the number of random features of an estimate with its
        standard error, in time linear in the number of graphs, for sets of 50,000 graphs and more
    wl_rounds (4) : refinements of the WL kernel
    nspdk_radius (4), nspdk_distance (4), nspdk_most (100000000) : of NSPDK; a set that may have more
        entries than the last is too large for it
    replicates (10) : pairs of halves for the noise floor and half-samples for the interval; 0 for none
    seed (0) : of the halves and of every random choice but the networks
    labels ("auto") : "auto" uses node and edge labels that both sides have, "none" compares structure only
    node_column (None), edge_column (None) : names of the label columns; None looks for node_type or x,
        edge_type or edge_attr

    Examples
    --------
    >>> from graphgauge import datasets
    >>> real, other = datasets.load("grid", size=20, seed=0), datasets.load("lobster", size=20, seed=0)
    >>> evaluator = Evaluator(real, metrics="degree_mmd2_tv,gin_coverage", seeds=2)
    >>> scores = evaluator.score(other)
    >>> scores["degree_mmd2_tv"] > 0.1, scores["gin_coverage"] < 0.5
    (True, True)
    >>> evaluator.score(real)["degree_mmd2_tv"]
    0.0
    """

    def __init__(
        self,
        reference: Any,
        *,
        name: str | None = None,
        metrics: str | Sequence[str] | None = None,
        valid: Any = None,
        encoder: Encoder | None = None,
        preset: str = "default",
        rules: Mapping[str, Any] | None = None,
        root: str | Path | None = None,
        max_graphs: int | None = None,
        **settings: Any,
    ) -> None:
        self.settings = make_settings(preset, settings)
        self.choice = choose(metrics)
        self.rules, self.root = dict(rules or {}), root
        seed = self.settings.seed
        self.source = as_source(reference, name, "reference", self.rules, root, max_graphs, seed)
        self.check = as_check(valid)
        self.encoder = None if encoder is None else check_encoder(encoder)
        self._references: dict[Columns, Reference] = {}
        self._known: Mapping[Columns, Mapping[str, Kept]] = {}

    def save(self, path: str | Path) -> None:
        """The reference and what was dear to compute of it, in a .safetensors file.

        The validity check and the encoder are stored by name only: `load` is given them again.
        """
        kept = {**self._known, **{columns: ref.kept() for columns, ref in self._references.items()}}
        saving.write(Path(path), Saved(self.source, self.settings, self.check.name, self.encoder_name, kept))

    @staticmethod
    def load(
        path: str | Path,
        *,
        metrics: str | Sequence[str] | None = None,
        valid: Any = None,
        encoder: Encoder | None = None,
        rules: Mapping[str, Any] | None = None,
        root: str | Path | None = None,
        preset: str | None = None,
        **settings: Any,
    ) -> Evaluator:
        """An evaluator from a file; it scores as the one that was saved.

        Raises
        ------
        FileNotFoundError
        GraphError : the file is damaged or no evaluator
        ValueError : settings, a check or an encoder that are not those it was saved with
        """
        saved = saving.read(path)
        if valid is None and saved.check in VALID:
            valid = saved.check
        of_preset = {} if preset is None else preset_values(preset)
        asked = {**saved.settings.to_params(), **of_preset, **settings}
        found = Evaluator(
            saved.source, metrics=metrics, valid=valid, encoder=encoder, rules=rules, root=root, **asked
        )
        was = {"valid": saved.check, "encoder": saved.encoder, **saved.settings.to_params()}
        now = {"valid": found.check.name, "encoder": found.encoder_name, **found.settings.to_params()}
        for name, value in was.items():
            if now[name] != value:
                raise ValueError(f"{path} was saved with {name}={value!r}, not {now[name]!r}")
        found._known = saved.kept
        return found

    @property
    def reference(self) -> GraphSet:
        """The reference graphs."""
        return self.source.graphs

    @property
    def encoder_name(self) -> str | None:
        """What rows call the encoder; None for random GINs."""
        return None if self.encoder is None else encoder_name(self.encoder)

    def score(
        self,
        generated: Any,
        *,
        name: str | None = None,
        metrics: str | Sequence[str] | None = None,
        max_graphs: int | None = None,
        half_of: int | None = None,
        tell: Callable[[str], None] = lambda text: None,
    ) -> Scores:
        """All metrics of one generated set.

        Parameters
        ----------
        generated : as for the reference
        name : what rows call it; by default the file's name, or "generated"
        metrics : in place of those of the evaluator
        max_graphs : at most so many of them, chosen at random
        half_of : take half-samples as large as those of a set of so many graphs, if that is fewer
        tell : is told what is being done

        Raises
        ------
        GraphError, ValueError
            An empty set; odd graphs (the graph is named); a metric that was asked for by name and cannot be
            computed. Metrics that were not named are left out with a notice instead.
        """
        choice = self.choice if metrics is None else choose(metrics)
        source = self._source(generated, name, max_graphs)
        columns, notices = shared_columns(self.reference, source.graphs, self.settings)
        reference = self._reference(columns)
        labels = reference.described.lens.labels
        called = "generated" if source.name == "generated" else f"generated ({source.name})"
        side = Side.of(source.graphs, labels, source.listed, called)
        found: dict[str, Found] = {}
        left_out: dict[str, list[str]] = {}
        for metric, result in reference.score(
            side, choice, half_of, lambda text: tell(f"{source.name}: {text}")
        ):
            if isinstance(result, str):
                left_out.setdefault(result, []).append(metric)
            else:
                found[metric] = result
        notices += labels.notices()
        notices += [f"left out: {', '.join(names)}: {why}" for why, names in left_out.items()]
        if source.listed > len(source.graphs):
            gone = source.listed - len(source.graphs)
            notices.append(
                f"{source.name}: {gone} of {source.listed} could not be read: "
                f"{', '.join(source.dropped)}{', …' * (gone > len(source.dropped))}"
            )
        if alone := dominated(found):
            notices.append(f"{source.name}: {alone}")
        for notice in notices:
            warnings.warn(notice, Notice, stacklevel=2)
        parts = reference.halves(len(source.graphs), half_of)
        rows = make_rows(self, source, columns, found, parts.size)
        return Scores(tuple(rows), {source.name: found}, {source.name: source.graphs}, tuple(notices))

    def compare(self, generated: Mapping[str, Any] | Sequence[Any], **options: Any) -> Scores:
        """Several generated sets, and their ranks over networks and half-samples.

        Half-samples are equally large for all of them, so that a rank is not one of sizes.

        Parameters
        ----------
        generated : name → set, or several sets or files; files of one name are called by their paths
        options : of `score`

        Raises
        ------
        ValueError : no set, or two of one name; what `score` raises
        """
        if isinstance(generated, str | Path | GraphSet):
            raise TypeError(
                f"compare takes several sets, got one {type(generated).__name__}; score takes one"
            )
        named = generated.items() if isinstance(generated, Mapping) else [(None, one) for one in generated]
        if not named:
            raise ValueError("there is no generated set to compare")
        most = options.pop("max_graphs", None)
        sources = distinct([(value, self._source(value, name, most)) for name, value in named])
        smallest = min(len(one.graphs) for one in sources)
        scores = [self.score(one, half_of=smallest, **options) for one in sources]
        found: dict[str, Mapping[str, Found]] = {}
        for one in scores:
            found |= one.found
        rows = [row for one in scores for row in one.rows]
        if len(found) > 1:
            rows += rank_rows(rows, found)
        graphs = {name: own for one in scores for name, own in one.graphs.items()}
        notices = dict.fromkeys(notice for one in scores for notice in one.notices)
        return Scores(tuple(rows), found, graphs, tuple(notices))

    def described(self, generated: GraphSet | None = None) -> Described:
        """The reference, or a generated set, as its metrics see it: views are computed when asked for.

        >>> Evaluator(GraphSet.from_edges([[(0, 1)], [(0, 1), (1, 2)]])).described()("degree").shape
        (2, 4)
        """
        graphs = self.reference if generated is None else generated
        reference = self._reference(shared_columns(self.reference, graphs, self.settings)[0])
        if generated is None:
            return reference.described
        lens = reference.described.lens
        return Described(Side.of(graphs, lens.labels, len(graphs), "generated"), lens)

    def _source(self, generated: Any, name: str | None, most: int | None) -> Source:
        seed = self.settings.seed
        return as_source(generated, name, "generated", self.rules, self.root, most, seed)

    def _reference(self, columns: Columns) -> Reference:
        """The reference as these columns show it."""
        if columns not in self._references:
            labels = Labels.of(self.reference, columns)
            lens = Lens(self.settings, labels, self.check, self.encoder)
            side = Side.of(self.reference, labels, self.source.listed, "reference")
            self._references[columns] = Reference(side, lens, self._known.get(columns))
        return self._references[columns]
