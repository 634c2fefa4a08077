"""The states of edges of GatedGCN and the gated means over them, in one pass over the rows of a CSR.

For the plain case: every entry of the CSR is an edge of its own. Edges are many and their states wide, so
time goes by how often they are read and written.
"""

from __future__ import annotations

import numpy as np

from graphgauge.compiling import Floats, Ints, loose_loop
from graphgauge.models.kernels.batch_norm import RELU, inner
from graphgauge.models.kernels.simd import F, exponential


@loose_loop
def forward(
    raw: Floats,
    source: Floats,
    target: Floats,
    message: Floats,
    ptr: Ints,
    sender: Ints,
    edge: Ints,
    eps: np.float32,
    total: Floats,
    out: Floats,
    mean: Floats,
    variance: Floats,
) -> None:
    """raw_e += s_j + t_i; out_i = Σ_j σ_ij m_j / total_i, total_i = Σ_j σ_ij + ε, σ = sigmoid(raw).

    Leaves mean and biased variance of raw over all edges, unless these are empty.
    """
    n, width = out.shape
    gate, shift = np.empty(width, np.float32), np.zeros(width, np.float32)
    part, square = np.zeros(width, np.float32), np.zeros(width, np.float32)
    first, second = np.zeros(width), np.zeros(width)
    for i in range(n):
        row, all_gates, mine = out[i], total[i], target[i]
        row[:] = 0
        all_gates[:] = eps
        for e in range(ptr[i], ptr[i + 1]):
            j = sender[e]
            state, theirs, sent = raw[edge[e]], source[j], message[j]
            for f in range(width):
                state[f] += theirs[f] + mine[f]
            for f in range(width):
                gate[f] = F(1.0) / (F(1.0) + exponential(-state[f]))
            for f in range(width):
                row[f] += gate[f] * sent[f]
            for f in range(width):
                all_gates[f] += gate[f]
            if mean.size:
                if e == 0:
                    shift[:] = state
                for f in range(width):
                    part[f] += state[f] - shift[f]
                for f in range(width):
                    square[f] += (state[f] - shift[f]) * (state[f] - shift[f])
        for f in range(width):
            row[f] /= all_gates[f]
        for f in range(width):
            first[f] += part[f]
        for f in range(width):
            second[f] += square[f]
        part[:] = 0
        square[:] = 0
    for f in range(mean.size):
        middle = first[f] / edge.size
        mean[f] = shift[f] + middle
        variance[f] = max(second[f] / edge.size - middle * middle, 0.0)


@loose_loop
def backward(
    dout: Floats,
    dstate: Floats,
    raw: Floats,
    message: Floats,
    ptr: Ints,
    sender: Ints,
    edge: Ints,
    total: Floats,
    out: Floats,
    mean: Floats,
    slope: Floats,
    bias: Floats,
    share: Floats,
    cut: Floats,
    draw: Floats,
    dsource: Floats,
    dtarget: Floats,
    dmessage: Floats,
    dbias: Floats,
) -> None:
    """Gradients of `forward` followed by ReLU(slope (raw - mean) + bias), whose gradient is dstate.

    dstate may be empty: then nothing follows. share and cut are those of `batch_norm.backward`; dbias is
    the sum of draw.
    """
    n, width = out.shape
    gate, up, dy = np.empty(width, np.float32), np.empty(width, np.float32), np.zeros(width, np.float32)
    sum_here, sums = np.empty(width, np.float32), np.zeros(width)
    dsource[:] = 0
    dmessage[:] = 0
    for i in range(n):
        row, mine = out[i], dtarget[i]
        for f in range(width):
            up[f] = dout[i, f] / total[i, f]
        sum_here[:] = 0
        for e in range(ptr[i], ptr[i + 1]):
            j, r = sender[e], edge[e]
            state, sent, dsent, theirs, to = raw[r], message[j], dmessage[j], dsource[j], draw[r]
            for f in range(width):
                gate[f] = F(1.0) / (F(1.0) + exponential(-state[f]))
            for f in range(width):
                dsent[f] += gate[f] * up[f]
            for f in range(width):
                gate[f] *= up[f] * (sent[f] - row[f]) * (F(1.0) - gate[f])
            if dstate.shape[0]:
                inner(state, dstate[r], mean, slope, bias, RELU, dy)
                for f in range(width):
                    dy[f] -= share[f] + cut[f] * (state[f] - mean[f])
                for f in range(width):
                    gate[f] += slope[f] * dy[f]
            for f in range(width):
                to[f] = gate[f]
            for f in range(width):
                theirs[f] += gate[f]
            for f in range(width):
                sum_here[f] += gate[f]
        mine[:] = sum_here
        for f in range(width):
            sums[f] += sum_here[f]
    for f in range(width):
        dbias[f] = sums[f]
