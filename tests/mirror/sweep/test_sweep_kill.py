"""kill -9 and Ctrl-C of the whole sweep: nothing lost, nothing twice, nobody left behind."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

COUNT = 8
DRIVER = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job starts with it ignored
from pathlib import Path
from graphgauge import rows, sweep
from graphgauge.rows import Row
from graphgauge.specs import Spec

folder, name, nap = Path(sys.argv[1]), sys.argv[2], float(sys.argv[3])

def measure(spec, tell):
    with (folder / "started").open("a") as file:
        file.write(f"{spec.id} {os.getpid()}\\n")
    for step in range(10):
        time.sleep(nap / 10)
        tell(step / 10, "")
    value = spec.params["x"] / 7
    return [Row(spec.id, "demo", "seventh", "m", value, "1", None, "d", 1, spec.seed, "none")]

specs = [Spec("demo", "seventh", {"x": x}, seed=x) for x in range(COUNT)]
found = sweep.run(specs, measure, out=folder / "out", workers=2)
rows.write(folder / name, found)
""".replace("COUNT", str(COUNT))


@contextlib.contextmanager
def driver(folder: Path, name: str = "result.json", nap: float = 0.15) -> Iterator[subprocess.Popen[str]]:
    """A script, run as __main__ in a session of its own; ended with the test whatever happens."""
    script = folder / "driver.py"
    script.write_text(DRIVER)
    process = subprocess.Popen(
        [sys.executable, str(script), str(folder), name, str(nap)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def finished(folder: Path) -> set[str]:
    """Ids whose file is in place; what the file holds is checked by the sweep that goes on from it."""
    return {path.stem for path in (folder / "out" / "rows").glob("[!.]*.json")}


def started(folder: Path) -> list[tuple[str, int]]:
    path = folder / "started"
    lines = path.read_text().split("\n") if path.exists() else []
    return [(line.split()[0], int(line.split()[1])) for line in lines if line]


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def wait_for(condition: object, seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def expected() -> list[float]:
    return [x / 7 for x in range(COUNT)]


def values(folder: Path, name: str = "result.json") -> list[float]:
    return [row["value"] for row in json.loads((folder / name).read_text())]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes in /proc")
def test_killed_at_random_points_then_continued(tmp_path: Path) -> None:
    rng = random.Random(5)
    for target in (1, 3, 5):
        with driver(tmp_path) as process:
            wait_for(lambda n=target: len(finished(tmp_path)) >= n or process.poll() is not None)
            time.sleep(rng.uniform(0, 0.1))
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            pids = {pid for _, pid in started(tmp_path)}
            wait_for(lambda pids=pids: not any(alive(pid) for pid in pids), seconds=5)
        before, times = finished(tmp_path), Counter(id_ for id_, _ in started(tmp_path))
        assert all(times[id_] >= 1 for id_ in before)
        if target == 1:
            done_early, times_early = before, times
    with driver(tmp_path) as process:
        _, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
    after = Counter(id_ for id_, _ in started(tmp_path))
    assert values(tmp_path) == expected()
    assert all(after[id_] == times[id_] for id_ in before), "a finished spec was run again"
    assert all(after[id_] == times_early[id_] for id_ in done_early)
    assert not list((tmp_path / "out" / "rows").glob("*.damaged"))


def test_interrupt_stops_at_once_and_says_how_to_go_on(tmp_path: Path) -> None:
    with driver(tmp_path, nap=1.0) as process:
        wait_for(lambda: len(finished(tmp_path)) >= 2 and len(started(tmp_path)) >= 4)
        begin = time.monotonic()
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the workers, too
        out, err = process.communicate(timeout=20)
        assert time.monotonic() - begin < 5
    assert process.returncode in (-signal.SIGINT, 130)
    assert out == ""
    assert "specs are finished. What is finished is kept in" in err
    assert "start the same again" in err
    assert err.count("Traceback") <= 1  # the parent's own; no worker shouts
    assert not any(alive(pid) for _, pid in started(tmp_path))
    before = Counter(id_ for id_, _ in started(tmp_path))
    done = finished(tmp_path)
    with driver(tmp_path, nap=0.0) as process:
        _, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        assert f"{len(done)} of them finished before" in err
    after = Counter(id_ for id_, _ in started(tmp_path))
    assert values(tmp_path) == expected()
    assert all(after[id_] == before[id_] for id_ in done)


def test_worker_killed_from_outside(tmp_path: Path) -> None:
    with driver(tmp_path, nap=0.6) as process:
        wait_for(lambda: len(started(tmp_path)) >= 2)
        id_, pid = started(tmp_path)[0]
        os.kill(pid, signal.SIGKILL)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "SweepError: 1 of 8 specs failed" in err
    assert "Its process was killed by SIGKILL" in err
    assert len(finished(tmp_path)) == COUNT - 1
    assert id_ not in finished(tmp_path)


def test_two_sweeps_in_one_folder(tmp_path: Path) -> None:
    with driver(tmp_path, "a.json", 0.05) as one, driver(tmp_path, "b.json", 0.05) as two:
        for process in (one, two):
            _, err = process.communicate(timeout=60)
            assert process.returncode == 0, err
    assert values(tmp_path, "a.json") == values(tmp_path, "b.json") == expected()
    assert len(finished(tmp_path)) == COUNT
