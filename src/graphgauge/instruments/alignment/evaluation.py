"""Evaluation of a trained encoder on pairs: assignments, scores and the ceilings that give them meaning."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from graphgauge.graphs import GraphSet, Pairs
from graphgauge.graphs.structure import orbits, wl_colours
from graphgauge.instruments.alignment.siamese import alignment_loss, embed_pairs
from graphgauge.instruments.alignment.similarity import Block, blocks, similarity
from graphgauge.matching import linear_assignment
from graphgauge.models import ModelError
from graphgauge.scores import (
    accuracy,
    accuracy_expected,
    accuracy_up_to_automorphism,
    class_ceiling,
    hits_at,
    mean_per_graph,
    rank_of_truth,
    shared_edges,
)

TOP = (1, 3, 5)
AT_ONCE = 5000  # graphs whose equivalent nodes are looked for together

# What the assignment can be solved on: Σ as the paper says, or its row softmax as the published code does.
SOLVED_ON: dict[str, Callable[[Tensor], Tensor]] = {
    "sigma": lambda sigma: sigma,
    "softmax": lambda sigma: torch.softmax(sigma, dim=1),
}


@dataclass(frozen=True)
class Facts:
    """What does not depend on the model: equivalent nodes of the left graphs."""

    orbits: Tensor
    colours: Tensor

    @staticmethod
    def of(pairs: Pairs) -> Facts:
        return Facts(_in_parts(orbits, pairs.left), _in_parts(wl_colours, pairs.left))


def _in_parts(classes: Callable[[GraphSet], Tensor], graphs: GraphSet) -> Tensor:
    """Class of every node, some graphs at a time; numbers have a meaning inside a graph only."""
    parts = [classes(graphs[start : start + AT_ONCE]) for start in range(0, len(graphs), AT_ONCE)]
    return torch.cat(parts) if parts else graphs.batch


@dataclass
class Predictions:
    """What a model says of all pairs.

    Parameters
    ----------
    assignments : key of `SOLVED_ON` → global right node of every left node, (N,)
    hits : k → chance that the partner is among the k largest of the row, (N,)
    loss : cross-entropy, mean over all nodes
    """

    assignments: dict[str, Tensor]
    hits: dict[int, Tensor]
    loss: float


@torch.no_grad()
def predict(
    model: nn.Module,
    pairs: Pairs,
    batch_size: int,
    subject: str = "model",
    device: str = "cpu",
    solve_on: Sequence[str] = tuple(SOLVED_ON),
    tell: Callable[[float], None] | None = None,
) -> Predictions:
    """Embed, compare and match all pairs, a batch at a time; the model is put into evaluation mode.

    Pairs stay on the CPU, where the assignments are solved; only the model runs on `device`.
    """
    model.eval()
    chance = torch.empty(pairs.truth.numel(), dtype=torch.float64)
    found = Predictions(
        assignments={name: torch.empty_like(pairs.truth) for name in solve_on},
        hits={k: torch.empty_like(chance) for k in TOP},
        loss=0.0,
    )
    for start in range(0, len(pairs), batch_size):
        batch = pairs[start : start + batch_size]
        left, right = (side.cpu() for side in embed_pairs(model, batch.to(device), subject))
        _check_finite(left, right, batch, subject, start)
        offset = int(pairs.left.node_ptr[start])
        groups = blocks(batch)
        found.loss += float(alignment_loss(left, right, groups)) * batch.left.num_nodes
        for block in groups:
            _match_block(similarity(left, right, block), block, offset, found)
        if tell is not None:
            tell(min(1.0, (start + batch_size) / len(pairs)))
    found.loss /= max(pairs.left.num_nodes, 1)
    return found


def _match_block(sigma: Tensor, block: Block, offset: int, found: Predictions) -> None:
    """Hits of all rows at once, assignments pair by pair."""
    real = slice(None) if block.real is None else block.real
    rank = rank_of_truth(sigma, block.target)
    for k, hits in found.hits.items():
        hits[(block.left[real] + offset).flatten()] = hits_at(rank, k)[real].flatten()
    for matrix, left, right in _real_parts(sigma, block):
        for name, assignment in found.assignments.items():
            assignment[left + offset] = right[linear_assignment(SOLVED_ON[name](matrix))] + offset


def _real_parts(sigma: Tensor, block: Block) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """Similarity and node ids of every pair of a block, without padding."""
    for i in range(sigma.shape[0]):
        n = sigma.shape[1] if block.real is None else int(block.real[i].sum())
        yield sigma[i, :n, :n], block.left[i, :n], block.right[i, :n]


def score(pairs: Pairs, found: Predictions, facts: Facts) -> dict[str, Tensor]:
    """Value of every metric for every pair: name → (P,) float64, NaN where a pair has no value."""
    ptr, truth, chosen = pairs.left.node_ptr, pairs.truth, found.assignments["sigma"]
    shared = _shared(pairs, chosen)
    planted = _shared(pairs, truth)
    return {
        "accuracy": accuracy(chosen, truth, ptr),
        "accuracy_softmax": accuracy(found.assignments["softmax"], truth, ptr),
        "accuracy_expected": accuracy_expected(chosen, truth, facts.orbits, ptr),
        "accuracy_up_to_automorphism": accuracy_up_to_automorphism(chosen, truth, facts.orbits, ptr),
        **{f"top{k}": mean_per_graph(found.hits[k], ptr) for k in TOP},
        "shared_edges": shared,
        "edge_overlap": torch.where(planted > 0, shared / planted, torch.nan),
        "ceiling_automorphism": class_ceiling(facts.orbits, ptr),
        "ceiling_wl1": class_ceiling(facts.colours, ptr),
    }


def evaluate(
    model: nn.Module, pairs: Pairs, batch_size: int = 50, subject: str = "model"
) -> dict[str, Tensor]:
    """All alignment metrics of an encoder on pairs: name → value of every pair, (P,).

    The matrix Σ = X X̃ᵀ of every pair is matched by the linear assignment (paper A, section 3).

    Parameters
    ----------
    model : called with a GraphSet, returns node embeddings (N, d)
    pairs : relabelled pairs, as `graphgauge.perturb.make_pairs` gives them

    Raises
    ------
    ModelError : wrong output shape, or an embedding that is not finite
    """
    return score(pairs, predict(model, pairs, batch_size, subject), Facts.of(pairs))


def _shared(pairs: Pairs, matching: Tensor) -> Tensor:
    return shared_edges(pairs.left.edge_index, pairs.right.edge_index, matching, pairs.left.edge_ptr)


def _check_finite(left: Tensor, right: Tensor, pairs: Pairs, subject: str, start: int) -> None:
    for side, values, graphs in (("left", left, pairs.left), ("right", right, pairs.right)):
        bad = ~torch.isfinite(values).all(dim=1)
        if bad.any():
            node = int(bad.nonzero()[0, 0])
            graph = int(graphs.batch[node])
            raise ModelError(
                f"model {subject!r} gave an embedding that is not finite: pair {start + graph}, "
                f"{side} graph, node {node - int(graphs.node_ptr[graph])}"
            )
