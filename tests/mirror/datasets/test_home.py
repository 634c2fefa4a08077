"""Data homes: where files are looked for, and what a manifest is good for."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from graphgauge.datasets import DatasetError
from graphgauge.datasets.home import arrays, cache_home, find, homes, keep, manifest, verify


def test_order_of_homes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("GRAPHGAUGE_DATA", raising=False)
    assert homes() == (cache_home(),)
    monkeypatch.setenv("GRAPHGAUGE_DATA", str(tmp_path / "data"))
    assert homes() == (tmp_path / "data", cache_home())
    assert homes(tmp_path / "own") == (tmp_path / "own",)


def test_best_file_first_then_first_place(tmp_path: Path) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    for place, name in ((a, "second"), (b, "first"), (b, "second")):
        place.mkdir(exist_ok=True)
        (place / name).write_text(name)
    assert find((a, b), "first", "second") == b / "first"
    assert find((a, b), "second") == a / "second"
    assert find((a, b), "third") is None


def entry(path: Path, content: bytes) -> dict[str, object]:
    return {"path": path.name, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def test_manifest_vouches_or_contradicts(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    path.write_bytes(b"good")
    assert verify(tmp_path, "x.npz") is False
    (tmp_path / "manifest.json").write_text(json.dumps({"files": [entry(path, b"good")]}))
    assert verify(tmp_path, "x.npz") is True
    path.write_bytes(b"evil")
    got = hashlib.sha256(b"evil").hexdigest()
    with pytest.raises(DatasetError, match=rf"x\.npz: expected sha256 .*, got {got}"):
        find((tmp_path,), "x.npz")
    path.write_bytes(b"shorter or longer")
    with pytest.raises(DatasetError, match="expected 4 bytes, got 17"):
        verify(tmp_path, "x.npz")


def test_a_file_is_hashed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from graphgauge.datasets import home

    path = tmp_path / "x.npz"
    path.write_bytes(b"good")
    (tmp_path / "manifest.json").write_text(json.dumps({"files": [entry(path, b"good")]}))
    hashed = []
    real = home.sha256
    monkeypatch.setattr(home, "sha256", lambda p: hashed.append(p) or real(p))
    assert verify(tmp_path, "x.npz")
    assert verify(tmp_path, "x.npz")
    assert hashed == [path]


@pytest.mark.parametrize("text", ["{", "[]", '{"files": [{"bytes": 1}]}', '{"files": [{"path": "x"}]}'])
def test_bad_manifest_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(DatasetError, match=r"manifest\.json"):
        manifest(tmp_path)


def test_kept_files_are_vouched_for(tmp_path: Path) -> None:
    for i in range(5):
        keep(tmp_path, f"a/{i}.npz", {"x": np.arange(i)})
    keep(tmp_path, "a/0.npz", {"x": np.arange(9)})
    assert sorted(manifest(tmp_path)) == [f"a/{i}.npz" for i in range(5)]
    assert all(verify(tmp_path, f"a/{i}.npz") for i in range(5))
    assert arrays(tmp_path / "a/0.npz", "x")["x"].size == 9


def test_arrays_refuse_pickles_and_name_what_is_missing(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", plain=np.arange(3), pickled=np.array([{}], dtype=object))
    assert list(arrays(tmp_path / "x.npz")) == ["plain"]
    with pytest.raises(DatasetError, match="no array named other"):
        arrays(tmp_path / "x.npz", "plain", "other")
    (tmp_path / "y.npz").write_bytes(b"not a zip file")
    with pytest.raises(DatasetError, match=r"y\.npz cannot be read"):
        arrays(tmp_path / "y.npz")
