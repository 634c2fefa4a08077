"""The supervised benchmark: tasks × models × budgets × folds × seeds → Rows."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
from torch import nn

from graphgauge.datasets import TASKS
from graphgauge.graphs import GraphSet, Task
from graphgauge.graphs.task import PARTS
from graphgauge.instruments.supervised.baselines import baseline_spec
from graphgauge.instruments.supervised.data import stored, task_of
from graphgauge.instruments.supervised.nets import RATES, rates
from graphgauge.instruments.supervised.positions import encoded
from graphgauge.instruments.supervised.protocol import protocol_of
from graphgauge.instruments.supervised.recipes import Recipe, recipe_for
from graphgauge.instruments.supervised.runner import Runner
from graphgauge.instruments.supervised.settings import Settings, make_settings
from graphgauge.models import ModelError, free_memory_lazily
from graphgauge.models.dense import DenseMemoryError
from graphgauge.models.identity import reason, reinitialised
from graphgauge.rows import Row
from graphgauge.scores import LOSSES, SCORES
from graphgauge.specs import Spec
from graphgauge.sweep import run as sweep

Model = str | Callable[..., nn.Module] | nn.Module
Dataset = str | Path | Task | GraphSet

DEFAULT_MODELS = ("mlp", "gcn", "gatedgcn", "gin")


def run(
    models: Model | Sequence[Model] | Mapping[str, Model] = DEFAULT_MODELS,
    dataset: Dataset | Sequence[Dataset] = "aqsol",
    *,
    budget: str | int | Sequence[str | int] | None = "100k",
    seeds: int | Sequence[int] | None = None,
    folds: int | Sequence[int] | None = None,
    layers: int | None = None,
    width: int | None = None,
    edge_features: bool = False,
    encoding: str | None = None,
    encoding_mode: str | None = None,
    encoding_variant: str | None = None,
    options: Mapping[str, Any] | None = None,
    loose: bool = False,
    size: int | None = None,
    data_seed: int = 0,
    baselines: bool = True,
    out: str | Path | None = None,
    workers: int | None = None,
    progress: bool = False,
    root: str | Path | None = None,
    **settings: Any,
) -> list[Row]:
    """Train and compare models on supervised tasks at fixed parameter budgets (paper B).

    Every model is trained with Adam until a falling learning rate ends it, on every fold and with every seed,
    by the task's published protocol. Two models of each run are judged on all parts: that of the last epoch,
    as published, and that of the epoch with the best validation score.

    Parameters
    ----------
    models : names of `graphgauge.models.ARCHITECTURES` or `DENSE` ("gcn,gin" or a list),
        "package.module:Name", classes, functions or modules, or a dict name → one of these. A model of the
        user's is called with a GraphSet and returns (N, d) states of nodes; it gets the standard readout.
    dataset : name(s) of `graphgauge.datasets.TASKS`, a file of a task or of graphs, a `Task`, or a GraphSet
        with a column ``y`` of its graphs or nodes
    budget : "100k", "500k", a number of parameters, or several: decides the width, by the published
        configuration where there is one; None with a `width`
    seeds : how many of the protocol's seeds, or the seeds themselves; all of the protocol's by default
    folds : how many of the task's splits, or their numbers; all by default
    layers, width : in place of those of the budget
    edge_features : let models read the task's edge column ("-E" in the paper's tables)
    encoding, encoding_mode, encoding_variant : a positional encoding ("lap:8"), whether to "add" it or to
        "replace" the node's column by it, and what is done to it in training ("flip", "absolute", …)
    options : of every net, see `graphgauge.models.build_network`
    loose : allow nets that miss their budget by more than 3 %
    size, data_seed : fewer graphs than the official task has, and the seed of generated ones
    baselines : add the task's trivial predictors
    out : folder for tasks and finished rows; started again with the same folder, what is finished is not run
        again. None keeps nothing.
    workers : processes side by side, by default one a core
    root : data home, instead of GRAPHGAUGE_DATA or the user cache
    settings : any field of `Settings`: lr, patience, max_epochs, batch_size, device, …

    Returns
    -------
    list of Row: for every run the task's score and the loss on train, val and test under both rules of
    selection, and parameters, epochs, best_epoch, epoch_seconds, total_seconds, peak_memory; the baselines'
    scores

    Raises
    ------
    ValueError, ModelError : a model, budget or setting that cannot be, before anything is trained
    SweepError : runs that failed, named, after all others have finished

    >>> rows = run("gcn", "csl", budget=None, width=8, layers=1, seeds=1, folds=1, max_epochs=1)
    >>> sorted({row.selection for row in rows if row.subject == "gcn"})
    ['best validation', 'last epoch']
    """
    asked = make_settings(settings)
    check_device(asked.device)
    variants = {
        "layers": layers, "width": width, "edge_features": edge_features, "encoding": encoding,
        "encoding_mode": encoding_mode, "encoding_variant": encoding_variant, "loose": loose,
    }  # fmt: skip
    clash = sorted(set(options or {}) & set(variants))
    if clash:
        raise ValueError(f"{clash[0]} is no option of a net but an argument of run")
    variants |= dict(options or {})
    with tempfile.TemporaryDirectory(prefix="graphgauge-") as scratch:
        folder = Path(scratch if out is None else out)
        plan = Plan(folder / "tasks", asked, _as_list(seeds), _as_list(folds))
        for one in _datasets(dataset):
            task = task_of(one, size, data_seed, None if root is None else Path(root))
            check_task(task)
            named_task = isinstance(one, str) and one in TASKS
            for limit in _budgets(budget):
                for name, model in named(models):
                    plan.add(task, name, model, limit, variants, named_task)
            if baselines:
                plan.add_baselines(task)
        runner = Runner(plan.recipes, plan.files)
        return sweep(
            plan.specs, runner, out=None if out is None else folder, workers=workers, progress=progress,
            setup=free_memory_lazily,
        )  # fmt: skip


@dataclass
class Plan:
    """Collects what is to be run while tasks and models are gone through."""

    folder: Path
    settings: Settings
    seeds: int | list[int] | None
    folds: int | list[int] | None
    specs: list[Spec] = field(default_factory=list)
    recipes: dict[str, Recipe] = field(default_factory=dict)
    files: dict[str, Path] = field(default_factory=dict)

    def add(
        self,
        task: Task,
        name: str | None,
        model: Model,
        budget: str | int | None,
        variants: Mapping[str, Any],
        of_table: bool = True,
    ) -> None:
        """The specs of one model on one task."""
        maker: str | Callable[..., nn.Module] = (
            (lambda: reinitialised(model)) if isinstance(model, nn.Module) else model
        )
        label = name or (type(model).__name__ if isinstance(model, nn.Module) else None)
        recipe = recipe_for(task, maker, name=label, budget=budget, **variants)
        key, path = stored(task, self.folder)
        self.files[key] = path
        settings = self._filled(task, recipe, variants)
        try_on(recipe, task, settings)
        protocol = protocol_of(task.name)
        params = {
            **asdict(settings), **recipe.to_params(), "dataset": task.name, "task_hash": key,
            "folds": len(task.folds) or 1, "notes": list(task.notes), "task_options": dict(task.options),
            "model": recipe.fingerprint(task),
            "published": recipe.published and of_table and not self._changed(),
        }  # fmt: skip
        digest = Spec("supervised", recipe.name, params).id
        if digest in self.recipes:
            raise ValueError(
                f"two models of this call are called {recipe.name!r} and cannot be told apart; give a "
                "dict of name → model"
            )
        self.recipes[digest] = recipe
        for fold in chosen(self.folds, list(range(len(task.folds) or 1)), "folds"):
            for seed in chosen(self.seeds, list(protocol.seeds), "seeds"):
                self.specs.append(
                    Spec("supervised", recipe.name, {**params, "fold": fold, "recipe": digest}, seed)
                )

    def _changed(self) -> bool:
        """Whether the user has set anything that decides how the published nets are trained."""
        told = any(getattr(self.settings, name) is not None for name in (*RATES, "weight_decay", "dropout"))
        settings = self.settings
        return told or settings.factor != Settings().factor or settings.val_links_at_test

    def add_baselines(self, task: Task) -> None:
        key, path = stored(task, self.folder)
        self.files[key] = path
        for fold in chosen(self.folds, list(range(len(task.folds) or 1)), "folds"):
            self.specs.append(baseline_spec(task, fold, key))

    def _filled(self, task: Task, recipe: Recipe, variants: Mapping[str, Any]) -> Settings:
        """Settings of the user, else of the published net, else of the task's protocol."""
        own: dict[str, Any] = {}
        if recipe.published:
            own = rates(task.name, recipe.model, recipe.budget, variants["edge_features"], recipe.encoding)
        unset = {k: v for k, v in own.items() if getattr(self.settings, k) is None}
        return replace(self.settings, **unset).filled(protocol_of(task.name), recipe.dense)


