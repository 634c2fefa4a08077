"""Generation: how close are generated graphs to real ones? Public name of the instrument.

>>> from graphgauge.generation import Evaluator
"""

from graphgauge.instruments.generation import *  # noqa: F403  its __all__ is the one list of names
