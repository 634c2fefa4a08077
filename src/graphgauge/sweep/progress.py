"""What a person sees of a sweep, on standard error: bars in a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from graphgauge.specs import Spec
from graphgauge.sweep.errors import differing_params, label

LINE_SECONDS = 30.0  # how often a plain line says what is running


class Display:
    """Follows a sweep of `specs`, of which `stored` were finished before."""

    def __init__(
        self, specs: Sequence[Spec], stored: int, show: bool, console: Console | None = None
    ) -> None:
        self.console = console or Console(stderr=True, quiet=not show)
        self.differing = differing_params(specs)
        self.total, self.stored, self.done = len(specs), stored, 0
        self.running: dict[str, float] = {}
        self.started: dict[str, float] = {}
        self.begin = self.last_line = time.monotonic()
        self.bars = self._make_bars() if show and self.console.is_terminal else None
        self.tasks: dict[str, TaskID] = {}
        self.whole = self.bars.add_task("all", total=self.total, text="") if self.bars else None

    def __enter__(self) -> Display:
        self.context: AbstractContextManager[object] = self.bars or nullcontext()
        self.context.__enter__()
        self._update_whole()
        return self

    def __exit__(self, *error: object) -> None:
        for task in self.tasks.values():
            self.bars.remove_task(task) if self.bars else None
        self.context.__exit__(None, None, None)

    def _make_bars(self) -> Progress:
        return Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            TextColumn("{task.percentage:>3.0f} %"),
            TextColumn("{task.fields[text]}", markup=False),
            console=self.console,
        )

    def say(self, text: str) -> None:
        self.console.print(text, markup=False, highlight=False, soft_wrap=True)

    def start(self, spec: Spec) -> None:
        self.running[spec.id], self.started[spec.id] = 0.0, time.monotonic()
        if self.bars:
            self.tasks[spec.id] = self.bars.add_task(label(spec, self.differing), total=1.0, text="starts")

    def tell(self, spec: Spec, fraction: float, text: str) -> None:
        self.running[spec.id] = fraction
        if self.bars:
            self.bars.update(self.tasks[spec.id], completed=fraction, text=text)
            self._update_whole()
        elif time.monotonic() - self.last_line > LINE_SECONDS:
            self.last_line = time.monotonic()
            self.say(f"{label(spec, self.differing)}: {100 * fraction:.0f} % {text}; {self.time_left()}")

    def end(self, spec: Spec, how: str) -> None:
        """`how`: "finished", "failed", …"""
        self.running.pop(spec.id, None)
        self.done += 1
        seconds = time.monotonic() - self.started.pop(spec.id)
        if self.bars:
            self.bars.remove_task(self.tasks.pop(spec.id))
            self._update_whole()
        number = f"[{self.stored + self.done}/{self.total}]"
        left = "" if self.bars else f"; {self.time_left()}"
        self.say(f"{number} {label(spec, self.differing)} {how} after {clock(seconds)}{left}")

    def time_left(self) -> str:
        """From the share of the work done in this call: specs are taken to cost the same."""
        share = self.done + sum(self.running.values())
        rest = self.total - self.stored - share
        if rest <= 0:
            return "no time left to wait"
        if share <= 0:
            return "time left unknown"
        return f"about {clock((time.monotonic() - self.begin) * rest / share)} left"

    def _update_whole(self) -> None:
        if self.bars and self.whole is not None:
            completed = self.stored + self.done + sum(self.running.values())
            text = f"{self.stored + self.done} of {self.total}, {self.time_left()}"
            self.bars.update(self.whole, completed=completed, text=text)

    def teller(self, spec: Spec) -> Callable[[float, str], None]:
        return lambda fraction, text: self.tell(spec, fraction, text)


def clock(seconds: float) -> str:
    """Seconds as a person says them.

    >>> clock(7.4), clock(75), clock(7_320)
    ('7 s', '1 min 15 s', '2 h 2 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
