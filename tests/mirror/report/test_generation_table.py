"""The generation table in all its formats."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from graphgauge import report
from graphgauge import rows as row_files
from graphgauge.cli.report import report as report_command
from graphgauge.report.generation.ranks import overall, rank
from graphgauge.report.generation.scores import make_blocks
from graphgauge.rows import Row

Factory = Callable[..., list[Row]]
FORMATS = ("rich", "csv", "latex", "markdown")
TWO, THREE = ("fast", "mid"), ("fast", "mid", "slow")


def read_csv(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def line_of(text: str, start: str) -> str:
    return next(line for line in text.splitlines() if line.strip().startswith(start))


def test_one_set_has_a_line_for_each_metric(generation_rows: Factory) -> None:
    rows = generation_rows(("mid",))
    text = report.table(rows)
    assert line_of(text, "↓ gin_frechet").split()[2:] == [
        "5.100", "±", "0.13", "(10)", "3.83", "…", "6.37", "8.500", "3.400", "±", "0.40", "worse", "×2.5",
    ]  # fmt: skip
    assert line_of(text, "graphs").split() == ["graphs", "100", "–", "–", "–", "–"]
    assert "worse: 0.8 < 1" in line_of(text, "↑ valid")
    names = [line.split()[1] for line in text.splitlines() if line[:1] in "↑↓" and line]
    assert names == list(dict.fromkeys(r.metric for r in rows if r.higher_is_better is not None))


@pytest.mark.parametrize("subjects", [("fast",), TWO, THREE])
@pytest.mark.parametrize("n", [20, 10_000])
def test_fits_120_columns(generation_rows: Factory, subjects: tuple[str, ...], n: int) -> None:
    text = report.table(generation_rows(subjects, n=n, half_graphs=n // 2))
    assert max(map(len, text.splitlines())) <= 120
    assert "…" not in text.replace(" … ", "")


def test_three_sets_of_small_numbers_fit_120_columns(generation_rows: Factory) -> None:
    rows = [
        replace(r, value=r.value * 1e-6, spread=r.spread and r.spread * 1e-6) if r.split != "rank" else r
        for r in generation_rows(THREE)
    ]
    text = report.table(rows)
    assert max(map(len, text.splitlines())) <= 120


def test_several_sets_are_ranked_then_valued(generation_rows: Factory) -> None:
    text = report.table(generation_rows(TWO))
    ranks, values = text.split("Values against grid")
    assert ranks.startswith("Ranking against grid")
    assert "fast 1.02 ± 0.14  mid 1.99 ± 0.14     98 %" in line_of(ranks, "↓ gin_frechet")
    assert line_of(ranks, "all metrics").split() == ["all", "metrics", "fast", "1.02", "mid", "1.99"]
    assert "500 rankings" in ranks
    assert line_of(values, "↓ gin_frechet").split()[2:4] == ["★=", "2.040"]
    assert line_of(values, "graphs").split() == ["graphs", "100", "100"]


def test_share_of_wins_only_where_it_follows(generation_rows: Factory) -> None:
    assert "best in" not in report.table(generation_rows(THREE))
    always = [replace(r, value=1.0) if r.subject == "fast" and r.split == "rank" else r
              for r in generation_rows(THREE)]  # fmt: skip
    assert "100 %" in report.table(always)


def test_marks_of_the_best_and_of_those_near_it(generation_rows: Factory) -> None:
    rows = generation_rows(("near", "fast", "slow"))
    block = make_blocks([r for r in rows if r.split != "rank"])[0]
    order = rank(block.of("degree_mmd2"))
    assert order is not None
    assert [s.subject for s in order.scores] == ["fast", "near", "slow"]
    assert [order.mark(s) for s in order.scores] == ["best", "within noise", ""]
    assert [r.mean for r in order.ranks] == [1, 2, 3]
    share = rank(block.of("gin_coverage"))  # higher is better
    assert share is not None
    assert [s.subject for s in share.scores] == ["fast", "near", "slow"]


def test_a_tie_has_no_best_and_counts_for_nobody(generation_rows: Factory) -> None:
    rows = generation_rows(("one", "two"))  # two sets as good as the reference
    rows = [r for r in rows if r.split != "rank"]
    block = make_blocks(rows)[0]
    order = rank(block.of("valid"))
    assert order is not None
    assert order.tied
    assert [r.mean for r in order.ranks] == [1.5, 1.5]
    assert [order.mark(s) for s in order.scores] == ["within noise", "within noise"]
    ranking, values = report.table(rows).split("Values against grid")
    assert line_of(ranking, "↑ valid").split() == ["↑", "valid", "tied"]
    assert "★" not in line_of(values, "↑ valid")
    assert "left out of all metrics" in ranking
    lines = report.ranking(rows).splitlines()
    assert "grid, valid: tied (one, two)" in lines
    assert overall(block, [order]) == []


def test_equal_mean_ranks_of_unlike_rankings_are_no_tie(generation_rows: Factory) -> None:
    rows = [replace(r, value=1.5, spread=0.5) if r.split == "rank" else r for r in generation_rows(TWO)]
    order = rank(make_blocks(rows)[0].of("gin_frechet"))
    assert order is not None
    assert not order.tied


def with_wins(rows: list[Row], shares: dict[str, float]) -> list[Row]:
    """In which share of the half-samples each set wins."""
    more = [
        replace(r, split="best in half-samples", value=shares[r.subject], unit="fraction",
                higher_is_better=True)
        for r in rows if r.split == "rank"
    ]  # fmt: skip
    return [*rows, *more]


def test_the_star_stands_at_the_best_printed_value_with_its_share_of_wins(generation_rows: Factory) -> None:
    rows = [  # by its half-samples "mid" is the first, by its value "fast"
        replace(r, value=3.0 - r.value) if r.split == "rank" else r for r in generation_rows(TWO)
    ]
    ranking, values = report.table(with_wins(rows, {"fast": 0.02, "mid": 0.98})).split("Values against grid")
    assert line_of(ranking, "↓ gin_frechet").split()[2] == "mid"
    assert line_of(ranking, "↓ gin_frechet").split()[-2:] == ["98", "%"]
    assert "★= 2.040" in line_of(values, "↓ gin_frechet")
    assert line_of(values, "↓ gin_frechet").split()[-2:] == ["2", "%"]
    for line in report.table(rows, "csv").splitlines()[1:]:
        assert "best" not in line or ",mid," not in line


def test_sets_of_unlike_sizes_are_told(generation_rows: Factory) -> None:
    rows = generation_rows(TWO)
    assert "differ in size" not in report.table(rows)
    smaller = [
        replace(r, params={**r.params, "generated_graphs": 30}) if r.subject == "mid" else r for r in rows
    ]
    assert "The sets differ in size" in report.table(smaller)


def test_heads_tell_how_many_graphs_a_number_has_seen(generation_rows: Factory) -> None:
    rows = generation_rows(("fast",), half_graphs=30)
    heads = " ".join(report.table(rows).split("───")[0].split())
    assert "value, 100 vs 100" in heads
    assert "30 vs 50 30 vs 50 ± sd" in heads
    unknown = report.table([replace(r, params={}) for r in rows]).split("───")[0]
    assert unknown.split()[1:5] == ["value", "95", "%", "half"]
    (record, *_) = read_csv(report.table(rows, "csv"))
    assert record["half_graphs"] == "30.0"


def test_overall_is_the_mean_over_metrics_that_all_sets_have(generation_rows: Factory) -> None:
    rows = [r for r in generation_rows(TWO) if not (r.subject == "mid" and r.metric == "valid")]
    rows = [replace(r, value=2.0) if (r.subject, r.metric, r.split) == ("fast", "unique", "rank") else r
            for r in rows]  # fmt: skip
    block = make_blocks(rows)[0]
    found = dict(overall(block, [o for m in block.metrics if (o := rank(block.of(m)))]))
    assert found["fast"] == pytest.approx((9 * 1.02 + 2.0) / 10)
    assert report.ranking(rows).splitlines()[-1] == f"grid, all metrics: fast {found['fast']:.2f}, mid 1.99"


def test_columns_of_single_sets(generation_rows: Factory) -> None:
    rows = generation_rows(TWO)
    text = report.table(rows, "markdown", columns="value,needs")
    assert "**fast against grid**" in text
    assert "| ↓ gin\\_frechet | 2.040 ± 0.050 (10) | 500 |" in text
    assert "squared distance" in report.table(rows, columns="all")
    with pytest.raises(ValueError, match="no column 'most'; there are main, all, value, interval"):
        report.table(rows, columns="most")


def test_csv_holds_everything_unrounded(generation_rows: Factory) -> None:
    rows = generation_rows(THREE, n=20)
    records = {(r["metric"], r["subject"]): r for r in read_csv(report.table(rows, "csv"))}
    assert len(records) == len({(r.metric, r.subject) for r in rows})
    for row in rows:
        record = records[row.metric, row.subject]
        name = {"half-samples": "half", "reference halves": "floor", "rank": "rank"}.get(row.split)
        if name:
            assert float(record[name]) == row.value
            assert float(record[f"{name}_sd"]) == row.spread
            assert int(record[f"{name}_n"]) == row.n
    found = records["gin_frechet", "slow"]
    (mean,) = report.summarise(
        (r for r in rows if (r.subject, r.metric, r.split) == ("slow", "gin_frechet", "all")), by=("metric",)
    )
    assert (float(found["value"]), float(found["value_sd"]), found["value_seeds"]) == (
        mean.mean,
        mean.sd,
        "10",
    )
    assert (found["code"], found["verdict"]) == ("worse", "worse than the reference, ×12 its noise floor")
    assert found["warning"] == "n = 20: paper C finds that this metric needs 500 graphs"
    assert (found["reference"], found["unit"], found["needs"]) == ("grid", "squared distance", "500.0")


def test_warnings_are_told_once_with_their_source(generation_rows: Factory) -> None:
    text = report.table(generation_rows(TWO, n=20))
    assert (
        "⚠ n = 20 (fast, mid): paper C finds that more graphs are needed by gin_mmd2_rbf (42), "
        "gin_mmd2_linear (42), gin_frechet (500), gin_coverage (79)."
    ) in " ".join(text.split())
    assert text.count("Thompson et al.") == 1
    assert "⚠" not in report.table(generation_rows(TWO, n=1000))


def test_graphs_that_were_not_scored_are_told(generation_rows: Factory) -> None:
    rows = generation_rows(("fast",))
    assert "Graphs: 100 in grid, 100 in fast." in report.table(rows)
    assert "100 in fast (of 120 given)." in report.table(generation_rows(("fast",), listed=120))


def test_unlike_runs_have_tables_of_their_own(generation_rows: Factory) -> None:
    rows = generation_rows(("fast",), neighbours=5) + generation_rows(("fast",), neighbours=3)
    assert [block.title for block in make_blocks(rows)] == ["grid, neighbours 3", "grid, neighbours 5"]
    references = generation_rows(("fast",)) + generation_rows(("fast",), reference="ego")
    assert [block.title for block in make_blocks(references)] == ["ego", "grid"]
    seeds = [replace(r, params={**r.params, "gin_seed": r.seed}) for r in generation_rows(("fast",))]
    assert len(make_blocks(seeds)) == 1


def test_unknown_metrics_and_splits_are_lines_too(generation_rows: Factory) -> None:
    rows = [r for r in generation_rows(("fast",)) if r.metric == "valid"]
    odd = replace(rows[0], metric="my_number", value=3.25, higher_is_better=None)
    text = report.table([*rows, odd, replace(odd, split="train")])
    assert "3.25" in line_of(text, "my_number")
    assert "my_number, train" in text


def test_replicates_of_several_seeds_are_pooled(generation_rows: Factory) -> None:
    (half,) = [r for r in generation_rows() if (r.metric, r.split) == ("gin_frechet", "half-samples")]
    both = [replace(half, value=3.0, spread=3.0, seed=0), replace(half, value=5.0, spread=4.0, seed=1)]
    found = make_blocks(both)[0].scores["gin_frechet", "fast"].half
    assert found is not None
    assert (found.mean, found.n) == (4.0, half.n)
    assert found.sd == pytest.approx(math.sqrt(12.5))


def test_nan_is_shown_and_never_best(generation_rows: Factory) -> None:
    rows = [replace(r, value=math.nan) if r.subject == "fast" else r for r in generation_rows(TWO)]
    text = report.table(rows)
    assert "nan" in text
    assert "★" not in line_of(text.split("Values")[1], "↓ degree_mmd2").split("nan")[0]
    assert report.table([replace(r, value=math.nan) for r in rows])


@pytest.mark.parametrize("format", FORMATS)
def test_partial_rows(generation_rows: Factory, format: str) -> None:
    for subjects in (("fast",), TWO):
        rows = generation_rows(subjects)
        for split in ("all", "half-samples", "reference halves", "rank"):
            assert report.table([r for r in rows if r.split != split], format)
            assert isinstance(report.table([r for r in rows if r.split == split], format), str)


@pytest.mark.parametrize("subjects", [("fast",), THREE])
def test_latex_is_balanced_and_escaped(generation_rows: Factory, subjects: tuple[str, ...]) -> None:
    text = report.table(generation_rows(subjects, n=20), "latex")
    assert text.count("{") == text.count("}")
    assert (
        text.count(r"\begin{table}")
        == text.count(r"\end{table}")
        == (1 if len(subjects) == 1 else 2 + len(subjects))
    )
    assert text.isascii()
    assert r"gin\_mmd2\_rbf" in text
    if len(subjects) > 1:
        assert r"\textbf{fast 1.02" in text


def test_markdown_has_as_many_cells_in_every_line_of_a_table(generation_rows: Factory) -> None:
    text = report.table(generation_rows(THREE), "markdown")
    parts = text.split("\n**")
    assert len(parts) == 2 + len(THREE)
    for part in parts:
        lines = [line for line in part.splitlines() if line.startswith("|")]
        assert len({line.count("|") for line in lines}) == 1


def test_rows_of_two_instruments_have_a_table_each(generation_rows: Factory) -> None:
    other = Row("1", "alignment", "gcn", "accuracy", 0.75, "fraction", True, "d", 1, 0, "val",
                params={"dataset": "er", "noise": 0.08})  # fmt: skip
    rows = [*generation_rows(), other]
    text = report.table(rows)
    assert text.index("gcn") < text.index("fast against grid")
    assert report.ranking(rows).startswith("er, noise 8 %: gcn 75.0\ngrid, ")


def test_ranking_of_one_set_is_its_verdicts(generation_rows: Factory) -> None:
    lines = report.ranking(generation_rows(("slow",))).splitlines()
    assert "grid, gin_frechet: slow 24.48, worse than the reference, ×12 its noise floor" in lines


def test_report_command_reads_a_file_of_rows(
    generation_rows: Factory, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = generation_rows(TWO)
    row_files.write(tmp_path / "rows.json", rows)
    report_command(tmp_path / "rows.json", format="markdown")
    assert capsys.readouterr().out.rstrip("\n") == report.table(rows, "markdown").rstrip("\n")


def test_wins_are_shown_where_rows_tell_them(generation_rows: Factory) -> None:
    rows = generation_rows(THREE)
    wins = [
        replace(r, split=split, value=value, n=n, unit="fraction", higher_is_better=True)
        for r in rows
        if r.subject == "fast" and r.split == "rank"
        for split, value, n in (("best in half-samples", 0.9, 50), ("best over networks", 0.8, 5))
    ]
    line = line_of(report.table([*rows, *wins]), "↓ gin_frechet")
    assert line.split()[-3:] == ["90", "%", "4/5"]


def test_every_set_has_its_floors_and_verdicts_and_their_meaning_stands_once(
    generation_rows: Factory,
) -> None:
    text = report.table(generation_rows(THREE))
    for subject in THREE:
        assert f"{subject} against grid" in text
    assert text.count("noise floor:") == 1
