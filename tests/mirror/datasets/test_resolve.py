"""Resolution: local file, loader, clear error; nothing ever waits for a keyboard."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from graphgauge.datasets import DatasetError, MissingData
from graphgauge.datasets.home import keep
from graphgauge.datasets.resolve import resolve


def writes(place: Path) -> None:
    keep(place, "d/x.npz", {"x": np.arange(3)})


def asks(place: Path) -> None:
    if input("Will you proceed? (y/N)") == "y":
        writes(place)


def leaves(place: Path) -> None:
    sys.exit(-1)


def fails(place: Path) -> None:
    raise OSError("no route to host")


def nothing(place: Path) -> None:
    """Writes nothing."""


def test_local_file_needs_no_loader(tmp_path: Path) -> None:
    writes(tmp_path)
    assert resolve("d", [tmp_path], ["d/x.npz"], {"never": fails}) == tmp_path / "d/x.npz"


def test_loader_fills_the_last_place(tmp_path: Path) -> None:
    places = [tmp_path / "a", tmp_path / "b"]
    assert resolve("d", places, ["d/x.npz"], {"bad": fails, "good": writes}) == tmp_path / "b/d/x.npz"
    assert not (tmp_path / "a").exists()


def test_error_names_files_and_every_attempt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    loaders = {"lib.Loader": fails, "lib.Asks": asks, "lib.Exits": leaves, "lib.Nothing": nothing}
    before = sys.stdin
    with pytest.raises(MissingData) as raised:
        resolve("d", [tmp_path], ["d/x.npz", "d/y.csv"], loaders, "The hint.")
    assert sys.stdin is before
    text = str(raised.value)
    for part in (
        str(tmp_path / "d/x.npz"),
        str(tmp_path / "d/y.csv"),
        "GRAPHGAUGE_DATA",
        "lib.Loader: OSError: no route to host",
        "lib.Asks: DatasetError: the loader asked a question",
        "lib.Exits: SystemExit: -1",
        "lib.Nothing: ended well, but left none of these files",
        "The hint.",
    ):
        assert part in text


def test_offline_switch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHGAUGE_OFFLINE", "1")
    with pytest.raises(MissingData, match=r"good: not tried, GRAPHGAUGE_OFFLINE is set"):
        resolve("d", [tmp_path], ["d/x.npz"], {"good": writes})


def test_a_bug_in_a_loader_is_not_hidden(tmp_path: Path) -> None:
    def buggy(place: Path) -> None:
        raise AttributeError("a bug")

    with pytest.raises(AttributeError, match="a bug"):
        resolve("d", [tmp_path], ["d/x.npz"], {"buggy": buggy})


def test_bad_local_file_is_not_passed_over(tmp_path: Path) -> None:
    writes(tmp_path)
    (tmp_path / "d/x.npz").write_bytes(b"changed")
    with pytest.raises(DatasetError, match="expected"):
        resolve("d", [tmp_path], ["d/x.npz"], {"good": writes})
