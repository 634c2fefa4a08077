"""How each task is trained: learning rates, patience, batches and seeds of paper B (section 4)."""

from __future__ import annotations

from dataclasses import dataclass

SEEDS = (41, 95, 12, 35)
EDGE_SEEDS = (41, 42, 9, 23)
TU_SEEDS = (41, 95)
CSL_SEEDS = tuple(base + step for base in (12, 32, 52, 82, 92) for step in (2, 3, 6, 7))
HOUR = 3600.0


@dataclass(frozen=True)
class Protocol:
    """Training of message-passing models on one task; dense models differ in `dense`.

    Parameters
    ----------
    lr, patience, min_lr : see `graphgauge.training.Plateau`
    batch_size : graphs, or links, in a step
    max_epochs, max_seconds : limits of one run
    weight_decay, dropout : of all layers
    seeds : of the published scripts
    dense_patience : patience of dense models
    dense_batch : graphs whose gradients a dense model gathers for a step
    """

    lr: float = 1e-3
    patience: int = 10
    min_lr: float = 1e-5
    batch_size: int = 128
    max_epochs: int = 1000
    max_seconds: float = 12 * HOUR
    weight_decay: float = 0.0
    dropout: float = 0.0
    seeds: tuple[int, ...] = SEEDS
    dense_patience: int = 5
    dense_batch: int = 4


_MOLECULES = Protocol()
_SUPERPIXELS = Protocol()
_SBM = Protocol(patience=5)
_TU = Protocol(
    patience=25, min_lr=1e-6, batch_size=20, max_seconds=1.2 * HOUR, seeds=TU_SEEDS, dense_patience=25
)

PROTOCOLS: dict[str, Protocol] = {
    "zinc": _MOLECULES,
    "aqsol": _MOLECULES,
    "ogbl-collab": Protocol(batch_size=32768, max_epochs=500, seeds=EDGE_SEEDS),
    "wikics": Protocol(
        lr=1e-2, patience=25, weight_decay=5e-4, dropout=0.35, max_seconds=1.2 * HOUR, batch_size=1
    ),
    "mnist": _SUPERPIXELS,
    "cifar10": _SUPERPIXELS,
    "digits": _SUPERPIXELS,
    "pattern": _SBM,
    "cluster": _SBM,
    "tsp": Protocol(batch_size=64, max_epochs=500, seeds=EDGE_SEEDS),
    "csl": Protocol(
        lr=5e-4, patience=5, min_lr=1e-6, batch_size=5, max_seconds=1.2 * HOUR, seeds=CSL_SEEDS, dense_batch=5
    ),
    "cycles": Protocol(lr=1e-4, min_lr=1e-6, batch_size=25),
    "graphtheoryprop": Protocol(patience=15, min_lr=1e-6, batch_size=25),
    "enzymes": _TU,
    "proteins": _TU,
    "dd": _TU,
}


def protocol_of(task: str) -> Protocol:
    """The protocol of a task; of a user's own task that of the molecules.

    >>> protocol_of("csl").lr, protocol_of("mine").lr
    (0.0005, 0.001)
    """
    return PROTOCOLS.get(task, Protocol())
