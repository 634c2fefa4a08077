"""What a number stands on: versions of the library and of what it is made with, device, threads."""

from __future__ import annotations

import platform
from importlib.metadata import version

import numpy as np
import torch


def versions(device: str = "cpu") -> dict[str, str]:
    """Names and versions for the rows of a run on a device.

    >>> sorted(versions())[:3]
    ['deterministic', 'device', 'graphgauge']
    """
    hardware = torch.cuda.get_device_name(device) if device.startswith("cuda") else platform.machine()
    return {
        "graphgauge": version("graphgauge"),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
        "scipy": version("scipy"),
        "device": f"{device} ({hardware})",
        "threads": str(torch.get_num_threads()),
        "deterministic": str(torch.are_deterministic_algorithms_enabled()),
    }
