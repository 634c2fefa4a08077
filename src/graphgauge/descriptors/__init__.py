"""Descriptors: GraphSet → (G, d). What a graph looks like, as numbers, over all graphs at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from graphgauge.descriptors.clustering import clustering_coefficients, clustering_histogram, triangles
from graphgauge.descriptors.degree import degree_histogram
from graphgauge.descriptors.encoder import encoder_descriptor
from graphgauge.descriptors.molecules import PROPERTIES, molecule_properties
from graphgauge.descriptors.nspdk import nspdk_features
from graphgauge.descriptors.numbers import PairVocabulary
from graphgauge.descriptors.orbits import graphlet_counts, node_orbits, orbit_counts
from graphgauge.descriptors.paths import diameter, path_length_histogram
from graphgauge.descriptors.random_gin import PRESETS, RandomGIN, random_gin, random_gin_over_seeds
from graphgauge.descriptors.size import component_count, density, edge_count, size
from graphgauge.descriptors.sparse import Vocabulary, mean_features, mean_in_parts, unit_rows, widened
from graphgauge.descriptors.spectrum import eigenvalues, spectrum_histogram
from graphgauge.descriptors.wl import wl_features

DESCRIPTORS: dict[str, Callable[..., Any]] = {
    "degree": degree_histogram,
    "clustering": clustering_histogram,
    "orbit": orbit_counts,
    "graphlet": graphlet_counts,
    "spectral": spectrum_histogram,
    "path_length": path_length_histogram,
    "size": size,
    "edges": edge_count,
    "density": density,
    "components": component_count,
    "diameter": diameter,
    "molecule": molecule_properties,
    "wl": wl_features,
    "nspdk": nspdk_features,
    "random_gin": random_gin,
    "random_gin_released": partial(random_gin, **PRESETS["released"]),
}

__all__ = [
    "DESCRIPTORS",
    "PRESETS",
    "PROPERTIES",
    "PairVocabulary",
    "RandomGIN",
    "Vocabulary",
    "clustering_coefficients",
    "clustering_histogram",
    "component_count",
    "degree_histogram",
    "density",
    "diameter",
    "edge_count",
    "eigenvalues",
    "encoder_descriptor",
    "graphlet_counts",
    "mean_features",
    "mean_in_parts",
    "molecule_properties",
    "node_orbits",
    "nspdk_features",
    "orbit_counts",
    "path_length_histogram",
    "random_gin",
    "random_gin_over_seeds",
    "size",
    "spectrum_histogram",
    "triangles",
    "unit_rows",
    "widened",
    "wl_features",
]
