"""Row: the only output of an instrument. Never a number without its definition."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from graphgauge.atomic import write_text

FORMAT = 1

__all__ = ["FORMAT", "Row", "dumps", "loads", "read", "write"]


@dataclass(frozen=True)
class Row:
    """One measured number and all that is needed to understand and repeat it.

    Parameters
    ----------
    spec_id, instrument, subject, params, seed : the Spec that was run
    metric : stable name of the number
    value : the number, in `unit`
    unit : "fraction", "seconds", "parameters", …
    higher_is_better : direction; None where there is none (a ceiling, a count)
    definition : one sentence that says what was computed, and how ties, splits and averages were handled
    n : how many items the value is an average of
    spread : standard deviation over these n items, None where it has no meaning
    split, selection : data split, and which model was evaluated ("final", "best on validation")
    seconds : wall time of the run
    data_hash : content hash of the data the value was computed on
    versions : versions of the library and of what it stands on, device, threads
    """

    spec_id: str
    instrument: str
    subject: str
    metric: str
    value: float
    unit: str
    higher_is_better: bool | None
    definition: str
    n: int
    seed: int
    split: str
    spread: float | None = None
    selection: str = "final"
    seconds: float | None = None
    data_hash: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """JSON values; a non-finite value is written as null and read back as NaN."""
        out = asdict(self)
        out["value"] = self.value if math.isfinite(self.value) else None
        return out

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> Row:
        known = {f.name for f in fields(Row)}
        unknown = sorted(set(value) - known)
        missing = sorted({f.name for f in fields(Row) if f.name in _REQUIRED} - set(value))
        if unknown or missing:
            raise ValueError(f"not a Row: unknown fields {unknown}, missing fields {missing}")
        return Row(**{**value, "value": math.nan if value["value"] is None else float(value["value"])})


_REQUIRED = (
    "spec_id", "instrument", "subject", "metric", "value", "unit", "higher_is_better", "definition", "n",
    "seed", "split",
)  # fmt: skip


def dumps(rows: Iterable[Row]) -> str:
    """A JSON list of rows, one row a line."""
    lines = [json.dumps(row.to_json(), ensure_ascii=False, allow_nan=False) for row in rows]
    return "[\n" + ",\n".join(lines) + "\n]\n" if lines else "[]\n"


def loads(text: str) -> list[Row]:
    values = json.loads(text)
    if not isinstance(values, list):
        raise ValueError(f"rows are a JSON list, this is a {type(values).__name__}")
    return [Row.from_json(v) for v in values]


def read(path: str | Path) -> list[Row]:
    """Rows from a JSON file; the error names the file."""
    try:
        return loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{path}: {error}") from error


def write(path: str | Path, rows: Iterable[Row]) -> None:
    """Rows to a JSON file, whole or not at all."""
    write_text(path, dumps(rows))
