"""Rows → means, tables and figures. Works on anybody's rows: it reads Rows and runs nothing."""

from graphgauge.report.formats import FORMATS
from graphgauge.report.plain import plain_table
from graphgauge.report.plots import figures
from graphgauge.report.published import published
from graphgauge.report.summary import Summary, summarise
from graphgauge.report.tables import ranking, table

__all__ = ["FORMATS", "Summary", "figures", "plain_table", "published", "ranking", "summarise", "table"]
