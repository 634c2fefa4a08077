"""Rows → means, tables and figures. Works on anybody's rows: it reads Rows and runs nothing."""

from graphgauge.report.plots import figures
from graphgauge.report.published import published
from graphgauge.report.summary import Summary, summarise
from graphgauge.report.tables import ranking, table

__all__ = ["Summary", "figures", "published", "ranking", "summarise", "table"]
