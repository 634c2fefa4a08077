"""Models of a run: what is built for a task, how wide, what it is fed, and what it is called in rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import torch
from torch import nn

from graphgauge.budget import count_parameters
from graphgauge.encodings import encoding
from graphgauge.graphs import Feature, Task
from graphgauge.graphs.quotient import Histories
from graphgauge.instruments.supervised.budgets import check, fitted, spelled
from graphgauge.instruments.supervised.feeds import Feed, GraphFeed, LinkFeed, NodeFeed
from graphgauge.instruments.supervised.nets import configuration, task_options
from graphgauge.instruments.supervised.positions import changing, encoded, is_order, variation
from graphgauge.instruments.supervised.settings import Settings
from graphgauge.models import ARCHITECTURES, DENSE, ModelError, build_network
from graphgauge.models.identity import architecture_digest, reason

# Layers of message passing of a budget, where no published net says otherwise.
LAYERS = {"100k": 4, "500k": 16}
DENSE_LAYERS = 3
# Nets that divide by the degree of the sender.
DEGREES = ("gcn", "monet")
# Options that make nodes of equal history differ.
TELLING_APART = ("dropout", "input_dropout", "order", "pe")


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
    budget: str | None = None
    published: bool = False

    @property
    def of_table(self) -> bool:
        """Whether it is an architecture by name, and not the user's own."""
        return isinstance(self.model, str) and self.model in (*ARCHITECTURES, *DENSE)

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
        if not self.of_table:  # it finds an encoding in the node column "pe"
            if dropout:
                raise ModelError("dropout is a setting of the table's nets; give your own as an option")
        elif self.encoding is not None:
            width = encoding(self.encoding).width
            number = is_order(self.encoding)
            options |= {"order": width} if number else {"pe": width, "pe_mode": self.encoding_mode}
        if dropout and self.of_table:
            options |= {"dropout": dropout}
        if self.model == "ringgnn" and task.folds and task.split_over == "graphs":
            sizes = task.graphs.nodes_per_graph[task.folds[0].train].double()
            options.setdefault("mean_nodes", float(sizes.mean()))
        edge = task.edge if self.edge_features else None
        node = task.node
        if self.dense and node is not None and node.kind == "category" and node.size == 1:
            node = None  # a single type says nothing: zeros, as published
        return build_network(
            self.model, node, edge, dict(task.outputs), width=self.width, layers=self.layers, **options
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
        if self.dense or not self.of_table:
            return None
        edge = task.edge if self.edge_features and self._edge_states else None
        numbers = any(f is not None and f.kind == "number" for f in (task.node, edge))
        apart = self.encoding or settings.dropout or any(self.options.get(name) for name in TELLING_APART)
        if not settings.share_rows or numbers or apart:
            return None
        rounds = self.layers - bool(self.options.get("input_layer"))
        return histories_of(
            task, rounds, edge, self._edge_states, self.model in DEGREES, settings.batch_size or 128
        )

    @property
    def _edge_states(self) -> bool:
        """Whether the net computes states of edges; dense ones read columns of pairs."""
        if not self.of_table or self.dense:
            return self.dense
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
    if budget is not None:
        budget = spelled(budget)
    if encoding is None and (encoding_mode or encoding_variant):
        raise ValueError("encoding_mode and encoding_variant are of an encoding, and there is none")
    fixed = sorted({"width", "layers", "node", "edge", "outputs", "pe"} & set(options))
    if fixed:
        raise ValueError(
            f"{fixed[0]} is no option of a net: it is decided by the task, the budget or an argument"
        )
    own = {**task_options(task, model, encoding), **options}
    mode = encoding_mode or own.pop("pe_mode", "add")
    own.pop("pe_mode", None)
    base = Recipe(
        label, model, options=own, edge_features=edge_features, encoding=encoding,
        encoding_mode=mode, budget=budget, encoding_variant=variation(encoding, encoding_variant),
    )  # fmt: skip
    if edge_features and task.edge is None:
        raise ValueError(f"task {task.name} has no edge features for {label!r} to read")
    base = replace(base, edge_features=edge_features and base._edge_states)
    known = configuration(task.name, model, budget, edge_features, encoding)
    as_published = encoding_mode is None and encoding_variant in (None, "flip")
    if known is not None and layers is None and width is None and not options and as_published:
        return replace(base, **{**known, "options": own | known["options"]}, published=True)
    deep = layers or (DENSE_LAYERS if base.dense else LAYERS.get(str(budget), 4))
    base = replace(base, layers=deep)

    def make(wide: int) -> nn.Module:
        return replace(base, width=wide).fresh(task, 0)

    step = int(own.get("heads", 8 if model in ("gat", "gatv2") else 1))
    if budget is None and width is None:
        raise ValueError(f"model {label!r} needs a budget or a width")
    if budget is None:
        return replace(base, width=width or 0)
    wide = width or fitted(label, make, budget, step)
    if not loose:
        check(label, make, wide, budget, deep, step)
    return replace(base, width=wide)
