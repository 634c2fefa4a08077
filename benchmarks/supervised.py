"""An epoch of supervised training, from loading batches to Adam, against layers and loader of PyG.

    python benchmarks/supervised.py [--allocator default|keep] [--tasks aqsol] [--only gin/16] [--repeats 3]

GRAPHGAUGE_DATA: see README. Nets of 100,000 parameters in the configuration of the paper, batches of the
task's protocol. Theirs is the same net of torch_geometric's layers (`pyg_nets.py`) with its DataLoader; both
have Adam with one fused step. Before anything is timed, both nets get the same weights and must give the
same outputs on one batch. Every net is measured in a process of its own: CPU and wall seconds in turn, and
the peak of memory above what was there before, in one fresh process for each side.
"""

from __future__ import annotations

import argparse
import multiprocessing
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import measure  # isort: skip  (first: it sets the number of threads)
import torch
from torch import Tensor, nn

import pyg_nets
from graphgauge.budget import count_parameters
from graphgauge.datasets import MissingData, load_task
from graphgauge.graphs import Fold, Task
from graphgauge.instruments.supervised.protocol import protocol_of
from graphgauge.instruments.supervised.recipes import Recipe, recipe_for
from graphgauge.instruments.supervised.settings import Settings
from graphgauge.scores import loss_of
from graphgauge.training import Plateau, fit_to_plateau

PYG = "torch_geometric 2.8.1"
NETS = ("gcn", "gat", "gin", "gatedgcn", "graphsage", "monet", "mlp", "gcn_mean")
# How many graphs in all, where that is not the official number.
SIZES: dict[str, int | None] = {
    "aqsol": None, "zinc": None, "pattern": 700, "cluster": 600, "digits": None, "tsp": 60, "enzymes": None,
}  # fmt: skip
# Cases beside the published configuration: net and what is changed.
CASES: dict[str, tuple[tuple[str, dict[str, Any]], ...]] = {
    "aqsol": (("gatedgcn", {"edge_features": True}), ("gin", {"layers": 16, "budget": "500k"})),
    "zinc": (("gatedgcn", {"edge_features": True}), ("gin", {"layers": 16, "budget": "500k"})),
    "tsp": (("gatedgcn", {"edge_features": True}),),
}


@dataclass(frozen=True)
class Case:
    """One net on one task, ours and theirs."""

    task: Task
    recipe: Recipe
    settings: Settings

    @property
    def name(self) -> str:
        recipe = self.recipe
        edges = " with edge features" if recipe.edge_features else ""
        return f"epoch of {self.task.name}, {recipe.name}, {recipe.layers} layers{edges}"

    def ours(self) -> Callable[[], object]:
        net = self.recipe.fresh(self.task, 0)
        feed = self.recipe.feed(self.task, 0, self.settings, 0)
        once = Plateau(lr=1e-3, max_epochs=1)
        return lambda: fit_to_plateau(net, feed.batches, feed.loss, once, lambda _: (1.0, 1.0), False)

    def net(self) -> pyg_nets.Net:
        recipe = self.recipe
        net = pyg_nets.Net(
            self.task, str(recipe.model), recipe.width, recipe.layers, recipe.edge_features, recipe.options
        )  # fmt: skip
        assert count_parameters(net) == count_parameters(self.recipe.fresh(self.task, 0)), self.name
        return net

    def theirs(self) -> Callable[[], object]:
        from torch_geometric.loader import DataLoader

        net = self.net()
        data = pyg_nets.as_data(self.task, self.task.part("train"), self.recipe.edge_features)
        loader = DataLoader(data, batch_size=self.settings.batch_size, shuffle=True)
        optimizer = torch.optim.Adam(net.parameters(), 1e-3, fused=True)
        return lambda: their_epoch(self.task, net, loader, optimizer)

    def check(self) -> None:
        """Equal weights, equal outputs on one batch; only the losses' size where degrees are directed."""
        from torch_geometric.data import Batch

        net, other = self.recipe.fresh(self.task, 0), self.net()
        pyg_nets.copy_weights(net, other, str(self.recipe.model))
        numbers = self.task.folds[0].train[: self.settings.batch_size]
        feed = self.recipe.feed(self.task, 0, self.settings, 0)
        graphs, rounds = feed._batch(numbers, None)  # type: ignore[attr-defined]
        with torch.no_grad():
            (mine,) = net(graphs, rounds).values()
            batch = Batch.from_data_list(
                pyg_nets.as_data(self.task, self.task.graphs[numbers], self.recipe.edge_features)
            )
            answer = other(batch)
        if self.recipe.model == "gcn" and graphs.directed:  # theirs takes both degrees from incoming edges
            return
        wrong = float((mine - answer).abs().max() / answer.abs().max())
        assert wrong < 2e-3, f"{self.name}: outputs differ by {wrong}"


