"""What every command does with its rows: JSON to a file or to standard output, a table for people."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from graphgauge import rows as row_files
from graphgauge.atomic import write_text
from graphgauge.rows import Row

JsonOption = Annotated[
    str | None,
    typer.Option(
        "--json", metavar="FILE", help="Write the rows as JSON; - for standard output, nothing else there."
    ),
]
FormatOption = Annotated[
    str, typer.Option("--format", help="Form of the table: rich, csv, latex or markdown.")
]


def emit(rows: Sequence[Row], json: str | None, text: str) -> None:
    """Write rows where asked; print `text` unless standard output carries the JSON."""
    if json == "-":
        sys.stdout.write(row_files.dumps(rows))
        return
    if json is not None:
        row_files.write(Path(json), rows)
    if text:
        typer.echo(text.rstrip("\n"))


def note(text: str) -> None:
    """A remark for people, on standard error."""
    typer.echo(text, err=True)


def split_list(values: Sequence[str] | None, default: Sequence[str]) -> list[str]:
    """Values of an option that may be repeated and may hold commas; the default where it is not given.

    >>> split_list(["a,b", "c"], []), split_list(None, ["d"])
    (['a', 'b', 'c'], ['d'])
    """
    if values is None:
        return list(default)
    found = [part.strip() for value in values for part in value.split(",") if part.strip()]
    if not found:
        raise ValueError(f"an option with an empty value ({', '.join(map(repr, values)) or 'none'})")
    return found


def noise_level(text: str) -> float:
    """A noise level; a percent sign is understood.

    >>> noise_level("8%"), noise_level("0.15")
    (0.08, 0.15)
    """
    try:
        return float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        raise ValueError(f"noise level {text!r} is not a number") from None


def check_format(format: str) -> None:
    """A wrong name is an error before the work, not after it."""
    from graphgauge.report import FORMATS

    if format not in FORMATS:
        raise ValueError(f"no table format {format!r}; there are {', '.join(FORMATS)}")


def check_folder(folder: Path) -> None:
    """A folder that cannot be written to is an error before the work, not after it; it is not made yet."""
    folder = folder.absolute()
    there = next(one for one in (folder, *folder.parents) if one.exists())
    if not there.is_dir():
        raise NotADirectoryError(f"{folder} can be no folder: {there} is a file")
    if not os.access(there, os.W_OK | os.X_OK):
        raise PermissionError(f"{folder} cannot be written: {there} lets nothing be written into it")


def write_tables(rows: Sequence[Row], folder: Path) -> None:
    """Rows and their tables in every form."""
    from graphgauge.report import table

    row_files.write(folder / "rows.json", rows)
    for suffix, form in (("csv", "csv"), ("md", "markdown"), ("tex", "latex")):
        write_text(folder / f"table.{suffix}", table(rows, format=form, columns="all"))


def make_importable(folder: Path) -> None:
    """Let `mynets:Net` in an option name a module in the folder where the command is typed."""
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
