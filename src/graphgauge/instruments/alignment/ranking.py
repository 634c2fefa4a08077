"""The alignment benchmark: models × datasets × noise levels × seeds → Rows."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, SupportsFloat, cast

import torch

from graphgauge.graphs import GraphSet, Pairs
from graphgauge.instruments.alignment.data import SPLITS, Base, Dataset, base_graphs, pair_file, stored_pairs
from graphgauge.instruments.alignment.run import Runner
from graphgauge.instruments.alignment.settings import PRESET_SEEDS, Settings, make_settings
from graphgauge.instruments.alignment.subjects import Model, Subject, subjects
from graphgauge.models import free_memory_lazily
from graphgauge.rows import Row
from graphgauge.specs import Spec
from graphgauge.sweep import run

DEFAULT_MODELS = ("gcn", "gin", "ggnn", "gat", "gatv2")


def benchmark(
    models: Model | Sequence[Model] | Mapping[str, Model] = DEFAULT_MODELS,
    dataset: Dataset | Sequence[str] = "er",
    noise: float | Sequence[float] = 0.08,
    *,
    seeds: int | Sequence[int] | None = None,
    preset: str = "quick",
    noise_model: str | None = None,
    budget: int | None = None,
    out: str | Path | None = None,
    workers: int | None = None,
    progress: bool = False,
    root: str | Path | None = None,
    **settings: Any,
) -> list[Row]:
    """Rank models by how well they align noisy graph pairs (paper A, sections 3 to 5).

    Every model is trained in a siamese way on the same training pairs, once a seed, and the final model is
    evaluated on the same validation pairs. The right graph of each pair is relabelled at random, so that node
    order cannot help.

    Parameters
    ----------
    models : names of the table ("gcn,gat" or a list), "package.module:Name", classes, functions that build
        a module, modules (re-initialised for every seed), or a dict name → one of these. A model is called
        with a GraphSet (which reads like a PyG batch; `x` is the constant 1) and returns (N, d) embeddings.
    dataset : name(s) of `graphgauge.datasets.DATASETS` ("er,aqsol" or a list), a file of graphs, a GraphSet
        (a fifth of it is held out for validation), or a tuple of two GraphSets (training, validation)
    noise : η, or several; share of edges that are removed and added
    seeds : number of seeds (0, 1, …) or the seeds themselves; by default 2 for `quick`, 10 for `paper`
    preset : "quick" (1,000 + 500 pairs, 15 epochs) or "paper" (sizes of table C.1, 300 epochs)
    noise_model : "add-remove" or "add"; by default what the paper takes for this dataset ("add" for
        molecules and for own sets of average degree below 3)
    budget : fit the width of table models to this many parameters instead of the paper's width
    out : folder for pairs and finished rows; started again with the same folder, what is finished is not
        run again. None keeps nothing.
    workers : processes side by side, by default one a core
    root : data home, instead of GRAPHGAUGE_DATA or the user cache
    settings : any field of `Settings`: train_pairs, val_pairs, epochs, batch_size, max_lr, precision, …

    Returns
    -------
    list of Row, for every model, dataset, noise and seed: accuracy, accuracy_softmax, accuracy_expected,
    accuracy_up_to_automorphism, top1, top3, top5, shared_edges, edge_overlap, ceiling_automorphism,
    ceiling_wl1, loss, parameters, train_seconds, eval_seconds (definitions in each Row)

    Raises
    ------
    ModelError : a model that cannot be built or returns the wrong shape, before anything is trained
    SweepError : runs that failed, named, after all others have finished

    >>> rows = benchmark("gcn", "er", 0.05, seeds=1, train_pairs=8, val_pairs=4, epochs=1, batch_size=4,
    ...                  order=10)
    >>> {row.metric: row.n for row in rows}["accuracy"]
    4
    """
    make_settings(preset, "", settings)  # wrong settings are said before models are looked at
    ranked = subjects(models, settings.get("embedding_width", 64), budget)
    numbers = _seeds(seeds, preset)
    _check_device(settings.get("device", "cpu"))
    levels = _levels(noise)
    with tempfile.TemporaryDirectory(prefix="graphgauge-") as scratch:
        folder = Path(scratch if out is None else out)
        plan = _Plan(ranked, numbers, preset, folder / "pairs")
        for one in _datasets(dataset):
            fixed = make_settings(preset, one if isinstance(one, str) else "", settings)
            base = base_graphs(one, fixed, None if root is None else Path(root))
            for eta in levels:
                plan.add(base, fixed, float(eta), noise_model or base.noise_model)
        runner = Runner({s.name: s for s in ranked}, plan.files)
        return run(
            plan.specs,
            runner,
            out=None if out is None else folder,
            workers=workers,
            progress=progress,
            setup=free_memory_lazily,
        )


class _Plan:
    """Collects Specs and pair files while datasets and noise levels are gone through."""

    def __init__(self, ranked: list[Subject], seeds: list[int], preset: str, folder: Path) -> None:
        self.ranked, self.seeds, self.preset, self.folder = ranked, seeds, preset, folder
        self.prints = {s.name: s.fingerprint() for s in ranked}
        self.specs: list[Spec] = []
        self.files: dict[str, Path] = {}

    def add(self, base: Base, settings: Settings, noise: float, noise_model: str) -> None:
        made: dict[str, Pairs] = {}
        for split in SPLITS:
            path = pair_file(base, split, noise, noise_model, settings.data_seed, self.folder)
            pairs = stored_pairs(base, split, noise, noise_model, settings.data_seed, path)
            if len(pairs) == 0 or pairs.left.num_nodes == 0:
                raise ValueError(f"dataset {base.name!r} has no nodes to align in split {split!r}")
            self.files[pairs.content_hash] = path
            made[split] = pairs
        for subject in self.ranked:
            subject.try_on(made["val"], settings.embedding_width)
        params = {
            **asdict(settings),
            **base.facts,
            "dataset": base.name,
            "noise": noise,
            "noise_model": noise_model,
            "preset": self.preset,
            "train_pairs": len(made["train"]),
            "val_pairs": len(made["val"]),
            "train_hash": made["train"].content_hash,
            "val_hash": made["val"].content_hash,
        }
        self.specs += [
            Spec("alignment", s.name, {**params, "model": self.prints[s.name]}, seed)
            for seed in self.seeds
            for s in self.ranked
        ]


def _check_device(device: str) -> None:
    """Fail before any work where the device is not there."""
    try:
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).partition("\n")[0]
        raise ValueError(f"device {device!r} cannot be used here: {reason}") from error


def _seeds(seeds: int | Sequence[int] | None, preset: str) -> list[int]:
    if seeds is None:
        seeds = PRESET_SEEDS.get(preset, 1)
    found = list(range(seeds)) if isinstance(seeds, int) else [int(s) for s in seeds]
    if not found or len(set(found)) != len(found):
        raise ValueError(f"seeds must be at least one and distinct, got {seeds}")
    return found


def _levels(noise: float | Sequence[float]) -> list[float]:
    try:
        levels = [float(noise)] if isinstance(noise, SupportsFloat | str) else [float(v) for v in noise]
    except (TypeError, ValueError):
        raise ValueError(f"noise is a number or several, got {noise!r}") from None
    if not levels:
        raise ValueError("no noise level given")
    return levels


def _datasets(dataset: Dataset | Sequence[str]) -> list[Dataset]:
    if isinstance(dataset, str) and not Path(dataset).exists():
        dataset = [name.strip() for name in dataset.split(",") if name.strip()]
    split = isinstance(dataset, tuple) and any(isinstance(part, GraphSet) for part in dataset)
    found = list(dataset) if isinstance(dataset, list | tuple) and not split else [dataset]
    if not found:
        raise ValueError("no dataset given")
    return cast(list[Dataset], found)
