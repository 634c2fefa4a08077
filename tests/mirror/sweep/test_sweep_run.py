"""Sweeps in this process and in workers: order, errors, dead workers, progress."""

from __future__ import annotations

import io
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from graphgauge import sweep
from graphgauge.rows import Row
from graphgauge.specs import Spec
from graphgauge.sweep.progress import Display

Tell = Callable[[float, str], None]


def specs(*xs: int) -> list[Spec]:
    return [Spec("demo", "square", {"x": x, "same": 1}, seed=7) for x in xs]


def make_square(log: Path) -> Callable[[Spec, Tell], list[Row]]:
    """A closure, as users write them: its pickling is part of the test."""

    def square(spec: Spec, tell: Tell) -> list[Row]:
        x = spec.params["x"]
        with log.open("a") as file:
            file.write(f"{x}\n")
        print("a model that prints")
        tell(0.5, "half")
        if x == 13:
            raise ArithmeticError("unlucky thirteen")
        if x == 9:
            os.kill(os.getpid(), signal.SIGKILL)
        if x == 5:
            sys.exit("leaving")
        threads = os.environ.get("OMP_NUM_THREADS", "")
        return [
            Row(spec.id, "demo", "square", "x²", x * x, "1", None, "d", 1, 7, "none", versions={"t": threads})
        ]

    return square


@pytest.fixture
def log(tmp_path: Path) -> Path:
    (tmp_path / "log").touch()
    return tmp_path / "log"


def executed(log: Path) -> list[int]:
    return sorted(int(line) for line in log.read_text().split())


@pytest.mark.parametrize("workers", [1, 2])
def test_rows_in_list_order_and_each_spec_once(log: Path, tmp_path: Path, workers: int) -> None:
    out, todo = tmp_path / "out", specs(3, 1, 2, 1, 3)
    rows = sweep.run(todo, make_square(log), out=out, workers=workers, progress=False)
    assert [row.value for row in rows] == [9, 1, 4, 1, 9]
    assert executed(log) == [1, 2, 3]
    again = sweep.run(todo, make_square(log), out=out, workers=workers, progress=False)
    assert again == rows
    assert executed(log) == [1, 2, 3]


@pytest.mark.parametrize("workers", [1, 2])
def test_nothing_on_standard_output(log: Path, workers: int, capfd: pytest.CaptureFixture[str]) -> None:
    sweep.run(specs(1, 2), make_square(log), workers=workers)
    out, err = capfd.readouterr()
    assert out == ""
    assert "[2/2] square, seed 7, x" in err
    assert "a model that prints" in err


def test_silent_without_progress(capfd: pytest.CaptureFixture[str]) -> None:
    sweep.run(specs(1, 2), lambda spec, tell: [], workers=1, progress=False)
    assert capfd.readouterr() == ("", "")


def test_empty_list_of_specs() -> None:
    assert sweep.run([], lambda spec, tell: [], progress=False) == []


@pytest.mark.parametrize("workers", [1, 2])
def test_error_in_one_spec_keeps_the_others(log: Path, tmp_path: Path, workers: int) -> None:
    out, todo = tmp_path / "out", specs(13, 1, 5, 2, 3)
    with pytest.raises(sweep.SweepError) as caught:
        sweep.run(todo, make_square(log), out=out, workers=workers, progress=False)
    message = str(caught.value)
    assert "2 of 5 specs failed" in message
    assert "× square, seed 7, x 13\n" in message
    assert "× square, seed 7, x 5\n" in message
    assert "same 1" not in message  # only parameters that differ name a spec
    assert "ArithmeticError: unlucky thirteen" in message
    assert "Traceback" in message
    assert "in square" in message
    assert [spec.params["x"] for spec, _ in caught.value.failures] == [13, 5]
    assert [row.value for row in caught.value.rows] == [1, 4, 9]
    assert len(list((out / "rows").iterdir())) == 3


def test_dead_worker_is_named_and_the_others_finish(log: Path, tmp_path: Path) -> None:
    with pytest.raises(sweep.SweepError) as caught:
        sweep.run(specs(9, 1, 2, 3), make_square(log), out=tmp_path / "out", workers=2, progress=False)
    assert "× square, seed 7, x 9\nIts process was killed by SIGKILL" in str(caught.value)
    assert [row.value for row in caught.value.rows] == [1, 4, 9]
    assert executed(log) == [1, 2, 3, 9]


def test_worker_that_dies_after_storing_has_finished(tmp_path: Path) -> None:
    """What is on disk counts, not what the worker had time to say."""

    def store_and_die(spec: Spec, tell: Tell) -> list[Row]:
        store = sweep.Store(tmp_path / "out")
        store.write(spec, sweep.store.encode(spec, []))
        os.kill(os.getpid(), signal.SIGKILL)
        return []

    assert sweep.run(specs(1, 2), store_and_die, out=tmp_path / "out", workers=2, progress=False) == []


