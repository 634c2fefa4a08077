"""Supervised tasks: how does an architecture do at a fixed parameter budget? (paper B)"""

from graphgauge.instruments.supervised.benchmark import DEFAULT_MODELS, run
from graphgauge.instruments.supervised.data import own_task
from graphgauge.instruments.supervised.protocol import PROTOCOLS, Protocol
from graphgauge.instruments.supervised.recipes import Recipe, recipe_for
from graphgauge.instruments.supervised.settings import Settings

__all__ = ["DEFAULT_MODELS", "PROTOCOLS", "Protocol", "Recipe", "Settings", "own_task", "recipe_for", "run"]
