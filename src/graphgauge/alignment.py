"""Graph alignment: how finely does an architecture read structure? Public name of the instrument.

>>> from graphgauge.alignment import benchmark
"""

from graphgauge.instruments.alignment import *  # noqa: F403  its __all__ is the one list of names
