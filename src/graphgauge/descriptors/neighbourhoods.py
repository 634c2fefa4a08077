"""Compiled loops of the NSPDK features: balls as 64-bit numbers, and their pairs in each graph."""

from __future__ import annotations

import numpy as np

from graphgauge.compiling import Ints, loop
from graphgauge.descriptors.numbers import Words

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_30, _27, _31 = np.uint64(30), np.uint64(27), np.uint64(31)


@loop
def mix(a: np.uint64, b: np.uint64) -> np.uint64:
    """A random-looking 64-bit number for an ordered pair of them: splitmix64's finish, after each of the two.

    Fixed constants and integer arithmetic only: the same in every process, on every machine.
    """
    z = a + _GOLDEN
    z = (z ^ (z >> _30)) * _FIRST
    z = (z ^ (z >> _27)) * _SECOND
    z = (z ^ (z >> _31)) + b * _GOLDEN + _SECOND
    z = (z ^ (z >> _30)) * _FIRST
    z = (z ^ (z >> _27)) * _SECOND
    return z ^ (z >> _31)


@loop
def mix_rows(rows: Ints) -> Words:
    """One 64-bit number for each row of whole numbers."""
    out = np.empty(rows.shape[0], np.uint64)
    for i in range(rows.shape[0]):
        z = np.uint64(rows.shape[1])
        for k in range(rows.shape[1]):
            z = np.uint64(mix(z, np.uint64(rows[i, k])))
        out[i] = z
    return out


@loop
def _spread(root: int, reach: int, ptr: Ints, neighbour: Ints, far: Ints, queue: Ints) -> int:
    """Breadth-first search up to distance `reach`: nodes into `queue`, distances into `far` (-1 before)."""
    queue[0], far[root] = root, 0
    head, size = 0, 1
    while head < size:
        v = queue[head]
        head += 1
        if far[v] == reach:
            break
        for e in range(ptr[v], ptr[v + 1]):
            u = neighbour[e]
            if far[u] < 0:
                far[u] = far[v] + 1
                queue[size] = u
                size += 1
    return size


@loop
def _refine(
    ball: Ints, radius: int, ptr: Ints, neighbour: Ints, bond: Words, far: Ints, colour: Words, fresh: Words
) -> np.uint64:
    """Colour refinement inside a ball, until no class splits; the sum over its nodes is the ball's number."""
    classes = 0
    while True:
        now = 1
        listed = np.empty(ball.size, np.uint64)
        for k in range(ball.size):
            listed[k] = colour[ball[k]]
        listed.sort()
        for k in range(1, ball.size):
            now += listed[k] != listed[k - 1]
        if now == classes:
            break
        classes = now
        for v in ball:
            total = np.uint64(0)
            for e in range(ptr[v], ptr[v + 1]):
                u = neighbour[e]
                if 0 <= far[u] <= radius:
                    total += mix(colour[u], bond[e])
            fresh[v] = mix(colour[v], total)
        for v in ball:
            colour[v] = fresh[v]
    whole = np.uint64(ball.size)
    for v in ball:
        whole += mix(colour[v], np.uint64(1))
    number: np.uint64 = mix(whole, np.uint64(2))
    return number


@loop
def row_words(owner: Ints, ptr: Ints, neighbour: Ints, label: Words, bond: Words) -> Words:
    """A 64-bit number of each node's graph, label, neighbours and bonds to them: equal for twins only."""
    out = np.empty(label.size, np.uint64)
    for v in range(label.size):
        total = np.uint64(0)
        for e in range(ptr[v], ptr[v + 1]):
            total += mix(np.uint64(neighbour[e]), bond[e])
        out[v] = mix(mix(label[v], np.uint64(owner[v])), total)
    return out


@loop
def ball_numbers(ptr: Ints, neighbour: Ints, label: Words, bond: Words, radius: int, like: Ints) -> Words:
    """Numbers of the balls of radius 0 to `radius` around every node: (N, radius + 1).

    The ball of radius r around v is the subgraph induced by the nodes at distance ≤ r, with v marked. Every
    node starts with its label and its distance from v; colours are refined within the ball. Node v has the
    balls of ``like[v]`` ≤ v.
    """
    n = label.size
    out = np.empty((n, radius + 1), np.uint64)
    far, queue = np.full(n, -1, np.int64), np.empty(n, np.int64)
    colour, fresh = np.empty(n, np.uint64), np.empty(n, np.uint64)
    for root in range(n):
        if like[root] < root:
            out[root] = out[like[root]]
            continue
        size = _spread(root, radius, ptr, neighbour, far, queue)
        inside = before = 0
        for r in range(radius + 1):
            while inside < size and far[queue[inside]] <= r:
                inside += 1
            if inside == before:  # the same ball with the same distances: the same number
                out[root, r] = out[root, r - 1]
                continue
            before = inside
            ball = queue[:inside]
            for v in ball:
                colour[v] = mix(label[v], np.uint64(far[v]))
            out[root, r] = _refine(ball, r, ptr, neighbour, bond, far, colour, fresh)
        for k in range(size):
            far[queue[k]] = -1
    return out


