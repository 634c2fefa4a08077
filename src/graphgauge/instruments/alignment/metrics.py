"""Every number of the alignment instrument with its definition, in one table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Metric:
    unit: str
    higher_is_better: bool | None
    definition: str


def _per_pair(higher_is_better: bool | None, definition: str, unit: str = "fraction") -> Metric:
    """A metric with a value for every pair."""
    how = "Mean over validation pairs of the per-pair value; the spread is the standard deviation over pairs."
    return Metric(unit, higher_is_better, f"{definition} {how}")


METRICS: dict[str, Metric] = {
    "accuracy": _per_pair(
        True,
        "Share of nodes matched to their planted partner by the linear assignment (Hungarian) on Σ = X X̃ᵀ; "
        "the right graph is relabelled uniformly at random, so tied nodes count by chance.",
    ),
    "accuracy_softmax": _per_pair(
        True,
        "As accuracy, with the assignment solved on the row softmax of Σ, as the published package does.",
    ),
    "accuracy_expected": _per_pair(
        True,
        "Mean of [matched within the automorphism orbit] / |orbit| for the assignment on Σ: the expectation "
        "of accuracy over exchanges of equivalent nodes; orbits of the left graph.",
    ),
    "accuracy_up_to_automorphism": _per_pair(
        True,
        "Share of nodes matched to the planted partner of a node of their own automorphism orbit (left "
        "graph), assignment on Σ.",
    ),
    "top1": _per_pair(
        True, "Share of rows of Σ whose largest entry is the planted partner; ties count in expectation."
    ),
    "top3": _per_pair(
        True, "Share of rows of Σ with the planted partner among the 3 largest; ties count in expectation."
    ),
    "top5": _per_pair(
        True, "Share of rows of Σ with the planted partner among the 5 largest; ties count in expectation."
    ),
    "shared_edges": _per_pair(
        True,
        "Undirected edges of the left graph laid on edges of the right graph by the assignment on Σ.",
        unit="edges",
    ),
    "edge_overlap": _per_pair(
        True,
        "Shared edges under the assignment on Σ over shared edges under the planted matching; pairs that "
        "share none when planted are left out; may exceed 1 at high noise.",
    ),
    "ceiling_automorphism": _per_pair(
        None,
        "Automorphism orbits / nodes of the left graph: the highest expected accuracy of any equivariant "
        "model, at any noise.",
    ),
    "ceiling_wl1": _per_pair(
        None,
        "Stable 1-WL colours / nodes of the left graph: the highest expected accuracy of any message-passing "
        "model on constant input, at any noise.",
    ),
    "loss": Metric(
        "nats",
        False,
        "Cross-entropy of the row softmax of Σ against the planted partner, mean over all nodes of the "
        "validation pairs.",
    ),
    "parameters": Metric("parameters", None, "Trainable parameters, shared ones counted once."),
    "train_seconds": Metric("seconds", False, "Wall time of training, evaluation not included."),
    "eval_seconds": Metric("seconds", False, "Wall time of evaluation on the validation pairs."),
}
