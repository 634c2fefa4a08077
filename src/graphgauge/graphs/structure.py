"""Facts about structure, over a whole set at once."""

from graphgauge.graphs.colours import components, wl_colours
from graphgauge.graphs.planarity import planar
from graphgauge.graphs.symmetry import isomorphic, isomorphism_classes, orbits

__all__ = ["components", "isomorphic", "isomorphism_classes", "orbits", "planar", "wl_colours"]
