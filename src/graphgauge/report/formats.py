"""Chosen lines and columns → text: for a terminal, CSV, LaTeX, Markdown."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from graphgauge.report.columns import MARKS, Column, notes
from graphgauge.report.lines import BEST, TIED, Line, blocks

NOTE_WIDTH = 120
MODEL_WIDTH = 12  # longer model names and settings are folded where the table would become too wide


def rich_text(
    lines: Sequence[Line], columns: Sequence[Column], *, width: int | None = 120, colour: bool = False
) -> str:
    """A table for a terminal, its notes below; `width=None` takes what it needs. Numbers are never cut."""
    grid = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1), collapse_padding=True)
    for column in columns:
        _add_column(grid, column, lines)
    for block in blocks(lines):
        for line in block:
            style = "bold" if line.mark == BEST else ""
            grid.add_row(*(Text(_marked(column, line), style) for column in columns))
        grid.add_section()
    out = io.StringIO()
    console = Console(file=out, width=10_000, force_terminal=colour, no_color=not colour, highlight=False)
    needed = console.measure(grid)
    console.print(grid, width=needed.maximum if width is None else max(width, needed.minimum))
    console.print()
    for note in notes(lines, columns):
        console.print(Text(note, "dim"), width=NOTE_WIDTH)
    return "\n".join(part.rstrip() for part in out.getvalue().splitlines()) + "\n"


def _add_column(grid: Table, column: Column, lines: Sequence[Line]) -> None:
    folds = column.name in ("subject", "settings")
    longest = max((len(_marked(column, line)) for line in lines), default=0)
    grid.add_column(
        Text(column.header),
        justify="left" if column.is_text else "right",
        no_wrap=not folds,
        overflow="fold",
        min_width=min(longest, MODEL_WIDTH) if folds else None,
    )


def csv_text(lines: Sequence[Line], columns: Sequence[Column]) -> str:
    """Fractions, unrounded; an empty field where there is no value."""
    records = [{k: v for column in columns for k, v in column.fields(line).items()} for line in lines]
    out = io.StringIO()
    writer = csv.DictWriter(
        out, list(records[0]) if records else [c.name for c in columns], lineterminator="\n"
    )
    writer.writeheader()
    writer.writerows(records)
    return out.getvalue()


def markdown_text(lines: Sequence[Line], columns: Sequence[Column]) -> str:
    """A pipe table, its notes below."""
    head = [escape_markdown(column.header.replace("\n", " ")) for column in columns]
    rule = [":---" if column.is_text else "---:" for column in columns]
    body = [[escape_markdown(_marked(column, line)) for column in columns] for line in lines]
    text = "\n".join("| " + " | ".join(cells) + " |" for cells in (head, rule, *body))
    below = "".join(f"\n{escape_markdown(note)}  " for note in notes(lines, columns))
    return text + "\n" + (f"{below.rstrip()}\n" if below else "")


def latex_text(lines: Sequence[Line], columns: Sequence[Column]) -> str:
    """A booktabs table; the best accuracy is bold, those within noise of it are underlined."""
    head = " & ".join(_latex_header(column) for column in columns)
    body = []
    for block in blocks(lines):
        body += [" & ".join(_latex_cell(column, line) for column in columns) + r" \\" for line in block]
        body.append(r"\midrule")
    below = [rf"{escape_latex(_without_marks(note))}\\" for note in notes(lines, columns)]
    return "\n".join(
        [
            r"% \usepackage{booktabs}",
            r"\begin{table}",
            r"\centering\small",
            rf"\begin{{tabular}}{{{''.join('l' if column.is_text else 'r' for column in columns)}}}",
            r"\toprule",
            head + r" \\",
            r"\midrule",
            *body[:-1],
            r"\bottomrule",
            r"\end{tabular}",
            r"\par\smallskip\footnotesize\raggedright",
            *below,
            r"\end{table}",
            "",
        ]
    )


FORMATS: dict[str, Callable[..., str]] = {
    "rich": rich_text,
    "csv": csv_text,
    "latex": latex_text,
    "markdown": markdown_text,
}


def _marked(column: Column, line: Line) -> str:
    """The mark stands before the model's name."""
    text = column.show(line)
    return f"{MARKS[line.mark]} {text}" if column.name == "subject" else text


def _latex_header(column: Column) -> str:
    parts = [escape_latex(part) for part in column.header.split("\n")]
    return rf"\shortstack{{{parts[0]}\\{parts[1]}}}" if len(parts) == 2 else parts[0]


def _latex_cell(column: Column, line: Line) -> str:
    text = escape_latex(column.show(line))
    if column.name != "accuracy" or not line.mark:
        return text
    return rf"\textbf{{{text}}}" if line.mark == BEST else rf"\underline{{{text}}}"


def _without_marks(note: str) -> str:
    return note.replace(MARKS[BEST], "Bold:").replace(MARKS[TIED], "underlined:")


_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "|": r"\textbar{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    '"': r"\textquotedbl{}",
    "±": r"$\pm$",
    "†": r"\dag{}",
    "–": "--",
    "\n": " ",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}


def escape_latex(text: str) -> str:
    r"""
    >>> escape_latex("my_pkg.nets:Net|x")
    'my\\_pkg.nets:Net\\textbar{}x'
    """
    return "".join(_LATEX.get(character, character) for character in text)


def escape_markdown(text: str) -> str:
    r"""
    >>> escape_markdown("my_pkg.nets:Net|x")
    'my\\_pkg.nets:Net\\|x'
    """
    escaped = "".join(f"\\{c}" if c in "\\`*_[]<>|" else c for c in text)
    return " ".join(escaped.split())
