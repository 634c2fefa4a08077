"""Table, ranking and figures of the generation instrument."""

from graphgauge.report.generation.plot_distributions import distributions
from graphgauge.report.generation.plot_drawings import drawings
from graphgauge.report.generation.plot_floor import figures, floor_plot
from graphgauge.report.generation.plot_map import embedding_map
from graphgauge.report.generation.tables import ranking, table

__all__ = ["distributions", "drawings", "embedding_map", "figures", "floor_plot", "ranking", "table"]
