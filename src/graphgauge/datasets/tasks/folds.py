"""Folds: from files of numbers, and drawn with the classes in proportion."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch

from graphgauge.datasets.errors import DatasetError
from graphgauge.datasets.packing import Ints
from graphgauge.datasets.tasks.entry import fold_of
from graphgauge.graphs import Fold
from graphgauge.graphs.task import PARTS


def folds_from_files(files: Mapping[str, Path], folds: int, graphs: int) -> tuple[Fold, ...]:
    """Folds from a text file for each part: a line for each fold, numbers from 0 with commas between.

    Raises
    ------
    DatasetError
        for a wrong number of lines, a number out of range or one that a fold names twice.
    """
    lines = {part: _lines(files[part], folds) for part in PARTS}
    found = tuple(fold_of(*(lines[part][k] for part in PARTS)) for k in range(folds))
    for number, fold in enumerate(found):
        listed = torch.cat([fold[part] for part in PARTS])
        if (
            int(torch.bincount(listed.clamp(min=0)).max()) > 1
            or int(listed.max()) >= graphs
            or int(listed.min()) < 0
        ):
            raise DatasetError(
                f"{files['train'].parent}: fold {number} must name different graphs from 0 to {graphs - 1}"
            )
    return found


def _lines(path: Path, folds: int) -> list[Ints]:
    lines = path.read_text("utf-8").split()
    if len(lines) != folds:
        raise DatasetError(f"{path}: expected a line for each of {folds} folds, found {len(lines)}")
    try:
        return [np.array([int(number) for number in line.split(",")], np.int64) for line in lines]
    except ValueError as error:
        raise DatasetError(f"{path}: {error}") from error


def stratified_folds(rng: np.random.Generator, classes: Ints, folds: int) -> tuple[Fold, ...]:
    """Folds with test sets that partition the graphs, each class spread evenly over them.

    Every class is shuffled and dealt out to the folds in turn. Fold k is tested on what it was dealt,
    validated on what fold k + 1 was dealt (the last one: fold 0), trained on the rest.

    >>> fold = stratified_folds(np.random.default_rng(0), np.array([0, 0, 0, 1, 1, 1]), 3)[0]
    >>> [fold[part].numel() for part in ("train", "val", "test")]
    [2, 2, 2]
    """
    dealt = np.empty(classes.size, np.int64)
    for value in np.unique(classes):
        members = rng.permutation(np.flatnonzero(classes == value))
        dealt[members] = np.arange(members.size) % folds
    found = []
    for k in range(folds):
        test, val = dealt == k, dealt == (k + 1) % folds
        found.append(fold_of(*(np.flatnonzero(chosen) for chosen in (~test & ~val, val, test))))
    return tuple(found)


def restricted(folds: tuple[Fold, ...], chosen: Ints, graphs: int) -> tuple[Fold, ...]:
    """The same folds of some of the graphs, which are numbered anew in the order of `chosen`.

    >>> fold = Fold(torch.tensor([0, 3]), torch.tensor([1]), torch.tensor([2]))
    >>> restricted((fold,), np.array([1, 2, 3]), 4)[0].train.tolist()
    [2]
    """
    new = np.full(graphs, -1, np.int64)
    new[chosen] = np.arange(chosen.size)
    parts = [[new[fold[part].numpy()] for part in PARTS] for fold in folds]
    return tuple(fold_of(*(numbers[numbers >= 0] for numbers in fold)) for fold in parts)
