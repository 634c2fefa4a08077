"""PyTorch's files of plain arrays, read by its restricted reader: no code in them is run."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import torch

from graphgauge.datasets.errors import DatasetError


def read_arrays(path: Path, what: str, *names: str) -> dict[str, np.ndarray[Any, Any]]:
    """Arrays called `names` of a file that holds a dictionary of NumPy arrays or tensors.

    Parameters
    ----------
    what : the file should be, for messages

    Raises
    ------
    DatasetError
        if it cannot be read, holds anything but plain arrays, or lacks one of the names.
    """
    kinds = [np.ndarray, np.dtype, *(type(np.dtype(kind)) for kind in ("i8", "i4", "f8", "f4", "b1"))]
    rebuild = np.empty(0).__reduce__()[0]
    places = [(rebuild, f"numpy.{core}.multiarray._reconstruct") for core in ("core", "_core")]
    try:
        with torch.serialization.safe_globals([*kinds, *places]):  # type: ignore[list-item]
            stored = torch.load(path, weights_only=True)
        return {name: np.asarray(stored[name]) for name in names}
    except (KeyError, TypeError, RuntimeError, EOFError, OSError, pickle.UnpicklingError) as error:
        raise DatasetError(f"{path} is not {what}: {type(error).__name__}: {error}") from error
