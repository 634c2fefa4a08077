"""Layers of message passing, one a file: (h, e, step) → (h, e).

`step` is a `graphgauge.graphs.rounds.Round`: h (n′, d) holds states of nodes and e (R′, d) those of edges
before it, or None in nets without any; results have n and R rows. A layer reads the row before of a node
itself through ``step.own``, those of the ends of an edge through ``step.ends``, and sums over ``step.csr``.
Layers that read degrees, or rows of edges made anew in every round, say so (`reads_degrees`, `reads_ends`).
Layers made with last=True leave out what only a next layer would read; their parameters are there.
"""
