"""How much memory a dense model needs for a graph, and how much there is."""

from __future__ import annotations

import os
from pathlib import Path

import torch

from graphgauge.graphs import GraphError

CGROUP = Path("/sys/fs/cgroup")
MEMINFO = Path("/proc/meminfo")


class DenseMemoryError(GraphError):
    """A graph whose pairs of nodes do not fit into memory. Nothing has been allocated for it.

    Parameters
    ----------
    model : its name
    graph : number of the graph in its batch
    nodes : of that graph
    needed, limit : bytes
    """

    def __init__(self, model: str, graph: int, nodes: int, needed: int, limit: int) -> None:
        self.model, self.graph, self.nodes, self.needed, self.limit = model, graph, nodes, needed, limit
        super().__init__(
            f"{model} keeps features of every pair of nodes: graph {graph} with {nodes:,} nodes needs about "
            f"{_shown(needed)}, and {_shown(limit)} may be used. Choose a model that passes messages along "
            f"edges, smaller graphs, fewer layers or less width, or raise memory_limit."
        )

    def __reduce__(self) -> tuple[type[DenseMemoryError], tuple[str, int, int, int, int]]:
        return DenseMemoryError, (self.model, self.graph, self.nodes, self.needed, self.limit)


def available_memory(device: torch.device | str = "cpu") -> int:
    """Bytes that can still be allocated on a device.

    Of the system: what the kernel calls available, and no more than the control group leaves; where neither
    is known, half of the physical memory.

    >>> available_memory() > 0
    True
    """
    if torch.device(device).type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    known = [n for n in (_meminfo(), _cgroup()) if n is not None]
    if known:
        return min(known)
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2


def _meminfo() -> int | None:
    try:
        lines = MEMINFO.read_text().splitlines()
    except OSError:
        return None
    found = [line.split()[1] for line in lines if line.startswith("MemAvailable:")]
    return int(found[0]) * 1024 if found else None


def _cgroup() -> int | None:
    try:
        limit = (CGROUP / "memory.max").read_text().strip()
        used = (CGROUP / "memory.current").read_text().strip()
    except OSError:
        return None
    return None if limit == "max" else max(int(limit) - int(used), 0)


def _shown(count: int) -> str:
    return f"{count / 2**30:,.1f} GiB" if count >= 2**30 else f"{count / 2**20:,.1f} MiB"
