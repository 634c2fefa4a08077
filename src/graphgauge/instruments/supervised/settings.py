"""Settings of a supervised run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from graphgauge.instruments.supervised.protocol import Protocol
from graphgauge.training import Plateau

DENSE_BATCHES = ("true", "published")


@dataclass(frozen=True)
class Settings:
    """How a model is trained and evaluated; a field that is None is taken from the task's protocol.

    Parameters
    ----------
    lr, factor, patience, min_lr, max_epochs, max_seconds, weight_decay, precision : see
        `graphgauge.training.Plateau`
    batch_size : graphs in a step, or links
    dropout : of all layers
    dense_batches : of the dense models ringgnn and ppgn: "true" batches, or "published": one graph at a time,
        gradients summed over several
    share_rows : compute rows of equal history once where that is exact and pays (see docs/quotient.md)
    val_links_at_test : of link prediction: let the model see the validation links when it is tested, as the
        rules of OGB allow; the published benchmark does not
    device : "cpu", "cuda", …
    """

    lr: float | None = None
    factor: float = 0.5
    patience: int | None = None
    min_lr: float | None = None
    max_epochs: int | None = None
    max_seconds: float | None = None
    weight_decay: float | None = None
    dropout: float | None = None
    batch_size: int | None = None
    precision: str = "float32"
    dense_batches: str = "true"
    share_rows: bool = True
    val_links_at_test: bool = False
    device: str = "cpu"

    def __post_init__(self) -> None:
        if self.max_epochs is not None and self.max_epochs < 1:
            raise ValueError(f"max_epochs must be at least 1, got {self.max_epochs}")
        if self.batch_size is not None and self.batch_size < 1:
            raise ValueError(f"batch_size must be at least 1, got {self.batch_size}")
        if self.dropout is not None and not 0 <= self.dropout < 1:
            raise ValueError(f"dropout must lie in [0, 1), got {self.dropout}")
        if self.dense_batches not in DENSE_BATCHES:
            raise ValueError(f"dense_batches must be one of {DENSE_BATCHES}, got {self.dense_batches!r}")
        open_fields = [f.name for f in fields(self) if getattr(self, f.name) is None]
        if open_fields:
            self.filled(Protocol(), dense=False)  # which checks what is given
        else:
            self.plateau()

    def filled(self, protocol: Protocol, dense: bool) -> Settings:
        """The same settings with every None replaced by what the protocol says."""
        said = asdict(protocol)
        if dense:
            said |= {"patience": protocol.dense_patience, "batch_size": protocol.dense_batch}
        missing = [f.name for f in fields(self) if getattr(self, f.name) is None]
        return replace(self, **{name: said[name] for name in missing})

    def plateau(self, higher_is_better: bool = False, accumulate: int | None = None) -> Plateau:
        """The learning rate's schedule; all fields must be filled."""
        names = {f.name for f in fields(Plateau)}
        own = {k: v for k, v in asdict(self).items() if k in names}
        return Plateau(**own, higher_is_better=higher_is_better, accumulate=accumulate)

    @staticmethod
    def from_params(params: Mapping[str, Any]) -> Settings:
        """The settings among the parameters of a Spec."""
        return Settings(**{f.name: params[f.name] for f in fields(Settings)})


def make_settings(values: Mapping[str, Any]) -> Settings:
    """Settings from names and values; unknown names are errors that list the known ones.

    >>> make_settings({"lr": 0.01}).lr
    0.01
    """
    known = [f.name for f in fields(Settings)]
    unknown = sorted(set(values) - set(known))
    if unknown:
        raise ValueError(f"unknown settings {unknown}; there are {known}")
    return Settings(**values)
