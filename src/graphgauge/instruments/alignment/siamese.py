"""The siamese network of paper A, section 3: one encoder for both sides, trained to pick the partner."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from graphgauge.graphs import GraphSet, Pairs
from graphgauge.instruments.alignment.similarity import Block, blocks, similarity
from graphgauge.models import ModelError


def constant_input(graphs: GraphSet) -> GraphSet:
    """The graphs with the feature 1 on every node and nothing else, as the benchmark prescribes."""
    return graphs.structure().with_columns(node={"x": torch.ones(graphs.num_nodes, 1, device=graphs.device)})


def embed(model: nn.Module, graphs: GraphSet, subject: str, width: int | None = None) -> Tensor:
    """Node embeddings (N, d) in float32, or ModelError that says what the model returned instead."""
    out = model(graphs)
    if not isinstance(out, Tensor):
        raise ModelError(f"model {subject!r} returned a {type(out).__name__}, not a tensor")
    if out.dim() != 2 or out.shape[0] != graphs.num_nodes:
        raise ModelError(
            f"model {subject!r} returned shape {tuple(out.shape)}; node embeddings of these "
            f"{graphs.num_nodes} nodes have shape ({graphs.num_nodes}, d)"
        )
    if not out.is_floating_point():
        raise ModelError(f"model {subject!r} returned {out.dtype}; embeddings are floating-point numbers")
    if width is not None and out.shape[1] != width:
        raise ModelError(
            f"model {subject!r} returned embeddings of width {out.shape[1]}, but the benchmark compares "
            f"models at width {width}; change the model's last layer, or the setting embedding_width"
        )
    return out.float()


def embed_pairs(
    model: nn.Module, pairs: Pairs, subject: str, width: int | None = None
) -> tuple[Tensor, Tensor]:
    """Embeddings of both sides in one forward pass: (N, d) and (N, d)."""
    both = constant_input(GraphSet.concat([pairs.left.structure(), pairs.right.structure()]))
    out = embed(model, both, subject, width)
    return out[: pairs.left.num_nodes], out[pairs.left.num_nodes :]


def alignment_loss(left: Tensor, right: Tensor, pair_blocks: list[Block]) -> Tensor:
    """Cross-entropy of the row softmax of Σ against the planted partner, mean over all real nodes.

    L = −1/N Σ_i log softmax(Σ_i)[π*(i)], by the exact log-softmax. (The published code takes
    −log(softmax + 1e-7), which has no gradient where the true entry is small, and averages over padding.)
    The paper's sum over nodes differs by the factor N.

    Range [0, ∞), lower is better; log n at chance. Zero for pairs without nodes.
    """
    total = left.sum() * 0.0
    rows = 0
    with torch.autocast(left.device.type, enabled=False):
        for block in pair_blocks:
            sigma = similarity(left, right, block)
            target = block.target
            if block.real is None:
                logits, target = sigma.flatten(0, 1), target.flatten()
            else:
                logits, target = sigma[block.real], target[block.real]
            total = total + F.cross_entropy(logits, target, reduction="sum")
            rows += block.rows
    return total / max(rows, 1)


class SiameseLoss:
    """`loss(model, pairs)` for `graphgauge.training.fit`."""

    def __init__(self, subject: str, width: int | None) -> None:
        self.subject = subject
        self.width = width

    def __call__(self, model: nn.Module, pairs: Pairs) -> Tensor:
        left, right = embed_pairs(model, pairs, self.subject, self.width)
        return alignment_loss(left, right, blocks(pairs))
