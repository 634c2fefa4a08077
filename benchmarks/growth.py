"""How training and evaluation of molecule pairs grow with their number, in time and in memory.

python benchmarks/growth.py [--allocator default|keep]      GRAPHGAUGE_DATA: the folder of data sets
"""

from __future__ import annotations

import argparse

import measure  # isort: skip  (first: it sets the number of threads)
import torch
from torch import nn

from graphgauge import datasets
from graphgauge.graphs import Pairs
from graphgauge.instruments.alignment import Settings, train_encoder
from graphgauge.instruments.alignment.evaluation import Facts, predict, score
from graphgauge.models import build
from graphgauge.perturb import make_pairs

BATCH = 100


def growth(setting: str) -> list[dict[str, object]]:
    """10³, 10⁴ and 10⁵ molecule pairs: an epoch of training, evaluation with every metric."""
    torch.manual_seed(0)
    model = build("gin")
    base = datasets.base("aqsol", "train")
    score_all(model, make_pairs(base[:20], 0.15, "add"))  # loads the compiled loops
    rows = []
    for count in (1_000, 10_000, 100_000):
        pairs = make_pairs(base[torch.arange(count) % len(base)], 0.15, "add")
        one_epoch = Settings(epochs=1, batch_size=BATCH)
        tasks = {
            "train": lambda pairs=pairs, one_epoch=one_epoch: train_encoder(model, pairs, one_epoch, seed=0),
            "evaluate": lambda pairs=pairs: score_all(model, pairs),
        }
        for name, task in tasks.items():
            seconds, peak = measure.peak_memory(task)
            extra = {"peak_mb": round(peak, 1), "us_per_pair": round(1e6 * seconds / count, 1)}
            title = f"{name} molecule pairs, gin"
            rows.append(measure.row(title, seconds, None, n=count, setting=setting, **extra))
    return rows


def score_all(model: nn.Module, pairs: Pairs) -> object:
    return score(pairs, predict(model, pairs, BATCH), Facts.of(pairs))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--allocator", choices=measure.ALLOCATORS, default="default")
    setting = measure.set_allocator(parser.parse_args().allocator)
    rows = growth(setting)
    measure.show(rows)
    measure.write(measure.RESULTS / "growth.json", rows)


if __name__ == "__main__":
    main()
