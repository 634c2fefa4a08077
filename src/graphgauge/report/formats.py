"""Grids of text cells → text: for a terminal, CSV, LaTeX, Markdown."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

NOTE_WIDTH = 120
FOLDED_WIDTH = 12  # longer texts in columns that may fold are folded where the table would become too wide
BEST, TIED = "best", "within noise"
MARKS = {BEST: "★", TIED: "≈", "": " "}

Record = Mapping[str, object]


@dataclass(frozen=True)
class Head:
    """The top of a column, its unit on the second line; text stands left, numbers right."""

    text: str
    is_text: bool = False
    folds: bool = False


@dataclass(frozen=True)
class Cell:
    """`style` is BEST or TIED: bold or underlined in LaTeX; `bold` is for terminals."""

    text: str
    style: str = ""
    bold: bool = False


@dataclass(frozen=True)
class Grid:
    """A table of cells in sections with rules between them, its title above and its notes below."""

    heads: Sequence[Head]
    sections: Sequence[Sequence[Sequence[Cell]]]
    notes: Sequence[str] = ()
    title: str = ""


def rich_text(grid: Grid, *, width: int | None = 120, colour: bool = False) -> str:
    """A table for a terminal, its notes below; `width=None` takes what it needs. Numbers are never cut."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1), collapse_padding=True)
    for i, head in enumerate(grid.heads):
        _add_column(table, head, [cells[i].text for section in grid.sections for cells in section])
    for section in grid.sections:
        for cells in section:
            table.add_row(*(Text(cell.text, "bold" if cell.bold else "") for cell in cells))
        table.add_section()
    out = io.StringIO()
    console = Console(file=out, width=10_000, force_terminal=colour, no_color=not colour, highlight=False)
    if grid.title:
        console.print(Text(grid.title, "bold"), width=NOTE_WIDTH)
        console.print()
    whole = console.measure(table).maximum
    console.print(table, width=whole if width is None else max(width, whole - _foldable(grid)))
    console.print()
    for note in grid.notes:
        console.print(Text(note, "dim"), width=NOTE_WIDTH)
    return "\n".join(part.rstrip() for part in out.getvalue().splitlines()) + "\n"


def _foldable(grid: Grid) -> int:
    """How much narrower a table becomes where only columns that may fold are folded."""
    saved = 0
    for i, head in enumerate(grid.heads):
        if head.folds:
            longest = max((len(cells[i].text) for section in grid.sections for cells in section), default=0)
            saved += max(0, max(longest, len(head.text)) - max(FOLDED_WIDTH, len(head.text)))
    return saved


def _add_column(table: Table, head: Head, texts: Sequence[str]) -> None:
    longest = max(map(len, texts), default=0)
    table.add_column(
        Text(head.text),
        justify="left" if head.is_text else "right",
        no_wrap=not head.folds,
        overflow="fold",
        min_width=min(longest, FOLDED_WIDTH) if head.folds else None,
    )


def csv_text(records: Sequence[Record], names: Sequence[str] = ()) -> str:
    """Unrounded; an empty field where there is no value. `names` head a table without records."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(records[0]) if records else list(names), lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return out.getvalue()


def markdown_text(grid: Grid) -> str:
    """A pipe table, its notes below."""
    head = [escape_markdown(head.text.replace("\n", " ")) for head in grid.heads]
    rule = [":---" if head.is_text else "---:" for head in grid.heads]
    body = [[escape_markdown(cell.text) for cell in cells] for section in grid.sections for cells in section]
    text = "\n".join("| " + " | ".join(cells) + " |" for cells in (head, rule, *body))
    above = f"**{escape_markdown(grid.title)}**\n\n" if grid.title else ""
    below = "".join(f"\n{escape_markdown(note)}  " for note in grid.notes)
    return above + text + "\n" + (f"{below.rstrip()}\n" if below else "")


def latex_text(grid: Grid) -> str:
    """A booktabs table; the best is bold, what is within noise of it is underlined."""
    head = " & ".join(_latex_header(head) for head in grid.heads)
    body = []
    for section in grid.sections:
        body += [" & ".join(_latex_cell(cell) for cell in cells) + r" \\" for cells in section]
        body.append(r"\midrule")
    below = [rf"{escape_latex(note)}\\" for note in grid.notes]
    return "\n".join(
        [
            r"% \usepackage{booktabs}",
            r"\begin{table}",
            *([rf"\caption{{{escape_latex(grid.title)}}}"] if grid.title else []),
            r"\centering\small",
            rf"\begin{{tabular}}{{{''.join('l' if head.is_text else 'r' for head in grid.heads)}}}",
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


FORMATS = ("rich", "csv", "latex", "markdown")


def grid_text(grid: Grid, format: str, *, width: int | None = 120, colour: bool = False) -> str:
    """A grid in any format but CSV, which has records instead."""
    if format == "rich":
        return rich_text(grid, width=width, colour=colour)
    return {"latex": latex_text, "markdown": markdown_text}[format](grid)


def check_format(format: str) -> None:
    """An unknown format is an error that tells the known ones."""
    if format not in FORMATS:
        raise ValueError(f"no table format {format!r}; there are {', '.join(FORMATS)}")


def _latex_header(head: Head) -> str:
    parts = [escape_latex(part) for part in head.text.split("\n")]
    return rf"\shortstack{{{parts[0]}\\{parts[1]}}}" if len(parts) == 2 else parts[0]


def _latex_cell(cell: Cell) -> str:
    text = escape_latex(cell.text)
    if not cell.style:
        return text
    return rf"\textbf{{{text}}}" if cell.style == BEST else rf"\underline{{{text}}}"


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
    "…": r"\ldots{}",
    "×": r"$\times$",
    "≈": r"$\approx$",
    "★": r"$\star$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "⚠": "(!)",
    "²": r"$^2$",
    "−": "$-$",
    "√": r"$\surd$",
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
