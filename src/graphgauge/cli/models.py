"""`graphgauge models`: the architectures that can be ranked by name."""

from __future__ import annotations

from graphgauge.cli.output import FormatOption, JsonOption, emit
from graphgauge.rows import Row


def models(format: FormatOption = "rich", json: JsonOption = None) -> None:
    """Every architecture of the table with its number of parameters at the benchmark's size."""
    from graphgauge.budget import count_parameters
    from graphgauge.models import MODELS, build
    from graphgauge.report import plain_table

    lines, rows = [], []
    for name, maker in MODELS.items():
        count = count_parameters(build(name))
        about = (maker.__doc__ or "").strip().split("\n")[0]
        lines.append({"name": name, "parameters": f"{count:,}", "about": about})
        rows.append(
            Row(
                spec_id="", instrument="models", subject=name, metric="parameters", value=float(count),
                unit="parameters", higher_is_better=None,
                definition="Trainable parameters, shared ones counted once.", n=1, seed=0, split="",
                params={"about": about},
            )
        )  # fmt: skip
    emit(rows, json, plain_table(lines, format))
