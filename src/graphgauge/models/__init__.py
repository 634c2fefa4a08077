"""Models: a GraphSet goes in. One architecture a file.

`build` makes encoders, which return embeddings (N, d); `build_network` nets for supervised tasks, which give
predictions by level.
"""

from __future__ import annotations

from graphgauge.models.architectures import ARCHITECTURES, DENSE, build_network
from graphgauge.models.memory import free_memory_lazily
from graphgauge.models.table import MODELS, Builder, ModelError, build, resolve

__all__ = [
    "ARCHITECTURES",
    "DENSE",
    "MODELS",
    "Builder",
    "ModelError",
    "build",
    "build_network",
    "free_memory_lazily",
    "resolve",
]
