"""Predictions that need no learning: what a model has to beat.

Every function takes training targets, and of the items to predict no more than it names, and returns
predictions in the form that scores take: numbers for regression, classes for classification.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import torch
from torch import Tensor


def constant(train: Tensor, count: int, kind: Literal["mean", "median"] = "median") -> Tensor:
    """The mean or median of the training targets, for everything.

    The median has the least mean absolute error of all constants, the mean the least squared error. Of an
    even number of targets the median is the mean of the two in the middle.

    Parameters
    ----------
    train : (n,) or (n, k) numbers; k of them are predicted one by one
    count : items to predict

    Returns
    -------
    (count,) or (count, k)

    Raises
    ------
    ValueError
        without training targets, or for another kind.

    >>> train = torch.tensor([1.0, 2.0, 6.0])
    >>> constant(train, 2).tolist(), constant(train, 1, "mean").tolist()
    ([2.0, 2.0], [3.0])
    """
    _require(train)
    if kind not in ("mean", "median"):
        raise ValueError(f"a constant is the mean or the median, not {kind!r}")
    values = train.double()
    found = values.mean(0) if kind == "mean" else values.quantile(0.5, dim=0)
    return found.to(train.dtype if train.is_floating_point() else torch.float32).expand(
        count, *train.shape[1:]
    )


def majority(train: Tensor, count: int) -> Tensor:
    """The most frequent class of the training targets, for everything; of equals the smallest.

    Parameters
    ----------
    train : (n,) classes from 0
    count : items to predict

    >>> majority(torch.tensor([2, 0, 2, 1]), 3).tolist()
    [2, 2, 2]
    """
    _require(train)
    return torch.full((count,), int(torch.bincount(train).argmax()), device=train.device)


def mean_by_group(train: Tensor, group: Tensor, wanted: Tensor) -> Tensor:
    """The mean training target of an item's group (a degree, a type of node); of all where it is new.

    Parameters
    ----------
    train : (n,) or (n, k) numbers
    group : (n,) whole numbers from 0
    wanted : (m,) groups of the items to predict

    Returns
    -------
    (m,) or (m, k), of the type of `train` if it holds floats, else float32

    >>> train, group = torch.tensor([1.0, 3.0, 8.0]), torch.tensor([0, 0, 1])
    >>> mean_by_group(train, group, torch.tensor([0, 1, 7])).tolist()
    [2.0, 8.0, 4.0]
    """
    _require(train)
    size = _groups(train, group, wanted)
    values = train.double()
    count = torch.bincount(group, minlength=size)
    sums = values.new_zeros((size, *train.shape[1:])).index_add_(0, group, values)
    shape = (-1, *(1 for _ in train.shape[1:]))
    means = torch.where(
        (count > 0).reshape(shape), sums / count.clamp(min=1).reshape(shape), values.mean(0, keepdim=True)
    )
    return means[wanted].to(train.dtype if train.is_floating_point() else torch.float32)


def majority_by_group(train: Tensor, group: Tensor, wanted: Tensor) -> Tensor:
    """The most frequent training class of an item's group (a degree, a type of node); of all where it is new.

    Of equals the smallest class.

    Parameters
    ----------
    train : (n,) classes from 0
    group : (n,) whole numbers from 0
    wanted : (m,) groups of the items to predict

    >>> majority_by_group(torch.tensor([1, 1, 0]), torch.tensor([0, 0, 2]), torch.tensor([2, 0, 9])).tolist()
    [0, 1, 1]
    """
    _require(train)
    size, classes = _groups(train, group, wanted), int(train.max()) + 1
    count = torch.bincount(group * classes + train, minlength=size * classes).reshape(size, classes)
    best = count.argmax(1)
    best[count.sum(1) == 0] = int(torch.bincount(train).argmax())
    return best[wanted]


def nearest_rank(edge_index: Tensor, length: Tensor, nodes: int) -> Tensor:
    """Of every edge, how many edges of its source are shorter, (E,) int64; 0 is the nearest neighbour's.

    Edges of equal length keep their order.

    Parameters
    ----------
    edge_index : (2, E)
    length : (E,)
    nodes : N

    >>> nearest_rank(torch.tensor([[0, 0, 1], [1, 2, 0]]), torch.tensor([3.0, 1.0, 3.0]), 3).tolist()
    [1, 0, 0]
    """
    source = edge_index[0]
    by_length = torch.argsort(length, stable=True)
    order = by_length[torch.argsort(source[by_length], stable=True)]
    degree = torch.bincount(source, minlength=nodes)
    first = torch.cumsum(degree, 0) - degree
    rank = torch.empty_like(order)
    rank[order] = torch.arange(order.numel(), device=order.device) - first[source[order]]
    return rank


def nearest_neighbours(edge_index: Tensor, length: Tensor, nodes: int, k: int) -> Tensor:
    """Edges to the k nearest neighbours of their source: (E,) 0 or 1. The heuristic of the benchmark's paper.

    >>> two_way = torch.tensor([[0, 1, 0, 2], [1, 0, 2, 0]])
    >>> nearest_neighbours(two_way, torch.tensor([1.0, 1.0, 2.0, 2.0]), 3, 1).tolist()
    [1, 1, 0, 1]
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    return (nearest_rank(edge_index, length, nodes) < k).long()


