"""`graphgauge compare` as a user types it."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import networkx as nx
import pytest

from graphgauge import rows as row_files
from graphgauge.cli import main
from graphgauge.graphs import GraphSet, files
from graphgauge.instruments.generation import GROUPS, METRICS

FEW = ("--seeds", "1", "--replicates", "2")
SHARES = ("--metric", "shares", *FEW)


@dataclass
class Done:
    stdout: str
    stderr: str


@pytest.fixture
def compare(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Done]:
    """The command in this process and in a folder with graphs, since a new one each time would take long."""

    def run(*arguments: str, status: int = 0, command: str = "compare") -> Done:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr("sys.argv", ["graphgauge", command, *arguments])
        monkeypatch.setattr("sys.path", list(sys.path))
        with warnings.catch_warnings(), pytest.raises(SystemExit) as ended:
            main()
        out, err = capfd.readouterr()
        assert ended.value.code == status, out + err
        return Done(out, err)

    real = GraphSet.from_networkx([nx.gnp_random_graph(8, 0.4, seed=seed) for seed in range(14)])
    paths = GraphSet.from_networkx([nx.path_graph(4 + number % 5) for number in range(12)])
    for ending in (".npz", ".jsonl", ".safetensors"):
        files.write(tmp_path / f"real{ending}", real)
        files.write(tmp_path / f"paths{ending}", paths)
    (tmp_path / "test.smi").write_text("CCO\nCC\nCCN\nc1ccccc1\nCCCC\nCO\nCN\n")
    (tmp_path / "made.txt").write_text("CCO\nCC\nC1CC\nc1ccccc1\nCCC\nCO\nCCO\n")
    (tmp_path / "made.csv").write_text("smiles\nCCO\nCF\n")
    return run


def found(done: Done) -> dict[str, float]:
    """Metric → value on all graphs, of rows on standard output."""
    return {row["metric"]: row["value"] for row in json.loads(done.stdout) if row["split"] == "all"}


def test_the_command_in_its_own_process(compare: Callable[..., Done], tmp_path: Path) -> None:
    arguments = ["compare", "paths.npz", "--reference", "real.npz", *SHARES, "--json", "-"]
    done = subprocess.run(
        [sys.executable, "-m", "graphgauge.cli", *arguments],
        cwd=tmp_path, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert found(Done(done.stdout, done.stderr)) == {
        "valid": 1.0,
        "unique": 5 / 12,
        "novel": 1.0,
        "vun": 5 / 12,
    }
    assert done.stderr == ""


@pytest.mark.parametrize("ending", [".npz", ".jsonl", ".safetensors"])
def test_files_of_graphs(compare: Callable[..., Done], ending: str) -> None:
    done = compare(f"paths{ending}", "-r", "real.npz", *SHARES, "--json", "-")
    assert found(done)["unique"] == 5 / 12


def test_files_of_molecules(compare: Callable[..., Done]) -> None:
    done = compare("made.txt", "made.csv", "-r", "test.smi", *SHARES, "--json", "-")
    rows = row_files.loads(done.stdout)
    values = {(row.subject, row.metric): row.value for row in rows if row.split == "all"}
    assert values["made.txt", "valid"] == 6 / 7
    assert values["made.txt", "unique"] == 5 / 6
    assert values["made.txt", "novel"] == 1 / 6
    assert values["made.csv", "novel"] == 0.5
    assert done.stderr.splitlines() == ["notice: made.txt: 1 of 7 could not be read: graph 2: 'C1CC'"]
    done = compare("made.txt", "-r", "test.smi", *SHARES, "--metric", "logp_w1", "--json", "-", "--quiet")
    assert found(done)["logp_w1"] > 0
    assert done.stderr == ""


def test_a_table_for_people(compare: Callable[..., Done]) -> None:
    done = compare("paths.npz", "-r", "real.npz", *SHARES)
    assert "paths against real" in done.stdout
    assert "noise floor" in done.stdout
    assert done.stderr == ""
    both = compare("paths.npz", "real.jsonl", "-r", "real.npz", "-m", "wl_mmd2", *FEW)
    assert "Ranking against real" in both.stdout
    done = compare("paths.npz", "-r", "real.npz", *SHARES, "--json", "rows.json")
    assert "paths against real" in done.stdout


@pytest.mark.parametrize("form", ["csv", "latex", "markdown"])
def test_forms_of_the_table(compare: Callable[..., Done], form: str) -> None:
    done = compare("paths.npz", "-r", "real.npz", "-m", "valid,gin_fd", *FEW, "--format", form)
    if form == "csv":
        table = list(csv.DictReader(io.StringIO(done.stdout)))
        assert [line["metric"] for line in table] == ["gin_fd", "valid"]
        assert float(table[0]["value"]) > 0.0
        assert (table[1]["value"], table[1]["verdict"]) == ("", "not checked")
    else:
        assert {"latex": "\\begin{", "markdown": "|"}[form] in done.stdout
        assert "valid" in done.stdout


@pytest.mark.parametrize("form", ["rich", "csv", "latex", "markdown"])
def test_the_list_of_metrics(compare: Callable[..., Done], form: str) -> None:
    done = compare("--list", "--format", form)
    for name in METRICS:
        assert name in done.stdout.replace("\\_", "_").replace("\\", "")
    if form == "csv":
        table = {line["metric"]: line for line in csv.DictReader(io.StringIO(done.stdout))}
        assert list(table) == list(METRICS)
        assert table["gin_fd"]["definition"] == METRICS["gin_fd"].about
        assert table["gin_recall"]["better"] == "higher"


def test_metrics_by_name_and_group(compare: Callable[..., Done]) -> None:
    done = compare(
        "paths.npz", "-r", "real.npz", "-m", "kernels,gin_fd", "-m", "shares", *FEW, "--json", "-", "--quiet"
    )
    assert set(found(done)) == {*GROUPS["kernels"], "gin_fd", *GROUPS["shares"]}


def test_a_folder_with_everything(compare: Callable[..., Done], tmp_path: Path) -> None:
    done = compare(
        "paths.npz", "real.jsonl", "-r", "real.npz", "-m", "gin_mmd2_rbf,valid", *FEW, "--out", "out"
    )
    assert "report: out (rows.json, table.csv, table.md, table.tex" in done.stderr
    written = {file.name: file.stat().st_size for file in (tmp_path / "out").iterdir()}
    assert {"rows.json", "table.csv", "table.md", "table.tex", "map.png", "examples.pdf"} <= set(written)
    assert "distributions.svg" in written
    assert min(written.values()) > 100
    again = compare("out", command="report")
    assert again.stdout.rstrip("\n") == done.stdout.rstrip("\n")
    rows = compare("out", "--json", "-", command="report")
    assert row_files.loads(rows.stdout) == row_files.read(tmp_path / "out" / "rows.json")


def test_a_saved_reference(compare: Callable[..., Done], tmp_path: Path) -> None:
    options = ("-m", "wl_mmd2,gin_mmd2_rbf,unique", "--json", "-")
    first = compare("paths.npz", "-r", "real.npz", *FEW, *options, "--save", "real.e.safetensors")
    assert first.stderr == "saved: real.e.safetensors\n"
    again = compare("paths.npz", "-r", "real.e.safetensors", *options)
    assert found(again) == found(first)
    assert {row["params"]["reference"] for row in json.loads(again.stdout)} == {"real"}
    for arguments, message in (
        (("--seeds", "2"), "was saved with seeds=1, not 2"),
        (("--preset", "released"), "was saved with rounds=3, not 2"),
        (("--max-graphs", "5"), "was saved with 14 graphs; --max-graphs 5 needs the reference itself"),
        (("--valid", "tree"), "was saved with valid='every graph that could be read', not 'tree'"),
    ):
        done = compare("paths.npz", "-r", "real.e.safetensors", *options, *arguments, status=1)
        assert done.stderr == f"error: real.e.safetensors {message}\n"
    more = compare(
        "paths.npz", "-r", "real.e.safetensors", *options, "--max-graphs", "14", "--preset", "default"
    )
    assert found(more) == found(first)


def test_at_most_so_many_graphs(compare: Callable[..., Done]) -> None:
    done = compare("paths.npz", "-r", "real.npz", *SHARES, "--max-graphs", "5", "--json", "-")
    params = json.loads(done.stdout)[0]["params"]
    assert (params["generated_graphs"], params["reference_graphs"]) == (5, 5)


def test_a_check_and_an_encoder_from_the_folder(compare: Callable[..., Done], tmp_path: Path) -> None:
    (tmp_path / "mychecks_of_compare.py").write_text(
        "import torch\n"
        "def big(graphs):\n    return graphs.nodes_per_graph > 5\n"
        "def bad(graphs):\n    return torch.ones(3)\n"
        "class Degrees(torch.nn.Module):\n"
        "    def forward(self, graphs):\n        return graphs.degree[:, None].double() ** torch.arange(3)\n"
        "def fails(graphs):\n    return 1 / 0\n"
    )
    common = ("paths.npz", "-r", "real.npz", *FEW, "--json", "-")
    done = compare(*common, "-m", "valid", "--valid", "mychecks_of_compare:big")
    assert found(done) == {"valid": 0.5}
    done = compare(*common, "-m", "valid", "--valid", "mychecks_of_compare:bad", status=1)
    text = "error: reference: the validity check 'mychecks_of_compare:bad' must return one truth"
    assert done.stderr.startswith(text)
    done = compare(*common, "-m", "valid", "--valid", "mychecks_of_compare:fails", status=1)
    text = "error: reference: the validity check 'mychecks_of_compare:fails' raised ZeroDivisionError: "
    assert done.stderr == text + "division by zero (mychecks_of_compare.py, line 10)\n"
    done = compare(*common, "-m", "valid", "--valid", "mychecks_of_compare:none", status=1)
    assert done.stderr == "error: 'mychecks_of_compare:none': 'mychecks_of_compare' has no 'none'\n"
    done = compare(*common, "-m", "gin_fd", "--encoder", "mychecks_of_compare:Degrees")
    assert json.loads(done.stdout)[0]["params"]["encoder"] == "Degrees"
    done = compare(*common, "-m", "valid", "--valid", "tree")
    assert found(done) == {"valid": 1.0}


def test_rules(compare: Callable[..., Done], tmp_path: Path) -> None:
    loop = GraphSet.from_networkx([nx.Graph([(0, 0), (0, 1)])] * 3, self_loops="keep")
    files.write(tmp_path / "loop.jsonl", loop)
    common = ("loop.jsonl", "-r", "real.npz", *SHARES, "--json", "-")
    done = compare(*common, status=1)
    assert done.stderr.startswith(
        "error: generated: loop.jsonl: line 1: graph 0: edge (0, 0) is a self-loop; choose"
    )
    assert found(compare(*common, "--rule", "self_loops=drop"))["unique"] == 1 / 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("paths.npz", "give files of generated graphs and --reference FILE; --list shows the metrics"),
        ("-r real.npz", "give files of generated graphs and --reference FILE; --list shows the metrics"),
        ("absent.npz -r real.npz", "there is no file 'absent.npz'"),
        ("paths.npz -r absent.npz", "there is no file 'absent.npz'"),
        ("paths.npz @ -m nonsense", "no metric 'nonsense'; there are all, the groups"),
        ("paths.npz @ -m logp_w1", "logp_w1: it is for molecules"),
        ("paths.npz @ --format html", "no table format 'html'; there are rich"),
        ("paths.npz @ --max-graphs 0", "max_graphs must be a whole number of at least 1"),
        ("paths.npz @ --rule loops=drop", "--rule: no rule 'loops'; there are directed"),
        ("paths.npz @ --rule self_loops", "--rule wants NAME=VALUE"),
        ("paths.npz @ --valid round", "no validity check 'round'; there are connected"),
        ("paths.npz @ --labels some", "labels must be one of auto, none, got 'some'"),
        ("paths.npz @ --preset paper", "preset must be one of default, released"),
        ("paths.npz @ --node-column z", "the reference graphs have no node column 'z'"),
        ("paths.npz paths.npz @", "two generated sets are called 'paths.npz'; give them"),
        ("paths.npz @ --save e.txt", "e.txt: an evaluator is saved in a .safetensors"),
        ("cut.npz -r real.npz", "generated: cut.npz: "),
        ("no.smi -r test.smi", "generated: no holds no graphs, none of 2 could be read"),
    ],
)  # fmt: skip
def test_errors_are_one_line(compare, tmp_path, arguments, message) -> None:
    (tmp_path / "cut.npz").write_bytes((tmp_path / "paths.npz").read_bytes()[:-30])
    (tmp_path / "no.smi").write_text("C1CC\nnothing\n")
    done = compare(*arguments.replace("@", "-r real.npz").split(), status=1)
    assert done.stdout == ""
    assert done.stderr.startswith(f"error: {message}")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("option", ["--out", "--save"])
def test_a_folder_that_cannot_be_is_an_error_before_the_work(
    compare: Callable[..., Done], option: str
) -> None:
    where = "real.npz/out" if option == "--out" else "real.npz/out.safetensors"
    done = compare("nothing.npz", "-r", "nothing.npz", option, where, status=1)
    assert "real.npz is a file" in done.stderr
