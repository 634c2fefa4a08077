"""Datasets by name: generated families, readers of stored data, samples of large graphs; supervised tasks.

>>> from graphgauge.datasets import base
>>> base("er", "train", size=10, seed=1).num_nodes
1000
"""

from graphgauge.datasets.bfs import bfs_sample
from graphgauge.datasets.card import CARD_DEFINITIONS, CARD_UNITS, card
from graphgauge.datasets.entry import Dataset
from graphgauge.datasets.errors import DatasetError, MissingData
from graphgauge.datasets.table import DATASETS, available, base, fetch, load, provenance
from graphgauge.datasets.tasks import TASKS, TaskEntry, load_task

__all__ = [
    "CARD_DEFINITIONS",
    "CARD_UNITS",
    "DATASETS",
    "TASKS",
    "Dataset",
    "DatasetError",
    "MissingData",
    "TaskEntry",
    "available",
    "base",
    "bfs_sample",
    "card",
    "fetch",
    "load",
    "load_task",
    "provenance",
]
