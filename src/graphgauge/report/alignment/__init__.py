"""Table, ranking and figures of the alignment instrument."""

from graphgauge.report.alignment.plots import figures
from graphgauge.report.alignment.tables import ranking, table

__all__ = ["figures", "ranking", "table"]
