"""Distances: (n, d), (m, d) → number. How far two samples of vectors are apart."""

from graphgauge.distances.anchored import Anchored, anchor
from graphgauge.distances.approximate import mmd_approximate
from graphgauge.distances.classifier import classifier_accuracy
from graphgauge.distances.frechet import frechet, frechet_reference
from graphgauge.distances.kernel_distance import kernel_distance
from graphgauge.distances.kernels import (
    KERNELS,
    Kernel,
    gaussian_emd,
    gaussian_tv,
    gram,
    laplacian_tv,
    linear,
    lowest_eigenvalue,
    polynomial,
    rbf,
)
from graphgauge.distances.mmd import mmd
from graphgauge.distances.permutation import permutation_test
from graphgauge.distances.polygraph import polygraph_discrepancy
from graphgauge.distances.prdc import prdc, prdc_parts, prdc_with_parts, reference_balls
from graphgauge.distances.result import Distance
from graphgauge.distances.wasserstein import wasserstein

__all__ = [
    "KERNELS",
    "Anchored",
    "Distance",
    "Kernel",
    "anchor",
    "classifier_accuracy",
    "frechet",
    "frechet_reference",
    "gaussian_emd",
    "gaussian_tv",
    "gram",
    "kernel_distance",
    "laplacian_tv",
    "linear",
    "lowest_eigenvalue",
    "mmd",
    "mmd_approximate",
    "permutation_test",
    "polygraph_discrepancy",
    "polynomial",
    "prdc",
    "prdc_parts",
    "prdc_with_parts",
    "rbf",
    "reference_balls",
    "wasserstein",
]
