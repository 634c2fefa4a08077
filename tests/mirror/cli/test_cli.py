"""The command line as a user types it: in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from graphgauge import rows as row_files
from graphgauge.cli import main

TINY = [
    *("--train-pairs", "8", "--val-pairs", "4", "--epochs", "1", "--batch-size", "4"),
    *("--order", "12", "--seeds", "1", "--workers", "1", "--quiet"),
]


@dataclass
class Done:
    stdout: str
    stderr: str


@pytest.fixture
def graphgauge(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Done]:
    """The command in this process, since a new one each time would take most of the suite."""

    def run(*arguments: str, folder: Path, status: int = 0) -> Done:
        monkeypatch.chdir(folder)
        monkeypatch.setattr("sys.argv", ["graphgauge", *arguments])
        monkeypatch.setattr("sys.path", list(sys.path))
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capfd.readouterr()
        assert ended.value.code == status, out + err
        return Done(out, err)

    return run


def test_the_installed_command_in_its_own_process(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "graphgauge.cli", "align", "--model", "gcn", *TINY, "--json", "-"],
        cwd=tmp_path, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[0]["subject"] == "gcn"


def test_help_does_not_wait_for_pytorch(tmp_path: Path) -> None:
    code = (
        "import sys; sys.argv = ['graphgauge', '--help']\n"
        "from graphgauge.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path, stdout=subprocess.DEVNULL)


def test_align_shows_a_table_and_leaves_a_report(tmp_path: Path, graphgauge: Callable[..., Done]) -> None:
    done = graphgauge("align", "--model", "gcn,laplacian", *TINY, "--json", "rows.json", folder=tmp_path)
    assert "gcn" in done.stdout
    assert "laplacian" in done.stdout
    assert "report: runs/report" in done.stderr
    rows = row_files.read(tmp_path / "rows.json")
    assert {row.subject for row in rows} == {"gcn", "laplacian"}
    for name in ("rows.json", "table.csv", "table.md", "table.tex"):
        assert (tmp_path / "runs" / "report" / name).stat().st_size > 0
    again = graphgauge("report", "runs", "--format", "csv", folder=tmp_path)
    assert again.stdout.count("\n") == 3


def test_json_on_standard_output_is_alone_there(tmp_path: Path, graphgauge: Callable[..., Done]) -> None:
    done = graphgauge("align", "--model", "gcn", *TINY, "--json", "-", folder=tmp_path)
    rows = json.loads(done.stdout)
    assert {"spec_id", "metric", "value", "definition"} <= set(rows[0])


def test_own_model_in_the_folder(tmp_path: Path, graphgauge: Callable[..., Done]) -> None:
    (tmp_path / "mynets.py").write_text(
        "import torch\n"
        "class Net(torch.nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.w = torch.nn.Linear(1, 64)\n"
        "    def forward(self, data):\n"
        "        return self.w(data.x)\n"
        "class Narrow(Net):\n"
        "    def forward(self, data):\n"
        "        return super().forward(data)[:, :8]\n"
        "class Broken(Net):\n"
        "    def forward(self, data):\n"
        "        return super().forward(data) * (float('nan') if self.training else 1)\n"
    )
    done = graphgauge("align", "--model", "mynets:Net", *TINY, folder=tmp_path)
    assert "mynets:Net" in done.stdout
    done = graphgauge("align", "--model", "mynets:Narrow", *TINY, folder=tmp_path, status=1)
    assert "error: model 'mynets:Narrow' returned embeddings of width 8" in done.stderr
    assert "Traceback" not in done.stderr
    done = graphgauge("align", "--model", "mynets:Net,mynets:Broken", *TINY, folder=tmp_path, status=1)
    assert "the loss is nan" in done.stderr
    assert "mynets:Net" in done.stdout  # what is finished is shown
    assert "mynets:Broken" not in done.stdout


def test_columns_by_name(tmp_path: Path, graphgauge: Callable[..., Done]) -> None:
    arguments = ("--columns", "top1,loss", "--format", "markdown")
    done = graphgauge("align", "--model", "gcn", *TINY, *arguments, folder=tmp_path)
    assert "| model | top 1 % | loss |" in done.stdout
    assert graphgauge("report", "runs", *arguments, folder=tmp_path).stdout == done.stdout


def test_a_warning_is_one_line(
    tmp_path: Path, graphgauge: Callable[..., Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("warnings.formatwarning", warnings.formatwarning)  # put back afterwards
    graphgauge("models", folder=tmp_path)
    text = warnings.formatwarning("rows.json is damaged", UserWarning, "store.py", 95, "code")
    assert text == "warning: rows.json is damaged\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["align", "--dataset", "nodata", *TINY], "error: 'nodata' is neither a dataset nor a file"),
        (["align", "--noise", "lots", *TINY], "error: noise level 'lots' is not a number"),
        (["align", "--noise", "", *TINY], "error: an option with an empty value ('')"),
        (["align", "--embedding-width", "-3", *TINY], "error: embedding_width must be at least 1, got -3"),
        (["align", "--model", "nonet", *TINY], "nonet"),
        (["align", "--preset", "fast", *TINY], "error: unknown preset 'fast'"),
        (["data", "info", "nodata"], "nodata"),
        (["pairs", "info", "missing.safetensors"], "missing.safetensors"),
        (["report", "nowhere"], "nowhere holds no finished runs"),
        (["align", "--format", "html", *TINY], "no table format 'html'"),
        (["align", "--columns", "accuracy,colour", *TINY], "error: no column 'colour'; there are main, all"),
    ],
)
def test_errors_are_one_line_and_name_the_culprit(
    arguments: list[str], message: str, tmp_path: Path, graphgauge: Callable[..., Done]
) -> None:
    done = graphgauge(*arguments, folder=tmp_path, status=1)
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_pairs_are_made_and_described(tmp_path: Path, graphgauge: Callable[..., Done]) -> None:
    done = graphgauge(
        *("pairs", "make", "--out", "p", "--dataset", "er", "--noise", "0.1,20%"),
        *("--train-pairs", "20", "--val-pairs", "5", "--order", "30"),
        "--json", "rows.json", folder=tmp_path,
    )  # fmt: skip
    files = sorted((tmp_path / "p").glob("*.safetensors"))
    assert len(files) == 4
    assert all(f.name[:20] in done.stdout for f in files)
    rows = row_files.read(tmp_path / "rows.json")
    kept = {row.params["noise"]: row.value for row in rows if row.metric == "kept" and row.split == "train"}
    assert kept[0.1] == pytest.approx(0.9, abs=0.05)
    assert kept[0.2] == pytest.approx(0.8, abs=0.05)
    shown = graphgauge("pairs", "info", str(files[0]), "--json", "-", folder=tmp_path)
    assert {row["metric"] for row in json.loads(shown.stdout)} >= {"pairs", "nodes", "kept", "added"}


def test_data_and_models_are_listed(tmp_path: Path, graphgauge: Callable[..., Done]) -> None:
    assert "aqsol" in graphgauge("data", "list", folder=tmp_path).stdout
    rows = json.loads(graphgauge("data", "list", "--json", "-", folder=tmp_path).stdout)
    assert {"er", "aqsol", "pcqm4mv2", "ogbn-arxiv"} <= {row["subject"] for row in rows}
    assert "59,584" in graphgauge("models", folder=tmp_path).stdout
    card = json.loads(graphgauge("data", "info", "er", "--json", "-", folder=tmp_path).stdout)
    assert {row["metric"] for row in card} >= {"graphs", "nodes", "edges"}


def test_tasks_are_listed(tmp_path: Path, graphgauge: Callable[..., Done]) -> None:
    assert "class_accuracy" in graphgauge("data", "tasks", folder=tmp_path).stdout
    rows = json.loads(graphgauge("data", "tasks", "--json", "-", folder=tmp_path).stdout)
    sizes = {(row["subject"], row["split"]): row["value"] for row in rows}
    assert sizes["aqsol", "train"] == 7831
    assert len({row["subject"] for row in rows}) == 16


def test_data_card_of_real_data(tmp_path: Path, graphgauge: Callable[..., Done]) -> None:
    if not os.environ.get("GRAPHGAUGE_DATA"):
        pytest.skip("GRAPHGAUGE_DATA is not set: no PubMed at hand")
    home = str(Path(os.environ["GRAPHGAUGE_DATA"]).resolve())
    done = graphgauge("data", "info", "pubmed", "--data-home", home, folder=tmp_path)
    assert "19,717" in done.stdout
    assert "44,324" in done.stdout


def test_version_and_help(tmp_path: Path, graphgauge: Callable[..., Done]) -> None:
    assert graphgauge("--version", folder=tmp_path).stdout.startswith("graphgauge ")
    assert "--noise-model" in graphgauge("align", "--help", folder=tmp_path).stdout


def test_paper_pairs_leave_out_what_is_not_at_hand(tmp_path: Path, graphgauge: Callable[..., Done]) -> None:
    """The forty datasets at a small size, with an empty data home: ER is made, the rest is named."""
    (tmp_path / "home").mkdir()
    done = graphgauge(
        *("pairs", "make", "--out", "p", "--train-pairs", "4", "--val-pairs", "2"),
        *("--data-home", "home", "--json", "rows.json"),
        folder=tmp_path,
    )
    assert len(list((tmp_path / "p").glob("er-*.safetensors"))) == 16
    for name in ("aqsol", "pcqm4mv2", "corafull", "ogbn-arxiv"):
        assert f"left out — {name}:" in done.stderr
