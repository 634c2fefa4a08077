"""Downloads from a server on this machine: whole, resumed, refused, broken, and names made safe."""

from __future__ import annotations

import hashlib
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from graphgauge.datasets import DatasetError
from graphgauge.datasets.download import download, file_name, unzip

BODY = bytes(range(256)) * 400
SHA = hashlib.sha256(BODY).hexdigest()
LIMIT = 20  # requests that the server answers before it refuses


class Server(ThreadingHTTPServer):
    daemon_threads = True
    ranges: list[str | None]


class Handler(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, *_: object) -> None:
        """Silence."""

    def do_GET(self) -> None:
        self.server.ranges.append(self.headers.get("Range"))
        if len(self.server.ranges) > LIMIT or self.path.startswith("/missing"):
            self.send_error(404)
            return
        start = 0
        asked = self.headers.get("Range")
        if asked and not self.path.startswith("/norange"):
            start = int(asked.removeprefix("bytes=").rstrip("-"))
            if start >= len(BODY):
                self.send_error(416)
                return
            self.send_response(206)
            shown = start + 1 if self.path.startswith("/wrongrange") else start
            self.send_header("Content-Range", f"bytes {shown}-{len(BODY) - 1}/{len(BODY)}")
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(len(BODY) - start))
        self.end_headers()
        broken = self.path.startswith("/broken") and len(self.server.ranges) == 1
        self.wfile.write(BODY[start : 50_000 if broken else None])


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server(("127.0.0.1", 0), Handler)
    made.ranges = []
    made.timeout = 5
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    thread.join(5)


def url(server: Server, path: str) -> str:
    return f"http://127.0.0.1:{server.server_address[1]}/{path}"


def test_file_arrives_once(server: Server, tmp_path: Path) -> None:
    address = url(server, "a/data.zip?dl=1")
    path = download(address, tmp_path / "new", SHA, timeout=5)
    assert path == tmp_path / "new" / "data.zip"
    assert path.read_bytes() == BODY
    assert download(address, tmp_path / "new", SHA, timeout=5) == path
    assert server.ranges == [None]
    assert [p.name for p in path.parent.iterdir()] == ["data.zip"]


def test_broken_download_goes_on_where_it_stopped(server: Server, tmp_path: Path) -> None:
    address = url(server, "broken.bin")
    with pytest.raises(OSError, match=r"broken\.bin: .*(expected|broke)"):
        download(address, tmp_path, SHA, timeout=5)
    assert not (tmp_path / "broken.bin").exists()
    assert (tmp_path / "broken.bin.partial").stat().st_size == 50_000
    assert download(address, tmp_path, SHA, timeout=5).read_bytes() == BODY
    assert server.ranges == [None, "bytes=50000-"]


def test_server_without_ranges_sends_all_again(server: Server, tmp_path: Path) -> None:
    (tmp_path / "norange.bin.partial").write_bytes(b"old")
    assert download(url(server, "norange.bin"), tmp_path, SHA, timeout=5).read_bytes() == BODY


def test_complete_partial_file_is_fetched_anew(server: Server, tmp_path: Path) -> None:
    (tmp_path / "x.bin.partial").write_bytes(BODY)
    assert download(url(server, "x.bin"), tmp_path, SHA, timeout=5).read_bytes() == BODY
    assert server.ranges == [f"bytes={len(BODY)}-", None]


def test_answer_for_another_range_is_refused(server: Server, tmp_path: Path) -> None:
    (tmp_path / "wrongrange.bin.partial").write_bytes(BODY[:10])
    with pytest.raises(OSError, match="asked from byte 10"):
        download(url(server, "wrongrange.bin"), tmp_path, SHA, timeout=5)


def test_wrong_checksum_names_file_expected_and_got(server: Server, tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=rf"x\.bin: expected sha256 0000, got {SHA}"):
        download(url(server, "x.bin"), tmp_path, "0000", timeout=5)
    assert list(tmp_path.iterdir()) == []


def test_damaged_file_is_fetched_again(server: Server, tmp_path: Path) -> None:
    (tmp_path / "x.bin").write_bytes(b"damaged")
    assert download(url(server, "x.bin"), tmp_path, SHA, timeout=5).read_bytes() == BODY


def test_refusal_and_silence(server: Server, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="the server answered 404"):
        download(url(server, "missing.bin"), tmp_path, timeout=5)
    server.shutdown()
    server.server_close()
    with pytest.raises(OSError, match=r"refused|reach"):
        download(url(server, "x.bin"), tmp_path, timeout=5)


def test_file_address(tmp_path: Path) -> None:
    (tmp_path / "source.bin").write_bytes(BODY)
    got = download((tmp_path / "source.bin").as_uri(), tmp_path / "to", SHA)
    assert got.read_bytes() == BODY


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("https://h/a/molecules.zip?dl=1", "molecules.zip"),
        ("https://h/a/b%20c.zip#part", "b_c.zip"),
        ("https://h/..%2F..%2Fetc%2Fpasswd", "_.._etc_passwd"),
        ("https://h/a%3Fb%3A.csv", "a_b_.csv"),
        ("https://h/CON.txt", "_CON.txt"),
        ("https://h/.hidden", "hidden"),
        ("https://h/ende.%20", "ende._"),
        ("https://h/Zürich.npz", "Z_rich.npz"),
    ],
)
def test_names_are_safe_everywhere(address: str, name: str) -> None:
    assert file_name(address) == name


@pytest.mark.parametrize("address", ["https://h", "https://h/", "https://h/?a=b", "https://h/..."])
def test_no_name_is_an_error(address: str) -> None:
    with pytest.raises(DatasetError, match="no file name"):
        file_name(address)


def test_unzip_takes_named_members_only(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("in/x.csv", "1,2")
        archive.writestr("../evil", "!")
    unzip(tmp_path / "a.zip", tmp_path / "out", {"in/x.csv": "raw/x.csv"})
    assert (tmp_path / "out" / "raw" / "x.csv").read_text() == "1,2"
    assert not (tmp_path / "evil").exists()
    with pytest.raises(DatasetError, match="no member in/y"):
        unzip(tmp_path / "a.zip", tmp_path / "out", {"in/y": "y"})
