"""A finished spec on disk is whole or not counted."""

from __future__ import annotations

import json
import math
import os
import time
import warnings
from pathlib import Path

import pytest

from graphgauge.rows import Row
from graphgauge.specs import Spec
from graphgauge.sweep import Store
from graphgauge.sweep.store import FORMAT, STALE_SECONDS, decode, encode

SPEC = Spec("demo", "gcn", {"noise": 0.1, "sizes": (1, 2)}, seed=3)


def row(spec: Spec, value: float = 0.25) -> Row:
    return Row(
        spec.id, "demo", spec.subject, "m", value, "1", True, "d", 1, spec.seed, "val", params=spec.params
    )


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path / "out")
    store.open()
    return store


def test_what_is_written_is_read(store: Store) -> None:
    rows = [row(SPEC, 1 / 3), row(SPEC, -0.0)]
    store.write(SPEC, encode(SPEC, rows))
    found = store.read(SPEC)
    assert found is not None
    assert [r.value for r in found] == [1 / 3, -0.0]
    assert found[0].params == {"noise": 0.1, "sizes": [1, 2]}
    assert store.path(SPEC) == store.out / "rows" / f"{SPEC.id}.json"


def test_nan_survives() -> None:
    (found,) = decode(encode(SPEC, [row(SPEC, math.nan)]), SPEC)
    assert math.isnan(found.value)


def test_nothing_there(store: Store) -> None:
    assert store.read(SPEC) is None


WHOLE = encode(SPEC, [row(SPEC)])
OTHER = Spec("demo", "gin", {}, 0)
BAD = {
    "empty": "",
    "half": WHOLE[: len(WHOLE) // 2],
    "not an object": "[1, 2]",
    "changed value": WHOLE.replace("0.25", "0.35"),
    "other spec": encode(OTHER, [row(OTHER)]),
    "other format": json.dumps(json.loads(WHOLE) | {"format": FORMAT + 1}),
    "no checksum": json.dumps({k: v for k, v in json.loads(WHOLE).items() if k != "sha256"}),
    "zeros": "\0" * 100,
    "foreign bytes": b"\xff\xfe\x00garbage",
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD.keys())
def test_bad_file_is_set_aside(store: Store, bad: str | bytes) -> None:
    content = bad if isinstance(bad, bytes) else bad.encode()
    path = store.path(SPEC)
    for count in (1, 2):
        path.write_bytes(content)
        with pytest.warns(UserWarning, match=f"{path.name}.*runs again"):
            assert store.read(SPEC) is None
        assert not path.exists()
        aside = sorted(store.folder.glob("*.damaged"))
        assert len(aside) == count
        assert all(one.read_bytes() == content for one in aside)


def test_whole_file_of_another_sweep_is_put_back(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between seeing a damaged file and moving it, another sweep may have written a whole one there."""
    store.path(SPEC).write_text("half")
    rename = Path.rename

    def late(self: Path, target: Path) -> Path:
        monkeypatch.setattr(Path, "rename", rename)
        self.write_text(WHOLE)
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", late)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert store.read(SPEC) == decode(WHOLE, SPEC)
    assert store.path(SPEC).read_text() == WHOLE
    assert not list(store.folder.glob("*.damaged"))


def test_temporary_files_of_the_dead_are_cleared(store: Store) -> None:
    dead, alive = store.folder / ".a.json.x.tmp", store.folder / ".b.json.y.tmp"
    for path in (dead, alive):
        path.write_text("half")
    long_ago = time.time() - 2 * STALE_SECONDS
    os.utime(dead, (long_ago, long_ago))
    store.open()
    assert not dead.exists()
    assert alive.exists()


def test_full_disk_leaves_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        store.write(SPEC, WHOLE)
    assert list(store.folder.iterdir()) == []
