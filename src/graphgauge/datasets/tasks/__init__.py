"""Supervised tasks by name: graphs, targets, splits and how they are scored.

>>> from graphgauge.datasets import load_task
>>> load_task("cluster", size=12).graphs.num_graphs
12
"""

from graphgauge.datasets.tasks.entry import Request, TaskEntry
from graphgauge.datasets.tasks.table import TASKS, load_task

__all__ = ["TASKS", "Request", "TaskEntry", "load_task"]
