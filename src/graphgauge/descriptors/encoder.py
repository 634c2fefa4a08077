"""Any node encoder as a descriptor of graphs: sum its embeddings over each graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn

from graphgauge.graphs import GraphSet
from graphgauge.graphs.segments import segment_sum


class EncoderError(ValueError):
    """What a net returns cannot be summed to vectors of graphs."""


def encoder_descriptor(
    graphs: GraphSet,
    net: Callable[[GraphSet], Tensor],
    *,
    dtype: torch.dtype = torch.float64,
    batch_nodes: int = 8_192,
) -> Tensor:
    """x(G) = Σ_{v ∈ G} net(G)_v: one vector for each graph from any encoder GraphSet → (N, d).

    The net may be a random GIN, a network trained by graph alignment, or any other callable. It is run in
    evaluation mode, without gradients, on consecutive graphs of at most about `batch_nodes` nodes together,
    so memory does not grow with the set; a module is left in the mode in which it was. What the net returns
    is not changed otherwise: no scaling, no mean.

    Parameters
    ----------
    net : called with a GraphSet of n nodes, returns (n, d); it must not mix the graphs of a batch
    dtype : of the sums and the result
    batch_nodes : nodes of a batch; a larger graph is a batch of its own

    Returns
    -------
    (G, d) of `dtype`; a graph without nodes is 0.

    Raises
    ------
    EncoderError : the net returns no tensor, no matrix, a matrix without columns or with another number of
        rows than there are nodes, or a number that is not finite (the graph is named)

    >>> graphs = GraphSet.from_edges([[(0, 1), (1, 2)], [(0, 1)]])
    >>> encoder_descriptor(graphs, lambda part: part.degree[:, None].float()).tolist()
    [[4.0], [2.0]]
    """
    training = isinstance(net, nn.Module) and net.training
    if isinstance(net, nn.Module):
        net.eval()
    try:
        with torch.no_grad():
            sums: list[Tensor] = []
            for part in batches(graphs, batch_nodes) if len(graphs) else [graphs]:
                sums.append(_summed(part, net, dtype, sum(len(done) for done in sums)))
            return torch.cat(sums)
    finally:
        if training:
            net.train()  # type: ignore[attr-defined]


def _summed(part: GraphSet, net: Callable[[GraphSet], Tensor], dtype: torch.dtype, first: int) -> Tensor:
    """Sums over the graphs first, first + 1, … of a set."""
    states: object = net(part)
    wanted = f"the net must return ({part.num_nodes}, d) embeddings"
    if not isinstance(states, Tensor):
        kind = type(states)
        raise EncoderError(f"{wanted} as a torch tensor, got a {kind.__module__}.{kind.__qualname__}")
    if states.dim() != 2 or states.shape[0] != part.num_nodes or states.shape[1] == 0:
        raise EncoderError(f"{wanted} with d ≥ 1, got {tuple(states.shape)}")
    sums = segment_sum(states.to(dtype), part.node_ptr)
    bad = (~sums.isfinite().all(dim=1)).nonzero()
    if len(bad):
        g = int(bad[0])
        own = states[int(part.node_ptr[g]) : int(part.node_ptr[g + 1])]
        raise EncoderError(f"the net returns {'nan' if own.isnan().any() else 'inf'} for graph {first + g}")
    return sums


def batches(graphs: GraphSet, nodes: int) -> Iterator[GraphSet]:
    """Consecutive graphs, as many together as have at most `nodes` nodes, but at least one.

    >>> set_ = GraphSet.from_edges([[], [], []], num_nodes=[2, 2, 5])
    >>> [len(part) for part in batches(set_, 4)]
    [2, 1]
    """
    ptr, start = graphs.node_ptr.cpu(), 0
    while start < len(graphs):
        fits = int(torch.searchsorted(ptr, ptr[start] + nodes, right=True)) - 1
        stop = max(start + 1, fits)
        yield graphs[start:stop]
        start = stop
