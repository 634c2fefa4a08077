"""Every benchmark under both allocator settings, each in a process of its own; results land in `results/`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
BENCHMARKS = (
    "pairs",
    "sampling",
    "training",
    "evaluation",
    "growth",
    "generation",
    "generation_growth",
    "encodings",
)
ALLOCATORS = ("default", "keep")


def main() -> None:
    failed = []
    for name in sys.argv[1:] or BENCHMARKS:
        for allocator in ALLOCATORS:
            command = [sys.executable, str(HERE / f"{name}.py"), "--allocator", allocator]
            if subprocess.run(command, check=False).returncode:
                failed.append(f"{name} ({allocator})")
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
