"""Nets for supervised tasks by name, and how one is made for a task."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from torch import nn

from graphgauge.graphs.task import Feature
from graphgauge.models.dense import ppgn, ringgnn
from graphgauge.models.inputs import EdgeInput, NodeInput, check_choice
from graphgauge.models.layers.gat import EdgeGATLayer, GATLayer
from graphgauge.models.layers.gatedgcn import GatedGCNLayer
from graphgauge.models.layers.gatv2 import GATv2Layer
from graphgauge.models.layers.gcn import GCNLayer
from graphgauge.models.layers.gcn_mean import MeanGCNLayer
from graphgauge.models.layers.ggnn import GGNNLayer
from graphgauge.models.layers.gin import GINLayer
from graphgauge.models.layers.graphsage import GraphSageLayer
from graphgauge.models.layers.mlp import MLPLayer
from graphgauge.models.layers.monet import MoNetLayer
from graphgauge.models.network import Network, Readout, WithReadout
from graphgauge.models.table import ModelError, build, find


@dataclass(frozen=True)
class Variant:
    """One treatment of edges by the layers of a net.

    Parameters
    ----------
    layer : width and options → one layer
    edge_map : whether there is a map of edge columns to states: "none", "read" by the layers, or "unread":
        the published net has it and does nothing with it, so it counts as parameters and is never computed
    """

    layer: Callable[..., nn.Module]
    edge_map: Literal["none", "read", "unread"] = "none"


@dataclass(frozen=True)
class Architecture:
    """How a net of one name is put together.

    Parameters
    ----------
    variants : by the value of the option `edges`, the default first
    readout, pooling : defaults of these options
    order_only : no layers, and no column but "order": every node has a vector of its own
    """

    variants: Mapping[str, Variant]
    readout: str = "mlp"
    pooling: str = "mean"
    order_only: bool = False


def _one(layer: Callable[..., nn.Module], *, readout: str = "mlp", pooling: str = "mean") -> Architecture:
    return Architecture({"none": Variant(layer)}, readout, pooling)


def _of(layer: Callable[..., nn.Module], edges: str, edge_map: Literal["none", "read", "unread"]) -> Variant:
    return Variant(partial(layer, edges=edges), edge_map)


ARCHITECTURES: dict[str, Architecture] = {
    "mlp": _one(MLPLayer),
    "gcn_mean": _one(MeanGCNLayer),
    "gcn": _one(GCNLayer),
    "graphsage": Architecture(
        {
            "none": _of(GraphSageLayer, "none", "none"),
            "features": _of(GraphSageLayer, "features", "none"),
            "representations": _of(GraphSageLayer, "representations", "read"),
        }
    ),
    "gat": Architecture(
        {
            "none": _of(GATLayer, "none", "none"),
            "features": _of(GATLayer, "features", "unread"),
            "isotropic": _of(GATLayer, "isotropic", "unread"),
            "representations": Variant(EdgeGATLayer, "read"),
        }
    ),
    "gatv2": _one(GATv2Layer),
    "monet": _one(MoNetLayer),
    "gatedgcn": Architecture(
        {
            "representations": _of(GatedGCNLayer, "representations", "read"),
            "features": _of(GatedGCNLayer, "features", "unread"),
            "isotropic": _of(GatedGCNLayer, "isotropic", "unread"),
        }
    ),
    "ggnn": _one(GGNNLayer),
    "gin": _one(GINLayer, readout="levels", pooling="sum"),
    "matrix_factorisation": Architecture({"none": Variant(MLPLayer)}, order_only=True),
}


@dataclass(frozen=True)
class NetOptions:
    """What surrounds the layers of a net.

    Parameters
    ----------
    edges : how layers treat edges, one of the architecture's variants, by default its first
    node_empty : first state of nodes without a column: "ones", a linear map of a one, "type", the embedding
        of one type, "none", nothing but positions
    edge_empty, edge_ones : the same of edges ("ones" or "type"), and how many ones
    pe, pe_mode : width of the node column "pe", and "add" or "replace" the node's own column
    order : size of an embedding of the node column "order"; 0: none
    input_dropout : of the first states that come from columns
    input_layer : the node's input map, with ReLU, counts as the first layer
    readout : "mlp", three maps of the last states, or "levels", a linear map for the states of every depth
    pooling : of nodes to graphs: "mean", "sum", "max" or "set2set"
    gru : one recurrent unit, shared, after every layer
    """

    edges: str = "none"
    node_empty: str = "ones"
    edge_empty: str = "ones"
    edge_ones: int = 1
    pe: int = 0
    pe_mode: str = "add"
    order: int = 0
    input_dropout: float = 0.0
    input_layer: bool = False
    readout: str = "mlp"
    pooling: str = "mean"
    gru: bool = False


# Nets over all pairs of nodes, made and called in the same way; they have options of their own.
DENSE: dict[str, Callable[..., nn.Module]] = {"ringgnn": ringgnn, "ppgn": ppgn}


def build_network(
    name: str | Callable[..., nn.Module],
    node: Feature | None,
    edge: Feature | None,
    outputs: Mapping[str, int],
    *,
    width: int,
    layers: int,
    **options: Any,
) -> nn.Module:
    """A new net for a task; weights come from PyTorch's global generator.

    Parameters
    ----------
    name : of `ARCHITECTURES` or `DENSE`; or your own encoder, GraphSet → (N, width), as class, factory or
        ``package.module:Name``, which gets a readout
    node, edge : columns that the net reads; nets without states of edges ignore `edge`
    outputs : level ("node", "edge", "graph", "link") → numbers or classes to predict
    width : numbers in every state (all heads together)
    layers : rounds of message passing
    options : of the net, see `NetOptions`, and of its layer; of your own encoder, which also gets those of
        out_features (the width) and layers that it has, and `pooling` of its readout

    Called with a GraphSet the net returns a dict from level to predictions, see `Network`. `ModelError` names
    what is unknown and lists what is known.

    >>> from graphgauge.graphs import GraphSet
    >>> net = build_network("gcn", None, None, {"graph": 2}, width=8, layers=2)
    >>> net(GraphSet.from_edges([[(0, 1)], [(0, 1), (1, 2)]]))["graph"].shape
    torch.Size([2, 2])
    >>> build_network("gcn", None, None, {"graph": 2}, width=8, layers=2, heads=3)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    graphgauge.models.table.ModelError: gcn has no option 'heads'; its options: dropout, edge_empty, ...
    """
    for label, value in {"width": width, "layers": layers + 1, **outputs}.items():
        if value < 1:
            raise ModelError(f"{label} must be positive, got {value}")
    if name in DENSE:
        _refuse_unknown(str(name), options, set(inspect.signature(DENSE[str(name)]).parameters) - FIXED)
        return DENSE[str(name)](node, edge, outputs, width=width, layers=layers, **options)
    if name in ARCHITECTURES:
        return _message_passing(str(name), node, edge, outputs, width, layers, options)
    if isinstance(name, str) and ":" not in name:
        known = ", ".join([*ARCHITECTURES, *DENSE])
        raise ModelError(f"unknown net {name!r}; known: {known}, or your own encoder as package.module:Name")
    return _own(name, outputs, width, layers, options)


FIXED = {"node", "edge", "outputs", "width", "layers"}


def _message_passing(
    name: str,
    node: Feature | None,
    edge: Feature | None,
    outputs: Mapping[str, int],
    width: int,
    layers: int,
    options: dict[str, Any],
) -> Network:
    plan = ARCHITECTURES[name]
    if plan.order_only:
        node, layers, options = None, 0, {"node_empty": "none", **options}
    edges = options.get("edges", next(iter(plan.variants)))
    check_choice(f"edges of {name}", edges, tuple(plan.variants))
    variant = plan.variants[edges]
    around, inner = _sorted_options(name, plan, variant, options)
    edge_input = None
    if variant.edge_map != "none":
        edge_input = EdgeInput(edge, width, empty=around.edge_empty, ones=around.edge_ones)
    count = layers - around.input_layer
    node_input = NodeInput(
        node,
        width,
        empty=around.node_empty,
        pe=around.pe,
        pe_mode=around.pe_mode,
        order=around.order,
        dropout=around.input_dropout,
        activate=around.input_layer,
    )
    return Network(
        node_input,
        edge_input,
        [variant.layer(width, **inner, **_ending(variant, i == count - 1)) for i in range(count)],
        Readout(outputs, width, depth=count, readout=around.readout, pooling=around.pooling),
        gru=nn.GRUCell(width, width) if around.gru else None,
        reads_edges=variant.edge_map == "read",
    )


def _own(
    name: str | Callable[..., nn.Module],
    outputs: Mapping[str, int],
    width: int,
    layers: int,
    options: dict[str, Any],
) -> WithReadout:
    """A user's encoder with a readout put on it."""
    builder = find(name) if isinstance(name, str) else name
    inner = {k: v for k, v in options.items() if k != "pooling"}
    if "layers" in inspect.signature(builder).parameters:
        inner["layers"] = layers
    encoder = build(name, out_features=width, **inner)
    readout = Readout(outputs, width, depth=0, pooling=options.get("pooling", "mean"))
    return WithReadout(encoder, readout, width)


def _ending(variant: Variant, last: bool) -> dict[str, bool]:
    return {"last": True} if last and "last" in inspect.signature(variant.layer).parameters else {}


def _sorted_options(
    name: str, plan: Architecture, variant: Variant, options: dict[str, Any]
) -> tuple[NetOptions, dict[str, Any]]:
    """Options of the net around the layers, and of its layers; `ModelError` for one that neither has."""
    of_net = set(inspect.signature(NetOptions).parameters)
    of_layer = set(inspect.signature(variant.layer).parameters) - {"width", "last", "edges"}
    _refuse_unknown(name, options, of_layer | of_net)
    defaults = {"readout": plan.readout, "pooling": plan.pooling}
    around = NetOptions(**{**defaults, **{k: v for k, v in options.items() if k in of_net}})
    return around, {k: v for k, v in options.items() if k in of_layer}


def _refuse_unknown(name: str, options: dict[str, Any], known: set[str]) -> None:
    unknown = [option for option in options if option not in known]
    if unknown:
        raise ModelError(f"{name} has no option {unknown[0]!r}; its options: {', '.join(sorted(known))}")
