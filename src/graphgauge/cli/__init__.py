"""The command line: arguments → Specs → Rows → table."""

from __future__ import annotations

import sys
import warnings

import typer

from graphgauge.cli.align import align
from graphgauge.cli.compare import compare
from graphgauge.cli.data import data
from graphgauge.cli.errors import explain
from graphgauge.cli.models import models
from graphgauge.cli.pairs import pairs
from graphgauge.cli.report import report
from graphgauge.cli.train import train

app = typer.Typer(
    name="graphgauge",
    help="Measure graph learning: numbers with their definitions, ceilings and spread.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(align)
app.command()(train)
app.command()(compare)
app.command()(report)
app.command()(models)
app.add_typer(data, name="data")
app.add_typer(pairs, name="pairs")


@app.callback(invoke_without_command=True)
def _root(
    version: bool = typer.Option(False, "--version", help="Show the version and exit."),
) -> None:
    if version:
        from graphgauge import __version__

        typer.echo(f"graphgauge {__version__}")
        raise typer.Exit


def _one_line(message: Warning | str, category: type[Warning], *_: object, **__: object) -> str:
    """A warning without the line of our source that raised it."""
    kind = "warning" if category is UserWarning else category.__name__
    return f"{kind}: {message}\n"


def main() -> None:
    """Entry point; turns known errors into one clear message and an exit status."""
    warnings.formatwarning = _one_line
    try:
        app()
    except Exception as error:
        message = explain(error)
        if message is None:
            raise
        typer.echo(f"error: {message}", err=True)
        sys.exit(1)
