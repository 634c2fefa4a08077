"""Descriptors: GraphSet → (G, d). What a graph looks like, as numbers, over all graphs at once."""
