"""Prediction and truth → number. Pure functions on tensors, no models and no data sets in here."""

from graphgauge.scores.alignment import (
    accuracy,
    accuracy_expected,
    accuracy_up_to_automorphism,
    class_ceiling,
    hits_at,
    mean_per_graph,
    rank_of_truth,
    shared_edges,
)

__all__ = [
    "accuracy",
    "accuracy_expected",
    "accuracy_up_to_automorphism",
    "class_ceiling",
    "hits_at",
    "mean_per_graph",
    "rank_of_truth",
    "shared_edges",
]
