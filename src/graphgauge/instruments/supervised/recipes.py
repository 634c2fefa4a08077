"""Models of a run: what is built for a task, how wide, what it is fed, and what it is called in rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import torch
from torch import nn

from graphgauge.budget import count_parameters, fit_width
from graphgauge.encodings import encoding
from graphgauge.graphs import Feature, Task
from graphgauge.graphs.quotient import Histories
from graphgauge.instruments.supervised.feeds import Feed, GraphFeed, LinkFeed, NodeFeed
from graphgauge.instruments.supervised.nets import configuration, task_options
from graphgauge.instruments.supervised.positions import changing, encoded, is_order, variation
from graphgauge.instruments.supervised.settings import Settings
from graphgauge.models import ARCHITECTURES, DENSE, ModelError, build_network
from graphgauge.models.identity import architecture_digest, reason

# Named budgets, and layers of message passing that go with them where no published net says otherwise.
BUDGETS = {"100k": 100_000, "500k": 500_000}
LAYERS = {"100k": 4, "500k": 16}
DENSE_LAYERS = 3
# Nets that divide by the degree of the sender.
DEGREES = ("gcn", "monet")
# Options that make nodes of equal history differ.
TELLING_APART = ("dropout", "input_dropout", "order", "pe")
# A net may miss its budget by so much.
TOLERANCE = 0.03


@dataclass(frozen=True)
class Recipe:
    """A model for one task.

    Parameters
    ----------
    name : what rows call it
    model : name of the table, ``package.module:Name``, or a class or function
    width, layers, options : of `graphgauge.models.build_network`
    edge_features : whether the task's edge column is read
    encoding, encoding_mode : name of a positional encoding, see `graphgauge.encodings`, and whether it is
        to "add" to the node's column or to "replace" it; "order:n" embeds the node's number
    encoding_variant : a name of `VARIATIONS`; signs are flipped, and orders shuffled, in training only
    budget : the limit that the width was made for
    published : whether it is the configuration of the paper's code
    """

    name: str
    model: str | Callable[..., nn.Module]
    width: int = 64
    layers: int = 4
    options: Mapping[str, Any] = field(default_factory=dict)
    edge_features: bool = False
    encoding: str | None = None
    encoding_mode: str = "add"
    encoding_variant: str = "keep"
    budget: str | int | None = None
    published: bool = False

    @property
    def dense(self) -> bool:
        return self.model in DENSE

    def fresh(self, task: Task, seed: int, dropout: float = 0.0) -> nn.Module:
        """A new model whose weights are drawn from `seed`."""
        torch.manual_seed(seed)
        try:
            return self._build(task, dropout)
        except ModelError as error:
            raise ModelError(f"model {self.name!r} cannot be built: {error}") from error
        except Exception as error:
            raise ModelError(f"model {self.name!r} cannot be built: {reason(error)}") from error

    def _build(self, task: Task, dropout: float) -> nn.Module:
        options = dict(self.options)
        if self.encoding is not None:
            width = encoding(self.encoding).width
            number = is_order(self.encoding)
            options |= {"order": width} if number else {"pe": width, "pe_mode": self.encoding_mode}
        if dropout:
            options |= {"dropout": dropout}
        edge = task.edge if self.edge_features else None
        return build_network(
            self.model, task.node, edge, dict(task.outputs), width=self.width, layers=self.layers, **options
        )

    def feed(self, task: Task, fold: int, settings: Settings, seed: int) -> Feed:
        """What the model is fed on one fold."""
        seen = encoded(task, self.encoding, self.encoding_variant)
        change = changing(self.encoding, self.encoding_variant)
        assert settings.batch_size is not None
        if task.split_over == "nodes":
            return NodeFeed(seen, fold, seed, settings.device, change)
        if task.split_over == "links":
            return LinkFeed(seen, settings.batch_size, seed, settings.device, settings.val_links_at_test)
        size = 1 if self.gathered(task, settings) else settings.batch_size
        histories = self._histories(seen, settings)
        return GraphFeed(seen, fold, size, seed, settings.device, change, histories)

    def gathered(self, task: Task, settings: Settings) -> int | None:
        """Graphs whose gradients are summed before a step, one graph at a time; None for true batches."""
        published = self.dense and settings.dense_batches == "published" and task.split_over == "graphs"
        return settings.batch_size if published else None

    def _histories(self, task: Task, settings: Settings) -> Histories | None:
        """Equal histories, where the model sees categories only and there is no dropout."""
        ours = isinstance(self.model, str) and self.model in ARCHITECTURES and not self.dense
        edge = task.edge if self.edge_features and self._edge_states else None
        numbers = any(f is not None and f.kind == "number" for f in (task.node, edge))
        apart = self.encoding or settings.dropout or any(self.options.get(name) for name in TELLING_APART)
        if not (ours and settings.share_rows) or numbers or apart:
            return None
        rounds = self.layers - bool(self.options.get("input_layer"))
        return histories_of(
            task, rounds, edge, self._edge_states, self.model in DEGREES, settings.batch_size or 128
        )

    @property
    def _edge_states(self) -> bool:
        """Whether the net computes states of edges."""
        variants = ARCHITECTURES[str(self.model)].variants
        kind = str(self.options.get("edges", next(iter(variants))))
        return kind in variants and variants[kind].edge_map == "read"

    def to_params(self) -> dict[str, Any]:
        """What rows say of it, as JSON values."""
        return {
            "width": self.width,
            "layers": self.layers,
            "options": dict(self.options),
            "edge_features": self.edge_features,
            "encoding": self.encoding,
            "encoding_mode": self.encoding_mode if self.encoding else None,
            "encoding_variant": self.encoding_variant if self.encoding else None,
            "budget": self.budget,
            "published": self.published,
        }

    def fingerprint(self, task: Task) -> dict[str, Any]:
        """Number of parameters, and a digest that changes with the architecture."""
        model = self.fresh(task, 0)
        return {"parameters": count_parameters(model), "architecture": architecture_digest(model)}


@lru_cache(maxsize=4)
def histories_of(
    task: Task, layers: int, edge: Feature | None, edge_states: bool, degrees: bool, batch_size: int
) -> Histories | None:
    """Histories of a task's nodes, once in a process; None where they would not pay."""
    graphs = task.graphs
    found = Histories.of(
        graphs, layers,
        node=None if task.node is None else graphs.node[task.node.column],
        edge=None if edge is None else graphs.edge[edge.column],
        edge_states=edge_states, degrees=degrees,
    )  # fmt: skip
    return None if found.refusal(batch_size) else found


