"""The error of a sweep: every spec that failed, what sets it apart, and the original traceback."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphgauge.rows import Row
from graphgauge.specs import Spec, canonical_json


class SweepError(RuntimeError):
    """Some specs of a sweep failed; the others are finished.

    Attributes
    ----------
    failures : spec and text of its traceback, in the order of the list of specs
    rows : the rows of all specs that finished, in the order of the list of specs
    """

    def __init__(
        self, failures: Sequence[tuple[Spec, str]], rows: Sequence[Row], specs: Sequence[Spec], hint: str = ""
    ) -> None:
        self.failures = tuple(failures)
        self.rows = list(rows)
        super().__init__(_message(self.failures, specs, hint))


LONGEST = 30  # characters of a value that is worth showing


def _message(failures: Sequence[tuple[Spec, str]], specs: Sequence[Spec], hint: str) -> str:
    """Specs that failed in the same way share one traceback."""
    differing = differing_params(specs)
    by_text: dict[str, list[Spec]] = {}
    for spec, text in failures:
        by_text.setdefault(text, []).append(spec)
    total = len({spec.id for spec in specs})
    lines = [f"{len(failures)} of {total} specs failed. {hint}".rstrip()]
    for text, failed in by_text.items():
        lines += ["", *(f"× {label(spec, differing)}" for spec in failed), text.rstrip()]
    return "\n".join(lines)


def differing_params(specs: Sequence[Spec]) -> list[str]:
    """Names of the parameters that tell specs of one subject apart; hashes and the like are left out.

    >>> differing_params([Spec("a", "gcn", {"noise": 0.1, "k": 1}), Spec("a", "gcn", {"noise": 0.2, "k": 1})])
    ['noise']
    """
    names = {name for spec in specs for name in spec.params}
    values: dict[str, dict[str, set[str]]] = {}
    for spec in specs:
        for name in names:
            seen = values.setdefault(name, {}).setdefault(spec.subject, set())
            seen.add(_value(spec.params, name))
    return sorted(name for name, of in values.items() if any(_tells_apart(seen) for seen in of.values()))


def _tells_apart(values: set[str]) -> bool:
    return len(values) > 1 and all(len(value) <= LONGEST for value in values)


def label(spec: Spec, differing: Sequence[str]) -> str:
    """How a spec is called in messages and beside its progress bar.

    >>> label(Spec("alignment", "gcn", {"noise": 0.1}, seed=2), ["noise"])
    'gcn, seed 2, noise 0.1'
    """
    settings = [f"{name} {spec.params[name]}" for name in differing if name in spec.params]
    return ", ".join([spec.subject, f"seed {spec.seed}", *settings])


def _value(params: Mapping[str, Any], name: str) -> str:
    return canonical_json(params[name]) if name in params else ""
