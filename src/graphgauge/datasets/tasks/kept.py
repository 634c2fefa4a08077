"""What is costly to compute is computed once and kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphgauge.datasets.home import Home, arrays, cache_home, find, homes, keep

Arrays = dict[str, np.ndarray[Any, Any]]


def kept(root: Home, relative: str, make: Callable[[], Arrays], *names: str) -> Arrays:
    """Arrays of a file of a data home or of the user's cache; made and stored where there is none.

    They are stored in the last data home, or in the user's cache where nothing can be written there.

    Parameters
    ----------
    relative : name of the npz file
    make : gives the arrays
    names : of the arrays the file must have
    """
    stored = find((*homes(root), cache_home()), relative)
    if stored is None:
        fresh = make()
        try:
            stored = keep(homes(root)[-1], relative, fresh)
        except OSError:
            stored = keep(cache_home(), relative, fresh)
    return arrays(stored, *names)
