"""Regression of a number of a molecule: what ZINC and AQSOL have in common."""

from __future__ import annotations

from graphgauge.datasets.table import answering, load, lookup
from graphgauge.datasets.tasks.entry import Request, consecutive
from graphgauge.graphs import Feature, GraphSet, Task
from graphgauge.graphs.task import PARTS


def molecules(name: str, request: Request, atoms: int, bonds: int, notes: dict[str, str]) -> Task:
    """The task of a stored set of molecules with types of atoms and bonds.

    Parameters
    ----------
    name : of the data set
    atoms, bonds : sizes of the vocabularies
    notes : what is to be said where a split of this name is used
    """
    entry = lookup(name)
    parts, said = [], []
    for part in PARTS:
        split = answering(entry, part, request.root)
        at_most = None if request.whole else request.sizes[part]
        graphs = load(name, split, root=request.root, at_most=at_most, choice=request.seed)
        parts.append(_plain(graphs))
        said += [notes[split]] if split in notes else []
    sizes = {part: len(graphs) for part, graphs in zip(PARTS, parts, strict=True)}
    return Task(
        name,
        GraphSet.concat(parts),
        {"graph": 1},
        node=Feature("x", "category", atoms),
        edge=Feature("edge_attr", "category", bonds),
        folds=(consecutive(sizes),),
        loss="l1",
        score="mae",
        notes=tuple(said),
    )


def _plain(graphs: GraphSet) -> GraphSet:
    """One column of types of nodes and of edges, and the target as the 32-bit number that nets predict."""
    return GraphSet(
        node_ptr=graphs.node_ptr,
        edge_index=graphs.edge_index,
        edge_ptr=graphs.edge_ptr,
        node={"x": graphs.node["x"].reshape(-1)},
        edge={"edge_attr": graphs.edge["edge_attr"].reshape(-1)},
        graph={"y": graphs.graph["y"].reshape(-1).float()},
    )