def mutual_neighbours(edge_index: Tensor, length: Tensor, nodes: int, k: int) -> Tensor:
    """Edges between nodes of which each is among the k nearest of the other: (E,) 0 or 1.

    An edge whose reverse is not in the graph is 0: the source is none of its target's neighbours.

    >>> two_way = torch.tensor([[0, 1, 0, 2], [1, 0, 2, 0]])
    >>> mutual_neighbours(two_way, torch.tensor([1.0, 1.0, 2.0, 2.0]), 3, 1).tolist()
    [1, 1, 0, 0]
    """
    near = nearest_neighbours(edge_index, length, nodes, k) > 0
    code = edge_index[0] * nodes + edge_index[1]
    back = edge_index[1] * nodes + edge_index[0]
    return (near & torch.isin(back, code[near])).long()


def best_neighbours(
    edge_index: Tensor,
    length: Tensor,
    nodes: int,
    y: Tensor,
    tried: Sequence[int] = range(1, 11),
    rule: Callable[[Tensor, Tensor, int, int], Tensor] = mutual_neighbours,
) -> int:
    """The k of a rule with the best F1 of class 1 on training edges; of equals the smallest.

    Parameters
    ----------
    y : (E,) 0 or 1
    tried : values of k
    rule : `mutual_neighbours`, which is best at k = 3 on tours of random points, or `nearest_neighbours`,
        which is best at k = 2, as the benchmark's paper has it
    """
    _require(y)
    scores = {k: _f1(rule(edge_index, length, nodes, k), y) for k in tried}
    return max(scores, key=lambda k: (scores[k], -k))


def _f1(predicted: Tensor, y: Tensor) -> float:
    right = int(((predicted == 1) & (y == 1)).sum())
    return 2 * right / max(int((predicted == 1).sum()) + int((y == 1).sum()), 1)


def _require(train: Tensor) -> None:
    if train.shape[0] == 0:
        raise ValueError("a baseline needs at least one training target")


def _groups(train: Tensor, group: Tensor, wanted: Tensor) -> int:
    """One more than the largest group, if groups are what they must be."""
    if group.shape != train.shape[:1]:
        raise ValueError(f"{train.shape[0]} training targets, but groups of shape {tuple(group.shape)}")
    smallest = min((int(g.min()) for g in (group, wanted) if g.numel()), default=0)
    if smallest < 0:
        raise ValueError(f"groups must be numbered from 0, one is {smallest}")
    return max(int(g.max()) for g in (group, wanted) if g.numel()) + 1
