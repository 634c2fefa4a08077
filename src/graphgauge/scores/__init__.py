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
from graphgauge.scores.blockmodel import blocks_of, is_block_model
from graphgauge.scores.losses import LOSSES, TargetError, link_bce, loss_of
from graphgauge.scores.novelty import isomorphism_numbers, novel, unique, unique_and_novel
from graphgauge.scores.supervised import SCORES, Score, hits_at_of_links, log10_mse_of_outputs
from graphgauge.scores.validity import (
    VALID,
    grid,
    is_connected,
    is_grid,
    is_lobster,
    is_molecule,
    is_planar,
    is_tree,
    per_graph,
)

__all__ = [
    "LOSSES",
    "SCORES",
    "VALID",
    "Score",
    "TargetError",
    "accuracy",
    "accuracy_expected",
    "accuracy_up_to_automorphism",
    "blocks_of",
    "class_ceiling",
    "grid",
    "hits_at",
    "hits_at_of_links",
    "is_block_model",
    "is_connected",
    "is_grid",
    "is_lobster",
    "is_molecule",
    "is_planar",
    "is_tree",
    "isomorphism_numbers",
    "link_bce",
    "log10_mse_of_outputs",
    "loss_of",
    "mean_per_graph",
    "novel",
    "per_graph",
    "rank_of_truth",
    "shared_edges",
    "unique",
    "unique_and_novel",
]
