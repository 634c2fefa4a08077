"""Models: a GraphSet of N nodes goes in, embeddings (N, d) come out. One architecture a file."""

from __future__ import annotations

from graphgauge.models.memory import free_memory_lazily
from graphgauge.models.table import MODELS, Builder, ModelError, build, resolve

__all__ = ["MODELS", "Builder", "ModelError", "build", "free_memory_lazily", "resolve"]
