"""`graphgauge data`: which datasets there are, what is in them, and how to get them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import typer

from graphgauge.cli.output import FormatOption, JsonOption, emit
from graphgauge.rows import Row

data = typer.Typer(help="Datasets and tasks: list, tasks, info NAME, fetch NAME.", no_args_is_help=True)

HomeOption = Annotated[
    Path | None, typer.Option("--data-home", help="Data home, instead of GRAPHGAUGE_DATA.")
]


@data.command("list")
def list_(data_home: HomeOption = None, format: FormatOption = "rich", json: JsonOption = None) -> None:
    """Every dataset with its kind, its licence, and whether it can be used here now."""
    from graphgauge import datasets
    from graphgauge.report import plain_table

    lines = [
        {
            "name": name,
            "kind": entry.kind,
            "here": "yes" if datasets.available(name, root=data_home) else "no",
            "licence": entry.licence,
            "about": entry.about,
        }
        for name, entry in datasets.DATASETS.items()
    ]
    rows = [
        Row(
            spec_id="", instrument="data", subject=line["name"], metric="available",
            value=float(line["here"] == "yes"), unit="truth value", higher_is_better=None,
            definition="1 where the dataset is generated or its files are in the data home", n=1, seed=0,
            split="all", params=line,
        )
        for line in lines
    ]  # fmt: skip
    emit(rows, json, plain_table(lines, format))


@data.command()
def tasks(format: FormatOption = "rich", json: JsonOption = None) -> None:
    """Every supervised task that `graphgauge train` takes by name: sizes, folds, score and licence."""
    from graphgauge.datasets import TASKS
    from graphgauge.report import plain_table

    lines, rows = [], []
    for name, entry in TASKS.items():
        sizes = " / ".join(f"{size:,}" for size in entry.sizes.values())
        line = {
            "name": name, "kind": entry.kind, "train / val / test": sizes, "folds": str(entry.folds),
            "score": entry.score, "licence": entry.licence, "about": entry.about,
        }  # fmt: skip
        lines.append(line)
        for part, size in entry.sizes.items():
            rows.append(
                Row(
                    spec_id="", instrument="data", subject=name, metric="items", value=float(size),
                    unit="graphs, nodes or links", higher_is_better=None,
                    definition="Official number of what the task splits, in this part of a fold.", n=1,
                    seed=0, split=part, params=line,
                )
            )  # fmt: skip
    emit(rows, json, plain_table(lines, format))


@data.command()
def info(
    name: str, data_home: HomeOption = None, format: FormatOption = "rich", json: JsonOption = None
) -> None:
    """The data card of a dataset, computed from the data: sizes, components, licence, hash."""
    from graphgauge import datasets
    from graphgauge.report import plain_table

    card = datasets.card(name, root=data_home)
    emit(card_rows(name, card), json, plain_table(_lines(card), format))


@data.command()
def fetch(name: str, data_home: HomeOption = None, json: JsonOption = None) -> None:
    """Get a dataset: from the data home, else by download; else say what to put where."""
    from graphgauge import datasets

    path = datasets.fetch(name, root=data_home)
    emit(card_rows(name, datasets.card(name, root=data_home)), json, f"{name}: {path}")


def card_rows(name: str, card: dict[str, Any]) -> list[Row]:
    """One row for each number of a data card."""
    from graphgauge import datasets

    texts = {k: v for k, v in card.items() if isinstance(v, str)}
    rows = []
    for split, numbers in card["splits"].items():
        for metric, value in numbers.items():
            if isinstance(value, int | float) and math.isfinite(value):
                rows.append(
                    Row(
                        spec_id="", instrument="data", subject=name, metric=metric, value=float(value),
                        unit=datasets.CARD_UNITS.get(metric, "count"), higher_is_better=None,
                        definition=datasets.CARD_DEFINITIONS.get(metric, metric), n=int(numbers["graphs"]),
                        seed=0, split=split, data_hash=str(numbers.get("content_hash", "")), params=texts,
                    )
                )  # fmt: skip
    return rows


def _lines(card: dict[str, Any]) -> list[dict[str, str]]:
    lines = [{"": key, "value": str(value)} for key, value in card.items() if key != "splits"]
    for split, numbers in card["splits"].items():
        lines += [{"": f"{split}: {key}", "value": _shown(value)} for key, value in numbers.items()]
    return lines


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
