"""MNIST as graphs of superpixels."""

from __future__ import annotations

import gzip
import math
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

MOST, BEGIN, COMPACTNESS, SIDE = 75, 95, 0.25, 28
_STEM = {"train": "train", "test": "t10k"}
_COUNT = {"train": 60000, "test": 10000}


def mnist(request: Request) -> Task:
    """At most 75 superpixels an image; node column ``x``: grey, row and column of the centre over 28."""
    return image_task("mnist", request, partial(_read, request.root), MOST, BEGIN, COMPACTNESS, SIDE)


def _read(root: Home, part: str) -> tuple[Bytes, Ints]:
    """Images and labels of idx files, gzipped or not, in ``images/mnist`` of a data home."""
    stem = f"images/mnist/{_STEM[part]}"
    images, labels = (
        idx(
            resolve(f"mnist {part}", homes(root), (f"{stem}-{kind}.gz", f"{stem}-{kind}"), {}),
            dimensions,
        )
        for kind, dimensions in (("images-idx3-ubyte", 3), ("labels-idx1-ubyte", 1))
    )
    for what, found in (("images", images), ("labels", labels)):
        if len(found) != _COUNT[part]:
            raise DatasetError(f"mnist {part}: expected {_COUNT[part]} {what}, found {len(found)}")
    return images, labels.astype(np.int64)


def idx(path: Path, dimensions: int) -> Bytes:
    """The bytes of an idx file of so many dimensions: a magic number, the lengths, the values."""
    try:
        raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    except (OSError, EOFError) as error:
        raise DatasetError(f"{path} cannot be read: {error}") from error
    head = 4 * (1 + dimensions)
    numbers = np.frombuffer(raw[:head], ">i4").tolist() if len(raw) >= head else []
    if not numbers or numbers[0] != 0x800 + dimensions:
        raise DatasetError(f"{path} is no idx file of bytes in {dimensions} dimensions")
    if len(raw) - head != math.prod(numbers[1:]):
        raise DatasetError(f"{path}: expected {math.prod(numbers[1:])} bytes, found {len(raw) - head}")
    return np.frombuffer(raw, np.uint8, offset=head).reshape(numbers[1:])


MNIST = TaskEntry(
    make=mnist,
    kind="derived",
    about="handwritten digits as graphs of superpixels",
    licence="images: commonly stated as CC BY-SA 3.0",
    source="http://yann.lecun.com/exdb/mnist",
    citation="LeCun et al. Gradient-based learning applied to document recognition. Proc. IEEE 86, 1998; "
    "Knyazev, Taylor, Amer. Understanding attention and generalization in graph neural networks. NeurIPS "
    "2019; Dwivedi et al. Benchmarking Graph Neural Networks. JMLR 24, 2023",
    sizes={"train": 55000, "val": 5000, "test": 10000},
    loss="cross_entropy",
    score="accuracy",
    graphs=70000,
)
