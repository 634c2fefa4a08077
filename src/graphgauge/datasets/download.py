"""One small download: resumes, checks, and leaves a file only when it is whole."""

from __future__ import annotations

import http.client
import re
import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from urllib.error import HTTPError
from urllib.parse import unquote, urlsplit
from urllib.request import Request, urlopen

from graphgauge.atomic import replacing
from graphgauge.datasets.errors import DatasetError
from graphgauge.datasets.home import sha256

_BLOCK = 1 << 20
_RESERVED = {"CON", "PRN", "AUX", "NUL", *(f"{d}{i}" for d in ("COM", "LPT") for i in range(1, 10))}


def file_name(url: str) -> str:
    """A file name that every system takes, from the last part of an address; query and fragment are left out.

    >>> file_name("https://host.example/a/aqsol%20raw.zip?dl=1")
    'aqsol_raw.zip'
    """
    last = unquote(PurePosixPath(urlsplit(url).path).name)
    name = re.sub(r"[^\w.+-]", "_", last, flags=re.ASCII).lstrip(".").rstrip(". ")[-150:]
    if not name:
        raise DatasetError(f"no file name can be taken from the address {url}")
    return f"_{name}" if name.split(".")[0].upper() in _RESERVED else name


def download(url: str, folder: Path, expected: str | None = None, *, timeout: float = 30.0) -> Path:
    """Get a file into `folder` under a name taken from its address, unless it is there already.

    Parameters
    ----------
    url : http, https, ftp or file address
    folder : made if it is not there
    expected : sha256 that the file must have
    timeout : seconds without an answer after which the connection is given up

    A broken download leaves ``NAME.partial`` and goes on from there the next time, where the server can;
    the file takes its name only when it is whole and has the expected sha256.

    Raises
    ------
    OSError
        if the server cannot be reached, refuses, or the connection breaks.
    DatasetError
        if the sha256 is wrong: names file, expected and got. The partial file is thrown away.
    """
    path = folder / file_name(url)
    if path.is_file() and (expected is None or sha256(path) == expected):
        return path
    folder.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    _receive(url, partial, timeout)
    got = sha256(partial)
    if expected is not None and got != expected:
        partial.unlink()
        raise DatasetError(f"{url}: expected sha256 {expected}, got {got}")
    partial.replace(path)
    return path


def _receive(url: str, partial: Path, timeout: float) -> None:
    have = partial.stat().st_size if partial.exists() else 0
    request = Request(url, headers={"User-Agent": "graphgauge", "Accept-Encoding": "identity"})
    if have:
        request.add_header("Range", f"bytes={have}-")
    try:
        answer = urlopen(request, timeout=timeout)
    except HTTPError as error:
        with error:
            if error.code == 416 and have:  # nothing lies past what we have: begin anew, to be sure of it
                partial.unlink()
                return _receive(url, partial, timeout)
            raise OSError(f"{url}: the server answered {error.code} {error.reason}") from error
    except http.client.HTTPException as error:
        raise OSError(f"{url}: the server's answer cannot be read: {error!r}") from error
    with answer:
        goes_on = have > 0 and answer.status == 206
        if goes_on and not (answer.headers.get("Content-Range") or "").startswith(f"bytes {have}-"):
            raise OSError(f"{url}: asked from byte {have}, got {answer.headers.get('Content-Range')}")
        length = answer.headers.get("Content-Length")
        with partial.open("ab" if goes_on else "wb") as file:
            before = file.tell()
            try:
                shutil.copyfileobj(answer, file, _BLOCK)
            except http.client.HTTPException as error:
                raise OSError(f"{url}: the connection broke: {error!r}") from error
            received = file.tell() - before
    if length is not None and received != int(length):
        raise OSError(f"{url}: expected {length} bytes, got {received}; the next try goes on from there")
    return None


def unzip(archive: Path, place: Path, members: Mapping[str, str]) -> None:
    """Take members (by name) out of a zip file and write each to its file under `place`, in one step each."""
    with zipfile.ZipFile(archive) as opened:
        names = set(opened.namelist())
        absent = [member for member in members if member not in names]
        if absent:
            raise DatasetError(f"{archive} has no member {absent[0]}")
        for member, relative in members.items():
            with (
                opened.open(member) as source,
                replacing(place / relative) as part,
                part.open("wb") as target,
            ):
                shutil.copyfileobj(source, target, _BLOCK)


__all__ = ["download", "file_name", "unzip"]
