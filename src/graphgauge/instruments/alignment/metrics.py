"""Every number of the alignment instrument with its definition, in one table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Metric:
    unit: str
    higher_is_better: bool | None
    definition: str


_MEAN = "Mean over validation pairs of the per-pair value; spread is the standard deviation over pairs."

METRICS: dict[str, Metric] = {
    "accuracy": Metric(
        "fraction",
        True,
        "Share of nodes matched to their planted partner by the linear assignment (Hungarian) on "
        "Σ = X X̃ᵀ; the right graph is relabelled uniformly at random, so tied nodes count by chance. " + _MEAN,
    ),
    "accuracy_softmax": Metric(
        "fraction",
        True,
        "As accuracy, with the assignment solved on the row softmax of Σ, as the published package does. "
        + _MEAN,
    ),
    "accuracy_expected": Metric(
        "fraction",
        True,
        "Mean of [matched within the automorphism orbit] / |orbit| for the assignment on Σ: the expectation "
        "of accuracy over exchanges of equivalent nodes; orbits of the left graph. " + _MEAN,
    ),
    "accuracy_up_to_automorphism": Metric(
        "fraction",
        True,
        "Share of nodes matched to the planted partner of a node of their own automorphism orbit (left "
        "graph), assignment on Σ. " + _MEAN,
    ),
    "top1": Metric(
        "fraction", True, "Share of rows of Σ whose largest entry is the planted partner; ties in expectation. "
        + _MEAN,
    ),
    "top3": Metric(
        "fraction", True, "Share of rows of Σ with the planted partner among the 3 largest entries; ties in "
        "expectation. " + _MEAN,
    ),
    "top5": Metric(
        "fraction", True, "Share of rows of Σ with the planted partner among the 5 largest entries; ties in "
        "expectation. " + _MEAN,
    ),
    "shared_edges": Metric(
        "edges", True, "Undirected edges of the left graph laid on edges of the right graph by the assignment "
        "on Σ. " + _MEAN,
    ),
    "edge_overlap": Metric(
        "fraction", True, "Shared edges under the assignment on Σ over shared edges under the planted matching; "
        "pairs that share none when planted are left out; may exceed 1 at high noise. " + _MEAN,
    ),
    "ceiling_automorphism": Metric(
        "fraction", None, "Automorphism orbits / nodes of the left graph: the highest expected accuracy of any "
        "equivariant model, at any noise. " + _MEAN,
    ),
    "ceiling_wl1": Metric(
        "fraction", None, "Stable 1-WL colours / nodes of the left graph: the highest expected accuracy of any "
        "message-passing model on constant input, at any noise. " + _MEAN,
    ),
    "loss": Metric(
        "nats", False, "Cross-entropy of the row softmax of Σ against the planted partner, mean over the nodes "
        "of all validation pairs.",
    ),
    "parameters": Metric("parameters", None, "Trainable parameters, shared ones counted once."),
    "train_seconds": Metric("seconds", False, "Wall time of training, evaluation not included."),
    "eval_seconds": Metric("seconds", False, "Wall time of evaluation on the validation pairs."),
}  # fmt: skip