def check_task(task: Task) -> None:
    """Names of loss and score are known and targets are finite; `ValueError` names what is not."""
    for what, name, known in (
        ("loss", task.loss, (*LOSSES, "link_bce")),
        ("score", task.score, tuple(SCORES)),
    ):
        if name not in known:
            raise ValueError(f"task {task.name}: no {what} {name!r}; there are {', '.join(known)}")
    for level in task.outputs:
        if level != "link" and not bool(torch.isfinite(getattr(task.graphs, level)["y"]).all()):
            raise ValueError(f"task {task.name}: a target of its {level}s is not finite")
    if task.split_over == "links":
        for part in ("val", "test"):
            if task.links[part].negative is None:
                raise ValueError(f"task {task.name}: the links of {part} have no negatives to be told from")
    for number, fold in enumerate(task.folds):
        empty = [part for part in PARTS if not len(fold[part])]
        if empty:
            raise ValueError(f"task {task.name}, fold {number}: nothing is in {', '.join(empty)}")


def try_on(recipe: Recipe, task: Task, settings: Settings) -> None:
    """One step of loss on a few items, so that a wrong shape is an error before hours of training.

    Of one large graph a dense model is tried only, which refuses it before anything is allocated.
    """
    if task.split_over != "graphs":
        net: Any = recipe.fresh(task, 0, settings.dropout or 0.0)
        if recipe.dense:
            with torch.no_grad():
                net.states(task.graphs) if task.split_over == "links" else net(task.graphs)
        return
    if recipe.dense:
        largest = int(task.graphs.nodes_per_graph.argmax())
        try:
            with torch.no_grad():
                recipe.fresh(task, 0)(encoded(task, recipe.encoding).graphs[[largest]])
        except DenseMemoryError as error:
            raise DenseMemoryError(error.model, largest, error.nodes, error.needed, error.limit) from None
    few = task.folds[0].train[:4]
    small = replace(task, graphs=task.graphs[few], folds=(first_fold(len(few)),))
    net = recipe.fresh(small, 0, settings.dropout or 0.0)
    feed = recipe.feed(small, 0, replace(settings, device="cpu", share_rows=False), 0)
    try:
        for batch in feed.batches(0):
            feed.loss(net, batch)
    except ModelError:
        raise
    except Exception as error:
        raise ModelError(f"model {recipe.name!r} fails on task {task.name}: {reason(error)}") from error


