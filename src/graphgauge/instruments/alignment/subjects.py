"""What can be ranked: names of the model table, `package.module:Name`, classes, functions and modules."""

from __future__ import annotations

import copy
import hashlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from graphgauge.budget import count_parameters, fit_width
from graphgauge.graphs import Pairs
from graphgauge.instruments.alignment.siamese import ModelError, embed_pairs
from graphgauge.models import MODELS, build, resolve

Factory = Callable[[], nn.Module]
Model = str | Callable[..., nn.Module] | nn.Module


@dataclass(frozen=True)
class Subject:
    """A model to be ranked: its name in rows and a function that builds it with fresh weights."""

    name: str
    factory: Factory

    def fresh(self, seed: int) -> nn.Module:
        """A new model whose weights are drawn from `seed`."""
        torch.manual_seed(seed)
        try:
            model = self.factory()
        except (TypeError, ValueError) as error:
            raise ModelError(f"model {self.name!r} cannot be built: {error}") from error
        if not isinstance(model, nn.Module):
            raise ModelError(f"model {self.name!r} is a {type(model).__name__}, not a torch.nn.Module")
        return model

    def fingerprint(self) -> dict[str, Any]:
        """Number of parameters and a hash of the printed architecture, so that changed models rerun."""
        model = self.fresh(0)
        shapes = [(k, tuple(v.shape)) for k, v in model.state_dict().items()]
        text = f"{model!r}{shapes}"
        return {
            "parameters": count_parameters(model),
            "architecture": hashlib.sha256(text.encode()).hexdigest()[:16],
        }

    def try_on(self, pairs: Pairs, width: int | None) -> None:
        """Run the model once on a few pairs, so that a wrong shape is an error before hours of training."""
        model = self.fresh(0)
        with torch.no_grad():
            model.eval()
            embed_pairs(model, pairs[: min(2, len(pairs))], self.name, width)


def subjects(
    models: Model | Sequence[Model] | Mapping[str, Model], width: int | None, budget: int | None = None
) -> list[Subject]:
    """Subjects for names, classes, functions, modules, a list of these, or a dict name → one of these.

    Models of the table and classes whose constructor takes `out_features` get the embedding width.
    """
    named: list[tuple[str | None, Model]]
    if isinstance(models, Mapping):
        named = list(models.items())
    elif isinstance(models, str):
        named = [(None, part.strip()) for part in models.split(",") if part.strip()]
    elif isinstance(models, Sequence):
        named = [(None, model) for model in models]
    else:
        named = [(None, models)]
    if not named:
        raise ValueError(f"no model given; the table has {sorted(MODELS)}")
    found = [_subject(name, model, width, budget) for name, model in named]
    names = [s.name for s in found]
    twice = sorted({n for n in names if names.count(n) > 1})
    if twice:
        raise ValueError(f"several models are called {twice}; give a dict of name → model")
    return found


def _subject(name: str | None, model: Model, width: int | None, budget: int | None) -> Subject:
    if isinstance(model, nn.Module):
        return Subject(name or type(model).__name__, lambda: reinitialised(model))
    if isinstance(model, str) and model in MODELS:
        options: dict[str, Any] = {} if width is None else {"out_features": width}
        if budget is not None and count_parameters(build(model, **options)):
            options["width"] = fit_width(lambda w: build(model, **{**options, "width": w}), budget)
        return Subject(name or model, lambda: build(model, **options))
    label = model if isinstance(model, str) else getattr(model, "__qualname__", repr(model))
    maker = resolve(model) if isinstance(model, str) else model
    if not callable(maker):
        raise ModelError(f"model {label!r} is a {type(maker).__name__}, not a class, function or module")
    options = _accepted(maker, {"in_features": 1, "out_features": width})
    return Subject(name or label, lambda: maker(**options))


def _accepted(maker: Callable[..., Any], offered: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the offered arguments that the constructor names."""
    try:
        parameters = inspect.signature(maker).parameters
    except (TypeError, ValueError):
        return {}
    return {k: v for k, v in offered.items() if k in parameters and v is not None}


def reinitialised(model: nn.Module) -> nn.Module:
    """A copy of a module with fresh weights, drawn by its own `reset_parameters` methods.

    Raises ModelError naming a parameter that no such method covers; give the class or a function then.
    """
    fresh = copy.deepcopy(model)
    covered: set[int] = set()

    def visit(module: nn.Module) -> None:
        reset = getattr(module, "reset_parameters", None)
        if callable(reset):
            reset()
            covered.update(id(p) for p in module.parameters())
            return
        for child in module.children():
            visit(child)

    visit(fresh)
    missed = [k for k, p in fresh.named_parameters() if id(p) not in covered]
    if missed:
        raise ModelError(
            f"the parameter {missed[0]!r} of {type(model).__name__} belongs to no module with "
            "reset_parameters(); give the class or a function that builds the model instead"
        )
    return fresh
