"""`graphgauge pairs`: noisy pairs with a hidden matching, as files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphgauge.cli.output import FormatOption, JsonOption, emit, noise_level, note, split_list
from graphgauge.rows import Row

if TYPE_CHECKING:
    from graphgauge.graphs import Pairs

pairs = typer.Typer(help="Noisy graph pairs with a hidden matching: make, info.", no_args_is_help=True)


@pairs.command()
def make(
    out: Annotated[Path, typer.Option(help="Folder for the pair files.")],
    dataset: Annotated[
        list[str] | None,
        typer.Option("--dataset", "-d", help="Base datasets or files of graphs; default the paper's five."),
    ] = None,
    noise: Annotated[
        list[str] | None, typer.Option("--noise", "-n", help="Noise levels; default the paper's eight.")
    ] = None,
    noise_model: Annotated[
        str | None, typer.Option(help="add-remove or add; default as in the paper.")
    ] = None,
    train_pairs: Annotated[int | None, typer.Option(help="Training pairs; default table C.1.")] = None,
    val_pairs: Annotated[int | None, typer.Option(help="Validation pairs; default table C.1.")] = None,
    order: Annotated[int, typer.Option(help="Nodes of generated graphs and BFS samples.")] = 100,
    data_seed: Annotated[int, typer.Option(help="Seed of graphs, noise and relabelling.")] = 0,
    data_home: Annotated[Path | None, typer.Option(help="Data home, instead of GRAPHGAUGE_DATA.")] = None,
    format: FormatOption = "rich",
    json: JsonOption = None,
) -> None:
    """Write pair files; without options the paper's forty datasets, as far as their bases are at hand."""
    from graphgauge.instruments.alignment.data import SPLITS, base_graphs, pair_file, stored_pairs
    from graphgauge.instruments.alignment.settings import make_settings
    from graphgauge.perturb import NOISE_LEVELS, PAPER
    from graphgauge.report import plain_table

    bases = split_list(dataset, [])
    levels = list(NOISE_LEVELS) if noise is None else [noise_level(v) for v in split_list(noise, [])]
    sizes = {k: v for k, v in (("train_pairs", train_pairs), ("val_pairs", val_pairs)) if v is not None}
    rows: list[Row] = []
    missing: list[str] = []
    for name in bases or PAPER:
        settings = make_settings("paper", name, {**sizes, "order": order, "data_seed": data_seed})
        try:
            base = base_graphs(name, settings, data_home)
        except (OSError, ImportError) as error:
            if bases:
                raise
            missing.append(f"{name}: {error}")
            continue
        for eta in levels:
            for split in SPLITS:
                path = pair_file(base, split, eta, noise_model or base.noise_model, data_seed, out)
                made = stored_pairs(base, split, eta, noise_model or base.noise_model, data_seed, path)
                rows += pair_rows(path, made, split)
    emit(rows, json, plain_table(_lines(rows), format))
    for text in missing:
        note(f"left out — {text}")


@pairs.command()
def info(file: Path, format: FormatOption = "rich", json: JsonOption = None) -> None:
    """What a pair file holds: counts, noise as asked and as drawn, hash."""
    from graphgauge.perturb import read_pairs
    from graphgauge.report import plain_table

    rows = pair_rows(file, read_pairs(file), "")
    emit(rows, json, plain_table(_lines(rows), format))


DEFINITIONS = {
    "pairs": "Pairs in the file.",
    "nodes": "Nodes of all left graphs.",
    "left_edges": "Undirected edges of all left graphs.",
    "right_edges": "Undirected edges of all right graphs.",
    "kept": "Share of left edges that the planted matching finds in the right graphs.",
    "added": "Edges of the right graphs that are not in the left ones, over left edges.",
}


def pair_rows(path: Path, made: Pairs, split: str) -> list[Row]:
    """Counts of a pair set, and its noise as it was drawn."""
    from graphgauge.scores import shared_edges

    left, right = made.left.num_edges // 2, made.right.num_edges // 2
    shared = float(
        shared_edges(made.left.edge_index, made.right.edge_index, made.truth, made.left.edge_ptr).sum()
    )
    values = {
        "pairs": float(len(made)), "nodes": float(made.left.num_nodes), "left_edges": float(left),
        "right_edges": float(right), "kept": shared / max(left, 1), "added": (right - shared) / max(left, 1),
    }  # fmt: skip
    params = {**made.meta, "file": path.name}
    return [
        Row(
            spec_id="", instrument="pairs", subject=path.stem, metric=name, value=value,
            unit="fraction" if name in ("kept", "added") else "count", higher_is_better=None,
            definition=DEFINITIONS[name], n=len(made), seed=int(made.meta.get("seed", 0)), split=split,
            data_hash=made.content_hash, params=params,
        )
        for name, value in values.items()
    ]  # fmt: skip


def _lines(rows: list[Row]) -> list[dict[str, str]]:
    """One line a file."""
    lines: dict[str, dict[str, str]] = {}
    for row in rows:
        line = lines.setdefault(row.subject, {"file": str(row.params["file"])})
        line[row.metric] = f"{row.value:.4f}" if row.unit == "fraction" else f"{row.value:,.0f}"
    return list(lines.values())
