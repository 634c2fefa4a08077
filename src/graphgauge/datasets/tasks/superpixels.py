"""Graphs of superpixels: regions by SLIC, joined to their eight nearest neighbours."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from graphgauge.compiling import loop
from graphgauge.datasets.errors import MissingData
from graphgauge.datasets.options import stream
from graphgauge.datasets.packing import Ints, packed
from graphgauge.datasets.tasks.entry import Request, consecutive
from graphgauge.datasets.tasks.kept import Arrays, kept
from graphgauge.graphs import Feature, GraphSet, Task
from graphgauge.graphs.task import PARTS

NEIGHBOURS = 8
VALIDATION = 5000  # the published code takes the first of the training images
Bytes = NDArray[np.uint8]
Floats = NDArray[np.float32]
# part of the files ("train", "test") → images (M, height, width[, 3]) and labels (M,)
Reader = Callable[[str], tuple[Bytes, Ints]]
RECOMPUTED = (
    "superpixels computed here with scikit-image {version}; they are not the published ones node by node"
)


def superpixels(image: Bytes, most: int, begin: int, compactness: float) -> tuple[Floats, Floats]:
    """Mean colour in [0, 1], (n, channels), and centre (row, column) in pixels, (n, 2), of regions by SLIC.

    SLIC is asked for `begin` regions, then for one less until it gives at most `most`.
    """
    slic = _slic()
    pixels = (image / 255.0).astype(np.float32)
    channel = -1 if image.ndim == 3 else None
    ask, region = begin, None
    while region is None or int(region.max()) >= most:
        region = slic(pixels, n_segments=ask, compactness=compactness, channel_axis=channel, start_label=0)
        ask -= 1
    flat = np.unique(region.reshape(-1), return_inverse=True)[1].reshape(-1)
    size = np.bincount(flat)
    row, column = np.divmod(np.arange(flat.size), image.shape[1])
    columns = [*pixels.reshape(flat.size, -1).T, row, column]
    means = np.stack([np.bincount(flat, weights=values) / size for values in columns], axis=1)
    return means[:, :-2].astype(np.float32), means[:, -2:].astype(np.float32)


def _slic() -> Any:
    try:
        from skimage.segmentation import slic
    except ImportError as error:
        raise MissingData(
            "superpixels need scikit-image, which is not installed: pip install 'graphgauge[images]'"
        ) from error
    return slic


def nearest(coordinates: Floats, node_ptr: Ints, k: int = NEIGHBOURS) -> tuple[Ints, Floats, Ints]:
    """Edges from every node to the k most similar ones of its graph, their similarity, and edge pointers.

    A_ij = (exp(-(d_ij / s_i)²) + exp(-(d_ij / s_j)²)) / 2, where d is the distance of the coordinates and
    s_i the mean distance of the k nearest nodes of i (plus 1e-8). Where a graph has at most k + 1 nodes all
    others are neighbours. Of equals the first are taken. Sorted by source, then target.

    Returns
    -------
    edge_index (2, E), weight (E,) and edge_ptr (G+1,)
    """
    sizes = np.diff(node_ptr)
    each = np.minimum(k, np.maximum(sizes - 1, 0))
    edge_ptr = np.concatenate([[0], np.cumsum(sizes * each)])
    edges, weight = _nearest(np.ascontiguousarray(coordinates, np.float64), node_ptr, edge_ptr, k)
    return edges, weight, edge_ptr


@loop
def _nearest(xy: Any, node_ptr: Any, edge_ptr: Any, k: int) -> Any:
    edges = np.empty((2, edge_ptr[-1]), np.int64)
    weight = np.empty(edge_ptr[-1], np.float32)
    for g in range(node_ptr.size - 1):
        first, n = node_ptr[g], node_ptr[g + 1] - node_ptr[g]
        each = min(k, n - 1)
        if each < 1:
            continue
        d = np.zeros((n, n))
        scale = np.ones(n)
        for i in range(n):
            for j in range(n):
                r = xy[first + i, 0] - xy[first + j, 0]
                c = xy[first + i, 1] - xy[first + j, 1]
                d[i, j] = np.sqrt(r * r + c * c)
            if n > k:
                scale[i] = np.sort(d[i])[: k + 1].sum() / k
        scale += 1e-8
        a = np.zeros((n, n))
        for i in range(n):
            for j in range(n):
                own = np.exp(-((d[i, j] / scale[i]) ** 2))
                a[i, j] = (own + np.exp(-((d[i, j] / scale[j]) ** 2))) / 2
        e = edge_ptr[g]
        for i in range(n):
            a[i, i] = -1.0
            order = np.argsort(-a[i], kind="mergesort")[:each]
            order.sort()
            for j in order:
                edges[0, e], edges[1, e] = first + i, first + j
                weight[e] = a[i, j]
                e += 1
    return edges, weight


def graphs_of(colour: Floats, centre: Floats, node_ptr: Ints, side: int, y: Ints) -> GraphSet:
    """Directed graphs with node column ``x`` (colour, row, column of the centre over the image's side)."""
    place = (centre / side).astype(np.float32)
    edges, weight, edge_ptr = nearest(place, node_ptr)
    found = packed(edges, edge_ptr, node_ptr)
    return GraphSet(
        found.node_ptr,
        found.edge_index,
        found.edge_ptr,
        node={"x": torch.from_numpy(np.concatenate([colour, place], axis=1))},
        edge={"edge_attr": torch.from_numpy(weight)[:, None]},
        graph={"y": torch.from_numpy(np.ascontiguousarray(y, np.int64))},
        directed=True,
    )


def image_task(
    name: str, request: Request, read: Reader, most: int, begin: int, compactness: float, side: int
) -> Task:
    """The classification of images by graphs of their superpixels, which are computed once and kept.

    Val are the first 5,000 training images, as in the published code (the paper says a random choice).
    Fewer images than all are a random choice in each part, in order.
    """
    how = (most, begin, compactness)
    parts = [_part(name, request, part, read, how, side) for part in PARTS]
    channels = parts[0].node["x"].shape[1]
    return Task(
        name,
        GraphSet.concat(parts),
        {"graph": 10},
        node=Feature("x", "number", channels),
        edge=Feature("edge_attr", "number", 1),
        folds=(consecutive(request.sizes),),
        loss="cross_entropy",
        score="accuracy",
        notes=(RECOMPUTED.format(version=version("scikit-image")),),
    )


def _part(
    name: str, request: Request, part: str, read: Reader, how: tuple[int, int, float], side: int
) -> GraphSet:
    """The graphs of a part; SLIC is looked for first, so that its absence is the first thing that is said."""
    _slic()

    def make() -> Arrays:
        images, labels = read("test" if part == "test" else "train")
        numbers = _chosen(name, request, part, len(images))
        found = [superpixels(images[i], *how) for i in numbers]
        sizes = [len(colour) for colour, _ in found]
        return {
            "node_ptr": np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            "colour": np.concatenate([colour for colour, _ in found]),
            "centre": np.concatenate([centre for _, centre in found]),
            "y": labels[numbers],
        }

    which = "all" if request.whole else f"{request.sizes[part]}-{request.seed}"
    file = f"tasks/{name}-skimage{version('scikit-image')}-{part}-{which}.npz"
    data = kept(request.root, file, make, "node_ptr", "colour", "centre", "y")
    return graphs_of(data["colour"], data["centre"], data["node_ptr"], side, data["y"])


def _chosen(name: str, request: Request, part: str, images: int) -> Ints:
    """Numbers of the images of a part, ascending."""
    first, end = {"train": (VALIDATION, images), "val": (0, VALIDATION), "test": (0, images)}[part]
    numbers = np.arange(first, end)
    if request.whole:
        return numbers
    rng = stream(f"task-{name}", request.seed, part)
    return np.sort(rng.choice(numbers, min(request.sizes[part], numbers.size), replace=False))
