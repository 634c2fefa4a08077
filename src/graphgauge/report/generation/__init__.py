"""Table, ranking and figures of the generation instrument."""

from graphgauge.report.generation.distributions import distributions
from graphgauge.report.generation.drawings import drawings
from graphgauge.report.generation.embedding_map import embedding_map
from graphgauge.report.generation.floor_plot import figures, floor_plot
from graphgauge.report.generation.tables import ranking, table

__all__ = ["distributions", "drawings", "embedding_map", "figures", "floor_plot", "ranking", "table"]