def recipe_for(
    task: Task,
    model: str | Callable[..., nn.Module],
    *,
    name: str | None = None,
    budget: str | int | None = "100k",
    layers: int | None = None,
    width: int | None = None,
    edge_features: bool = False,
    encoding: str | None = None,
    encoding_mode: str | None = None,
    encoding_variant: str | None = None,
    loose: bool = False,
    **options: Any,
) -> Recipe:
    """The recipe of a model for a task: the published configuration where there is one, else a width that
    fits the budget.

    Parameters
    ----------
    budget : "100k", "500k" or a number of parameters; None with a `width`
    layers : of message passing; by default 4 at 100k, 16 at 500k, 3 in dense models
    width : in place of the one that the budget gives; the budget is then checked
    loose : allow a net that misses its budget by more than 3 %

    Raises
    ------
    ValueError : a budget that cannot be met, with the nearest that can
    ModelError : what `build_network` refuses
    """
    label = name or (model if isinstance(model, str) else str(getattr(model, "__qualname__", model)))
    own = {**task_options(task, model, encoding), **options}
    mode = encoding_mode or own.pop("pe_mode", "add")
    own.pop("pe_mode", None)
    base = Recipe(
        label, model, options=own, edge_features=edge_features and task.edge is not None,
        encoding=encoding, encoding_mode=mode, budget=budget,
        encoding_variant=variation(encoding, encoding_variant),
    )  # fmt: skip
    if edge_features and task.edge is None:
        raise ValueError(f"task {task.name} has no edge features for {label!r} to read")
    known = configuration(task.name, model, budget, edge_features, encoding)
    if known is not None and layers is None and width is None and not options:
        return replace(base, **{**known, "options": own | known["options"]}, published=True)
    deep = layers or (DENSE_LAYERS if base.dense else LAYERS.get(str(budget), 4))
    base = replace(base, layers=deep)
    if width is not None:
        return checked(task, replace(base, width=width), loose)
    if budget is None:
        raise ValueError(f"model {label!r} needs a budget or a width")
    return checked(task, replace(base, width=fitted(task, base)), loose)


def limit_of(budget: str | int) -> int:
    """Parameters of a budget.

    >>> limit_of("100k"), limit_of("2500"), limit_of("1.5m")
    (100000, 2500, 1500000)
    """
    text = str(budget).strip().lower()
    factor = {"k": 1_000, "m": 1_000_000}.get(text[-1:], 1)
    try:
        limit = float(text[:-1] if factor > 1 else text) * factor
    except ValueError:
        limit = 0.0
    if limit < 1 or limit != int(limit):
        raise ValueError(f"a budget is a number of parameters, such as 100k or 250000, not {budget!r}")
    return int(limit)


def fitted(task: Task, recipe: Recipe) -> int:
    """The largest width whose net stays within the budget."""
    assert recipe.budget is not None
    heads = int(recipe.options.get("heads", 8 if recipe.model in ("gat", "gatv2") else 1))
    try:
        return fit_width(
            lambda width: replace(recipe, width=width).fresh(task, 0), limit_of(recipe.budget),
            multiple_of=heads,
        ).width  # fmt: skip
    except ValueError as error:
        raise ValueError(f"model {recipe.name!r}, budget {recipe.budget}: {error}") from error


def checked(task: Task, recipe: Recipe, loose: bool) -> Recipe:
    """The recipe, if its net is within 3 % of its budget."""
    if recipe.budget is None or loose:
        return recipe
    limit, size = limit_of(recipe.budget), count_parameters(recipe.fresh(task, 0))
    if abs(size - limit) > TOLERANCE * limit:
        raise ValueError(
            f"model {recipe.name!r} with {recipe.layers} layers of width {recipe.width} has {size:,} "
            f"parameters, {size / limit - 1:+.1%} from its budget of {limit:,}; choose another width or "
            "number of layers, or allow it (loose=True, --loose)"
        )
    return recipe
