"""Supervised: how does an architecture do at a fixed parameter budget? Public name of the instrument.

>>> from graphgauge.supervised import run
"""

from graphgauge.instruments.supervised import *  # noqa: F403  its __all__ is the one list of names
