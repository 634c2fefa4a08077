"""Which exceptions are answers to the user (one line), and which are faults of ours (a traceback)."""

from __future__ import annotations

from graphgauge.sweep import SweepError
from graphgauge.training import TrainingError

# Wrong input, a model that misbehaves, a file that is missing or damaged, no room on the disk.
EXPECTED = (ValueError, LookupError, SweepError, TrainingError, ImportError, OSError)


def explain(error: Exception) -> str | None:
    """The message for the user; None where a traceback serves better."""
    if not isinstance(error, EXPECTED):
        return None
    if isinstance(error, KeyError):
        return str(error.args[0]) if error.args else "missing key"
    return str(error) or type(error).__name__
