"""A training step, forward and backward with the loss, against ngab 0.1.1, in float32 on one thread.

    python benchmarks/training.py [--allocator default|keep] [--models gcn,gat] [--pairs 100]

A batch of Erdős–Rényi pairs of 100 nodes and degree 8, η = 8 %. Theirs: similarity and loss of the package
on a batch that is ready. Ours: joining the sides, compressed rows, similarity, exact cross-entropy: all of a
step but the optimiser, which is the same. Ours is also timed with the precision "bf16".
"""

from __future__ import annotations

import argparse
from typing import Any

import measure  # isort: skip  (first: it sets the number of threads)
import torch
from torch import nn
from torch_geometric.data import Data

import opponents
from graphgauge import datasets
from graphgauge.budget import count_parameters
from graphgauge.graphs import Pairs
from graphgauge.instruments.alignment.siamese import SiameseLoss
from graphgauge.models import build
from graphgauge.perturb import make_pairs

NGAB = "ngab 0.1.1"
THEIRS = {
    "gcn": ("GCN", (1, 128, 64, 4)),
    "gin": ("GIN", (1, 93, 64, 4)),
    "ggnn": ("GatedGCN", (1, 48, 64, 4)),
    "gat": ("GAT", (1, 128, 64, 4, 8)),
    "gatv2": ("GATv2", (1, 96, 64, 4, 8)),
}


def in_their_form(pairs: Pairs) -> Any:
    """The pairs as ngab's batch, the right nodes in the planted order that its loss expects."""
    from ngab._train_utils import GADatasetBatch, _get_masks  # type: ignore[import-not-found]

    order = torch.empty_like(pairs.truth)
    order[pairs.truth] = torch.arange(pairs.truth.numel())
    parts = []
    for graphs in (pairs.left, pairs.right.relabel(order)):
        data = Data(edge_index=graphs.edge_index, num_nodes=graphs.num_nodes, batch=graphs.batch)
        parts += [data, _get_masks(data)]
    return GADatasetBatch(*parts)


def step(name: str, pairs: Pairs, setting: str) -> list[dict[str, Any]]:
    package = opponents.ngab()
    from ngab._train import compute_losses, siamese_similarity  # type: ignore[import-not-found]

    torch.manual_seed(0)
    kind, sizes = THEIRS[name]
    model, their_model = build(name), getattr(package.models, kind)(*sizes)
    assert count_parameters(model) == count_parameters(their_model)
    loss, their_batch = SiameseLoss(name, None), in_their_form(pairs)

    def ours(precision: str = "float32") -> None:
        clear(model)
        with torch.autocast("cpu", torch.bfloat16, enabled=precision == "bf16"):
            value = loss(model, pairs)
        value.backward()

    def theirs() -> None:
        clear(their_model)
        similarity = siamese_similarity(their_model, their_batch)
        compute_losses(similarity, their_batch.base_node_masks).mean().backward()

    seconds = measure.interleaved(ours, theirs, repeats=5, warm_up=2)
    half = measure.interleaved(lambda: ours("bf16"), lambda: None, repeats=5, warm_up=2)[0]
    common = {"n": len(pairs), "setting": setting, "opponent": NGAB}
    return [
        measure.row(f"training step, {name}", *seconds, **common),
        measure.row(f"training step, {name}, ours in bf16", half, seconds[1], **common),
    ]


def clear(model: nn.Module) -> None:
    model.zero_grad(set_to_none=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--allocator", choices=measure.ALLOCATORS, default="default")
    parser.add_argument("--models", default=",".join(THEIRS))
    parser.add_argument("--pairs", type=int, default=100)
    arguments = parser.parse_args()
    setting = measure.set_allocator(arguments.allocator)
    pairs = make_pairs(datasets.base("er", "train", size=arguments.pairs), 0.08)
    rows = [row for name in arguments.models.split(",") for row in step(name, pairs, setting)]
    measure.show(rows)
    measure.write(measure.RESULTS / "training.json", rows)


if __name__ == "__main__":
    main()
