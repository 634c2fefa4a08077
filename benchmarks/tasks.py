"""What it costs to make each supervised task at its official size, or to read it.

    python benchmarks/tasks.py [--only TEXT]     GRAPHGAUGE_DATA: see README

Every row is measured in a process of its own, after a small task that compiles the loops: CPU seconds on one
thread, and the peak of memory above what was there before. Superpixels are computed for 1,000 images into an
empty cache; tours, whose time is set beforehand, for 60 instances. Ours alone, no opponent.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from typing import Any

import measure  # isort: skip  (first: it sets the number of threads)

from graphgauge.datasets import TASKS, MissingData, load_task

# Sizes other than the official one.
SIZES: dict[str, int] = {"mnist": 1000, "cifar10": 1000, "tsp": 60}
SMALL: dict[str, int] = {"csl": 50, "mnist": 10, "cifar10": 10, "tsp": 5}


def one(name: str) -> dict[str, Any]:
    """CPU seconds, peak memory and sizes of one task."""
    if TASKS[name].smaller:
        load_task(name, size=SMALL.get(name, 100), seed=1)
    found = []
    seconds, peak = measure.peak_memory(lambda: found.append(load_task(name, size=SIZES.get(name))))
    graphs = found[0].graphs
    return {
        "seconds": seconds,
        "peak_mb": round(peak, 1),
        "graphs": len(graphs),
        "average_nodes": round(graphs.num_nodes / len(graphs), 2),
        "average_edges": round(graphs.num_edges / len(graphs), 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="part of the names of the tasks to measure")
    parser.add_argument("--one", help="measure one, print JSON")
    arguments = parser.parse_args()
    if arguments.one:
        try:
            print(json.dumps(one(arguments.one)))
        except MissingData as error:
            sys.exit(f"{arguments.one} is left out: {str(error).splitlines()[0]}")
        return
    for name in TASKS:
        if arguments.only not in name:
            continue
        with tempfile.TemporaryDirectory() as empty:
            environment = {**os.environ, "XDG_CACHE_HOME": empty, "GRAPHGAUGE_OFFLINE": "1"}
            child = subprocess.run(
                [sys.executable, __file__, "--one", name], stdout=subprocess.PIPE, env=environment
            )
        if child.returncode:
            continue
        found = json.loads(child.stdout)
        seconds, count = found.pop("seconds"), found.pop("graphs")
        row = measure.row(f"task {name}", seconds, None, n=count, setting="allocator=default", **found)
        measure.show([row])
        measure.write(measure.RESULTS / "tasks.json", [row])


if __name__ == "__main__":
    main()
