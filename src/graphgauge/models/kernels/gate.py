"""Gated means and maxima over the rows of a CSR, every feature with its own gate.

The first pair makes gates of the ends of an edge, and keeps none of them; the others take states of edges.
"""

from __future__ import annotations

import numpy as np

from graphgauge.compiling import Floats, Ints, loose_loop
from graphgauge.models.kernels.simd import F, exponential


@loose_loop
def forward(
    message: Floats,
    source_gate: Floats,
    target_gate: Floats,
    ptr: Ints,
    source: Ints,
    own: Ints,
    eps: np.float32,
    total: Floats,
    out: Floats,
) -> None:
    """out_i = Σ_j σ_ij m_j / total_i with total_i = Σ_j σ_ij + ε and σ_ij = sigmoid(s_j + t_own(i))."""
    n, width = out.shape
    gate = np.empty(width, np.float32)
    for i in range(n):
        row, all_gates, mine = out[i], total[i], target_gate[own[i]]
        row[:] = 0
        all_gates[:] = eps
        for e in range(ptr[i], ptr[i + 1]):
            theirs, sent = source_gate[source[e]], message[source[e]]
            for f in range(width):
                gate[f] = F(1.0) / (F(1.0) + exponential(-(theirs[f] + mine[f])))
            for f in range(width):
                row[f] += gate[f] * sent[f]
                all_gates[f] += gate[f]
        for f in range(width):
            row[f] /= all_gates[f]


@loose_loop
def backward(
    dout: Floats,
    message: Floats,
    source_gate: Floats,
    target_gate: Floats,
    ptr: Ints,
    source: Ints,
    own: Ints,
    total: Floats,
    out: Floats,
    dmessage: Floats,
    dsource: Floats,
    dtarget: Floats,
) -> None:
    """Gradients of `forward`; the gates are computed again."""
    n, width = out.shape
    gate, share = np.empty(width, np.float32), np.empty(width, np.float32)
    dmessage[:] = 0
    dsource[:] = 0
    dtarget[:] = 0
    for i in range(n):
        row, mine, dmine = out[i], target_gate[own[i]], dtarget[own[i]]
        for f in range(width):
            share[f] = dout[i, f] / total[i, f]
        for e in range(ptr[i], ptr[i + 1]):
            j = source[e]
            theirs, sent, dtheirs, dsent = source_gate[j], message[j], dsource[j], dmessage[j]
            for f in range(width):
                gate[f] = F(1.0) / (F(1.0) + exponential(-(theirs[f] + mine[f])))
            for f in range(width):
                dsent[f] += gate[f] * share[f]
                gate[f] *= share[f] * (sent[f] - row[f]) * (F(1.0) - gate[f])
            for f in range(width):
                dtheirs[f] += gate[f]
                dmine[f] += gate[f]


@loose_loop
def edge_forward(
    message: Floats,
    raw: Floats,
    ptr: Ints,
    source: Ints,
    edge: Ints,
    eps: np.float32,
    total: Floats,
    out: Floats,
) -> None:
    """out_i = Σ_j σ_ij m_j / total_i with total_i = Σ_j σ_ij + ε and σ_ij = sigmoid(raw_edge(ij))."""
    n, width = out.shape
    gate = np.empty(width, np.float32)
    for i in range(n):
        row, all_gates = out[i], total[i]
        row[:] = 0
        all_gates[:] = eps
        for e in range(ptr[i], ptr[i + 1]):
            state, sent = raw[edge[e]], message[source[e]]
            for f in range(width):
                gate[f] = F(1.0) / (F(1.0) + exponential(-state[f]))
            for f in range(width):
                row[f] += gate[f] * sent[f]
                all_gates[f] += gate[f]
        for f in range(width):
            row[f] /= all_gates[f]


@loose_loop
def edge_backward(
    dout: Floats,
    message: Floats,
    raw: Floats,
    ptr: Ints,
    source: Ints,
    edge: Ints,
    total: Floats,
    out: Floats,
    dmessage: Floats,
    draw: Floats,
) -> None:
    """Gradients of `edge_forward`; the gates are computed again."""
    n, width = out.shape
    gate, share = np.empty(width, np.float32), np.empty(width, np.float32)
    dmessage[:] = 0
    draw[:] = 0
    for i in range(n):
        row = out[i]
        for f in range(width):
            share[f] = dout[i, f] / total[i, f]
        for e in range(ptr[i], ptr[i + 1]):
            j, r = source[e], edge[e]
            state, sent, dsent, dstate = raw[r], message[j], dmessage[j], draw[r]
            for f in range(width):
                gate[f] = F(1.0) / (F(1.0) + exponential(-state[f]))
            for f in range(width):
                dsent[f] += gate[f] * share[f]
            for f in range(width):
                dstate[f] += gate[f] * share[f] * (sent[f] - row[f]) * (F(1.0) - gate[f])


@loose_loop
def largest(
    message: Floats, raw: Floats, ptr: Ints, source: Ints, edge: Ints, out: Floats, winner: Ints
) -> None:
    """out_i = max(0, max_e σ(raw_edge(e)) m_source(e)); winner holds the entry e, or -1 where 0 won."""
    n, width = out.shape
    gate = np.empty(width, np.float32)
    for i in range(n):
        row, best = out[i], winner[i]
        row[:] = 0
        best[:] = -1
        for e in range(ptr[i], ptr[i + 1]):
            state, sent, number = raw[edge[e]], message[source[e]], np.int32(e)
            for f in range(width):
                gate[f] = sent[f] / (F(1.0) + exponential(-state[f]))
            for f in range(width):
                best[f] = number if gate[f] > row[f] else best[f]
            for f in range(width):
                row[f] = max(row[f], gate[f])


@loose_loop
def largest_backward(
    dout: Floats,
    message: Floats,
    raw: Floats,
    source: Ints,
    edge: Ints,
    winner: Ints,
    dmessage: Floats,
    draw: Floats,
) -> None:
    """Gradients of `largest`: all of them go to the first of those that were largest."""
    n, width = dout.shape
    dmessage[:] = 0
    draw[:] = 0
    for i in range(n):
        for f in range(width):
            e = winner[i, f]
            if e >= 0:
                j, r = source[e], edge[e]
                gate = F(1.0) / (F(1.0) + exponential(-raw[r, f]))
                dmessage[j, f] += gate * dout[i, f]
                draw[r, f] += message[j, f] * gate * (F(1.0) - gate) * dout[i, f]
