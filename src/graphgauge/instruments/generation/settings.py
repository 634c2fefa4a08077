"""Settings of a comparison, and the presets."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from graphgauge.distances.kernels import rbf
from graphgauge.distances.mmd import ESTIMATORS
from graphgauge.distances.prdc import TIES


@dataclass(frozen=True)
class Settings:
    """How generated graphs are compared with a reference (paper C, sections 3 and 4).

    The docstring of `Evaluator`, which takes these fields by keyword, explains every one.

    >>> Settings(seeds=2).k
    5
    """

    seeds: int = 5
    rounds: int = 3
    width: int = 35
    depth: int = 2
    degree_factor: float = 1.0
    bandwidth: str | float = "ten_reference"
    estimator: str = "biased"
    k: int = 5
    ties: str = "shared"
    random_features: int = 0
    wl_rounds: int = 4
    nspdk_radius: int = 4
    nspdk_distance: int = 4
    nspdk_most: int = 10**8
    replicates: int = 10
    seed: int = 0
    labels: str = "auto"
    node_column: str | None = None
    edge_column: str | None = None

    def __post_init__(self) -> None:
        for name in ("seeds", "rounds", "width", "depth", "k", "nspdk_most"):
            _at_least(name, getattr(self, name), 1)
        for name in ("replicates", "seed", "random_features", "wl_rounds", "nspdk_radius", "nspdk_distance"):
            _at_least(name, getattr(self, name), 0)
        if self.replicates == 1:
            raise ValueError("replicates must be 0 or at least 2: one has no spread")
        _one_of("estimator", self.estimator, ESTIMATORS)
        _one_of("ties", self.ties, TIES)
        _one_of("labels", self.labels, ("auto", "none"))
        named = [name for name in ("node_column", "edge_column") if getattr(self, name) is not None]
        if self.labels == "none" and named:
            raise ValueError(f"labels='none' compares structure only; {named[0]} has no place beside it")
        if not math.isfinite(self.degree_factor):
            raise ValueError(f"degree_factor must be a finite number, got {self.degree_factor!r}")
        rbf(self.bandwidth)  # raises where there is no such rule

    def to_params(self) -> dict[str, Any]:
        """All settings as the parameters of a Spec, but for one that changes no number."""
        params = asdict(self)
        del params["nspdk_most"]
        return params


# What the released code of paper C does, where it differs: docs/descriptors.md and docs/distances.md.
PRESETS: dict[str, dict[str, Any]] = {
    "default": {},
    "released": {"rounds": 2, "degree_factor": 2.0, "bandwidth": "ten", "ties": "closed"},
}


def make_settings(preset: str, overrides: Mapping[str, Any]) -> Settings:
    """Settings of a preset, changed by `overrides`; unknown names are errors.

    >>> make_settings("released", {"seeds": 1}).rounds
    2
    """
    _one_of("preset", preset, PRESETS)
    known = {f.name for f in fields(Settings)}
    unknown = sorted(set(overrides) - known)
    if unknown:
        raise ValueError(f"unknown settings {unknown}; there are {sorted(known)}")
    return Settings(**{**PRESETS[preset], **overrides})


def preset_values(preset: str) -> dict[str, Any]:
    """What a preset says of all settings in which presets differ.

    >>> preset_values("default")["rounds"], preset_values("released")["rounds"]
    (3, 2)
    """
    params = make_settings(preset, {}).to_params()
    return {name: params[name] for values in PRESETS.values() for name in values}


def _at_least(name: str, value: Any, least: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}")


def _one_of(name: str, value: Any, allowed: Any) -> None:
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}, got {value!r}")
