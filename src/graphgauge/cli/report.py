"""`graphgauge report`: tables and figures from finished runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphgauge import rows as row_files
from graphgauge.cli.align import write_report
from graphgauge.cli.output import FormatOption, JsonOption, emit


def report(
    source: Annotated[Path, typer.Argument(help="A folder of runs or of a comparison, or a file of rows.")],
    columns: Annotated[str | None, typer.Option(help="main, all or names of columns, by commas.")] = None,
    format: FormatOption = "rich",
    json: JsonOption = None,
) -> None:
    """Show the table of all finished runs in a folder (or of a rows file) and draw its figures."""
    from graphgauge.report import table
    from graphgauge.sweep import stored_rows

    compared = source / "rows.json"  # what `compare --out` leaves there
    file = source if source.is_file() else compared if compared.is_file() else None
    rows = stored_rows(source) if file is None else row_files.read(file)
    if not rows:
        raise ValueError(f"{source} holds no finished runs")
    emit(rows, json, table(rows, format=format, columns=columns))
    if file is None:
        write_report(rows, source)
