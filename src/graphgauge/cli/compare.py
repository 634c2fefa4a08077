"""`graphgauge compare`: how close are generated graphs to a reference?"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphgauge.cli.output import (
    FormatOption,
    JsonOption,
    check_folder,
    check_format,
    emit,
    make_importable,
    note,
    split_list,
    write_tables,
)

if TYPE_CHECKING:
    from graphgauge.instruments.generation import Evaluator, Scores


def compare(
    generated: Annotated[
        list[str] | None,
        typer.Argument(help="Files of generated graphs or molecules (or datasets, as name:split)."),
    ] = None,
    reference: Annotated[
        str | None,
        typer.Option(
            "--reference", "-r", help="File, dataset (name or name:split) or saved evaluator to compare with."
        ),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", "-m", help="Names or groups of --list; commas or repeated; or all."),
    ] = None,
    list_metrics: Annotated[
        bool, typer.Option("--list", help="Show every metric with its definition, and exit.")
    ] = False,
    seeds: Annotated[int | None, typer.Option(help="Random GINs to average over; default 5.")] = None,
    replicates: Annotated[
        int | None, typer.Option(help="Halves for the noise floor and the interval; default 10, 0 for none.")
    ] = None,
    max_graphs: Annotated[
        int | None, typer.Option(help="Take at most so many graphs of each side, chosen at random.")
    ] = None,
    valid: Annotated[
        str | None,
        typer.Option(help="Validity check: connected, tree, planar, … or package.module:function."),
    ] = None,
    labels: Annotated[str | None, typer.Option(help="auto (labels both sides have) or none.")] = None,
    node_column: Annotated[str | None, typer.Option(help="Node column with labels.")] = None,
    edge_column: Annotated[str | None, typer.Option(help="Edge column with labels.")] = None,
    encoder: Annotated[
        str | None,
        typer.Option(help="package.module:Name of a node encoder, in place of the random GINs."),
    ] = None,
    preset: Annotated[
        str | None, typer.Option(help="default, or released (paper C's published code).")
    ] = None,
    estimator: Annotated[str | None, typer.Option(help="biased (default) or unbiased MMDs.")] = None,
    k: Annotated[int | None, typer.Option(help="Neighbours in precision, recall, …; default 5.")] = None,
    nspdk_radius: Annotated[
        int | None, typer.Option(help="Radius of NSPDK's neighbourhoods; default 4, 1 or 2 for dense graphs.")
    ] = None,
    nspdk_distance: Annotated[int | None, typer.Option(help="Largest distance of NSPDK; default 4.")] = None,
    nspdk_most: Annotated[
        int | None,
        typer.Option(help="Most entries of NSPDK that a set may have, 80 bytes each; default 10⁸."),
    ] = None,
    random_features: Annotated[
        int | None,
        typer.Option(help="Estimate gin_mmd2_rbf from so many random features, for very large sets."),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of halves and choices; default 0.")] = None,
    rule: Annotated[
        list[str] | None,
        typer.Option(help="What to do with odd graphs, e.g. self_loops=drop, duplicates=merge."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for rows, tables, figures and drawn examples.")
    ] = None,
    save: Annotated[
        Path | None, typer.Option(help="Save what was computed of the reference, for the next time.")
    ] = None,
    data_home: Annotated[Path | None, typer.Option(help="Data home, instead of GRAPHGAUGE_DATA.")] = None,
    columns: Annotated[str | None, typer.Option(help="main, all or names of columns, by commas.")] = None,
    format: FormatOption = "rich",
    json: JsonOption = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no notices.")] = False,
) -> None:
    """Score generated graphs against a reference with every metric, each beside its noise floor.

    Several generated sets are ranked, with the ranking's stability. Example:
    graphgauge compare a.smi b.smi --reference test.smi
    """
    if list_metrics:
        emit_list(format)
        return
    if not generated or reference is None:
        raise ValueError("give files of generated graphs and --reference FILE; --list shows the metrics")
    check_format(format)
    if save is not None:
        from graphgauge.instruments.generation.saving import check_ending

        check_ending(save)
        check_folder(save.parent)
    if out is not None:
        check_folder(out)
    make_importable(Path.cwd())
    settings = {
        "seeds": seeds, "replicates": replicates, "labels": labels, "node_column": node_column,
        "edge_column": edge_column, "estimator": estimator, "k": k, "seed": seed,
        "random_features": random_features, "nspdk_radius": nspdk_radius, "nspdk_distance": nspdk_distance,
        "nspdk_most": nspdk_most,
    }  # fmt: skip
    settings = {name: value for name, value in settings.items() if value is not None}
    with progress(quiet) as tell, _notices_kept():
        tell(f"reading {reference}")
        evaluator = _evaluator(
            reference, split_list(metric, []) or None, valid, encoder, preset, _rules(rule), data_home,
            max_graphs, settings,
        )  # fmt: skip
        scores = evaluator.compare(generated, max_graphs=max_graphs, tell=tell)
    if save is not None:
        evaluator.save(save)
        note(f"saved: {save}")
    _show(scores, json, format, columns, quiet)
    if out is not None:
        write_report(evaluator, scores, out)


def _evaluator(
    reference: str, metrics: list[str] | None, valid: str | None, encoder: str | None, preset: str | None,
    rules: dict[str, str], data_home: Path | None, max_graphs: int | None, settings: dict[str, Any],
) -> Evaluator:  # fmt: skip
    from graphgauge.instruments import generation

    net = None if encoder is None else generation.as_encoder(encoder)
    if not generation.is_saved(reference):
        return generation.Evaluator(
            reference, metrics=metrics, valid=valid, encoder=net, preset=preset or "default", rules=rules,
            root=data_home, max_graphs=max_graphs, **settings,
        )  # fmt: skip
    saved = generation.Evaluator.load(
        reference, metrics=metrics, valid=valid, encoder=net, rules=rules, root=data_home, preset=preset,
        **settings,
    )  # fmt: skip
    if max_graphs is not None and len(saved.reference) > max_graphs:
        raise ValueError(
            f"{reference} was saved with {len(saved.reference)} graphs; --max-graphs {max_graphs} needs the "
            "reference itself"
        )
    return saved


def _show(scores: Scores, json: str | None, format: str, columns: str | None, quiet: bool) -> None:
    from graphgauge.report import table

    emit(scores.rows, json, table(scores.rows, format=format, columns=columns))
    for text in () if quiet else scores.notices:
        note(f"notice: {text}")


def write_report(evaluator: Evaluator, scores: Scores, out: Path) -> None:
    """Rows, tables and figures in a folder, and a line that says where."""
    from graphgauge.instruments.generation import draw

    drawn = draw(evaluator, scores, out)
    write_tables(scores.rows, out)
    note(f"report: {out} (rows.json, table.csv, table.md, table.tex, {len(drawn)} figure files)")


def emit_list(format: str) -> None:
    """Every metric, its group, direction, and definition."""
    from graphgauge.instruments.generation import METRICS
    from graphgauge.report import plain_table

    lines = [
        {
            "metric": name,
            "group": metric.group,
            "better": "higher" if metric.higher_is_better else "lower",
            "default": "yes" if metric.default else "",
            "needs": "" if metric.needs is None else str(metric.needs),
            "definition": metric.about,
        }
        for name, metric in METRICS.items()
    ]
    typer.echo(plain_table(lines, format))


@contextmanager
def _notices_kept() -> Iterator[None]:
    """Notices are shown once, below the table, and not as warnings too."""
    from graphgauge.instruments.generation import Notice

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)
        yield


def _rules(given: list[str] | None) -> dict[str, str]:
    from graphgauge.graphs.pack import Rules

    rules = {}
    for text in split_list(given, []):
        name, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"--rule wants NAME=VALUE, such as self_loops=drop, got {text!r}")
        if name not in Rules.__annotations__:
            raise ValueError(f"--rule: no rule {name!r}; there are {', '.join(Rules.__annotations__)}")
        rules[name] = value
    return rules


@contextmanager
def progress(quiet: bool) -> Iterator[Callable[[str], None]]:
    """A line on a terminal's standard error that says what is being done."""
    from rich.console import Console

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda text: None
        return
    with console.status("starting") as status:
        yield status.update
