"""How every benchmark measures: ours and theirs in turn, in one process on one thread; medians and a ratio.

Import this module before NumPy and PyTorch: it sets the number of threads.
"""
# ruff: noqa: E402  (threads are set before anything that starts some is imported)

from __future__ import annotations

import os

for _pool in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_pool] = "1"

import ctypes
import json
import platform
import statistics
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import psutil
import torch

torch.set_num_threads(1)

RESULTS = Path(__file__).parent / "results"

# glibc hands big blocks back to the system at every free and faults their pages in again at the next use.
# Options of mallopt(3): M_MMAP_MAX = -4, M_TRIM_THRESHOLD = -1.
ALLOCATORS: dict[str, tuple[tuple[int, int], ...]] = {
    "default": (),
    "keep": ((-4, 0), (-1, 2**31 - 1)),
}


def set_allocator(name: str) -> str:
    """Set the process's memory allocator, for us and for them; returns its description for the rows.

    "default" leaves it alone; "keep" makes glibc keep freed memory (M_MMAP_MAX=0, M_TRIM_THRESHOLD=2^31-1).
    """
    for option, value in ALLOCATORS[name]:
        if ctypes.CDLL(None).mallopt(option, value) != 1:
            sys.exit(f"mallopt({option}, {value}) failed: this C library cannot keep freed memory")
    return f"allocator={name}"


def interleaved(
    ours: Callable[[], object],
    theirs: Callable[[], object],
    repeats: int = 5,
    warm_up: int = 1,
    at_most: float = float("inf"),
) -> tuple[float, float]:
    """Median CPU seconds of each, run in turn so that both meet the same machine.

    No further turn begins once `at_most` seconds have been measured.
    """
    times: tuple[list[float], list[float]] = ([], [])
    for i in range(warm_up + repeats):
        if sum(times[0]) + sum(times[1]) > at_most:
            break
        for which, function in enumerate((ours, theirs)):
            started = time.process_time()
            function()
            seconds = time.process_time() - started
            if i >= warm_up:
                times[which].append(seconds)
    return statistics.median(times[0]), statistics.median(times[1])


def peak_memory(function: Callable[[], object]) -> tuple[float, float]:
    """CPU seconds of one call, and the MB by which resident memory rose at its highest, seen every 2 ms."""
    process = psutil.Process()
    before = highest = process.memory_info().rss
    done = threading.Event()

    def watch() -> None:
        nonlocal highest
        while not done.wait(0.002):
            highest = max(highest, process.memory_info().rss)

    watcher = threading.Thread(target=watch)
    watcher.start()
    started = time.process_time()
    try:
        kept = function()
    finally:
        seconds = time.process_time() - started
        done.set()
        watcher.join()
    highest = max(highest, process.memory_info().rss)
    del kept
    return seconds, (highest - before) / 2**20


def row(
    name: str,
    ours_s: float,
    theirs_s: float | None,
    n: int,
    setting: str,
    opponent: str | None = None,
    **more: Any,
) -> dict[str, Any]:
    """One result: seconds of both, ratio theirs / ours, the number of things done, setting and versions."""
    ratio = None if theirs_s is None else round(theirs_s / ours_s, 2)
    return {
        "name": name,
        "ours_s": round(ours_s, 5),
        "theirs_s": None if theirs_s is None else round(theirs_s, 5),
        "ratio": ratio,
        "n": n,
        "setting": setting,
        "threads": 1,
        "clock": "CPU seconds, median of interleaved runs",
        "opponent": opponent,
        **more,
        "versions": versions(),
    }


def versions() -> dict[str, str]:
    found = {"python": platform.python_version(), "machine": platform.machine()}
    opponents = ("ngab", "polygraph-benchmark", "prdc")
    for package in ("graphgauge", *opponents, "torch", "torch_geometric", "numpy", "numba"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def write(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Merge rows into a JSON file: a row replaces an older one of the same name, n and setting."""
    path.parent.mkdir(exist_ok=True)
    old = json.loads(path.read_text()) if path.exists() else []
    key = lambda r: (r["name"], r["n"], r["setting"])  # noqa: E731
    merged = {key(r): r for r in [*old, *rows]}
    path.write_text(json.dumps(list(merged.values()), indent=1) + "\n")


def show(rows: Sequence[Mapping[str, Any]]) -> None:
    """The rows, readable."""
    for r in rows:
        theirs = "" if r["theirs_s"] is None else f"  {r['opponent']} {r['theirs_s']:.4f} s  {r['ratio']} ×"
        memory = f"  peak +{r['peak_mb']:.0f} MB" if "peak_mb" in r else ""
        print(f"{r['name']:40s} n={r['n']:<7d} ours {r['ours_s']:.4f} s{theirs}{memory}  [{r['setting']}]")
