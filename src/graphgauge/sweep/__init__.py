"""Specs → Rows, many at once: workers side by side, finished runs kept, damaged files set aside.

The room knows Specs and Rows only; what to run is the function handed to it.
"""

from graphgauge.sweep.driver import run
from graphgauge.sweep.errors import SweepError
from graphgauge.sweep.store import Store, stored_rows

__all__ = ["Store", "SweepError", "run", "stored_rows"]
