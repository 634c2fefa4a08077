"""The supervised table in a terminal, as CSV, LaTeX or Markdown; and the ranking in one line."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import groupby

from graphgauge.report.alignment.lines import within_noise
from graphgauge.report.formats import BEST, MARKS, TIED, Cell, Grid, check_format, csv_text, grid_text
from graphgauge.report.supervised.columns import KEYS, Column, choose, place, score, title, used
from graphgauge.report.supervised.lines import Line, blocks, labels, make_lines
from graphgauge.report.supervised.notes import general, specific
from graphgauge.rows import Row


def table(
    rows: Iterable[Row],
    format: str = "rich",
    *,
    columns: str | Sequence[str] | None = None,
    width: int = 120,
    colour: bool = False,
) -> str:
    """A table for each task in the layout of paper B: one line for each model, budget and depth, best first.

    Test and train score are means ± standard deviation over folds and seeds, of the model after the last
    epoch; with all columns also of the model with the best score on validation. The best model is marked ★,
    and ≈ all whose mean is within one pooled standard deviation, √((sd₁² + sd₂²) / 2), of it. Baselines
    stand below the models. The paper's value of the same model, budget and depth stands beside ours; a † says
    that data or training were others, and on fewer graphs it is left out. Runs of one model that differ in
    more than fold and seed get lines of their own, with a column that says in what. Shares are in percent;
    CSV holds fractions, unrounded.

    Parameters are those of `graphgauge.report.table`, for rows of the supervised instrument.

    Examples
    --------
    >>> make = lambda name, value: Row(
    ...     name, "supervised", name, "mae", value, "", False, "", 1000, 41, "test", selection="last epoch",
    ...     params={"dataset": "zinc", "budget": "100k", "layers": 4},
    ... )
    >>> text = table([make("gin", 0.391), make("gcn", 0.42)], "markdown", columns="test,published")
    >>> print("\\n".join(text.splitlines()[:6]))
    **zinc, budget 100k: MAE ↓**
    <BLANKLINE>
    | model | L | test ± sd (n) | paper ± sd |
    | :--- | ---: | ---: | ---: |
    | ★ gin | 4 | 0.391 (1) | 0.387 ± 0.015 |
    | gcn | 4 | 0.420 (1) | 0.416 ± 0.006 |
    """
    check_format(format)
    lines = make_lines(rows)
    chosen = choose(lines, columns or ("all" if format == "csv" else "main"))
    if format == "csv":
        return csv_text([_record(line, [*KEYS.values(), *chosen]) for line in lines], ["model"])
    wide = None if columns == "all" else width
    grids = _grids(lines, chosen, _latex_grid if format == "latex" else _grid)
    return "\n".join(grid_text(grid, format, width=wide, colour=colour) for grid in grids)


def ranking(rows: Iterable[Row]) -> str:
    """One line for each task: models best first, ">" between them, "≈" within noise; then the baselines.

    >>> make = lambda name, value: Row(
    ...     name, "supervised", name, "mae", value, "", False, "", 1000, 41, "test", selection="last epoch",
    ...     params={"dataset": "zinc", "baseline": name == "mean"},
    ... )
    >>> ranking([make("gcn", 0.42), make("gin", 0.391), make("mean", 1.5)])
    'zinc: gin 0.391 > gcn 0.420; baselines: mean 1.500'
    """
    return "\n".join(_ranking(block) for block in blocks(make_lines(rows)))


def _record(line: Line, columns: Sequence[Column]) -> dict[str, object]:
    return {name: value for column in columns for name, value in column.fields(line).items()}


def _grids(
    lines: Sequence[Line],
    chosen: Sequence[Column],
    make: Callable[[Sequence[Line], Sequence[Column]], Grid],
) -> list[Grid]:
    """A table for each task; what its columns mean stands once, below the last."""
    tables = [(block, [*used(KEYS.values(), block), *used(chosen, block)]) for block in blocks(lines)]
    if not tables:
        return [Grid([KEYS["subject"].head], [])]
    grids = [make(block, columns) for block, columns in tables]
    shown = {column.name for _, columns in tables for column in columns}
    below = [*grids[-1].notes, *general(lines, shown)]
    return [
        *grids[:-1],
        replace(grids[-1], notes=[_in_print(n) if make is _latex_grid else n for n in below]),
    ]


def _grid(block: Sequence[Line], columns: Sequence[Column]) -> Grid:
    """The mark stands before the model's name; in a terminal the best line is bold."""

    def cell(column: Column, line: Line) -> Cell:
        mark = f"{MARKS[line.mark]} " if column.name == "subject" else ""
        return Cell(mark + column.show(line), bold=line.mark == BEST)

    return _filled(block, columns, cell)


def _latex_grid(block: Sequence[Line], columns: Sequence[Column]) -> Grid:
    """Print has bold and underlined test scores for marks; the notes say so."""

    def cell(column: Column, line: Line) -> Cell:
        return Cell(column.show(line), line.mark if column.name == "test" else "")

    return _filled(block, columns, cell)


def _filled(block: Sequence[Line], columns: Sequence[Column], cell: Callable[[Column, Line], Cell]) -> Grid:
    """Models above, baselines in a section of their own."""
    sections = [
        [[cell(column, line) for column in columns] for line in part]
        for _, part in groupby(block, lambda line: line.is_baseline)
    ]
    return Grid([column.head for column in columns], sections, specific(block, columns), title(block))


def _in_print(note: str) -> str:
    return note.replace(MARKS[BEST], "Bold:").replace(MARKS[TIED], "underlined:")


def _ranking(block: Sequence[Line]) -> str:
    ranked = [(name, x) for name, x in zip(labels(block), block, strict=True) if not math.isnan(x.mean)]
    text, before = "", None
    for name, line in ranked:
        if line.is_baseline:
            continue
        assert line.test is not None
        if before is not None:
            text += " ≈ " if within_noise(before, line.test.summary) else " > "
        text += f"{name} {score(line.mean, line.unit)}"
        before = line.test.summary
    baselines = ", ".join(f"{name} {score(x.mean, x.unit)}" for name, x in ranked if x.is_baseline)
    found = "; ".join(filter(None, (text, f"baselines: {baselines}" if baselines else "")))
    return f"{place(block[0])}: {found or f'no {block[0].score}'}".removeprefix(": ")
