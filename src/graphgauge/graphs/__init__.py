"""Ground floor: packed graph sets, pairs of them, converters, files and structure facts."""

from graphgauge.graphs.csr import CSR
from graphgauge.graphs.errors import GraphError
from graphgauge.graphs.graphset import GraphSet
from graphgauge.graphs.pairs import Pairs
from graphgauge.graphs.task import Feature, Fold, Links, Task

__all__ = ["CSR", "Feature", "Fold", "GraphError", "GraphSet", "Links", "Pairs", "Task"]
