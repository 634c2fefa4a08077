"""What training does to an encoding batch by batch, and evaluation does not: random signs, node orders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from graphgauge.encodings.checks import choice
from graphgauge.graphs import GraphSet

Kind = Literal["keep", "flip", "absolute", "shuffle"]


@dataclass(frozen=True)
class Policy:
    """How the columns of an encoding vary in training.

    Parameters ----------
    kind : "keep"; "flip" multiplies each eigenvector by a random sign; "absolute" takes |v|, in training
        and in
        evaluation; "shuffle" permutes the rows inside every graph, so that node numbers are drawn anew
    per : whether "flip" draws one sign for each eigenvector index, shared by all graphs of a batch (as
        published), or one for each graph too
    """

    kind: Kind = "keep"
    per: Literal["batch", "graph"] = "batch"

    def __post_init__(self) -> None:
        choice("kind", self.kind, tuple(_COLUMNS))
        choice("per", self.per, ("batch", "graph"))


# Kind of policy → the kind of columns that it changes (see `Part.kind`).
_COLUMNS = {"keep": "", "flip": "signed", "absolute": "signed", "shuffle": "order"}


@dataclass(frozen=True)
class Variant:
    """A row of the published comparison: the text of an encoding, its columns left open, and a policy."""

    encoding: str
    policy: Policy


# Table 13 of Dwivedi et al., JMLR 2023. "{k}": number of eigenvectors, "{n}": size of the largest graph.
VARIANTS = {
    "none": Variant("", Policy()),
    "eigenvectors": Variant("lap:{k}", Policy()),
    "random_sign": Variant("lap:{k}", Policy("flip")),
    "absolute": Variant("lap:{k}", Policy("absolute")),
    "fixed_order": Variant("order:{n}", Policy()),
    "random_order": Variant("order:{n}", Policy("shuffle")),
}


def vary(
    values: Tensor,
    graphs: GraphSet,
    policy: Policy,
    generator: torch.Generator | None = None,
    *,
    kinds: Sequence[str] | None = None,
    training: bool = True,
) -> Tensor:
    """The encoding as a batch of training sees it; in evaluation the same values every time.

    Parameters ----------
    values : (N, k), the encoding of the batch `graphs`
    generator : source of chance, on the CPU; needed by "flip" and "shuffle" in training
    kinds : what each column is, `Encoding.kinds`: signs are drawn for eigenvectors alone, orders for node
        numbers
        alone; None changes every column
    training : False leaves all as it is, but for "absolute"

    Returns
    -------
    (N, k); `values` are not changed

    Raises
    ------
    ValueError
        where rows or columns do not match, or the generator is missing

    >>> pair = GraphSet.from_edges([[(0, 1)]])
    >>> vary(torch.tensor([[0.7], [-0.7]]), pair, Policy("absolute")).tolist()
    [[0.699999988079071], [0.699999988079071]]
    """
    _check(values, graphs, kinds)
    drawn = policy.kind in ("flip", "shuffle")
    if policy.kind == "keep" or (drawn and not training):
        return values
    if drawn and generator is None:
        raise ValueError(f"the policy {policy.kind!r} needs a generator in training")
    changed = _changed(values, graphs, policy, generator)
    if kinds is None:
        return changed
    concerned = torch.tensor([kind == _COLUMNS[policy.kind] for kind in kinds], device=values.device)
    return torch.where(concerned, changed, values)


def _changed(values: Tensor, graphs: GraphSet, policy: Policy, generator: torch.Generator | None) -> Tensor:
    if policy.kind == "absolute":
        return values.abs()
    if policy.kind == "flip":
        rows = 1 if policy.per == "batch" else len(graphs)
        signs = torch.randint(0, 2, (rows, values.shape[1]), generator=generator).to(values) * 2 - 1
        return values * (signs if policy.per == "batch" else signs[graphs.batch])
    keys = torch.rand(graphs.num_nodes, generator=generator, dtype=torch.float64).to(graphs.device)
    order = torch.argsort(keys)
    order = order[torch.argsort(graphs.batch[order], stable=True)]
    return values[order]


def _check(values: Tensor, graphs: GraphSet, kinds: Sequence[str] | None) -> None:
    if values.dim() != 2 or values.shape[0] != graphs.num_nodes:
        raise ValueError(
            f"an encoding of {graphs.num_nodes} nodes has as many rows, got shape {tuple(values.shape)}"
        )
    if kinds is not None and len(kinds) != values.shape[1]:
        raise ValueError(f"{len(kinds)} kinds of columns for {values.shape[1]} columns")
