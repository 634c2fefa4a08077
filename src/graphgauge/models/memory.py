"""How the process hands memory back, which costs models with large tensors up to half of their time."""

from __future__ import annotations

import ctypes
import sys

# Options of glibc's mallopt(3).
_M_TRIM_THRESHOLD = -1
_M_MMAP_MAX = -4


def free_memory_lazily() -> bool:
    """Make glibc keep freed memory for the next allocation; True where that worked.

    By default glibc hands every large block back to the system when it is freed, and the system clears its
    pages again, fault by fault, at the next allocation of the same size. A training step allocates the same
    large tensors every time, so a quarter to a half of its CPU time can go there. This sets M_MMAP_MAX to 0
    and M_TRIM_THRESHOLD to its maximum, for the whole process and until it ends: memory once used is kept,
    and peak use can rise through fragmentation. Meant for worker processes. Elsewhere than on glibc it does
    nothing and returns False.
    """
    if not sys.platform.startswith("linux"):
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return False
    return bool(mallopt(_M_MMAP_MAX, 0) and mallopt(_M_TRIM_THRESHOLD, 2**31 - 1))
