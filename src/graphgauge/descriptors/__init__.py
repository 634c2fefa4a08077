"""Descriptors: GraphSet → (G, d). What a graph looks like, as numbers, over all graphs at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphgauge.descriptors.clustering import clustering_coefficients, clustering_histogram, triangles
from graphgauge.descriptors.degree import degree_histogram
from graphgauge.descriptors.orbits import graphlet_counts, node_orbits, orbit_counts
from graphgauge.descriptors.paths import diameter, path_length_histogram
from graphgauge.descriptors.size import component_count, density, edge_count, size
from graphgauge.descriptors.spectrum import eigenvalues, spectrum_histogram

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
}

__all__ = [
    "DESCRIPTORS",
    "clustering_coefficients",
    "clustering_histogram",
    "component_count",
    "degree_histogram",
    "density",
    "diameter",
    "edge_count",
    "eigenvalues",
    "graphlet_counts",
    "node_orbits",
    "orbit_counts",
    "path_length_histogram",
    "size",
    "spectrum_histogram",
    "triangles",
]
