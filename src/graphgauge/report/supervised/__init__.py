"""Table, ranking and figures of the supervised instrument."""

from graphgauge.report.supervised.plots import figures
from graphgauge.report.supervised.tables import ranking, table

__all__ = ["figures", "ranking", "table"]
