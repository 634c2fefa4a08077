"""Make src/graphgauge/report/published/supervised.csv from a transcript of the paper's tables 3 to 16.

    python tools/published_supervised.py TRANSCRIPT.csv

The transcript has a line for every printed line, with the paper's names and units. Here they become this
library's names; shares in percent become fractions.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

TARGET = Path(__file__).parent.parent / "src/graphgauge/report/published/supervised.csv"

DATASETS = {"COLLAB": "ogbl-collab"}  # the others are the paper's names in small letters
MODELS = {
    "MLP": "mlp",
    "vanilla GCN": "gcn_mean",
    "GCN": "gcn",
    "GraphSage": "graphsage",
    "GAT": "gat",
    "MoNet": "monet",
    "GatedGCN": "gatedgcn",
    "GIN": "gin",
    "RingGNN": "ringgnn",
    "3WLGNN": "ppgn",
    "MatrixFactorization": "matrix_factorisation",
    "kNN heuristic": "knn",
    "all MP-GCNs": "mp_gcns",
}
# The paper's metric → ours, and what a printed number is divided by.
METRICS = {
    "MAE": ("mae", 1),
    "accuracy": ("accuracy", 100),
    "weighted accuracy": ("class_accuracy", 100),
    "F1": ("f1", 1),
    "Hits@50": ("hits@50", 100),
    "log10 MSE": ("log10_mse", 1),
}
# Printed without -E, but the published configurations or the parameter counts have edge features.
EDGES_NOT_PRINTED = {
    ("mnist", "gatedgcn"), ("cifar10", "gatedgcn"), ("tsp", "ringgnn"), ("tsp", "ppgn"),
}  # fmt: skip
SCORES = ("test_mean", "test_sd", "test_max", "test_min", "train_mean", "train_sd", "train_max", "train_min")
COPIED = ("params", "epochs", "epoch_seconds", "total_hours", "status")
COLUMNS = (
    "table", "dataset", "metric", "subject", "budget", "layers", "edge_features", "encoding", "variant",
    "train_samples", "output", "run", *SCORES, *COPIED,
)  # fmt: skip


def scaled(printed: str, divisor: int) -> str:
    return repr(round(float(printed) / divisor, 8)) if printed else ""


def variant(row: dict[str, str]) -> str:
    """What sets a line apart from the main tables: the encodings of table 13, the layers of 14 and 15."""
    if row["pos_enc_kind"]:
        return row["pos_enc_kind"]
    if row["edge_feat_flag"]:
        parts = [f"edge gates {row['edge_feat_flag']}", f"edge states {row['edge_repr_flag']}"]
        return ", ".join([*parts, *filter(None, [row["aggregation"]])])
    return ""


def convert(row: dict[str, str]) -> dict[str, str]:
    dataset = DATASETS.get(row["dataset"], row["dataset"].lower())
    subject = MODELS[row["model"]]
    metric, divisor = METRICS[row["metric"]]
    edges = "1" if (dataset, subject) in EDGES_NOT_PRINTED else row["edge_features"] or "0"
    return {
        "table": row["table"],
        "dataset": dataset,
        "metric": metric,
        "subject": subject,
        "budget": row["budget"].replace("none", ""),
        "layers": row["layers"],
        "edge_features": edges,
        "encoding": f"lap:{row['pos_enc_dim']}" if row["pos_enc_dim"] else "",
        "variant": variant(row),
        "train_samples": row["train_samples"],
        "output": row["task"],
        "run": row["seed_run"],
        **{name: scaled(row[name], divisor) for name in SCORES},
        **{name: row[name] for name in COPIED},
    }


def main(source: str) -> None:
    with Path(source).open(encoding="utf-8", newline="") as file:
        rows = [convert(row) for row in csv.DictReader(file)]
    with TARGET.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main(*sys.argv[1:])
