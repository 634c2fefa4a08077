"""Pinned rows of a comparison: a change here is a changed number."""

from __future__ import annotations

import numpy as np
import pytest

from graphgauge import datasets
from graphgauge.graphs import GraphSet
from graphgauge.instruments.generation import Evaluator

# Metric → the value by each network, the mean of the half-samples, the noise floor.
PINNED = {
    "degree_mmd2_emd": (0.6459974214606561, 0.723527871615199, 0.00028272771910183475),
    "degree_mmd2_tv": (0.21437994973637498, 0.24313680400512125, 0.00020969139415538685),
    "clustering_mmd2_emd": (0.0, 0.0, 0.0),
    "orbit_mmd2_tv": (0.2139618818174296, 0.23793376817046874, 0.0002919270612669056),
    "nspdk_mmd2": (0.4270805703227167, 0.5303548811791389, 0.013510722802750175),
    "wl_mmd2": (0.5552859909202539, 0.6429650467201232, 0.002896891470579474),
    "gin_mmd2_rbf": (0.4414233477813354, 0.3647078275957779, 0.5429018191079167, 0.25037444119721974),
    "gin_mmd2_linear": (165.80678311752558, 835.341685165848, 521.084399071228, 7.377592405312299),
    "gin_fd": (203.56330816644837, 1721.596343206606, 1031.6294484063583, 9.187805225592285),
    "gin_kd": (49.80073128362489, 9456.503459018877, 4221.759671592311, -0.33324880845990973),
    "gin_precision": (0.4, 0.4, 0.5416666666666666, 1.0),
    "gin_recall": (1.0, 1.0, 1.0, 1.0),
    "gin_density": (0.38, 0.37, 0.35000000000000003, 1.0333333333333334),
    "gin_coverage": (1.0, 1.0, 0.7083333333333334, 1.0),
    "unique": (0.95, 1.0, 0.9583333333333334),
    "novel": (0.6, 0.7916666666666666, 0.9166666666666666),
    "vun": (0.6, 0.7916666666666666, 0.875),
    "nodes_w1": (88.0125, 86.08333333333333, 21.458333333333332),
    "edges_w1": (193.1, 191.45833333333334, 41.416666666666664),
}


@pytest.fixture(scope="module")
def rows():
    """16 grids against the last 8 of them and 12 lobsters."""
    grids, lobsters = datasets.load("grid", size=16, seed=0), datasets.load("lobster", size=24, seed=0)
    evaluator = Evaluator(grids, metrics=list(PINNED), seeds=2, replicates=3)
    return list(evaluator.score(GraphSet.concat([grids[8:], lobsters[:12]])))


@pytest.mark.parametrize("metric", list(PINNED))
def test_pinned(rows, metric):
    splits = ("all", "half-samples", "reference halves")
    found = [row.value for split in splits for row in rows if (row.metric, row.split) == (metric, split)]
    np.testing.assert_allclose(found, PINNED[metric], rtol=1e-9, atol=1e-12)
