"""Noise on graphs, and pairs of graphs with a hidden matching."""

from graphgauge.perturb.noise import NOISE, add_only, add_remove
from graphgauge.perturb.pairs import make_pairs, relabel_randomly

__all__ = ["NOISE", "add_only", "add_remove", "make_pairs", "relabel_randomly"]
