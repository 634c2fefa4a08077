"""Rows → means, verdicts, tables and figures. Works on anybody's rows: it reads Rows and runs nothing.

`table`, `ranking` and `figures` take rows of any instrument (`tables.MAKERS`). `distributions`,
`embedding_map` and `drawings` draw plain arrays.
"""

from graphgauge.report.formats import FORMATS
from graphgauge.report.generation import distributions, drawings, embedding_map, floor_plot
from graphgauge.report.plain import plain_table
from graphgauge.report.published import published
from graphgauge.report.summary import Summary, summarise
from graphgauge.report.tables import figures, ranking, table
from graphgauge.report.verdicts import Verdict, enough, interval, verdict

__all__ = [
    "FORMATS",
    "Summary",
    "Verdict",
    "distributions",
    "drawings",
    "embedding_map",
    "enough",
    "figures",
    "floor_plot",
    "interval",
    "plain_table",
    "published",
    "ranking",
    "summarise",
    "table",
    "verdict",
]
