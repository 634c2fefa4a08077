"""How every loop here is compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

Floats = np.ndarray[Any, np.dtype[np.float32]]
Ints = np.ndarray[Any, np.dtype[np.int64]]

# Sums in any order and fused multiply-add; not the flags that let NaN and infinity vanish.
_LOOSE = {"reassoc", "contract", "nsz", "arcp"}


def loop(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile for this machine, cache on disk, let go of the interpreter lock while running."""
    compiled: Callable[..., Any] = njit(cache=True, nogil=True, fastmath=_LOOSE, error_model="numpy")(
        function
    )
    return compiled
