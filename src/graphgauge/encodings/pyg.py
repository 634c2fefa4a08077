"""Encodings as transforms of PyTorch Geometric."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

from graphgauge.encodings.table import Encoding, encoding
from graphgauge.graphs import GraphSet


@dataclass(frozen=True)
class AsTransform:
    """A `pre_transform` that adds an encoding to a `torch_geometric.data.Data` as an attribute.

    The graph that is given is not changed. A whole data set is encoded many times faster at once, as a
    GraphSet.

    Parameters
    ----------
    encoding : an `Encoding` or its text
    attribute : name of the attribute

    >>> from torch_geometric.data import Data
    >>> import torch
    >>> data = Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=3)
    >>> AsTransform("rwpe:2")(data).pe.tolist()
    [[0.0, 1.0], [0.0, 1.0], [0.0, 0.0]]
    """

    encoding: Encoding | str
    attribute: str = "pe"

    def __call__(self, data: Any) -> Any:
        made = encoding(self.encoding) if isinstance(self.encoding, str) else self.encoding
        weights = [part.parameters.get("weight") for part in made.parts]
        graphs = GraphSet.from_pyg([data], attributes=sorted({w for w in weights if w is not None}))
        out = copy.copy(data)
        out[self.attribute] = made(graphs)
        return out
