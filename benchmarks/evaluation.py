"""Evaluating 500 Erdős–Rényi pairs against ngab 0.1.1.

    python benchmarks/evaluation.py [--allocator default|keep]

Both sides hold the same weights (trained by us for two epochs and copied; equal embeddings are asserted) and
solve the assignment on the row softmax. "same work": softmax assignment, hits and loss on both sides. "all
metrics": ours also solves the assignment on Σ and computes every other metric and both ceilings.
"""

from __future__ import annotations

import argparse

import measure  # isort: skip  (first: it sets the number of threads)
import torch
from torch import nn
from torch_geometric.data import Data

import opponents
from graphgauge import datasets
from graphgauge.graphs import Pairs
from graphgauge.instruments.alignment import Settings, evaluate, train_encoder
from graphgauge.instruments.alignment.evaluation import predict
from graphgauge.models import build
from graphgauge.perturb import make_pairs

NGAB = "ngab 0.1.1"
THEIRS = {"gcn": ("GCN", (1, 128, 64, 4)), "ggnn": ("GatedGCN", (1, 48, 64, 4))}
BATCH = 100


def same_weights(ours: nn.Module, theirs: nn.Module) -> None:
    """Copy our weights into their model: layer by layer, inside a layer by shape, in order of definition."""
    left = list(ours.parameters())
    with torch.no_grad():
        for target in theirs.parameters():
            i = next(i for i, p in enumerate(left) if p.shape == target.shape or p.T.shape == target.shape)
            source = left.pop(i)
            target.copy_(source if source.shape == target.shape else source.T)


def as_loader(pairs: Pairs, ngab: object) -> list[object]:
    """Batches in ngab's form; both sides in our planted order, so that its identity target is the truth."""
    from ngab._train_utils import GADatasetBatch, _get_masks  # type: ignore[import-not-found]

    batches = []
    for start in range(0, len(pairs), BATCH):
        part = pairs[start : start + BATCH]
        back = torch.empty_like(part.truth)
        back[part.truth] = torch.arange(part.truth.numel())
        sides = []
        for graphs in (part.left, part.right.relabel(back)):
            data = Data(edge_index=graphs.edge_index, num_nodes=graphs.num_nodes, batch=graphs.batch)
            data.x = torch.ones(graphs.num_nodes, 1)
            sides += [data, _get_masks(data)]
        batches.append(GADatasetBatch(*sides))
    return batches


def evaluation(name: str, pairs: Pairs, train: Pairs, setting: str) -> list[dict[str, object]]:
    ngab = opponents.ngab()
    from ngab._train import compute_metrics  # type: ignore[import-not-found]

    torch.manual_seed(0)
    ours = build(name)
    train_encoder(ours, train, Settings(epochs=2), seed=0)
    ours.eval()
    kind, sizes = THEIRS[name]
    theirs = getattr(ngab.models, kind)(*sizes)
    same_weights(ours, theirs)
    loader = as_loader(pairs, ngab)
    with torch.no_grad():
        torch.testing.assert_close(
            theirs(loader[0].base_graphs), ours(pairs[:BATCH].left), rtol=1e-3, atol=1e-3
        )
    seconds = measure.interleaved(
        lambda: predict(ours, pairs, BATCH, solve_on=["softmax"]),
        lambda: compute_metrics(theirs, loader, torch.device("cpu")),
        repeats=3,
    )
    everything = measure.interleaved(lambda: evaluate(ours, pairs, BATCH), lambda: None, repeats=3)[0]
    common = {"n": len(pairs), "setting": setting, "opponent": NGAB}
    return [
        measure.row(f"evaluate {name}, same work", *seconds, **common),
        measure.row(f"evaluate {name}, all metrics", everything, seconds[1], **common),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--allocator", choices=measure.ALLOCATORS, default="default")
    setting = measure.set_allocator(parser.parse_args().allocator)
    rows: list[dict[str, object]] = []
    train = make_pairs(datasets.base("er", "train", 1000), 0.08, seed=1)
    val = make_pairs(datasets.base("er", "val", 500), 0.08, seed=2)
    for name in THEIRS:
        rows += evaluation(name, val, train, setting)
    measure.show(rows)
    measure.write(measure.RESULTS / "evaluation.json", rows)


if __name__ == "__main__":
    main()
