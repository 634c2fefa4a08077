"""Which exceptions are answers to the user (one line), and which are faults of ours (a traceback)."""

from __future__ import annotations

# Wrong input, a model that misbehaves, a file that is missing or damaged, no room on the disk. Ours by name,
# since importing them here would make `--help` wait for PyTorch.
EXPECTED = (ValueError, LookupError, ImportError, OSError)
EXPECTED_NAMES = ("SweepError", "TrainingError")


def explain(error: Exception) -> str | None:
    """The message for the user; None where a traceback serves better."""
    if not isinstance(error, EXPECTED) and type(error).__name__ not in EXPECTED_NAMES:
        return None
    if isinstance(error, KeyError):
        return str(error.args[0]) if error.args else "missing key"
    return str(error) or type(error).__name__
