"""The child's side: run one spec after the other, store each, and never outlive the parent."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

import cloudpickle

from graphgauge.rows import Row
from graphgauge.specs import Spec
from graphgauge.sweep.store import Store, encode

Tell = Callable[[float, str], None]
Function = Callable[[Spec, Tell], list[Row]]
Setup = Callable[[], object]

TELL_SECONDS = 0.1  # progress is shown to a person: more often is waste
PR_SET_PDEATHSIG = 1


def main(connection: Connection, payload: bytes, out: Path | None, threads: int, parent: int) -> None:
    """Serve specs from `connection` until it is closed.

    Incoming: the JSON text of a spec. Outgoing: ("tell", fraction, text), then ("done", text of the rows)
    or ("failed", traceback).
    """
    die_with(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole terminal: the parent answers it
    os.dup2(2, 1)  # standard output belongs to the parent's results
    job: tuple[Function, Setup | None] | None = None
    tell = throttled(lambda fraction, text: connection.send(("tell", fraction, text)))
    while True:
        try:
            spec = Spec.from_json(json.loads(connection.recv()))
        except EOFError:
            return
        try:
            if job is None:
                function, setup = cloudpickle.loads(payload)
                prepare(setup, threads)
                job = function, setup
            answer = ("done", attempt(job[0], spec, tell, out))
        except (Exception, SystemExit):  # noqa: BLE001 - sent to the parent, which raises SweepError
            answer = ("failed", traceback.format_exc())
        connection.send(answer)


def prepare(setup: Setup | None, threads: int) -> None:
    """The user's set-up, then the number of threads for PyTorch, had it started with another."""
    if setup is not None:
        setup()
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(threads)


def attempt(function: Function, spec: Spec, tell: Tell, out: Path | None) -> str:
    """Run one spec, check and store what it returns; the text of the rows."""
    rows = function(spec, tell)
    if not isinstance(rows, list) or not all(isinstance(row, Row) for row in rows):
        raise TypeError(f"the function of a sweep returns a list of Row, this one returned {rows!r:.200}")
    text = encode(spec, rows)
    if out is not None:
        Store(out).write(spec, text)
    return text


def throttled(send: Tell) -> Tell:
    """`tell` for the function: a fraction in [0, 1], sent at most every TELL_SECONDS."""
    last = -TELL_SECONDS

    def tell(fraction: float, text: str = "") -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= TELL_SECONDS:
            last = now
            send(min(max(float(fraction), 0.0), 1.0), str(text))

    return tell


def die_with(parent: int) -> None:
    """End this process when `parent` ends, even if it was killed with -9."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):  # a C library without prctl: the watchdog does it
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    threading.Thread(target=_watch, args=(parent,), daemon=True, name="parent watchdog").start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)
