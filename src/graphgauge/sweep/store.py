"""Finished specs on disk: one file each, whole or not counted.

`rows/<spec id>.json` holds the spec, its rows, the format's version and a checksum over all of it.
"""

from __future__ import annotations

import hashlib
import json
import time
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path

from graphgauge.atomic import write_text
from graphgauge.rows import Row
from graphgauge.specs import Spec, canonical_json

FORMAT = 1
STALE_SECONDS = 60.0  # a write takes milliseconds: a temporary file older than this belongs to a dead process


def encode(spec: Spec, rows: Iterable[Row]) -> str:
    """The text of a finished spec.

    >>> decode(encode(Spec("alignment", "gcn"), []), Spec("alignment", "gcn"))
    []
    """
    body = {"format": FORMAT, "spec": spec.to_json(), "rows": [row.to_json() for row in rows]}
    return (
        json.dumps({**body, "sha256": _checksum(body)}, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    )


def decode(text: str, spec: Spec) -> list[Row]:
    """The rows in `text`; a ValueError says why they cannot be trusted to be the whole result of `spec`."""
    stored = json.loads(text)
    if not isinstance(stored, dict):
        raise ValueError(f"holds a {type(stored).__name__}, not the rows of a spec")
    missing = sorted({"format", "spec", "rows", "sha256"} - set(stored))
    if missing:
        raise ValueError(f"lacks {', '.join(missing)}")
    if stored["format"] != FORMAT:
        raise ValueError(f"has format {stored['format']!r}, not {FORMAT}")
    checksum = stored.pop("sha256")
    if checksum != _checksum(stored):
        raise ValueError("does not match its checksum")
    if canonical_json(stored["spec"]) != canonical_json(spec.to_json()):
        raise ValueError("holds another spec")
    return [Row.from_json(row) for row in stored["rows"]]


def _checksum(body: object) -> str:
    return hashlib.sha256(canonical_json(body).encode()).hexdigest()


class Store:
    """The finished specs of one output folder.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store, spec = Store(folder), Spec("alignment", "gcn")
    ...     store.write(spec, encode(spec, []))
    ...     store.read(spec), store.read(Spec("alignment", "gin"))
    ([], None)
    """

    def __init__(self, out: str | Path) -> None:
        self.out = Path(out)
        self.folder = self.out / "rows"

    def path(self, spec: Spec) -> Path:
        return self.folder / f"{spec.id}.json"

    def open(self) -> None:
        """Make the folder, and clear away what killed processes left half-written."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for temporary in self.folder.glob(".*.tmp"):
            try:
                if time.time() - temporary.stat().st_mtime > STALE_SECONDS:
                    temporary.unlink()
            except FileNotFoundError:  # another sweep was faster, or has just renamed it to its real name
                continue

    def write(self, spec: Spec, text: str) -> None:
        write_text(self.path(spec), text)

    def read(self, spec: Spec) -> list[Row] | None:
        """Rows of a finished spec; None when there are none. A damaged file is set aside with a warning."""
        path = self.path(spec)
        try:
            return _read(path, spec)
        except FileNotFoundError:
            return None
        except (ValueError, TypeError, KeyError) as error:
            return self._set_aside(path, spec, error)

    def _set_aside(self, path: Path, spec: Spec, reason: Exception) -> list[Row] | None:
        aside = _free_name(path)
        try:
            path.rename(aside)
            rows = _read(aside, spec)
        except FileNotFoundError:  # another sweep set it aside first
            return None
        except (ValueError, TypeError, KeyError):
            warnings.warn(f"{path} {reason}; kept as {aside.name}, the spec runs again", stacklevel=2)
            return None
        aside.rename(path)  # another sweep had put a whole file there in between
        return rows

    def finished(self, specs: Sequence[Spec]) -> dict[str, list[Row]]:
        """Rows of all finished specs, by spec id."""
        found = {spec.id: self.read(spec) for spec in specs}
        return {id_: rows for id_, rows in found.items() if rows is not None}


def stored_rows(out: str | Path) -> list[Row]:
    """Rows of all finished specs in an output folder, whichever sweep ran them.

    A file that is not whole is left where it is, with a warning; nothing of it is returned.
    """
    found: list[Row] = []
    for path in sorted(Store(out).folder.glob("*.json")):
        try:
            text = path.read_text(encoding="utf-8")
            found += decode(text, Spec.from_json(json.loads(text)["spec"]))
        except (ValueError, TypeError, KeyError) as error:
            warnings.warn(f"{path} {error}; left out", stacklevel=2)
    return found


def _read(path: Path, spec: Spec) -> list[Row]:
    return decode(path.read_text(encoding="utf-8"), spec)


def _free_name(path: Path) -> Path:
    """`….json.damaged`, or `….json.2.damaged` and so on: what was set aside before is kept."""
    candidate, number = path.with_name(f"{path.name}.damaged"), 1
    while candidate.exists():
        number += 1
        candidate = path.with_name(f"{path.name}.{number}.damaged")
    return candidate
