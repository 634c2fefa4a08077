"""Make src/graphgauge/report/published/alignment.csv from a transcript of the paper's Table D.3.

    python tools/published_alignment.py TRANSCRIPT.csv

The transcript has the columns base_dataset, model, noise, accuracy_mean, accuracy_std, in percent and with
the paper's names. Here they become this library's names, and fractions.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

TARGET = Path(__file__).parent.parent / "src/graphgauge/report/published/alignment.csv"

# The paper's name → ours, and the noise its pairs were made with.
DATASETS = {
    "Erdos-Renyi": ("er", "add-remove"),
    "AQSOL": ("aqsol", "add"),
    "PCQM4Mv2": ("pcqm4mv2", "add"),
    "CoraFull": ("corafull", "add-remove"),
    "OGBN-Arxiv": ("ogbn-arxiv", "add-remove"),
}

# What the paper calls GatedGCN is the gated graph network with a recurrent unit: here ggnn.
MODELS = {
    "Laplacian": "laplacian",
    "GCN": "gcn",
    "GIN": "gin",
    "GatedGCN": "ggnn",
    "GAT": "gat",
    "GATv2": "gatv2",
}

COLUMNS = ("dataset", "subject", "noise", "metric", "value", "std", "noise_model")


def fraction(percent: str) -> str:
    return repr(round(float(percent) / 100, 6)) if percent else ""


def convert(row: dict[str, str]) -> tuple[str, ...]:
    dataset, noise_model = DATASETS[row["base_dataset"]]
    mean, std = fraction(row["accuracy_mean"]), fraction(row["accuracy_std"])
    return dataset, MODELS[row["model"]], row["noise"], "accuracy_softmax", mean, std, noise_model


def main(source: str) -> None:
    with Path(source).open(encoding="utf-8", newline="") as file:
        rows = [convert(row) for row in csv.DictReader(file)]
    with TARGET.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(rows)


if __name__ == "__main__":
    main(*sys.argv[1:])
