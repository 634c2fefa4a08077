"""Graphs from whatever holds them: a file, or the objects of another library as they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from graphgauge.graphs import file_smiles, files
from graphgauge.graphs.convert_rdkit import check_choice, molecules_of
from graphgauge.graphs.convert_smiles import parsed
from graphgauge.graphs.errors import GraphError
from graphgauge.graphs.graphset import GraphSet
from graphgauge.graphs.pack import Rules

SHOWN = 5  # entries that could not be read and are kept for messages

Invalid = Literal["error", "drop"]


@dataclass(frozen=True)
class Source:
    """Graphs, what they are called, and how many were given.

    Parameters
    ----------
    graphs : all graphs that could be read, in order
    name : the name of the file without its ending, or "generated"
    listed : entries given; ``listed - len(graphs)`` could not be read at all
    dropped : the first few of those, as text
    """

    graphs: GraphSet
    name: str
    listed: int
    dropped: tuple[str, ...] = ()


def source(value: Any, *, name: str | None = None, invalid: Invalid = "drop", **options: Any) -> Source:
    """Graphs from a file or from objects in memory; the first object decides how all are read.

    What could not be read at all is counted and not warned of: a text that is no SMILES and an entry None
    beside SMILES or molecules. Everything else that is odd is an error or falls under the rules.

    Parameters
    ----------
    value : a `GraphSet`; the path of a file that `graphgauge.graphs.files.read` knows, or of a .txt file with
        one SMILES a line; one or several networkx graphs, PyG `Data`, adjacency matrices (NumPy, torch,
        SciPy sparse) or RDKit molecules; a PyG `Batch` or data set; several SMILES; several `GraphSet` s
    name : what the source is called; None takes the name of the file, or "generated"
    invalid : what to do with entries that cannot be read: "drop" counts them, "error" raises at the first
    options : what the converter or reader takes: `graphgauge.graphs.pack.Rules`, ``attributes``,
        ``weighted``, ``format``, … The rules are for input that can be odd: a `GraphSet`, a .safetensors file
        and molecules have been through a gate of their own, and are taken as they are

    Raises
    ------
    GraphError naming the position and the type of an entry that is no graph, or is another kind of graph than
    the first; FileNotFoundError; TypeError where `value` is nothing of the above

    >>> import networkx as nx
    >>> source([nx.path_graph(3)] * 2).graphs.num_nodes
    6
    >>> found = source(["CCO", "C1CC", "N"])
    >>> found.listed, len(found.graphs), found.dropped
    (3, 2, ("graph 1: 'C1CC'",))
    """
    check_choice(invalid)
    if isinstance(value, str | Path):
        return _from_file(Path(value), name, invalid, options)
    called = "generated" if name is None else name
    if isinstance(value, GraphSet):
        _refuse_options(options, "a GraphSet")
        return Source(value, called, len(value))
    listed = [value] if _kind(value) else _entries(value)
    kind = _one_kind(listed)
    graphs, gone = _READERS[kind](listed, invalid, options)
    total = len(graphs) + len(gone)
    return Source(graphs, called, total, _shown(gone, [str(listed[g]) for g in gone[:SHOWN]]))


# ── files ──────────────────────────────────────────────────────────────────────────────────────────────────


def _from_file(path: Path, name: str | None, invalid: Invalid, options: dict[str, Any]) -> Source:
    if not path.exists():
        raise FileNotFoundError(f"there is no file {str(path)!r}; one SMILES goes into a list")
    options = dict(options)
    form = options.pop("format", None)
    if form is None and path.suffix.lower() == ".txt":
        form = "smiles"
    called = _stem(path) if name is None else name
    reader = files.reader(path, form)
    texts_of = _TEXTS.get(reader)
    if texts_of is None:
        if reader is files.READERS[".safetensors"]:
            options = _without_rules(options)
        graphs = files.read(path, format=form, **options)
        return Source(graphs, called, len(graphs))
    options = _without_rules(options)
    kekulise = options.pop("kekulise", False)
    try:
        texts, columns = texts_of(path, **options)
        graphs, gone = parsed(texts, kekulise=kekulise, invalid=invalid, graph=columns)
    except GraphError as error:
        raise GraphError(f"{path}: {error}") from error
    return Source(graphs, called, len(texts), _shown(gone, [texts[g] for g in gone[:SHOWN]]))


_TEXTS: dict[Callable[..., GraphSet], Callable[..., tuple[list[str], Any]]] = {
    file_smiles.read_smi: file_smiles.smi_texts,
    file_smiles.read_csv: file_smiles.csv_texts,
}


def _stem(path: Path) -> str:
    name = path.name
    endings = sorted([*files.READERS, *files.PICKLE_ENDINGS, ".txt"], key=len, reverse=True)
    ending = next((e for e in endings if name.lower().endswith(e) and len(name) > len(e)), "")
    return name[: len(name) - len(ending)] if ending else path.stem


# ── objects ────────────────────────────────────────────────────────────────────────────────────────────────


def _kind(item: Any) -> str | None:
    """What kind of graph an object is, by the libraries and names of its classes; nothing is imported."""
    if isinstance(item, str):
        return "smiles"
    if isinstance(item, GraphSet):
        return "sets"
    homes = {(base.__module__.partition(".")[0], base.__name__) for base in type(item).__mro__}
    libraries = {library for library, _ in homes}
    if "networkx" in libraries and hasattr(item, "adj"):
        return "networkx"
    if ("torch_geometric", "BaseData") in homes:
        return "batches" if getattr(item, "ptr", None) is not None else "pyg"
    if ("rdkit", "Mol") in homes:
        return "rdkit"
    if libraries & {"numpy", "torch", "scipy"} and getattr(item, "ndim", 0) == 2:
        return "adjacency"
    return None


def _entries(value: Any) -> list[Any]:
    """The objects of a list, a generator or a data set."""
    sequence = hasattr(value, "__len__") and hasattr(value, "__getitem__")  # torch's data sets are no more
    if not isinstance(value, Iterable) and not sequence:
        raise TypeError(f"a {_type(value)} is neither a graph, nor several graphs, nor a file")
    if isinstance(value, Mapping | bytes | bytearray) or getattr(value, "ndim", 1) in (0, 2):
        raise TypeError(
            f"a {_type(value)} does not say which of its entries are graphs; give a list of graphs"
        )
    return list(value)


def _one_kind(listed: list[Any]) -> str:
    """The kind of all entries; None may stand beside SMILES and molecules."""
    if not listed:
        raise GraphError("no graphs were given, so it is unknown what they are; give an empty GraphSet")
    first = next((g for g, item in enumerate(listed) if item is not None), None)
    if first is None:
        raise GraphError(f"all {len(listed)} entries are None, so it is unknown what they are")
    kind = _kind(listed[first])
    if kind is None:
        hint = (
            "; edge lists go through GraphSet.from_edges" if isinstance(listed[first], list | tuple) else ""
        )
        raise GraphError(f"entry {first} is a {_type(listed[first])}, which is no known kind of graph{hint}")
    for g, item in enumerate(listed):
        if item is None and kind in ("smiles", "rdkit"):
            continue
        if _kind(item) != kind:
            raise GraphError(
                f"entry {g} is a {_type(item)}, entry {first} a {_type(listed[first])}; "
                "a source has graphs of one kind"
            )
    return kind


Read = tuple[GraphSet, list[int]]  # the set, and the places of entries that are not in it


def _from_smiles(listed: list[Any], invalid: Invalid, options: dict[str, Any]) -> Read:
    return parsed(listed, invalid=invalid, **_without_rules(options))


def _from_rdkit(listed: list[Any], invalid: Invalid, options: dict[str, Any]) -> Read:
    return molecules_of(listed, invalid=invalid, **_without_rules(options))


def _from_sets(listed: list[Any], invalid: Invalid, options: dict[str, Any]) -> Read:
    _refuse_options(options, "a GraphSet")
    return GraphSet.concat(listed), []


def _from_batches(listed: list[Any], invalid: Invalid, options: dict[str, Any]) -> Read:
    return GraphSet.concat([GraphSet.from_pyg(batch, **options) for batch in listed]), []


def _by(converter: Callable[..., GraphSet]) -> Callable[[list[Any], Invalid, dict[str, Any]], Read]:
    """A converter of objects of which none can be unreadable."""
    return lambda listed, invalid, options: (converter(listed, **options), [])


_READERS: dict[str, Callable[[list[Any], Invalid, dict[str, Any]], Read]] = {
    "networkx": _by(GraphSet.from_networkx),
    "pyg": _by(GraphSet.from_pyg),
    "adjacency": _by(GraphSet.from_adjacency),
    "batches": _from_batches,
    "sets": _from_sets,
    "smiles": _from_smiles,
    "rdkit": _from_rdkit,
}


def _shown(places: list[int], texts: list[str]) -> tuple[str, ...]:
    return tuple(f"graph {g}: {text!r}" for g, text in zip(places[:SHOWN], texts, strict=True))


def _type(value: Any) -> str:
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def _without_rules(options: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in options.items() if key not in Rules.__annotations__}


def _refuse_options(options: dict[str, Any], what: str) -> None:
    left = sorted(_without_rules(options))
    if left:
        raise TypeError(f"{what} is taken as it is, without {left}")
