"""The parent's side of the workers: one process per spec in progress, each with a pipe of its own.

A process that dies takes only its own spec with it: the pipe says at once which one.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from loky.backend import get_context

from graphgauge.specs import Spec, canonical_json
from graphgauge.sweep import worker

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
POLL_SECONDS = 0.5


@dataclass(eq=False)
class Worker:
    process: Any
    connection: Connection
    spec: Spec


@dataclass(frozen=True)
class Job:
    """What every worker of a sweep needs: the pickled (function, setup), the output folder, its threads."""

    payload: bytes
    out: Path | None
    threads: int


Message = tuple[Spec, str, tuple[Any, ...]]


class Pool:
    """Runs specs on at most `size` processes; `messages` yields what they say."""

    def __init__(self, job: Job, size: int) -> None:
        self.job = job
        self.size = size
        self.workers: list[Worker] = []

    def messages(self, waiting: Iterator[Spec]) -> Iterator[Message]:
        """(spec, kind, content) until all specs are answered; `waiting` is asked for a spec when one is free.

        Kinds: "start" (), "tell" (fraction, text), "done" (text,), "failed" (traceback,), "died" (why,).
        """
        yield from self._fill(waiting)
        while self.workers:
            for one in self._heard():
                spec = one.spec
                try:
                    kind, *content = one.connection.recv()
                except (EOFError, OSError):
                    self.workers.remove(one)
                    yield spec, "died", (_last_words(one),)
                    continue
                yield spec, kind, tuple(content)
                if kind != "tell":
                    yield from self._next(one, waiting)
            yield from self._fill(waiting)

    def _heard(self) -> Sequence[Worker]:
        """Workers with something to read, and dead ones; empty after POLL_SECONDS of silence."""
        ready = wait([one.connection for one in self.workers], POLL_SECONDS)
        silent = [one for one in self.workers if one.connection not in ready]
        # A child of a dead worker may hold its pipe open, so that silence is all one hears of its death.
        dead = [one for one in silent if not one.process.is_alive() and not one.connection.poll()]
        for one in dead:
            one.connection.close()
        return [one for one in self.workers if one in dead or one not in silent]

    def _fill(self, waiting: Iterator[Spec]) -> Iterator[Message]:
        while len(self.workers) < self.size and (spec := next(waiting, None)) is not None:
            self.workers.append(self._spawn(spec))
            yield spec, "start", ()

    def _next(self, one: Worker, waiting: Iterator[Spec]) -> Iterator[Message]:
        spec = next(waiting, None)
        if spec is None:
            self.workers.remove(one)
            one.connection.close()  # the worker's way out
            return
        one.spec = spec
        with contextlib.suppress(BrokenPipeError):  # it died just now: reading from the pipe reports that
            one.connection.send(canonical_json(spec.to_json()))
        yield spec, "start", ()

    def _spawn(self, spec: Spec) -> Worker:
        context = get_context("loky")
        ours, theirs = context.Pipe()
        job = self.job
        with _interrupts_held():
            process = context.Process(
                target=worker.main,
                args=(theirs, job.payload, job.out, job.threads, os.getpid()),
                env=dict.fromkeys(THREAD_VARIABLES, str(job.threads)),
                name=f"graphgauge {spec.subject} {spec.seed}",
            )
            process.start()
            theirs.close()
            one = Worker(process, ours, spec)
            with contextlib.suppress(BrokenPipeError):  # as in _next
                ours.send(canonical_json(spec.to_json()))
        return one

    def kill(self) -> None:
        """End all workers at once: a row file is whole or absent, so nothing can be torn."""
        for one in self.workers:
            if one.process.is_alive():
                os.kill(one.process.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
        for one in self.workers:
            one.process.join(5)
            one.connection.close()
        self.workers.clear()


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    """Ctrl-C waits until the process is known; the child inherits the mask and never sees one."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _last_words(one: Worker) -> str:
    one.connection.close()
    one.process.join(5)
    code = one.process.exitcode
    if code is None:
        return "Its process closed the pipe and does not end."
    if code < 0:
        name = signal.Signals(-code).name
        guess = " (the system kills so when memory runs out: try fewer workers)" if name == "SIGKILL" else ""
        return f"Its process was killed by {name}{guess}."
    return f"Its process ended with exit code {code} before the spec was finished."
