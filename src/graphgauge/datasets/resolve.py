"""From a name to a file: a local archive, else a loader with download, else an error that says all."""

from __future__ import annotations

import os
import socket
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from graphgauge.datasets.entry import Loader
from graphgauge.datasets.errors import DatasetError, MissingData
from graphgauge.datasets.home import find

_FAILURES = (
    OSError,
    ImportError,
    ValueError,
    KeyError,
    RuntimeError,
    EOFError,
    SystemExit,
    zipfile.BadZipFile,
)
_SECONDS = 30.0  # without an answer for so long, a connection is given up


def resolve(
    name: str, places: Sequence[Path], files: Sequence[str], loaders: Mapping[str, Loader], hint: str = ""
) -> Path:
    """Path of the first of `files` that is at hand; else the loaders are tried, one after another.

    Parameters
    ----------
    name : dataset, for messages
    places : folders to look in; the last one keeps what is downloaded
    files : acceptable files, relative to a place, the best first
    loaders : what may make one of them appear in the last place
    hint : last line of the error, if not empty

    Raises
    ------
    MissingData
        if nothing is at hand and every loader failed: names the files, the folders and each failure.
    DatasetError
        if a file is there and contradicts its manifest.

    ``GRAPHGAUGE_OFFLINE=1`` leaves the loaders out.
    """
    places = tuple(places)
    found = find(places, *files)
    if found is not None:
        return found
    offline = os.environ.get("GRAPHGAUGE_OFFLINE", "") not in ("", "0")
    tried = []
    for label, loader in loaders.items():
        if offline:
            tried.append(f"{label}: not tried, GRAPHGAUGE_OFFLINE is set")
            continue
        try:
            with unattended():
                loader(places[-1])
        except _FAILURES as error:
            tried.append(f"{label}: {type(error).__name__}: {error}")
        else:
            tried.append(f"{label}: ended well, but left none of these files")
        found = find(places, *files)
        if found is not None:
            return found
    raise MissingData(_missing(name, places, files, tried) + (f"\n{hint}" if hint else ""))


def _missing(name: str, places: Sequence[Path], files: Sequence[str], tried: Sequence[str]) -> str:
    lines = [f"{name} is not at hand. Put one of these files in place (layouts: docs/datasets.md):"]
    lines += [f"  {place / file}" for place in places for file in files]
    lines += ["GRAPHGAUGE_DATA names the folder that is searched first. Tried, without success:"]
    lines += [f"  {attempt}" for attempt in tried] or ["  nothing: there is no loader for it"]
    return "\n".join(lines)


class _NoAnswer:
    """Stands in for standard input: whoever asks gets an error at once instead of waiting for ever."""

    def readline(self, *_: object) -> str:
        raise DatasetError("the loader asked a question, and nobody is here to answer it")

    read = readline

    def fileno(self) -> int:
        raise OSError("there is no standard input while data is loaded")

    def isatty(self) -> bool:
        return False


@contextmanager
def unattended() -> Iterator[None]:
    """While it lasts, nothing waits for the keyboard, and no connection stays silent for more than 30 s."""
    stdin, timeout = sys.stdin, socket.getdefaulttimeout()
    sys.stdin = _NoAnswer()
    socket.setdefaulttimeout(_SECONDS)
    try:
        yield
    finally:
        sys.stdin = stdin
        socket.setdefaulttimeout(timeout)
