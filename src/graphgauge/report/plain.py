"""Plain tables of text cells, for lists and data cards."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from graphgauge.report.formats import escape_latex, escape_markdown

Cells = Sequence[Mapping[str, str]]


def plain_table(lines: Cells, format: str = "rich") -> str:
    """Lines of named cells as text; all lines have the columns of the first.

    >>> print(plain_table([{"name": "er", "graphs": "500"}], "csv"))
    name,graphs
    er,500
    """
    if format not in PLAIN:
        raise ValueError(f"no table format {format!r}; there are {', '.join(PLAIN)}")
    return PLAIN[format](lines).rstrip("\n")


def _rich(lines: Cells) -> str:
    grid = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name in lines[0] if lines else []:
        grid.add_column(name, overflow="fold")
    for line in lines:
        grid.add_row(*(Text(cell) for cell in line.values()))
    out = io.StringIO()
    Console(file=out, width=120, no_color=True, highlight=False).print(grid)
    return "\n".join(part.rstrip() for part in out.getvalue().splitlines())


def _csv(lines: Cells) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(lines[0]) if lines else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return out.getvalue()


def _markdown(lines: Cells) -> str:
    names = list(lines[0]) if lines else []
    rows = [names, ["---"] * len(names)]
    rows += [[escape_markdown(line[name]) for name in names] for line in lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _latex(lines: Cells) -> str:
    names = list(lines[0]) if lines else []
    rows = [" & ".join(escape_latex(line[name]) for name in names) + r" \\" for line in lines]
    head = " & ".join(escape_latex(name) for name in names) + r" \\"
    return "\n".join(
        [rf"\begin{{tabular}}{{{'l' * len(names)}}}", r"\toprule", head, r"\midrule", *rows, r"\bottomrule",
         r"\end{tabular}"]
    )  # fmt: skip


PLAIN: dict[str, Callable[[Cells], str]] = {
    "rich": _rich,
    "csv": _csv,
    "markdown": _markdown,
    "latex": _latex,
}
