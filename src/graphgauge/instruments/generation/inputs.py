"""Reference and generated graphs from whatever the user has: see `graphgauge.graphs.sources`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from graphgauge import datasets
from graphgauge.graphs import GraphError
from graphgauge.graphs.sources import Source, source
from graphgauge.instruments.generation.saving import is_saved

# Messages of converters and readers offer "keep" too, which helps few metrics.
_KEEP, _KEPT = '"keep"', ' (most metrics refuse what "keep" keeps)'


def as_source(
    value: Any,
    name: str | None,
    side: str,
    rules: Mapping[str, Any],
    root: str | Path | None = None,
    most: int | None = None,
    seed: int = 0,
) -> Source:
    """Graphs and their name; an error says which side it is about.

    Parameters
    ----------
    value : a file, a dataset as "name" or "name:split", or objects that `source` reads
    name : in place of the file's or dataset's
    side : "reference" or "generated", for messages and as the name of objects that have none
    most, seed : a random choice of at most so many graphs
    """
    if most is not None and (not isinstance(most, int) or isinstance(most, bool) or most < 1):
        raise ValueError(f"max_graphs must be a whole number of at least 1, got {most!r}")
    called = name if name is not None or isinstance(value, str | Path | Source) else side
    try:
        found = _read(value, rules, root, most, seed)
    except GraphError as error:
        raise GraphError(f"{side}: {error}{_KEPT if _KEEP in str(error) else ''}") from error
    if called is not None:
        found = replace(found, name=called)
    if not len(found.graphs):
        readable = f", none of {found.listed} could be read" if found.listed else ""
        raise GraphError(f"{side}: {found.name} holds no graphs{readable}")
    return _some_of(found, most, seed)


def _read(
    value: Any, rules: Mapping[str, Any], root: str | Path | None, most: int | None, seed: int
) -> Source:
    if isinstance(value, Source):
        return value
    if isinstance(value, str | Path) and is_saved(value):
        raise GraphError(f"{value} is a saved evaluator, a reference for Evaluator.load, and no graph set")
    if _is_dataset(value):
        return _dataset(value, root, most, seed)
    if isinstance(value, str) and _is_bare(value) and not Path(value).exists():
        raise FileNotFoundError(_no_such(value))
    return source(value, **rules)


def _is_bare(name: str) -> bool:
    """Whether a text could be the name of a dataset: no folder, no ending."""
    return Path(name).name == name and not Path(name).suffix


def _no_such(name: str) -> str:
    """Says what a text that names nothing may have been meant to be."""
    close = get_close_matches(name.partition(":")[0], datasets.DATASETS, n=1)
    meant = "".join(f"; did you mean {one!r}?" for one in close)
    return (
        f"there is no file and no dataset {name!r}{meant} (datasets: {', '.join(datasets.DATASETS)}; one "
        "SMILES goes into a list)"
    )


def distinct(given: Sequence[tuple[Any, Source]]) -> list[Source]:
    """The sources of some values, with names of their own: files that share a name are called by their paths.

    Raises
    ------
    ValueError : two that have one name nevertheless
    """
    times = Counter(found.name for _, found in given)
    sources = [
        replace(found, name=str(value)) if times[found.name] > 1 and _is_file(value, found) else found
        for value, found in given
    ]
    for name, count in Counter(found.name for found in sources).items():
        if count > 1:
            raise ValueError(f"two generated sets are called {name!r}; give them names")
    return sources


def _is_file(value: Any, found: Source) -> bool:
    """Whether the source has its name from a file."""
    return isinstance(value, str | Path) and Path(value).name.startswith(found.name)


def _is_dataset(value: Any) -> bool:
    """Whether a text names a dataset; a file of that name goes first."""
    return (
        isinstance(value, str) and value.partition(":")[0] in datasets.DATASETS and not Path(value).exists()
    )


def _dataset(value: str, root: str | Path | None, most: int | None, seed: int) -> Source:
    name, _, split = value.partition(":")
    graphs = datasets.load(name, split or None, root=root, at_most=most, choice=seed)
    return Source(graphs, value, len(graphs))


def _some_of(given: Source, most: int | None, seed: int) -> Source:
    """At most so many graphs, chosen at random, in their order; unreadable ones shrink alike."""
    total = len(given.graphs)
    if most is None or total <= most:
        return given
    chosen = np.sort(np.random.default_rng([seed, 2]).choice(total, most, replace=False))
    listed = round(given.listed * most / total)
    return replace(given, graphs=given.graphs[chosen], listed=max(listed, most))