def their_epoch(task: Task, net: nn.Module, loader: Any, optimizer: torch.optim.Optimizer) -> float:
    (level,) = task.outputs
    net.train()
    total = 0.0
    for batch in loader:
        optimizer.zero_grad(set_to_none=True)
        loss: Tensor = loss_of(task.loss, {level: net(batch)}, {level: batch.y})
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        total += loss.item()
    return total / len(loader)


def cases(task: Task, only: str) -> Iterator[Case]:
    several = [(name, {}) for name in NETS] + list(CASES.get(task.name, ()))
    for model, changed in several:
        recipe = recipe_for(task, model, **{"budget": "100k", "loose": True, **changed})
        case = Case(task, recipe, Settings().filled(protocol_of(task.name), dense=False))
        if any(all(word in case.name for word in part.split("/")) for part in only.split(",")):
            yield case


def measured(case: Case, repeats: int, setting: str) -> dict[str, Any]:
    peaks = [fresh(peak, case, side) for side in ("ours", "theirs")]
    case.check()
    ours, theirs = case.ours(), case.theirs()
    seconds = measure.interleaved(ours, theirs, repeats=repeats, warm_up=1, at_most=240)
    walls = [wall(side, 1) for side in (ours, theirs)]
    return measure.row(
        case.name, *seconds, n=len(case.task.folds[0].train), setting=setting, opponent=PYG,
        parameters=count_parameters(case.net()), batch=case.settings.batch_size,
        wall_ours_s=round(walls[0], 4), wall_theirs_s=round(walls[1], 4),
        peak_mb=round(peaks[0], 1), peak_theirs_mb=round(peaks[1], 1),
    )  # fmt: skip


def wall(function: Callable[[], object], repeats: int) -> float:
    found = []
    for _ in range(repeats):
        started = time.perf_counter()
        function()
        found.append(time.perf_counter() - started)
    return statistics.median(found)


def peak(case: Case, side: str) -> float:
    """MB that one epoch adds to what the task and loaded code take."""
    nothing = torch.zeros(0, dtype=torch.int64)
    few = replace(case.task, graphs=case.task.graphs[:2], folds=(Fold(torch.arange(2), nothing, nothing),))
    getattr(replace(case, task=few), side)()()
    return measure.peak_memory(lambda: getattr(case, side)()())[1]


def fresh(function: Callable[..., Any], *arguments: Any) -> Any:
    """The result of a function in a process of its own that starts as this one is."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    process = context.Process(target=lambda: there.send(function(*arguments)))
    process.start()
    there.close()
    try:
        return here.recv()
    except EOFError:
        sys.exit(f"{function.__name__} failed, see above")
    finally:
        process.join()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--allocator", choices=measure.ALLOCATORS, default="default")
    parser.add_argument("--tasks", default=",".join(SIZES))
    parser.add_argument("--only", default="", help="words that the names of cases have, as in 'gin/16'")
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    setting = measure.set_allocator(arguments.allocator)
    for name in arguments.tasks.split(","):
        try:
            task = load_task(name, size=SIZES[name])
        except MissingData as error:
            print(f"{name} is left out: {str(error).splitlines()[0]}")
            continue
        for case in cases(task, arguments.only):
            row = fresh(measured, case, arguments.repeats, setting)
            measure.show([row])
            measure.write(measure.RESULTS / "supervised.json", [row])


if __name__ == "__main__":
    main()
