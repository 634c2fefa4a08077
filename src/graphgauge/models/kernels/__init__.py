"""Compiled loops for one CPU thread in float32. Every one has a twin in plain PyTorch, which serves the rest.

All loops run over nodes in order, so results are the same every time, and read a graph's rows while they are
in cache: the edges of a node lie in its own graph. They are compiled for the machine at their first call and
cached on disk.
"""

from __future__ import annotations

import torch
from torch import Tensor


def compiled(x: Tensor) -> bool:
    """Whether the compiled loops serve this tensor: on the CPU, in float32 or in bfloat16 (widened).

    Not while torch.compile traces: that cannot look into them, and gets the plain twins.
    """
    return (
        not torch.compiler.is_compiling()
        and x.device.type == "cpu"
        and x.dtype in (torch.float32, torch.bfloat16)
    )
