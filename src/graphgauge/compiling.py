"""How every compiled loop of the house is compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

Floats = np.ndarray[Any, np.dtype[np.float32]]
Ints = np.ndarray[Any, np.dtype[np.int64]]

# Sums in any order and fused multiply-add; not the flags that let NaN and infinity vanish.
LOOSE = frozenset({"reassoc", "contract", "nsz", "arcp"})


def loop(function: Callable[..., Any], **options: Any) -> Any:
    """Compile for this machine at the first call, one thread, without the interpreter lock; cached on disk.

    Where neither the package's folder nor the user's cache can be written, it is compiled anew in every
    process. `py_func` of the result is the plain function.
    """
    try:
        return njit(cache=True, nogil=True, **options)(function)
    except RuntimeError as error:
        if "cannot cache" not in str(error):
            raise
        return njit(nogil=True, **options)(function)


def loose_loop(function: Callable[..., Any]) -> Any:
    """`loop` for sums of floats: sums in any order, divisions as NumPy does them."""
    return loop(function, fastmath=set(LOOSE), error_model="numpy")
