"""Tables, rankings and figures of rows, each made by the part of the report that knows their instrument."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from types import ModuleType

from graphgauge.report import alignment, generation, supervised
from graphgauge.report.formats import check_format
from graphgauge.rows import Row

# Instrument → who makes its tables, rankings and figures. Rows of an instrument that is not here get the
# table of alignment, which shows any metric of any subject.
MAKERS: dict[str, ModuleType] = {
    "alignment": alignment,
    "generation": generation,
    "supervised": supervised,
}
OTHER = alignment


def table(
    rows: Iterable[Row],
    format: str = "rich",
    *,
    columns: str | Sequence[str] | None = None,
    width: int = 120,
    colour: bool = False,
) -> str:
    """The table of the rows' instrument; of several instruments the tables one after another.

    See `report.alignment.table`, `report.generation.table` and `report.supervised.table` for what they show.

    Parameters
    ----------
    rows : rows of any instrument, in any order, any number of seeds
    format : "rich" (text for a terminal), "csv" (everything, unrounded), "latex" (booktabs) or "markdown"
    columns : "main", "all" or the names of columns ("a,b" or a list); by default "all" for CSV, else "main"
    width, colour : of the terminal, for "rich" ("all" columns take the width they need)

    Examples
    --------
    >>> row = Row(
    ...     "1", "alignment", "gcn", "accuracy", 0.7512, "fraction", True, "", 500, 0, "val",
    ...     params={"dataset": "er", "noise": 0.08},
    ... )
    >>> print(table([row], "csv"))
    dataset,noise,subject,mark,accuracy_mean,accuracy_sd,accuracy_n,published,published_sd,published_metric
    er,0.08,gcn,,0.7512,,1,0.789,0.009,accuracy_softmax
    <BLANKLINE>
    """
    check_format(format)
    parts = [
        maker.table(part, format, columns=columns, width=width, colour=colour)
        for maker, part in by_maker(rows)
    ]
    return "\n".join(parts)


def ranking(rows: Iterable[Row]) -> str:
    """One line for each thing that was ranked: a dataset and noise of alignment, a metric of generation, a
    supervised task.

    >>> make = lambda name, value: Row(
    ...     name, "alignment", name, "accuracy", value, "fraction", True, "", 500, 0, "val",
    ...     params={"dataset": "er", "noise": 0.08},
    ... )
    >>> ranking([make("gcn", 0.75), make("gat", 0.897)])
    'er, noise 8 %: gat 89.7 > gcn 75.0'
    """
    return "\n".join(maker.ranking(part) for maker, part in by_maker(rows))


def figures(
    rows: Iterable[Row], out_dir: str | Path, *, formats: Sequence[str] = ("png", "svg", "pdf")
) -> list[Path]:
    """The figures of the rows' instruments: `report.alignment.figures`, `report.generation.figures`,
    `report.supervised.figures`.

    Parameters
    ----------
    rows : rows of any instrument
    out_dir : made if it is not there

    Returns
    -------
    list of Path of the files that were written

    >>> figures([], ".")
    []
    """
    drawn: list[Path] = []
    for maker, part in by_maker(rows):
        drawn += maker.figures(part, out_dir, formats=formats)
    return drawn


def by_maker(rows: Iterable[Row]) -> list[tuple[ModuleType, list[Row]]]:
    """The rows of each maker, in the order of MAKERS; no rows at all go to OTHER."""
    parts: dict[str, list[Row]] = {}
    for row in rows:
        parts.setdefault(MAKERS.get(row.instrument, OTHER).__name__, []).append(row)
    found = [(maker, parts[maker.__name__]) for maker in MAKERS.values() if maker.__name__ in parts]
    return found or [(OTHER, [])]