def test_disk_full_in_a_worker(tmp_path: Path) -> None:
    def full(spec: Spec, tell: Tell) -> list[Row]:
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        return []

    with pytest.raises(sweep.SweepError, match=r"OSError: \[Errno 27\]"):
        sweep.run(specs(1, 2), full, out=tmp_path / "out", workers=2, progress=False)
    assert list((tmp_path / "out" / "rows").iterdir()) == []


def test_damaged_file_runs_again(log: Path, tmp_path: Path) -> None:
    out, todo = tmp_path / "out", specs(1, 2)
    rows = sweep.run(todo, make_square(log), out=out, workers=1, progress=False)
    path = sweep.Store(out).path(todo[0])
    path.write_text(path.read_text()[:-20])
    with pytest.warns(UserWarning, match=path.name):
        assert sweep.run(todo, make_square(log), out=out, workers=1, progress=False) == rows
    assert executed(log) == [1, 1, 2]
    assert path.with_name(path.name + ".damaged").exists()


def test_foreign_return_value_is_refused() -> None:
    with pytest.raises(sweep.SweepError, match=r"returns a list of Row, this one returned \{'accuracy': 1\}"):
        sweep.run(specs(1), lambda spec, tell: {"accuracy": 1}, progress=False)  # type: ignore[arg-type,return-value]


def test_setup_runs_once_in_every_process_and_threads_are_shared_out(log: Path) -> None:
    def setup() -> None:
        os.environ["GRAPHGAUGE_TEST_SETUP"] = os.environ.get("GRAPHGAUGE_TEST_SETUP", "") + "x"

    def look(spec: Spec, tell: Tell) -> list[Row]:
        versions = {"setup": os.environ["GRAPHGAUGE_TEST_SETUP"], "threads": os.environ["OMP_NUM_THREADS"]}
        return [Row(spec.id, "demo", "look", "m", 0, "1", None, "d", 1, 0, "none", versions=versions)]

    rows = sweep.run(specs(1, 2, 3, 4), look, workers=2, progress=False, setup=setup)
    assert {row.versions["setup"] for row in rows} == {"x"}
    assert all(int(row.versions["threads"]) >= 1 for row in rows)


def test_failing_setup_names_its_error() -> None:
    def setup() -> None:
        raise ImportError("no such package")

    with pytest.raises(sweep.SweepError, match="2 of 2 specs failed") as caught:
        sweep.run(specs(1, 2), lambda spec, tell: [], workers=2, progress=False, setup=setup)
    assert str(caught.value).count("ImportError: no such package") == 1  # one traceback for equal failures


def test_no_workers_is_an_error() -> None:
    with pytest.raises(ValueError, match="workers is 0"):
        sweep.run(specs(1), lambda spec, tell: [], workers=0)


def test_death_is_noticed_though_a_child_holds_the_pipe(tmp_path: Path) -> None:
    def fork_and_die(spec: Spec, tell: Tell) -> list[Row]:
        if spec.params["x"] == 2:
            for step in range(30):
                time.sleep(0.1)
                tell(step / 30, "")
            return []
        child = os.fork()
        if child == 0:
            time.sleep(8)
            os._exit(0)
        os.kill(os.getpid(), signal.SIGKILL)
        return []

    begin = time.monotonic()
    with pytest.raises(sweep.SweepError, match="1 of 2 specs failed"):
        sweep.run(specs(1, 2), fork_and_die, workers=2, progress=False)
    assert time.monotonic() - begin < 7


def test_interrupt_in_this_process_keeps_what_is_finished(tmp_path: Path) -> None:
    def interrupted(spec: Spec, tell: Tell) -> list[Row]:
        if spec.params["x"] == 2:
            raise KeyboardInterrupt
        return []

    with pytest.raises(KeyboardInterrupt, match="1 of 3 specs are finished"):
        sweep.run(specs(1, 2, 3), interrupted, out=tmp_path, workers=1, progress=False)
    assert len(list((tmp_path / "rows").iterdir())) == 1


def test_bars_in_a_terminal() -> None:
    text = io.StringIO()
    console = Console(file=text, force_terminal=True, width=100)
    one, two = specs(1, 2)
    with Display([one, two], 0, True, console) as display:
        display.start(one)
        display.tell(one, 0.5, "epoch 5 [of] 10")
        assert display.bars is not None
        display.bars.refresh()
        display.end(one, "finished")
        display.start(two)
    assert "square, seed 7, x 1" in text.getvalue()
    assert "epoch 5 [of] 10" in text.getvalue()
    assert "1 of 2" in text.getvalue()


def test_time_left_counts_work_of_this_call_only(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    one, two, *_ = todo = specs(1, 2, 3, 4)
    display = Display(todo, 1, False)
    display.start(one)
    display.start(two)
    assert display.time_left() == "time left unknown"
    now[0] = 110.0
    display.tell(one, 0.5, "")
    assert display.time_left() == "about 50 s left"  # half a spec took 10 s, two and a half are left
