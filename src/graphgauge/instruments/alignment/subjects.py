"""What can be ranked: names of the model table, `package.module:Name`, classes, functions and modules."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from graphgauge.budget import count_parameters, fit_width
from graphgauge.graphs import Pairs
from graphgauge.instruments.alignment.siamese import embed_pairs
from graphgauge.models import MODELS, ModelError, build
from graphgauge.models.identity import architecture_digest, reason, reinitialised
from graphgauge.models.table import find

Model = str | Callable[..., nn.Module] | nn.Module


@dataclass(frozen=True)
class Subject:
    """A model to be ranked.

    Parameters
    ----------
    name : its name in rows
    factory : builds it with fresh weights
    of_table : whether it is the model of that name in the table, at the paper's size
    """

    name: str
    factory: Callable[[], nn.Module]
    of_table: bool = False

    def fresh(self, seed: int) -> nn.Module:
        """A new model whose weights are drawn from `seed`."""
        torch.manual_seed(seed)
        try:
            return self.factory()
        except ModelError as error:
            raise ModelError(f"model {self.name!r} cannot be built: {error}") from error
        except Exception as error:
            raise ModelError(f"model {self.name!r} cannot be built: {reason(error)}") from error

    def fingerprint(self) -> dict[str, Any]:
        """Number of parameters and a hash of the architecture, so that a changed model runs again.

        The architecture is what the model prints, the shapes of its tensors and, of classes that are not of a
        library, the source text and plain attributes: a changed `forward` or rate of dropout counts.
        """
        model = self.fresh(0)
        return {
            "parameters": count_parameters(model),
            "architecture": architecture_digest(model),
            "of_table": self.of_table,
        }

    def try_on(self, pairs: Pairs, width: int | None) -> None:
        """Run the model once on two pairs, so that a wrong shape is an error before hours of training."""
        model = self.fresh(0).eval()
        with torch.no_grad():
            try:
                sides = embed_pairs(model, pairs[: min(2, len(pairs))], self.name, width)
            except ModelError:
                raise
            except Exception as error:
                raise ModelError(
                    f"model {self.name!r} fails on the first pairs: {reason(error)}; it is called as "
                    "model(data), where data has x (the constant 1), edge_index and batch"
                ) from error
        if not all(bool(side.isfinite().all()) for side in sides):
            raise ModelError(f"model {self.name!r} returns NaN or infinity before any training")


def subjects(
    models: Model | Sequence[Model] | Mapping[str, Model], width: int | None, budget: int | None = None
) -> list[Subject]:
    """Subjects for names, classes, functions, modules, a list of these, or a dict name → one of these.

    Models of the table, and classes whose constructor takes `out_features`, get the embedding width.
    """
    found = [_subject(name, model, width, budget) for name, model in _named(models)]
    if not found:
        raise ValueError(f"no model given; the table has {', '.join(MODELS)}")
    names = [s.name for s in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"several models are called {twice}; give a dict of name → model")
    return found


def _named(models: Model | Sequence[Model] | Mapping[str, Model]) -> list[tuple[str | None, Model]]:
    if isinstance(models, Mapping):
        return list(models.items())
    if isinstance(models, str):
        return [(None, part.strip()) for part in models.split(",") if part.strip()]
    if isinstance(models, Sequence):
        return [(None, model) for model in models]
    return [(None, models)]


def _subject(name: str | None, model: Model, width: int | None, budget: int | None) -> Subject:
    if isinstance(model, nn.Module):
        return Subject(name or type(model).__name__, lambda: reinitialised(model))
    options: dict[str, Any] = {} if width is None else {"out_features": width}
    if isinstance(model, str) and model in MODELS:
        if budget is not None and count_parameters(build(model, **options)):
            options["width"] = _width_within(model, options, budget)
        return Subject(name or model, lambda: build(model, **options), of_table=budget is None)
    maker = find(model) if isinstance(model, str) else model
    label = model if isinstance(model, str) else getattr(maker, "__qualname__", type(maker).__name__)
    if callable(maker) and "in_features" in inspect.signature(maker).parameters:
        options["in_features"] = 1
    return Subject(name or label, lambda: build(maker, **options))


def _width_within(name: str, options: Mapping[str, Any], budget: int) -> int:
    """Largest width of a table model within a budget of parameters; heads must divide it."""
    heads = inspect.signature(MODELS[name]).parameters.get("heads")
    step = 1 if heads is None else int(heads.default)
    return fit_width(lambda width: build(name, **{**options, "width": width}), budget, multiple_of=step).width
