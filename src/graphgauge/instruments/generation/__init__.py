"""Generation: how close are generated graphs to real ones? (paper C)"""

from graphgauge.instruments.generation.evaluator import Evaluator, Scores
from graphgauge.instruments.generation.metrics import GROUPS, METRICS
from graphgauge.instruments.generation.settings import PRESETS, Settings

__all__ = ["GROUPS", "METRICS", "PRESETS", "Evaluator", "Scores", "Settings"]
