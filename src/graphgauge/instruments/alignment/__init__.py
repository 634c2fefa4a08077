"""Graph alignment: how finely does an architecture read structure? (paper A)"""

from graphgauge.instruments.alignment.evaluation import evaluate
from graphgauge.instruments.alignment.metrics import METRICS
from graphgauge.instruments.alignment.ranking import DEFAULT_MODELS, benchmark
from graphgauge.instruments.alignment.run import train_encoder
from graphgauge.instruments.alignment.settings import PRESETS, Settings
from graphgauge.instruments.alignment.siamese import alignment_loss
from graphgauge.models import ModelError

__all__ = [
    "DEFAULT_MODELS",
    "METRICS",
    "PRESETS",
    "ModelError",
    "Settings",
    "alignment_loss",
    "benchmark",
    "evaluate",
    "train_encoder",
]
