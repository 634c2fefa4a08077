"""Encodings: GraphSet → (N, k). Where in its graph a node is, as numbers, over all graphs at once."""

from graphgauge.encodings.checks import EncodingError
from graphgauge.encodings.indices import degree, node_order
from graphgauge.encodings.laplacian import laplacian, laplacian_eigenvalues
from graphgauge.encodings.policies import VARIANTS, Policy, Variant, vary
from graphgauge.encodings.pyg import AsTransform
from graphgauge.encodings.table import ENCODINGS, Encoding, Part, encoding
from graphgauge.encodings.walks import random_walk

__all__ = [
    "ENCODINGS",
    "VARIANTS",
    "AsTransform",
    "Encoding",
    "EncodingError",
    "Part",
    "Policy",
    "Variant",
    "degree",
    "encoding",
    "laplacian",
    "laplacian_eigenvalues",
    "node_order",
    "random_walk",
    "vary",
]
