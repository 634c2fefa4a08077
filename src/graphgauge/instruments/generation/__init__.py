"""Generation: how close are generated graphs to real ones? (paper C)"""

from graphgauge.instruments.generation.checks import as_encoder
from graphgauge.instruments.generation.evaluator import Evaluator, Notice, Scores
from graphgauge.instruments.generation.figures import draw
from graphgauge.instruments.generation.metrics import GROUPS, METRICS
from graphgauge.instruments.generation.saving import is_saved
from graphgauge.instruments.generation.settings import PRESETS, Settings

__all__ = [
    "GROUPS",
    "METRICS",
    "PRESETS",
    "Evaluator",
    "Notice",
    "Scores",
    "Settings",
    "as_encoder",
    "draw",
    "is_saved",
]
