"""Where data lives on this machine, and whether a file there is what its manifest says."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import zipfile
import zlib
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from graphgauge.atomic import replacing, write_text
from graphgauge.datasets.errors import DatasetError

Home = str | os.PathLike[str] | None


def cache_home() -> Path:
    """The folder of this user's cache for graphgauge; downloads go here. It need not exist."""
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "graphgauge"


def homes(root: Home = None) -> tuple[Path, ...]:
    """Folders to look in, in order: `root` alone if given, else ``GRAPHGAUGE_DATA`` and the user's cache."""
    if root is not None:
        return (Path(root).expanduser(),)
    given = os.environ.get("GRAPHGAUGE_DATA")
    return (Path(given).expanduser(), cache_home()) if given else (cache_home(),)


def find(places: tuple[Path, ...], *relatives: str) -> Path | None:
    """The first of the files `relatives` that a place holds, verified; None if there is none.

    All places are searched for the first name before the second name is looked for.
    """
    for relative in relatives:
        for place in places:
            if (place / relative).is_file():
                verify(place, relative)
                return place / relative
    return None


def verify(place: Path, relative: str) -> bool:
    """Whether a manifest vouches for the file; raises `DatasetError` where it contradicts it.

    ``manifest.json`` in the place lists files with ``path`` and ``sha256``. A file is hashed once a process
    for each size and time of change. False means that no manifest lists the file.
    """
    expected = manifest(place).get(relative)
    if expected is None:
        return False
    path = place / relative
    facts = path.stat()
    if "bytes" in expected and facts.st_size != expected["bytes"]:
        raise DatasetError(f"{path}: expected {expected['bytes']} bytes, got {facts.st_size}")
    got = _sha256(path, facts.st_size, facts.st_mtime_ns)
    if got != expected["sha256"]:
        raise DatasetError(f"{path}: expected sha256 {expected['sha256']}, got {got}")
    return True


def sha256(path: Path) -> str:
    """SHA-256 of a file, read in blocks."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@lru_cache(maxsize=1024)
def _sha256(path: Path, size: int, changed: int) -> str:
    return sha256(path)  # size and time of change are in the key, so a changed file is hashed again


def manifest(place: Path) -> Mapping[str, Mapping[str, Any]]:
    """Entries of the place's ``manifest.json`` by relative path; empty where there is no manifest."""
    path = place / "manifest.json"
    if not path.is_file():
        return {}
    facts = path.stat()
    return _manifest(path, facts.st_ino, facts.st_size, facts.st_mtime_ns)


@lru_cache(maxsize=64)
def _manifest(path: Path, *state: int) -> Mapping[str, Mapping[str, Any]]:
    try:
        entries = {str(entry["path"]): entry for entry in json.loads(path.read_text("utf-8"))["files"]}
        missing = [name for name, entry in entries.items() if "sha256" not in entry]
    except (KeyError, TypeError, ValueError) as error:
        raise DatasetError(
            f"{path} is not a manifest with a list `files` of path and sha256: {error!r}"
        ) from error
    if missing:
        raise DatasetError(f"{path}: the entry {missing[0]} has no sha256")
    return entries


def keep(place: Path, relative: str, arrays: Mapping[str, np.ndarray[Any, Any]]) -> Path:
    """Store arrays as ``place/relative`` (npz) in one step and vouch for them in the place's manifest."""
    path = place / relative
    with replacing(path) as part, part.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)
    vouch(place, relative)
    return path


def vouch(place: Path, relative: str, **facts: Any) -> None:
    """Enter a file with its size and sha256 into the place's manifest."""
    path = place / relative
    entry = {"path": relative, "bytes": path.stat().st_size, "sha256": sha256(path), **facts}
    files = [dict(e) for name, e in manifest(place).items() if name != relative] + [entry]
    write_text(place / "manifest.json", json.dumps({"format": 1, "files": files}, indent=1))


def arrays(path: Path, *required: str, used: Collection[str] = ()) -> dict[str, np.ndarray[Any, Any]]:
    """All plain arrays of an npz file; missing names are named.

    Arrays of objects are never unpickled: one called as in `required` or `used` is an error, others are
    left out (published archives carry vocabularies beside the graph).
    """
    try:
        with np.load(path, allow_pickle=False) as stored:
            absent = [name for name in required if name not in stored.files]
            if absent:
                raise DatasetError(
                    f"{path}: no array named {', '.join(absent)}; it has {', '.join(stored.files)}"
                )
            return dict(_plain(stored, {*required, *used}))
    except (OSError, EOFError, ValueError, TypeError, zipfile.BadZipFile, zlib.error) as error:
        if isinstance(error, DatasetError):
            raise
        raise DatasetError(f"{path} cannot be read as an npz file: {error}") from error


def _plain(stored: Any, used: Collection[str]) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    for name in stored.files:
        try:
            yield name, stored[name]
        except ValueError as error:
            if "pickle" not in str(error) and "Object" not in str(error):
                raise
            if name in used:
                raise ValueError(f"the array {name} holds objects") from error
