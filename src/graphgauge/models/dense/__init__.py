"""Models over all ordered pairs of nodes, which tell more graphs apart than passing messages does."""

from __future__ import annotations

from graphgauge.models.dense.ppgn import PPGN, ppgn
from graphgauge.models.dense.ringgnn import RingGNN, ringgnn
from graphgauge.models.dense.room import DenseMemoryError, available_memory

__all__ = ["PPGN", "DenseMemoryError", "RingGNN", "available_memory", "ppgn", "ringgnn"]
