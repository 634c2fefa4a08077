"""`graphgauge train`: compare architectures on supervised tasks at fixed parameter budgets."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from graphgauge.cli.output import (
    FormatOption,
    JsonOption,
    check_format,
    emit,
    make_importable,
    note,
    split_list,
    write_tables,
)
from graphgauge.rows import Row

# Keys of an experiment file that are lists over which its grid goes.
GRID = (
    "dataset", "model", "budget", "layers", "width", "edge_features", "encoding", "encoding_mode",
    "encoding_variant",
)  # fmt: skip
# Keys that hold for all of it.
PLAIN = ("seeds", "folds", "size", "data_seed", "loose", "baselines", "options")


def train(
    model: Annotated[
        list[str] | None,
        typer.Option("--model", "-m", help="Names of `graphgauge models`, or package.module:Name."),
    ] = None,
    dataset: Annotated[
        list[str] | None, typer.Option("--dataset", "-d", help="Names of tasks, or a file of a task.")
    ] = None,
    budget: Annotated[
        list[str] | None, typer.Option("--budget", "-b", help="100k, 500k or a number of parameters.")
    ] = None,
    seeds: Annotated[int | None, typer.Option(help="So many of the protocol's seeds; default all.")] = None,
    folds: Annotated[int | None, typer.Option(help="So many of the task's splits; default all.")] = None,
    layers: Annotated[int | None, typer.Option(help="Layers, instead of the budget's.")] = None,
    width: Annotated[int | None, typer.Option(help="Width, instead of the budget's.")] = None,
    edge_features: Annotated[
        bool | None, typer.Option("--edge-features", "-e", help="Let models read edge features (-E).")
    ] = None,
    encoding: Annotated[
        str | None, typer.Option(help="Positional encoding, such as lap:8, rwpe:16 or lap:8+rwpe:16.")
    ] = None,
    encoding_mode: Annotated[str | None, typer.Option(help="add or replace the node's own input.")] = None,
    encoding_variant: Annotated[
        str | None, typer.Option(help="What is done to the encoding in training; see the documentation.")
    ] = None,
    size: Annotated[int | None, typer.Option(help="Graphs in all, instead of the official number.")] = None,
    data_seed: Annotated[int | None, typer.Option(help="Seed of generated tasks.")] = None,
    epochs: Annotated[int | None, typer.Option(help="At most so many epochs.")] = None,
    lr: Annotated[float | None, typer.Option(help="Initial learning rate.")] = None,
    patience: Annotated[
        int | None, typer.Option(help="Epochs without progress before the rate falls.")
    ] = None,
    batch_size: Annotated[int | None, typer.Option(help="Graphs, or links, in a step.")] = None,
    max_minutes: Annotated[float | None, typer.Option(help="Time limit of one run.")] = None,
    dense_batches: Annotated[
        str | None, typer.Option(help="Of ringgnn and ppgn: true, or published (one graph at a time).")
    ] = None,
    precision: Annotated[str | None, typer.Option(help="float32 or bf16.")] = None,
    device: Annotated[str | None, typer.Option(help="cpu, cuda, cuda:1, …")] = None,
    loose: Annotated[
        bool | None, typer.Option("--loose", help="Allow nets that miss their budget by more than 3 %.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option(help="Experiment file (TOML) with a grid of all of these.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for finished runs, tables and figures.")] = Path("runs"),
    workers: Annotated[int | None, typer.Option(help="Processes side by side; default one a core.")] = None,
    data_home: Annotated[Path | None, typer.Option(help="Data home, instead of GRAPHGAUGE_DATA.")] = None,
    columns: Annotated[str | None, typer.Option(help="main, all or names of columns, by commas.")] = None,
    format: FormatOption = "rich",
    json: JsonOption = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Train models on supervised tasks by the protocol of "Benchmarking Graph Neural Networks".

    Started again with the same --out it goes on where it stopped; finished runs are never repeated.
    """
    from graphgauge.report import table
    from graphgauge.sweep import SweepError

    check_format(format)
    make_importable(Path.cwd())
    typed: dict[str, Any] = {
        "model": model and split_list(model, []), "dataset": dataset and split_list(dataset, []),
        "budget": budget and split_list(budget, []), "layers": layers, "width": width,
        "edge_features": edge_features, "encoding": encoding, "encoding_mode": encoding_mode,
        "encoding_variant": encoding_variant, "seeds": seeds, "folds": folds, "size": size,
        "data_seed": data_seed, "loose": loose, "max_epochs": epochs, "lr": lr, "patience": patience,
        "batch_size": batch_size, "max_seconds": None if max_minutes is None else 60 * max_minutes,
        "dense_batches": dense_batches, "precision": precision, "device": device,
    }  # fmt: skip
    wanted = {k: v for k, v in typed.items() if v is not None}
    values = {**({} if config is None else experiment(config)), **wanted}
    where = {"out": out, "workers": workers, "progress": not quiet, "root": data_home}
    try:
        rows = run_grid(values, where)
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


def experiment(path: Path) -> dict[str, Any]:
    """The values of an experiment file; wrong keys are named.

    Keys are those of `supervised.run` ("model" and "dataset" in the singular), lists where a grid is wanted:
    ``dataset = ["aqsol"]``, ``model = ["gcn", "gatedgcn"]``, ``edge_features = [false, true]``. Settings of
    training stand in the table ``[training]``.
    """
    from graphgauge.instruments.supervised.settings import make_settings

    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FileNotFoundError(f"{path}: there is no such file") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not TOML: {error}") from None
    training = values.pop("training", {})
    if not isinstance(training, Mapping):
        raise ValueError(f"{path}: training is a table of settings, not {training!r}")
    unknown = sorted(set(values) - {*GRID, *PLAIN})
    if unknown:
        raise ValueError(
            f"{path}: unknown key {unknown[0]!r}; there are {', '.join((*GRID, *PLAIN))}, [training]"
        )
    try:
        make_settings(training)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}, [training]: {error}") from None
    return {**values, **training}


def run_grid(values: Mapping[str, Any], where: Mapping[str, Any]) -> list[Row]:
    """Every combination of the listed values, one after another; rows that several share come once."""
    from itertools import product

    from graphgauge.instruments import supervised

    plain = {k: v for k, v in values.items() if k not in GRID}
    axes = [k for k in GRID if k in values and k not in ("dataset", "model", "budget")]
    fixed = {
        "models": values.get("model", list(supervised.DEFAULT_MODELS)),
        "dataset": values.get("dataset", "aqsol"),
        "budget": values.get("budget", None if "width" in values else "100k"),
    }
    found: dict[tuple[Any, ...], Row] = {}
    for combination in product(*(as_list(values[axis]) for axis in axes)):
        for row in supervised.run(**fixed, **dict(zip(axes, combination, strict=True)), **plain, **where):
            found.setdefault((row.spec_id, row.metric, row.split, row.selection, row.seed), row)
    return list(found.values())


def as_list(value: Any) -> Sequence[Any]:
    """Values of one axis; "none" stands for no encoding."""
    values = value if isinstance(value, list) else [value]
    return [None if v == "none" else v for v in values]


def write_report(rows: list[Row], out: Path) -> None:
    """Rows, tables and figures of this call beside the runs, and a line that says where."""
    from graphgauge.report import figures

    folder = out / "report"
    write_tables(rows, folder)
    drawn = figures(rows, folder)
    note(f"report: {folder} (rows.json, table.csv, table.md, table.tex, {len(drawn)} figure files)")