def first_fold(count: int) -> Any:
    from graphgauge.graphs import Fold

    nothing = torch.zeros(0, dtype=torch.int64)
    return Fold(torch.arange(count), nothing, nothing)


def chosen(asked: int | list[int] | None, known: list[int], what: str) -> list[int]:
    """All, the first few, or those that were asked for.

    >>> chosen(2, [41, 95, 12], "seeds"), chosen([7], [41], "seeds")
    ([41, 95], [7])
    """
    if asked is None:
        return known
    if isinstance(asked, int):
        if asked < 1 or (what == "folds" and asked > len(known)):
            most = f" and at most {len(known)}" if what == "folds" else ""
            raise ValueError(f"{what} must be at least 1{most}, got {asked}")
        more = [] if what == "folds" else [max(known) + 1 + i for i in range(asked - len(known))]
        return (known + more)[:asked]
    if not asked or len(set(asked)) != len(asked):
        raise ValueError(f"{what} must be at least one and distinct, got {asked}")
    if what == "folds" and not set(asked) <= set(known):
        raise ValueError(f"folds are numbered 0 to {len(known) - 1}, got {asked}")
    return asked


def named(models: Model | Sequence[Model] | Mapping[str, Model]) -> list[tuple[str | None, Model]]:
    """Name, or None, and model of everything that was asked for."""
    if isinstance(models, Mapping):
        return list(models.items())
    if isinstance(models, str):
        found: list[tuple[str | None, Model]] = [(None, m.strip()) for m in models.split(",") if m.strip()]
    elif isinstance(models, Sequence):
        found = [(None, model) for model in models]
    else:
        found = [(None, models)]
    if not found:
        raise ValueError("no model given")
    return found


def check_device(device: str) -> None:
    """Fail before any work where the device is not there."""
    try:
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError) as error:
        raise ValueError(
            f"device {device!r} cannot be used here: {str(error).partition(chr(10))[0]}"
        ) from error


def _datasets(dataset: Dataset | Sequence[Dataset]) -> list[Dataset]:
    if isinstance(dataset, str) and not Path(dataset).exists():
        return [name.strip() for name in dataset.split(",") if name.strip()]
    found: list[Dataset] = list(dataset) if isinstance(dataset, list | tuple) else [dataset]  # type: ignore
    if not found:
        raise ValueError("no dataset given")
    return found


def _budgets(budget: str | int | Sequence[str | int] | None) -> list[str | int | None]:
    if budget is None:
        return [None]
    if isinstance(budget, str):
        return [part.strip() for part in budget.split(",") if part.strip()]
    return [budget] if isinstance(budget, int) else list(budget)


def _as_list(values: int | Sequence[int] | None) -> int | list[int] | None:
    if values is None or isinstance(values, int):
        return values
    if isinstance(values, str) or not all(isinstance(v, int) and v >= 0 for v in values):
        raise ValueError(f"a number or a list of whole numbers from 0 is wanted, not {values!r}")
    return list(values)