@loop
def close_pairs(
    node_ptr: Ints, ptr: Ints, neighbour: Ints, distance: int, times: int, cap: Ints, most: float
) -> Ints:
    """Pairs of nodes v ≤ u of each graph at distance 0, 1, … `distance`: (G, distance + 1).

    Counting stops early once `times` such pairs, no more than `cap` at each distance of a graph, are more
    than `most`.
    """
    far, queue = np.full(ptr.size - 1, -1, np.int64), np.empty(ptr.size - 1, np.int64)
    pairs = np.zeros((node_ptr.size - 1, distance + 1), np.int64)
    before = 0
    for g in range(node_ptr.size - 1):
        total = 0
        for v in range(node_ptr[g], node_ptr[g + 1]):
            size = _spread(v, distance, ptr, neighbour, far, queue)
            for k in range(size):
                u = queue[k]
                pairs[g, far[u]] += u >= v
                far[u] = -1
            total = 0
            for d in range(distance + 1):
                total += times * min(pairs[g, d], cap[g])
            if before + total > most:
                return pairs
        before += total
    return pairs


@loop
def pair_counts(
    node_ptr: Ints, ptr: Ints, neighbour: Ints, balls: Words, pairs: Ints
) -> tuple[Ints, Words, Ints, Ints]:
    """How often each pair of balls of radius r at distance d occurs in each graph, every pair of nodes once.

    `node_ptr` are the offsets of some graphs that follow one another, `pairs` their `close_pairs`. Returns
    offsets (G+1,) and, entry by entry, the number of the pair of balls, its block r · (distance + 1) + d and
    its count; blocks ascend within a graph, and numbers within a block.
    """
    graphs, width, radii = pairs.shape[0], pairs.shape[1], balls.shape[1]
    far, queue = np.full(ptr.size - 1, -1, np.int64), np.empty(ptr.size - 1, np.int64)
    offset = np.zeros(graphs + 1, np.int64)
    room = radii * pairs.sum()  # what is not filled is never touched, and takes no memory
    key, block, count = np.empty(room, np.uint64), np.empty(room, np.int64), np.empty(room, np.int64)
    filled = 0
    for g in range(graphs):
        low, high = node_ptr[g], node_ptr[g + 1]
        left, right, bounds = _listed(low, high, ptr, neighbour, pairs[g], far, queue)
        for r in range(radii):
            kinds = np.unique(balls[low:high, r])
            kind = np.searchsorted(kinds, balls[low:high, r])
            for d in range(width):
                one, other = kind[left[bounds[d] : bounds[d + 1]]], kind[right[bounds[d] : bounds[d + 1]]]
                where = np.uint64(r * width + d)
                if kinds.size**2 <= one.size:
                    now = _few(kinds, one, other, where, key[filled:], count[filled:])
                else:
                    now = _many(kinds, one, other, where, key[filled:], count[filled:])
                block[filled : filled + now] = r * width + d
                filled += now
        offset[g + 1] = filled
    return offset, key[:filled], block[:filled], count[:filled]


@loop
def _few(kinds: Words, one: Ints, other: Ints, where: np.uint64, key: Words, count: Ints) -> int:
    """Different pairs of kinds of balls and how many of each, in a table of all of them; returns how many."""
    table = np.zeros((kinds.size, kinds.size), np.int64)
    for k in range(one.size):
        table[min(one[k], other[k]), max(one[k], other[k])] += 1
    filled = 0
    for a in range(kinds.size):
        for b in range(a, kinds.size):
            if table[a, b]:
                key[filled], count[filled] = mix(mix(kinds[a], kinds[b]), where), table[a, b]
                filled += 1
    order = np.argsort(key[:filled])
    key[:filled], count[:filled] = key[:filled][order], count[:filled][order]
    return filled


@loop
def _many(kinds: Words, one: Ints, other: Ints, where: np.uint64, key: Words, count: Ints) -> int:
    """The same by sorting, where a table would be larger than the list."""
    listed = np.empty(one.size, np.uint64)
    for k in range(one.size):
        both = np.uint64(mix(kinds[min(one[k], other[k])], kinds[max(one[k], other[k])]))
        listed[k] = mix(both, where)
    listed.sort()
    filled = 0
    for k in range(listed.size):
        if k and listed[k] == listed[k - 1]:
            count[filled - 1] += 1
        else:
            key[filled], count[filled] = listed[k], 1
            filled += 1
    return filled


@loop
def _listed(
    start: int, stop: int, ptr: Ints, neighbour: Ints, pairs: Ints, far: Ints, queue: Ints
) -> tuple[Ints, Ints, Ints]:
    """The close pairs of one graph, distance after distance, and where each distance begins."""
    bounds = np.zeros(pairs.size + 1, np.int64)
    for d in range(pairs.size):
        bounds[d + 1] = bounds[d] + pairs[d]
    left, right = np.empty(bounds[-1], np.int64), np.empty(bounds[-1], np.int64)
    place = bounds.copy()
    for v in range(start, stop):
        size = _spread(v, pairs.size - 1, ptr, neighbour, far, queue)
        for k in range(size):
            u = queue[k]
            if u >= v:
                left[place[far[u]]], right[place[far[u]]] = v - start, u - start
                place[far[u]] += 1
            far[u] = -1
    return left, right, bounds
