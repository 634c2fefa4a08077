"""A list of specs in, all their rows out, whatever happens in between."""

from __future__ import annotations

import contextlib
import sys
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path

import cloudpickle
import loky

from graphgauge.rows import Row
from graphgauge.specs import Spec
from graphgauge.sweep import worker
from graphgauge.sweep.errors import SweepError
from graphgauge.sweep.pool import Job, Message, Pool
from graphgauge.sweep.progress import Display
from graphgauge.sweep.store import Store, decode


def run(
    specs: Sequence[Spec],
    function: worker.Function,
    *,
    out: str | Path | None = None,
    workers: int | None = None,
    progress: bool = True,
    setup: worker.Setup | None = None,
) -> list[Row]:
    """Run every spec and return all rows, in the order of `specs`.

    Specs run side by side, each in a process of its own with ``cores // workers`` threads; with one worker
    they run in this process, one after the other. What they print goes to standard error. A spec that stands
    in the list twice runs once, and its rows are returned twice.

    Parameters
    ----------
    specs : what to run
    function : ``function(spec, tell) -> list of Row``. It may call ``tell(fraction_done, text)``, fraction in
        [0, 1], as often as it likes. Lambdas, closures and functions of a script or notebook are fine.
    out : folder that keeps finished specs, one file each in ``out/rows``. Run again with the same `out`, what
        is finished is read and not run. A file that is not whole is set aside (``*.damaged``) with a warning,
        and its spec runs again. Several sweeps may share a folder.
    workers : how many specs run at once; by default the number of cores, or of specs where there are fewer
    progress : show bars (plain lines when standard error is not a terminal), on standard error only
    setup : called once in every process before its first spec

    Returns
    -------
    list of Row, the same whether a spec was run now or read from `out`

    Raises
    ------
    SweepError : after all others are finished, where specs failed or their process died; it lists each with
        its traceback and holds the rows of the finished ones.
    KeyboardInterrupt : after Ctrl-C; workers are stopped, finished specs kept, the message says how to go on.

    Examples
    --------
    >>> specs = [Spec("demo", "square", {"x": x}) for x in (2, 3)]
    >>> def square(spec, tell):
    ...     value = spec.params["x"] ** 2
    ...     return [Row(spec.id, "demo", "square", "x²", value, "1", None, "x times x", 1, 0, "none")]
    >>> [row.value for row in run(specs, square, workers=1, progress=False)]
    [4.0, 9.0]
    """
    if workers is not None and workers < 1:
        raise ValueError(f"workers is {workers}; at least one is needed")
    return _Sweep(specs, out, progress).run(function, setup, workers)


class _Sweep:
    """The state of one call of `run`."""

    def __init__(self, specs: Sequence[Spec], out: str | Path | None, progress: bool) -> None:
        self.specs = list(specs)
        self.unique = list({spec.id: spec for spec in self.specs}.values())
        self.store = None if out is None else Store(Path(out).absolute())
        self.rows: dict[str, list[Row]] = {}
        if self.store is not None:
            self.store.open()
            self.rows = self.store.finished(self.unique)
        self.todo = [spec for spec in self.unique if spec.id not in self.rows]
        self.failures: dict[str, str] = {}
        self.display = Display(self.unique, len(self.rows), progress)

    def run(self, function: worker.Function, setup: worker.Setup | None, workers: int | None) -> list[Row]:
        cores = int(loky.cpu_count())
        # Counted over all specs, not those left: the threads of a spec decide how its sums are rounded, and
        # have to be the same in a sweep that was interrupted.
        size = max(1, min(workers or cores, len(self.unique)))
        self._announce(size, max(1, cores // size))
        try:
            with self.display:
                if size == 1:
                    self._run_here(function, setup)
                else:
                    self._run_beside(function, setup, size, max(1, cores // size))
        except KeyboardInterrupt:
            message = (
                f"Stopped: {len(self.rows)} of {len(self.unique)} specs are finished. {self._how_to_go_on()}"
            )
            self.display.say(message)
            raise KeyboardInterrupt(message) from None
        finished = [row for spec in self.specs for row in self.rows.get(spec.id, [])]
        if self.failures:
            failures = [(spec, self.failures[spec.id]) for spec in self.unique if spec.id in self.failures]
            raise SweepError(failures, finished, self.specs, self._how_to_go_on())
        return finished

    def _run_here(self, function: worker.Function, setup: worker.Setup | None) -> None:
        ready = False
        out = self.store.out if self.store else None
        for spec in self._waiting():
            self.display.start(spec)
            tell = worker.throttled(self.display.teller(spec))
            try:
                with contextlib.redirect_stdout(sys.stderr):
                    if setup is not None and not ready:
                        setup()
                    ready = True
                    text = worker.attempt(function, spec, tell, out)
            except (Exception, SystemExit):  # noqa: BLE001 - raised in the end, in SweepError
                self._failed(spec, traceback.format_exc())
            else:
                self._done(spec, text)

    def _run_beside(
        self, function: worker.Function, setup: worker.Setup | None, size: int, threads: int
    ) -> None:
        payload = cloudpickle.dumps((function, setup))
        pool = Pool(Job(payload, self.store.out if self.store else None, threads), size)
        try:
            for message in pool.messages(self._waiting()):
                self._hear(message)
        finally:
            pool.kill()

    def _hear(self, message: Message) -> None:
        spec, kind, content = message
        if kind == "start":
            self.display.start(spec)
        elif kind == "tell":
            self.display.tell(spec, *content)
        elif kind == "done":
            self._done(spec, *content)
        elif kind == "died" and self.store and (rows := self.store.read(spec)) is not None:
            self._finished(spec, rows)  # it died between storing its rows and saying so
        else:
            self._failed(spec, *content)

    def _waiting(self) -> Iterator[Spec]:
        """Specs to run; one that another sweep has finished in the meantime is read instead."""
        for spec in self.todo:
            rows = self.store.read(spec) if self.store else None
            if rows is None:
                yield spec
            else:
                self.display.start(spec)
                self._finished(spec, rows, "finished by another sweep")

    def _done(self, spec: Spec, text: str) -> None:
        self._finished(spec, decode(text, spec))

    def _finished(self, spec: Spec, rows: list[Row], how: str = "finished") -> None:
        self.rows[spec.id] = rows
        self.display.end(spec, how)

    def _failed(self, spec: Spec, text: str) -> None:
        self.failures[spec.id] = text
        self.display.end(spec, f"FAILED ({text.rstrip().splitlines()[-1]})")

    def _announce(self, size: int, threads: int) -> None:
        found = f", {len(self.rows)} of them finished before" if self.rows else ""
        plan = f"; {size} at once with {threads} thread(s) each" if self.todo else ""
        self.display.say(f"{len(self.unique)} specs{found}{plan}")

    def _how_to_go_on(self) -> str:
        if self.store is None:
            return "Give a folder (out=…) and what is finished is kept for the next start."
        return f"What is finished is kept in {self.store.folder}; start the same again to go on from there."
