"""CIFAR10 as graphs of superpixels."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np

from graphgauge.datasets.errors import DatasetError
from graphgauge.datasets.home import Home, homes
from graphgauge.datasets.packing import Ints
from graphgauge.datasets.resolve import resolve
from graphgauge.datasets.tasks.entry import Request, TaskEntry
from graphgauge.datasets.tasks.superpixels import Bytes, image_task
from graphgauge.graphs import Task

MOST, BEGIN, COMPACTNESS, SIDE = 150, 200, 10.0, 32
FILES = {"train": [f"data_batch_{k}.bin" for k in range(1, 6)], "test": ["test_batch.bin"]}
_IMAGES = 10000  # in a file
_RECORD = 1 + 3 * SIDE * SIDE  # a label, then red, green and blue, row by row


def cifar10(request: Request) -> Task:
    """At most 150 superpixels an image; node column ``x``: red, green, blue, row and column over 32."""
    return image_task("cifar10", request, partial(_read, request.root), MOST, BEGIN, COMPACTNESS, SIDE)


def _read(root: Home, part: str) -> tuple[Bytes, Ints]:
    """Images and labels of the binary version, in ``images/cifar10`` of a data home."""
    found = [
        _batch(resolve(f"cifar10 {part}", homes(root), (f"images/cifar10/{name}",), {}))
        for name in FILES[part]
    ]
    images, labels = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
    return images, labels.astype(np.int64)


def _batch(path: Path) -> tuple[Bytes, Bytes]:
    raw = np.frombuffer(path.read_bytes(), np.uint8)
    if raw.size != _IMAGES * _RECORD:
        raise DatasetError(f"{path}: expected {_IMAGES * _RECORD} bytes, found {raw.size}")
    records = raw.reshape(_IMAGES, _RECORD)
    return records[:, 1:].reshape(-1, 3, SIDE, SIDE).transpose(0, 2, 3, 1), records[:, 0]


CIFAR10 = TaskEntry(
    make=cifar10,
    kind="derived",
    about="small photographs of ten classes as graphs of superpixels",
    licence="images: none named",
    source="https://www.cs.toronto.edu/~kriz/cifar.html (binary version)",
    citation="Krizhevsky. Learning multiple layers of features from tiny images. 2009; "
    "Dwivedi et al. Benchmarking Graph Neural Networks. JMLR 24, 2023",
    sizes={"train": 45000, "val": 5000, "test": 10000},
    loss="cross_entropy",
    score="accuracy",
    graphs=60000,
)
