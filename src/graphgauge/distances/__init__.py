"""Distances: (n, d), (m, d) → number. How far two samples of vectors are apart."""

from graphgauge.distances.classifier import classifier_accuracy
from graphgauge.distances.frechet import frechet
from graphgauge.distances.kernel_distance import kernel_distance
from graphgauge.distances.polygraph import polygraph_discrepancy
from graphgauge.distances.prdc import prdc, reference_balls
from graphgauge.distances.result import Distance

__all__ = [
    "Distance",
    "classifier_accuracy",
    "frechet",
    "kernel_distance",
    "polygraph_discrepancy",
    "prdc",
    "reference_balls",
]
