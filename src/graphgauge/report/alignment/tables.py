"""The alignment table in a terminal, as CSV, LaTeX or Markdown; and the ranking in one line."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from graphgauge.report.alignment.columns import Column, choose, notes, percent
from graphgauge.report.alignment.lines import RANKED, Line, blocks, make_lines, within_noise
from graphgauge.report.formats import BEST, MARKS, TIED, Cell, Grid, Head, check_format, csv_text, grid_text
from graphgauge.rows import Row


def table(
    rows: Iterable[Row],
    format: str = "rich",
    *,
    columns: str | Sequence[str] | None = None,
    width: int = 120,
    colour: bool = False,
) -> str:
    """One line for each dataset, noise and model: mean ± standard deviation over seeds, best first.

    The best at a dataset and noise is marked ★, and ≈ all whose mean accuracy is within one pooled standard
    deviation, √((sd₁² + sd₂²) / 2), of the best. The paper's value stands beside ours where it has one.
    Shown are percent with one decimal; CSV holds fractions, unrounded. Runs of one model that differ in more
    than the seed (a preset, a split) get lines of their own, with a column that says in what.

    Parameters are those of `graphgauge.report.table`, for rows of the alignment instrument; metrics that are
    missing are left out.
    """
    check_format(format)
    lines = make_lines(rows)
    chosen = choose(lines, columns or ("all" if format == "csv" else "main"))
    if format == "csv":
        return csv_text([_record(line, chosen) for line in lines], [column.name for column in chosen])
    grid = _latex_grid(lines, chosen) if format == "latex" else _grid(lines, chosen)
    return grid_text(grid, format, width=None if columns == "all" else width, colour=colour)


def ranking(rows: Iterable[Row]) -> str:
    """One line for each dataset and noise: models best first, ">" between them, "≈" within noise.

    >>> make = lambda name, value: Row(
    ...     name, "alignment", name, "accuracy", value, "fraction", True, "", 500, 0, "val",
    ...     params={"dataset": "er", "noise": 0.08},
    ... )
    >>> ranking([make("gcn", 0.75), make("gat", 0.897)])
    'er, noise 8 %: gat 89.7 > gcn 75.0'
    """
    return "\n".join(_ranking(block) for block in blocks(make_lines(rows)))


def _record(line: Line, columns: Sequence[Column]) -> dict[str, object]:
    return {name: value for column in columns for name, value in column.fields(line).items()}


def _grid(lines: Sequence[Line], columns: Sequence[Column]) -> Grid:
    """The mark stands before the model's name; in a terminal the best line is bold."""

    def cell(column: Column, line: Line) -> Cell:
        mark = f"{MARKS[line.mark]} " if column.name == "subject" else ""
        return Cell(mark + column.show(line), bold=line.mark == BEST)

    sections = [[[cell(column, line) for column in columns] for line in block] for block in blocks(lines)]
    return Grid(_heads(columns), sections, notes(lines, columns))


def _latex_grid(lines: Sequence[Line], columns: Sequence[Column]) -> Grid:
    """Print has bold and underlined accuracies for marks; the notes say so."""

    def cell(column: Column, line: Line) -> Cell:
        return Cell(column.show(line), line.mark if column.name == "accuracy" else "")

    sections = [[[cell(column, line) for column in columns] for line in block] for block in blocks(lines)]
    below = [
        note.replace(MARKS[BEST], "Bold:").replace(MARKS[TIED], "underlined:")
        for note in notes(lines, columns)
    ]
    return Grid(_heads(columns), sections, below)


def _heads(columns: Sequence[Column]) -> list[Head]:
    return [
        Head(column.header, column.is_text, folds=column.name in ("subject", "settings"))
        for column in columns
    ]


def _ranking(block: Sequence[Line]) -> str:
    ranked = [line for line in block if not math.isnan(line.mean(RANKED))]
    text = ""
    for before, line in zip([None, *ranked], ranked, strict=False):
        if before is not None:
            text += " ≈ " if within_noise(before.values[RANKED], line.values[RANKED]) else " > "
        text += f"{line.subject} {percent(line.mean(RANKED))}"
    noise = "" if block[0].noise is None else f"noise {100 * block[0].noise:g} %"
    place = ", ".join(part for part in (block[0].dataset, noise) if part)
    return f"{place}: {text or 'no accuracy'}".removeprefix(": ")
