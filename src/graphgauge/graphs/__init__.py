"""Ground floor: packed graph sets, pairs of them, converters, files and structure facts."""

from graphgauge.graphs.csr import CSR
from graphgauge.graphs.errors import GraphError
from graphgauge.graphs.graphset import GraphSet
from graphgauge.graphs.pairs import Pairs

__all__ = ["CSR", "GraphError", "GraphSet", "Pairs"]
