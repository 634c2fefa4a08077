"""GCN: mean-like smoothing over neighbours (Kipf and Welling, 2017)."""

from __future__ import annotations

from graphgauge.models.gcn_conv import GCNConv
from graphgauge.models.stack import Stack


class GCN(Stack):
    """The shared stack with `GCNConv` layers; 59,584 parameters as it is.

    >>> from graphgauge.graphs import GraphSet
    >>> GCN()(GraphSet.from_edges([[(0, 1), (1, 2)]])).shape
    torch.Size([3, 64])
    """

    def __init__(
        self, *, in_features: int = 1, width: int = 128, layers: int = 4, out_features: int = 64
    ) -> None:
        super().__init__(lambda w: GCNConv(w, w), in_features, width, layers, out_features)
