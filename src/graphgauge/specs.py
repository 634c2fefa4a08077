"""Spec: what to run, as data. Its id is the hash of its canonical JSON; a sweep is a list of Specs."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

FORMAT = 1


def canonical_json(value: Any) -> str:
    """The one spelling of a JSON value: sorted keys, no spaces, whole floats as floats, nothing non-finite.

    >>> canonical_json({"b": 1, "a": [0.5, None]})
    '{"a":[0.5,null],"b":1}'
    """
    _refuse_foreign(value, "spec")
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


@dataclass(frozen=True)
class Spec:
    """One run of one instrument: JSON values only, so that it can be stored, compared and sent.

    Parameters
    ----------
    instrument : name of the instrument ("alignment", …)
    subject : what is measured (a model's name)
    params : every setting that can change the result, as JSON values
    seed : seed of the run

    >>> a = Spec("alignment", "gcn", {"noise": 0.08}, seed=1)
    >>> a.id == Spec("alignment", "gcn", {"noise": 0.08}, seed=1).id != Spec("alignment", "gcn", {}, 1).id
    True
    """

    instrument: str
    subject: str
    params: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0

    def __post_init__(self) -> None:
        canonical_json(self.to_json())

    def to_json(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "instrument": self.instrument,
            "subject": self.subject,
            "params": dict(self.params),
            "seed": self.seed,
        }

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> Spec:
        if value.get("format") != FORMAT:
            raise ValueError(f"spec format {value.get('format')!r} is not {FORMAT}")
        return Spec(value["instrument"], value["subject"], value["params"], value["seed"])

    @cached_property
    def id(self) -> str:
        """First 16 hexadecimal digits of the SHA-256 of the canonical JSON."""
        return hashlib.sha256(canonical_json(self.to_json()).encode()).hexdigest()[:16]


def _refuse_foreign(value: Any, path: str) -> None:
    if value is None or isinstance(value, str | bool | int):
        return
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{path} is {value}; JSON has no such number")
        return
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise ValueError(f"{path} has the key {key!r}; keys must be text")
            _refuse_foreign(inner, f"{path}.{key}")
        return
    if isinstance(value, list | tuple):
        for i, inner in enumerate(value):
            _refuse_foreign(inner, f"{path}[{i}]")
        return
    raise ValueError(f"{path} is a {type(value).__name__}; a spec holds JSON values only")
