"""What a model is fed, and what its answers are held against: one way for each thing that a task splits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor, nn

from graphgauge.graphs import GraphSet, Task
from graphgauge.graphs.quotient import Histories
from graphgauge.graphs.rounds import Rounds
from graphgauge.scores import SCORES, hits_at_of_links, link_bce, loss_of

Levels = Mapping[str, Tensor]
# Changes a training batch, such as signs of eigenvectors; given the batch and a random generator.
Vary = Callable[[GraphSet, torch.Generator], GraphSet]


@dataclass(frozen=True)
class Judged:
    """Loss and score of a whole part, and how many items they are of."""

    loss: float
    score: float
    n: int
    details: Mapping[str, float]


class Feed(Protocol):
    """Batches of the training part, the loss of one, and judgement of a whole part."""

    def batches(self, epoch: int) -> Iterator[Any]: ...

    def loss(self, net: nn.Module, batch: Any) -> Tensor: ...

    def judge(self, net: nn.Module, part: str) -> Judged: ...


Batch = tuple[GraphSet, Rounds | None]


@dataclass(frozen=True)
class GraphFeed:
    """A task whose graphs are split: batches of graphs in an order drawn for every epoch.

    Parameters
    ----------
    task, fold : what is split how
    batch_size : graphs in a batch
    seed : of the order and of `vary`
    vary : applied to training batches
    histories : of the task's nodes: rows of equal history are computed once
    """

    task: Task
    fold: int
    batch_size: int
    seed: int
    device: str = "cpu"
    vary: Vary | None = None
    histories: Histories | None = None

    def batches(self, epoch: int) -> Iterator[Batch]:
        numbers = self.task.folds[self.fold].train
        order = np.random.default_rng([self.seed, epoch]).permutation(len(numbers))
        generator = torch.Generator().manual_seed(self.seed * 1_000_003 + epoch)
        for first in range(0, len(order), self.batch_size):
            chosen = numbers[torch.from_numpy(order[first : first + self.batch_size])]
            yield self._batch(chosen, generator)

    def loss(self, net: nn.Module, batch: Batch) -> Tensor:
        graphs, rounds = batch
        return loss_of(self.task.loss, answered(net, graphs, rounds), targets_of(self.task, graphs))

    def judge(self, net: nn.Module, part: str) -> Judged:
        numbers = self.task.folds[self.fold][part]
        said: list[Levels] = []
        true: list[Levels] = []
        for first in range(0, len(numbers), self.batch_size):
            graphs, rounds = self._batch(numbers[first : first + self.batch_size], None)
            said.append(answered(net, graphs, rounds))
            true.append(targets_of(self.task, graphs))
        return judged(self.task, joined(said), joined(true))

    def _batch(self, numbers: Tensor, generator: torch.Generator | None) -> Batch:
        if self.histories is not None:
            rounds = self.histories.batch(numbers)
            return rounds.graphs, rounds
        graphs = self.task.graphs[numbers]
        if self.vary is not None and generator is not None:
            graphs = self.vary(graphs, generator)
        return graphs.to(self.device), None


@dataclass(frozen=True)
class NodeFeed:
    """A task of one graph whose nodes are split: the whole graph is a batch, training nodes have the loss."""

    task: Task
    fold: int
    seed: int
    device: str = "cpu"
    vary: Vary | None = None

    def batches(self, epoch: int) -> Iterator[GraphSet]:
        generator = torch.Generator().manual_seed(self.seed * 1_000_003 + epoch)
        graphs = self.task.graphs if self.vary is None else self.vary(self.task.graphs, generator)
        yield graphs.to(self.device)

    def loss(self, net: nn.Module, batch: GraphSet) -> Tensor:
        return loss_of(self.task.loss, *self._part(net, batch, "train"))

    def judge(self, net: nn.Module, part: str) -> Judged:
        said, true = self._part(net, self.task.graphs.to(self.device), part)
        return judged(self.task, said, true)

    def _part(self, net: nn.Module, graphs: GraphSet, part: str) -> tuple[Levels, Levels]:
        nodes = self.task.folds[self.fold][part].to(self.device)
        said = {level: rows[nodes] for level, rows in net(graphs).items()}
        return said, {level: values[nodes] for level, values in targets_of(self.task, graphs).items()}


@dataclass(frozen=True)
class LinkFeed:
    """Link prediction: every step passes over the whole graph and scores a batch of links and random pairs.

    Parameters
    ----------
    batch_size : training links in a step; as many random pairs are drawn beside them
    val_links_at_test : lay the validation links into the graph when the test part is judged
    """

    task: Task
    batch_size: int
    seed: int
    device: str = "cpu"
    val_links_at_test: bool = False

    def batches(self, epoch: int) -> Iterator[tuple[Tensor, Tensor]]:
        links = self.task.links["train"].positive
        rng = np.random.default_rng([self.seed, epoch])
        order = rng.permutation(len(links))
        nodes = self.task.graphs.num_nodes
        for first in range(0, len(order), self.batch_size):
            chosen = links[torch.from_numpy(order[first : first + self.batch_size])]
            drawn = torch.from_numpy(rng.integers(0, nodes, size=(len(chosen), 2)))
            yield chosen.to(self.device), drawn.to(self.device)

    def loss(self, net: Any, batch: tuple[Tensor, Tensor]) -> Tensor:
        states = net.states(self.task.graphs.to(self.device))
        positive, negative = (net.pair_scores(states, pairs) for pairs in batch)
        return link_bce(positive, negative)

    def judge(self, net: Any, part: str) -> Judged:
        """Hits@50; the training part is held against the negatives of validation, as published."""
        links = self.task.links[part]
        negative = links.negative if links.negative is not None else self.task.links["val"].negative
        assert negative is not None
        states = net.states(self._graph(part))
        positive = self._scores(net, states, links.positive)
        others = self._scores(net, states, negative)
        hits = {f"hits@{k}": hits_at_of_links(positive, others, k) for k in (10, 50, 100)}
        return Judged(float(link_bce(positive, others)), hits["hits@50"], len(positive), hits)

    def _graph(self, part: str) -> GraphSet:
        graphs = self.task.graphs
        if part == "test" and self.val_links_at_test:
            graphs = with_links(graphs, self.task.links["val"].positive)
        return graphs.to(self.device)

    def _scores(self, net: Any, states: Tensor, pairs: Tensor) -> Tensor:
        parts = [
            net.pair_scores(states, pairs[i : i + self.batch_size].to(self.device))
            for i in range(0, len(pairs), self.batch_size)
        ]
        return torch.cat(parts)


def with_links(graphs: GraphSet, links: Tensor) -> GraphSet:
    """One graph with further links, both ways; edge columns of the new ones are 1.

    >>> one = GraphSet.from_edges([[(0, 1)]], num_nodes=[3])
    >>> with_links(one, torch.tensor([[1, 2]])).num_edges
    4
    """
    both = torch.cat([links.T, links.T.flip(0)], dim=1).to(graphs.device)
    edge_index = torch.cat([graphs.edge_index, both], dim=1)
    columns = {
        name: torch.cat([values, values.new_ones((both.shape[1], *values.shape[1:]))])
        for name, values in graphs.edge.items()
    }
    edge_ptr = graphs.edge_ptr.clone()
    edge_ptr[-1] = edge_index.shape[1]
    return GraphSet(
        graphs.node_ptr, edge_index, edge_ptr, graphs.node, columns, graphs.graph, graphs.directed
    )


def answered(net: nn.Module, graphs: GraphSet, rounds: Rounds | None) -> Levels:
    """What a net says of some graphs, checked to be answers by level."""
    said = net(graphs) if rounds is None else net(graphs, rounds)
    if not isinstance(said, Mapping):
        raise TypeError(f"a net answers with a dict from level to predictions, not a {type(said).__name__}")
    return said


def targets_of(task: Task, graphs: GraphSet) -> dict[str, Tensor]:
    """The targets that some graphs of a task carry."""
    return {level: getattr(graphs, level)["y"] for level in task.outputs if level != "link"}


def joined(parts: list[Levels]) -> dict[str, Tensor]:
    return {level: torch.cat([part[level] for part in parts]) for level in parts[0]} if parts else {}


def judged(task: Task, said: Levels, true: Levels) -> Judged:
    """Loss and score over a whole part at once."""
    score = SCORES[task.score]
    assert score.of is not None
    n = sum(len(values) for values in true.values())
    if n == 0:
        raise ValueError(f"task {task.name}: a part of the split is empty")
    return Judged(float(loss_of(task.loss, said, true)), score.of(said, true), n, {})
