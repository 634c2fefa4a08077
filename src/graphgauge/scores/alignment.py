"""Scores of a predicted node matching (paper A, sections 3 and 5, and what decides if they mean anything).

All node ids are global. `predicted` and `truth` (N,) give the right node of every left node; `classes` (N,)
gives a class number to every *left* node, equal inside one graph for nodes that cannot be told apart:
automorphism orbits, or 1-WL colours. Every score is a value a graph: (G,), in [0, 1], higher is better; a
graph without nodes gets NaN and is left out of means.
"""

from __future__ import annotations

import torch
from torch import Tensor

from graphgauge.graphs.segments import segment_ids, segment_sum


def mean_per_graph(values: Tensor, node_ptr: Tensor) -> Tensor:
    """Mean of node values (N,) over each graph: (G,) float64; NaN for a graph without nodes.

    >>> mean_per_graph(torch.tensor([1.0, 0.0, 1.0]), torch.tensor([0, 2, 3])).tolist()
    [0.5, 1.0]
    """
    return segment_sum(values.to(torch.float64), node_ptr) / node_ptr.diff()


def accuracy(predicted: Tensor, truth: Tensor, node_ptr: Tensor) -> Tensor:
    """Share of nodes that are matched to their planted partner, each graph: (G,).

    This is the paper's accuracy. Its ceiling is the number of automorphism orbits over the number of nodes
    (`class_ceiling`), since equivalent nodes are matched at random.

    >>> accuracy(torch.tensor([1, 0, 2]), torch.tensor([1, 2, 0]), torch.tensor([0, 3])).tolist()
    [0.3333333333333333]
    """
    return mean_per_graph(predicted == truth, node_ptr)


def accuracy_up_to_automorphism(
    predicted: Tensor, truth: Tensor, classes: Tensor, node_ptr: Tensor
) -> Tensor:
    """Share of nodes matched to the partner of a node in their own class, each graph: (G,).

    For left node i matched to right node r, the left node whose planted partner is r must be of i's class.
    1 is reachable in the absence of noise, whatever the symmetry.

    >>> path = torch.tensor([0, 1, 0])  # the ends of a path are equivalent
    >>> planted = torch.tensor([0, 1, 2])
    >>> accuracy_up_to_automorphism(torch.tensor([2, 1, 0]), planted, path, torch.tensor([0, 3])).tolist()
    [1.0]
    """
    return mean_per_graph(_same_class(predicted, truth, classes, node_ptr), node_ptr)


def accuracy_expected(predicted: Tensor, truth: Tensor, classes: Tensor, node_ptr: Tensor) -> Tensor:
    """Accuracy averaged over how equivalent nodes could have been told apart, each graph: (G,).

    A node counts 1 / |class| where it is matched to the partner of a node of its class, else 0. An
    equivariant model gives all nodes of an orbit one embedding, so that any exchange of their partners is
    equally good: this is the expectation of `accuracy` over these ties, with less noise.

    >>> path = torch.tensor([0, 1, 0])
    >>> planted = torch.tensor([0, 1, 2])
    >>> accuracy_expected(torch.tensor([2, 1, 0]), planted, path, torch.tensor([0, 3])).tolist()
    [0.6666666666666666]
    """
    same = _same_class(predicted, truth, classes, node_ptr)
    return mean_per_graph(same / _class_size(classes, node_ptr), node_ptr)


def class_ceiling(classes: Tensor, node_ptr: Tensor) -> Tensor:
    """Highest expected accuracy of a method that cannot tell nodes of one class apart, each graph: (G,).

    Number of classes / number of nodes. With automorphism orbits it binds every equivariant method, with
    1-WL colours every message-passing network; noise can only lower it.

    >>> class_ceiling(torch.tensor([0, 1, 0]), torch.tensor([0, 3])).tolist()
    [0.6666666666666666]
    """
    return mean_per_graph(1.0 / _class_size(classes, node_ptr), node_ptr)


def rank_of_truth(similarity: Tensor, truth: Tensor) -> tuple[Tensor, Tensor]:
    """Entries of each row that are larger than the true one, and that equal it (itself included): (n,) each.

    Parameters
    ----------
    similarity : (…, n, m)
    truth : (…, n) int64, true column of each row
    """
    true_value = similarity.gather(-1, truth.unsqueeze(-1))
    return (similarity > true_value).sum(-1), (similarity == true_value).sum(-1)


def hits_at(rank: tuple[Tensor, Tensor], k: int) -> Tensor:
    """Chance that the true column is among the k largest of each row: (n,), float64.

    Hits@k row by row, without a one-to-one constraint. Ties count in expectation: with g larger and t equal
    entries the value is (k − g) / t, kept inside [0, 1].

    Parameters
    ----------
    rank : g and t of each row, as `rank_of_truth` gives them
    k : at least 1

    >>> hits_at(rank_of_truth(torch.tensor([[0.0, 0.0], [1.0, 2.0]]), torch.tensor([0, 1])), 1).tolist()
    [0.5, 1.0]
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    larger, tied = rank
    return ((k - larger) / tied.to(torch.float64)).clamp(0.0, 1.0)


def shared_edges(left_edges: Tensor, right_edges: Tensor, predicted: Tensor, left_ptr: Tensor) -> Tensor:
    """Number of undirected edges that a matching lays on each other, each graph: (G,) float64.

    Σ_{i<j} A[i,j] Ã[π(i),π(j)] (paper A, equation 1, counted once an edge).

    Parameters
    ----------
    left_edges, right_edges : (2, E) ordered edges, both ways, global ids
    predicted : (N,) right node of every left node
    left_ptr : (G+1,) edge offsets of the left graphs

    >>> path = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    >>> shared_edges(path, path, torch.tensor([2, 1, 0]), torch.tensor([0, 4])).tolist()
    [2.0]
    """
    n = max(predicted.numel(), 1)
    wanted = predicted[left_edges[0]] * n + predicted[left_edges[1]]
    present = torch.isin(wanted, right_edges[0] * n + right_edges[1])
    return segment_sum(present.to(torch.float64), left_ptr) / 2


def _same_class(predicted: Tensor, truth: Tensor, classes: Tensor, node_ptr: Tensor) -> Tensor:
    origin = torch.empty_like(truth)
    origin[truth] = torch.arange(truth.numel(), device=truth.device)
    graph = segment_ids(node_ptr)
    other = origin[predicted]
    return (classes[other] == classes) & (graph[other] == graph)


def _class_size(classes: Tensor, node_ptr: Tensor) -> Tensor:
    """Number of nodes of the same graph and class, each node: (N,)."""
    _, compact = torch.unique(classes, return_inverse=True)
    key = segment_ids(node_ptr) * (int(compact.max()) + 1 if compact.numel() else 1) + compact
    _, inverse, counts = torch.unique(key, return_inverse=True, return_counts=True)
    size: Tensor = counts[inverse]
    return size.to(torch.float64)
