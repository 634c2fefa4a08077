"""Noise on graphs, and pairs of graphs with a hidden matching."""

from graphgauge.perturb.files import read_pairs, write_pairs
from graphgauge.perturb.noise import NOISE, add_only, add_remove
from graphgauge.perturb.pairs import make_pairs, relabel_randomly
from graphgauge.perturb.paper import NOISE_LEVELS, PAPER, PaperDataset, paper_datasets

__all__ = [
    "NOISE",
    "NOISE_LEVELS",
    "PAPER",
    "PaperDataset",
    "add_only",
    "add_remove",
    "make_pairs",
    "paper_datasets",
    "read_pairs",
    "relabel_randomly",
    "write_pairs",
]
