"""Parameters of the dense nets: every count that "Benchmarking Graph Neural Networks" prints for them.

Tables 3, 4, 7 to 10 and 16, and two configurations that have no printed count. The widths are those that give
the printed counts, which for some rows no shipped configuration has.
"""

from __future__ import annotations

import pytest

from graphgauge.budget import count_parameters
from graphgauge.graphs import Feature
from graphgauge.models.dense import ppgn, ringgnn

# Node feature, edge feature, level and outputs.
DATA = {
    "ZINC": (Feature("x", "category", 28), Feature("edge_attr", "category", 4), "graph", 1),
    "AQSOL": (Feature("x", "category", 65), Feature("edge_attr", "category", 5), "graph", 1),
    "MNIST": (Feature("x", "number", 3), None, "graph", 10),
    "CIFAR10": (Feature("x", "number", 5), None, "graph", 10),
    "PATTERN": (Feature("x", "category", 3), None, "node", 2),
    "CLUSTER": (Feature("x", "category", 7), None, "node", 6),
    "TSP": (Feature("x", "number", 2), Feature("edge_attr", "number", 1), "edge", 2),
    "CSL": (None, None, "graph", 10),
    "ENZYMES": (Feature("x", "number", 18), None, "graph", 6),
    "DD": (Feature("x", "number", 89), None, "graph", 2),
    "PROTEINS": (Feature("x", "number", 29), None, "graph", 2),
}
COUNTS = [
    ("ZINC", "ringgnn", 33, 2, "", 97978),
    ("ZINC", "ringgnn", 33, 2, "edges", 104403),
    ("ZINC", "ringgnn", 90, 2, "edges", 527283),
    ("ZINC", "ringgnn", 35, 8, "edges, residual", 510305),
    ("ZINC", "ppgn", 79, 3, "", 102150),
    ("ZINC", "ppgn", 79, 3, "edges", 103098),
    ("ZINC", "ppgn", 180, 3, "edges", 507603),
    ("ZINC", "ppgn", 104, 8, "edges, residual", 582824),
    ("AQSOL", "ringgnn", 26, 2, "", 116643),
    ("AQSOL", "ringgnn", 26, 2, "edges", 123157),
    ("AQSOL", "ringgnn", 75, 2, "edges", 523935),
    ("AQSOL", "ppgn", 79, 3, "", 110919),
    ("AQSOL", "ppgn", 180, 3, "", 525423),
    ("AQSOL", "ppgn", 79, 3, "edges", 112104),
    ("AQSOL", "ppgn", 180, 3, "edges", 528123),
    ("TSP", "ringgnn", 42, 2, "edges", 106862),
    ("TSP", "ringgnn", 94, 2, "edges", 507938),
    ("TSP", "ringgnn", 32, 8, "edges, residual", 506564),
    ("TSP", "ppgn", 52, 3, "edges", 106366),
    ("TSP", "ppgn", 115, 3, "edges", 506681),
    ("TSP", "ppgn", 98, 8, "edges, residual, linear edges", 508832),
    ("MNIST", "ringgnn", 45, 2, "", 105398),
    ("CIFAR10", "ringgnn", 44, 2, "", 105165),
    ("MNIST", "ringgnn", 101, 2, "", 505182),
    ("CIFAR10", "ringgnn", 100, 2, "", 504949),
    ("MNIST", "ringgnn", 37, 8, "residual", 506357),
    ("CIFAR10", "ringgnn", 37, 8, "residual", 510439),
    ("MNIST", "ppgn", 82, 3, "", 108024),
    ("CIFAR10", "ppgn", 82, 3, "", 108516),
    ("MNIST", "ppgn", 180, 3, "", 501690),
    ("CIFAR10", "ppgn", 180, 3, "", 502770),
    ("MNIST", "ppgn", 96, 8, "residual", 500816),
    ("CIFAR10", "ppgn", 96, 8, "residual", 501584),
    ("PATTERN", "ringgnn", 45, 2, "", 105206),
    ("CLUSTER", "ringgnn", 43, 2, "", 104746),
    ("PATTERN", "ringgnn", 101, 2, "", 504766),
    ("CLUSTER", "ringgnn", 101, 2, "", 524202),
    ("PATTERN", "ringgnn", 37, 8, "residual", 505749),
    ("CLUSTER", "ringgnn", 37, 8, "residual", 514380),
    ("PATTERN", "ppgn", 82, 3, "", 103572),
    ("CLUSTER", "ppgn", 82, 3, "", 105552),
    ("PATTERN", "ppgn", 182, 3, "", 502872),
    ("CLUSTER", "ppgn", 182, 3, "", 507252),
    ("PATTERN", "ppgn", 105, 8, "residual", 581716),
    ("CLUSTER", "ppgn", 105, 8, "residual", 586788),
    ("CSL", "ringgnn", 37, 2, "positions", 102726),
    ("CSL", "ringgnn", 93, 2, "positions", 505086),
    ("CSL", "ppgn", 78, 3, "positions", 102054),
    ("CSL", "ppgn", 179, 3, "positions", 505347),
    ("CSL", "ringgnn", 45, 2, "", 101138),
    ("CSL", "ringgnn", 102, 2, "", 505325),
    ("CSL", "ppgn", 80, 3, "", 102510),
    ("CSL", "ppgn", 181, 3, "", 506106),
    ("ENZYMES", "ringgnn", 38, 2, "", 103538),
    ("ENZYMES", "ppgn", 80, 3, "", 104658),
    ("DD", "ringgnn", 20, 2, "", 109857),
    ("DD", "ppgn", 74, 3, "", 104124),
    ("PROTEINS", "ringgnn", 35, 2, "", 109036),
    ("PROTEINS", "ppgn", 80, 3, "", 105366),
    ("AQSOL", "ppgn", 104, 8, "residual, not printed", 596552),
    ("AQSOL", "ringgnn", 32, 8, "residual, not printed", 493220),
]


@pytest.mark.parametrize(
    ("data", "name", "width", "layers", "options", "count"), COUNTS, ids=lambda value: str(value)
)
def test_parameters(data: str, name: str, width: int, layers: int, options: str, count: int) -> None:
    node, edge, level, outputs = DATA[data]
    linear = {"linear_edges": True} if "linear edges" in options else {}
    net = {"ringgnn": ringgnn, "ppgn": ppgn}[name](
        node,
        edge if "edges" in options.replace("linear edges", "") else None,
        {level: outputs},
        width=width,
        layers=layers,
        residual="residual" in options,
        pe=20 if "positions" in options else 0,
        **linear,
    )
    assert count_parameters(net) == count


def test_every_row_is_there() -> None:
    assert len(COUNTS) == 61
    assert sum("not printed" in row[4] for row in COUNTS) == 2
