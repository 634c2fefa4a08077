"""`graphgauge align`: rank architectures by graph alignment."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from graphgauge.cli.output import (
    FormatOption,
    JsonOption,
    check_format,
    emit,
    make_importable,
    noise_level,
    note,
    split_list,
    write_tables,
)
from graphgauge.rows import Row


def align(
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model", "-m", help="Names of `graphgauge models`, or package.module:Name; commas or repeated."
        ),
    ] = None,
    dataset: Annotated[
        list[str] | None,
        typer.Option("--dataset", "-d", help="Names of `graphgauge data list`, or a file of graphs."),
    ] = None,
    noise: Annotated[
        list[str] | None,
        typer.Option("--noise", "-n", help="Noise level(s) η, for example 0.08 or 0.04,0.15."),
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(help="Number of seeds; default 2 (quick) or 10 (paper).")
    ] = None,
    preset: Annotated[str, typer.Option(help="quick (minutes) or paper (appendix C, hours).")] = "quick",
    noise_model: Annotated[
        str | None, typer.Option(help="add-remove or add; default as in the paper for the dataset.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for finished runs, tables and figures.")] = Path("runs"),
    workers: Annotated[int | None, typer.Option(help="Processes side by side; default one a core.")] = None,
    budget: Annotated[
        int | None, typer.Option(help="Fit the width of table models to this many parameters.")
    ] = None,
    train_pairs: Annotated[int | None, typer.Option(help="Training pairs, instead of the preset's.")] = None,
    val_pairs: Annotated[int | None, typer.Option(help="Validation pairs, instead of the preset's.")] = None,
    epochs: Annotated[int | None, typer.Option(help="Epochs, instead of the preset's.")] = None,
    batch_size: Annotated[int | None, typer.Option(help="Pairs in a step, instead of the preset's.")] = None,
    order: Annotated[int | None, typer.Option(help="Nodes of generated graphs and BFS samples.")] = None,
    data_seed: Annotated[
        int | None, typer.Option(help="Seed of graphs and noise (not of the models).")
    ] = None,
    embedding_width: Annotated[
        int | None, typer.Option(help="Width every model must return; 0 allows any. Default 64.")
    ] = None,
    precision: Annotated[str | None, typer.Option(help="float32 or bf16.")] = None,
    compile: Annotated[
        bool | None, typer.Option("--compile", help="Run models through torch.compile.")
    ] = None,
    device: Annotated[str | None, typer.Option(help="cpu, cuda, cuda:1, …")] = None,
    data_home: Annotated[Path | None, typer.Option(help="Data home, instead of GRAPHGAUGE_DATA.")] = None,
    columns: Annotated[str | None, typer.Option(help="main, all or names of columns, by commas.")] = None,
    format: FormatOption = "rich",
    json: JsonOption = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Rank architectures by how well they align noisy graph pairs (quick preset on ER graphs by default).

    Started again with the same --out it goes on where it stopped; finished runs are never repeated.
    """
    from graphgauge.instruments import alignment
    from graphgauge.report import table
    from graphgauge.sweep import SweepError

    _check_table(format, columns)
    make_importable(Path.cwd())
    settings: dict[str, Any] = {
        "train_pairs": train_pairs, "val_pairs": val_pairs, "epochs": epochs, "batch_size": batch_size,
        "order": order, "data_seed": data_seed, "precision": precision, "compile": compile, "device": device,
    }  # fmt: skip
    settings = {k: v for k, v in settings.items() if v is not None}
    if embedding_width is not None:
        settings["embedding_width"] = embedding_width or None
    try:
        rows = alignment.benchmark(
            split_list(model, alignment.DEFAULT_MODELS),
            split_list(dataset, ["er"]),
            [noise_level(v) for v in split_list(noise, ["0.08"])],
            seeds=seeds,
            preset=preset,
            noise_model=noise_model,
            budget=budget,
            out=out,
            workers=workers,
            progress=not quiet,
            root=data_home,
            **settings,
        )
    except KeyboardInterrupt as stop:
        if quiet:  # otherwise the progress display has said it
            note(str(stop))
        raise
    except SweepError as error:
        if error.rows:  # what is finished is shown all the same
            emit(error.rows, json, table(error.rows, format=format, columns=columns))
            write_report(error.rows, out)
        raise
    emit(rows, json, table(rows, format=format, columns=columns))
    write_report(rows, out)


def write_report(rows: list[Row], out: Path) -> None:
    """Rows, tables and figures of this call beside the runs, and a line that says where."""
    from graphgauge.report import figures

    folder = out / "report"
    write_tables(rows, folder)
    drawn = figures(rows, folder)
    note(f"report: {folder} (rows.json, table.csv, table.md, table.tex, {len(drawn)} figure files)")


def _check_table(format: str, columns: str | None) -> None:
    """Wrong names are errors before the training, not after it."""
    from graphgauge.instruments.alignment import METRICS
    from graphgauge.report.alignment.columns import COLUMNS

    check_format(format)
    known = [*COLUMNS, *(name for name in METRICS if name not in COLUMNS)]
    for name in split_list(columns and [columns], []):
        if name not in ("main", "all", *known):
            raise ValueError(f"no column {name!r}; there are main, all, {', '.join(known)}")
