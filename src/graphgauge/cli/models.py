"""`graphgauge models`: the architectures that can be named."""

from __future__ import annotations

from collections.abc import Iterator

from graphgauge.cli.output import FormatOption, JsonOption, emit
from graphgauge.rows import Row


def models(format: FormatOption = "rich", json: JsonOption = None) -> None:
    """Every architecture: encoders that `align` ranks, with their parameters at the benchmark's size, and
    nets that `train` makes for a task and a budget."""
    from graphgauge.report import plain_table

    lines, rows = [], []
    for name, command, about, count in (*_encoders(), *_nets()):
        shown = "by budget" if count is None else f"{count:,}"
        lines.append({"name": name, "command": command, "parameters": shown, "about": about})
        if count is not None:
            rows.append(_row(name, about, count))
    emit(rows, json, plain_table(lines, format))


Line = tuple[str, str, str, int | None]  # name, command, about, parameters


def _encoders() -> Iterator[Line]:
    from graphgauge.budget import count_parameters
    from graphgauge.models import MODELS, build

    for name, maker in MODELS.items():
        yield name, "align", _first_line(maker), count_parameters(build(name))


def _nets() -> Iterator[Line]:
    from graphgauge.models import ARCHITECTURES, DENSE

    for name, plan in ARCHITECTURES.items():
        layer = next(iter(plan.variants.values())).layer
        edges = f"; edges: {', '.join(plan.variants)}" if len(plan.variants) > 1 else ""
        about = "a vector of its own for every node" if plan.order_only else _first_line(layer) + edges
        yield name, "train", about, None
    for name, maker in DENSE.items():
        yield name, "train", _first_line(maker), None


def _first_line(maker: object) -> str:
    wrapped = getattr(maker, "func", maker)  # what a partial stands for
    return (wrapped.__doc__ or "").strip().split("\n")[0].rstrip(".;")


def _row(name: str, about: str, count: int) -> Row:
    return Row(
        spec_id="", instrument="models", subject=name, metric="parameters", value=float(count),
        unit="parameters", higher_is_better=None,
        definition="Trainable parameters, shared ones counted once.", n=1, seed=0, split="",
        params={"about": about},
    )  # fmt: skip
