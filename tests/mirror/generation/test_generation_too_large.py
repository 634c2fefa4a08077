"""Sets that are too large for a metric: it is left out with a notice, or named in an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphgauge.cli import main
from graphgauge.graphs import GraphSet, files
from graphgauge.instruments.generation import Evaluator
from graphgauge.instruments.generation.settings import Settings

QUICK = {"seeds": 1, "replicates": 2}


def paths(*sizes: int) -> GraphSet:
    return GraphSet.from_edges([[(i, i + 1) for i in range(n - 1)] for n in sizes])


@pytest.mark.filterwarnings("ignore::graphgauge.instruments.generation.evaluator.Notice")
def test_a_metric_of_a_group_is_left_out_and_the_others_are_computed() -> None:
    scores = Evaluator(paths(3, 4, 5), metrics="kernels", nspdk_most=40, **QUICK).score(paths(3, 12))
    assert set(scores.found["generated"]) == {"wl_mmd2"}
    (notice,) = [text for text in scores.notices if text.startswith("left out")]
    assert notice.startswith("left out: nspdk_mmd2: reference: graph 1 with its 4 nodes may have ")
    assert "NSPDK entries or more, and the set more than most=40" in notice


def test_a_metric_that_was_named_is_an_error() -> None:
    evaluator = Evaluator(paths(3, 4, 5), metrics="nspdk_mmd2", nspdk_most=10**4, **QUICK)
    assert evaluator.score(paths(3, 5))["nspdk_mmd2"] >= 0
    with pytest.raises(
        ValueError, match=r"nspdk_mmd2: generated: graph 1 with its 3000 nodes may have .* raise most"
    ):
        evaluator.score(paths(3, 3000))


def test_the_limit_of_5_node_subgraphs_is_such_an_error_too() -> None:
    star = GraphSet.from_edges([[(0, i) for i in range(1, 2000)]])
    with pytest.raises(
        ValueError, match=r"orbit5_mmd2_tv: generated: up to .* of them in graph 0, are more than most"
    ):
        Evaluator(paths(3, 4), metrics="orbit5_mmd2_tv", **QUICK).score(star)


def test_the_limit_is_no_part_of_what_was_measured() -> None:
    assert "nspdk_most" not in Settings().to_params()
    few, many = (
        Evaluator(paths(3, 4, 5), metrics="nspdk_mmd2", nspdk_most=most, **QUICK).score(paths(3, 6)).rows
        for most in (10**4, 10**9)
    )
    assert [(row.spec_id, row.value, row.definition) for row in few] == [
        (row.spec_id, row.value, row.definition) for row in many
    ]


@pytest.mark.parametrize("most", [0, 1.5, True])
def test_a_limit_is_a_whole_number(most: object) -> None:
    with pytest.raises(ValueError, match="nspdk_most must be a whole number of at least 1"):
        Settings(nspdk_most=most)  # type: ignore[arg-type]


def test_the_command_takes_the_limit(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, graphs in (("real", paths(3, 4, 5)), ("made", paths(3, 40))):
        files.write(tmp_path / f"{name}.npz", graphs)
    monkeypatch.chdir(tmp_path)
    said = {}
    for most, status in (("1000000", 0), ("200", 1)):
        arguments = f"compare made.npz -r real.npz -m nspdk_mmd2 --seeds 1 --replicates 2 --nspdk-most {most}"
        monkeypatch.setattr("sys.argv", ["graphgauge", *arguments.split()])
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == status
        said[most] = capfd.readouterr()
    assert "nspdk_mmd2" in said["1000000"].out
    assert said["200"].err.startswith(
        "error: nspdk_mmd2: generated (made): graph 1 with its 40 nodes may have "
    )
