"""The generation table: one set against its reference, or several sets ranked and side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import compress

from graphgauge.report.formats import BEST, MARKS, Cell, Grid, Head, check_format, csv_text, grid_text
from graphgauge.report.generation.columns import ABSENT, ARROWS, FIELDS, choose, named, record, value
from graphgauge.report.generation.ranks import Ranked, overall, ranked, within_noise
from graphgauge.report.generation.scores import Block, Score, make_blocks, sizes
from graphgauge.report.numbers import number
from graphgauge.report.summary import Summary
from graphgauge.rows import Row

METRIC = Head("metric", is_text=True, folds=True)
PAPER_C = "Paper C: Thompson et al., On Evaluation Metrics for Graph Generative Models, ICLR 2022."
FIRST_TOLD = "best in: share of the rankings that the first wins (a tie is shared)."
NETWORKS_TOLD = (
    "networks: for how many random networks it is the best, by values on all graphs (ties shared)."
)
TIES_TOLD = "tied: no ranking tells these sets apart; such metrics are left out of all metrics."
NOT_CHECKED = "not checked: no validity check was chosen, so that every graph that could be read is valid."
SAME = "="  # the mark of a value that is indistinguishable from the reference


def table(
    rows: Iterable[Row],
    format: str = "rich",
    *,
    columns: str | Sequence[str] | None = None,
    width: int = 120,
    colour: bool = False,
) -> str:
    """For each reference: a line for each metric of a generated set; several sets are ranked first.

    One set: its value with a 95 % interval, the noise floor of the reference, and the verdict (`verdicts`).
    Several: for each metric the sets best first with mean rank ± standard deviation over seeds and
    half-samples, and the mean over all metrics; then the values side by side, ★ the best value, beside it the
    share of the rankings that this set wins, ≈ within noise of it (`verdicts.alike`), = indistinguishable
    from the reference; then the lines of every single set, with floors and verdicts. Runs against one
    reference that differ in a setting get tables of their own.

    Parameters
    ----------
    rows : rows of the generation instrument, any number of seeds and sets; what is missing is left out
    format : "rich" (text for a terminal), "csv" (a record for each set and metric, everything, unrounded),
        "latex" (booktabs) or "markdown"
    columns : "main", "all" or names of columns ("a,b" or a list) of the tables of single sets
    width, colour : of the terminal, for "rich" ("all" columns take the width they need)

    Examples
    --------
    >>> make = lambda split, value, spread, n: Row(
    ...     "1", "generation", "fast", "gin_mmd2_rbf", value, "MMD²", False, "", n, 0, split, spread,
    ...     params={"reference": "grid"},
    ... )
    >>> rows = [make("all", 0.13, None, 20), make("half-samples", 0.14, 0.02, 100)]
    >>> rows.append(make("reference halves", 0.010, 0.002, 100))
    >>> print(table(rows, "markdown", columns="value,verdict").splitlines()[4])
    | ↓ gin\\_mmd2\\_rbf | 0.1300 | worse ×14 |
    """
    check_format(format)
    blocks = make_blocks(rows)
    if format == "csv":
        records = [found for block in blocks for found in _records(block)]
        return csv_text(records, FIELDS)
    wide = None if columns == "all" else width
    grids = [grid for block in blocks for grid in _grids(block, columns)]
    return "\n".join(grid_text(grid, format, width=wide, colour=colour) for grid in grids)


def ranking(rows: Iterable[Row]) -> str:
    """One line for each reference and metric: the sets best first with mean ranks, or the verdict of one set.

    Two sets have "≈" between them where their values are within noise (`verdicts.alike`), else ">"; where no
    ranking tells any two apart, the sets are "tied".

    >>> make = lambda name, value: Row(
    ...     name, "generation", name, "novel", value, "fraction", True, "", 20, 0, "all",
    ...     params={"reference": "grid"},
    ... )
    >>> print(ranking([make("slow", 0.75), make("fast", 0.9)]))
    grid, novel: fast 1.00 > slow 2.00
    grid, all metrics: fast 1.00, slow 2.00
    """
    return "\n".join(line for block in make_blocks(rows) for line in _ranking(block))


def _ranking(block: Block) -> list[str]:
    place = f"{block.title}, " if block.title else ""
    if len(block.subjects) == 1:
        found = [score for score in block.about(block.subjects[0]) if score.higher_is_better is not None]
        return [f"{place}{s.metric}: {s.subject} {_outcome(s)}" for s in found]
    orders = ranked(block)
    lines = [f"{place}{one.metric}: {_order(one)}" for one in orders]
    means = ", ".join(f"{subject} {mean:.2f}" for subject, mean in overall(block, orders))
    return [*lines, f"{place}all metrics: {means}"] if means else lines


def _outcome(score: Score) -> str:
    return f"{number(score.value)}, {score.verdict.text}" if score.checked else score.verdict.text


def _order(one: Ranked) -> str:
    if one.tied:
        return f"tied ({', '.join(score.subject for score in one.scores)})"
    text = ""
    for before, score, place in zip([None, *one.scores], one.scores, one.ranks, strict=False):
        if before is not None:
            text += " ≈ " if within_noise(before, score) else " > "
        text += f"{score.subject} {_rank(place)}"
    return text


def _rank(place: Summary) -> str:
    return f"{place.mean:.2f}" + ("" if place.sd is None else f" ± {place.sd:.2f}")


def _grids(block: Block, columns: str | Sequence[str] | None) -> list[Grid]:
    """The tables of one reference; the last carries the warnings."""
    grids = [_single(block, subject, columns or "main") for subject in block.subjects]
    if len(block.subjects) > 1:
        orders = ranked(block)
        grids = [*([_ranks(block, orders)] if orders else []), _values(block, orders), *grids]
    # What the columns of single sets mean stands once, below the last.
    grids = [replace(g, notes=[]) if g.notes == grids[-1].notes and g is not grids[-1] else g for g in grids]
    last = grids[-1]
    below = [*last.notes, *filter(None, [sizes(block)]), *_warnings(block)]
    return [*grids[:-1], Grid(last.heads, last.sections, below, last.title)]


def _single(block: Block, subject: str, columns: str | Sequence[str]) -> Grid:
    scores = block.about(subject)
    chosen = choose(scores, columns)
    lines = [[Cell(named(score)), *(Cell(column.show(score)) for column in chosen)] for score in scores]
    heads = [METRIC, *(column.headed(scores) for column in chosen)]
    notes = [column.note for column in chosen if column.note]
    if not all(score.checked for score in scores):
        notes.append(NOT_CHECKED)
    against = f" against {block.title}" if block.title else ""
    return Grid(heads, [lines], notes, f"{subject}{against}")


def _ranks(block: Block, orders: Sequence[Ranked]) -> Grid:
    """For each metric the sets best first, and the mean over all metrics in a section of its own."""
    width = max(len(one.scores) for one in orders)
    shares = [_share(one) for one in orders]
    seeds = [_over_networks(one) for one in orders]
    lines = [
        [Cell(named(one.scores[0])), *_places(one, width), Cell(share), Cell(seed)]
        for one, share, seed in zip(orders, shares, seeds, strict=True)
    ]
    means = [Cell(f"{subject} {mean:.2f}") for subject, mean in overall(block, orders)]
    total = [[Cell("  all metrics"), *means, *[Cell("")] * (width - len(means) + 2)]] if means else []
    places = [Head(f"{i + 1}.", is_text=True, folds=True) for i in range(width)]
    heads = [METRIC, *places, Head("best in"), Head("networks")]
    counts = {place.n for one in orders for place in one.ranks}
    n = max(counts)
    many = f"{n:,}" if len(counts) == 1 else f"up to {n:,}"
    notes = [
        f"Sets best first, with mean rank ± standard deviation over {many} rankings (seeds × half-samples)."
        if n > 1
        else "Sets best first by their values; no half-samples were ranked.",
        *(["all metrics: mean of the mean ranks, every metric alike, related ones too."] if means else []),
        *([TIES_TOLD] if any(one.tied for one in orders) else []),
        *([FIRST_TOLD] if set(shares) != {ABSENT} else []),
        *([NETWORKS_TOLD] if set(seeds) != {ABSENT} else []),
    ]
    kept = [True] * (width + 1) + [set(shares) != {ABSENT}, set(seeds) != {ABSENT}]
    heads = list(compress(heads, kept))
    lines, total = ([list(compress(line, kept)) for line in part] for part in (lines, total))
    sections = [lines, total] if total else [lines]
    return Grid(heads, sections, notes, f"Ranking against {block.title or 'the reference'}")


def _places(one: Ranked, width: int) -> list[Cell]:
    if one.tied:
        return [Cell("tied"), *[Cell("")] * (width - 1)]
    cells = [Cell(f"{s.subject} {_rank(r)}") for s, r in zip(one.scores, one.ranks, strict=True)]
    return [Cell(cells[0].text, BEST, bold=True), *cells[1:], *[Cell("")] * (width - len(cells))]


def _share(one: Ranked) -> str:
    if one.best_share is None or one.ranks[0].n < 2 or one.tied:
        return ABSENT
    return _percent(one.best_share)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _over_networks(one: Ranked) -> str:
    wins = one.scores[0].seed_wins
    return ABSENT if wins is None or wins.n < 2 or one.tied else f"{wins.mean * wins.n:g}/{wins.n}"


def _star_wins(one: Ranked | None) -> str:
    """In which share of the rankings of half-samples the one set with the best value is the best."""
    if one is None or one.tied or len(one.best) != 1:
        return ABSENT
    wins = one.best[0].half_wins
    return ABSENT if wins is None or wins.n < 2 else _percent(wins.mean)


def _values(block: Block, orders: Sequence[Ranked]) -> Grid:
    by_metric = {one.metric: one for one in orders}
    wins = {metric: _star_wins(by_metric.get(metric)) for metric in block.metrics}
    told = set(wins.values()) != {ABSENT}
    lines = []
    for metric in block.metrics:
        arrow = ARROWS[block.of(metric)[0].higher_is_better]
        cells = [_value(block.scores.get((metric, s)), by_metric.get(metric)) for s in block.subjects]
        lines.append([Cell(f"{arrow} {metric}"), *cells, *([Cell(wins[metric])] if told else [])])
    heads = [METRIC, *(Head(f"{s}\n± sd over seeds (n)") for s in block.subjects)]
    notes = [
        f"Values on all graphs. {MARKS[BEST]} the best value, ≈ within noise of it (95 % of the difference) "
        f"or all equal, {SAME} indistinguishable from the reference at this sample size. ↑ higher is better, "
        "↓ lower.",
    ]
    if told:
        heads.append(Head(f"{MARKS[BEST]}\nbest in"))
        notes.append(
            f"{MARKS[BEST]} best in: share of the rankings of half-samples that the set with the best value "
            "wins. Below a half it is no difference to build on."
        )
    if _unlike_sizes(block):
        notes.append(
            "The sets differ in size, and most distances are smaller for the larger one. The ranking is of "
            "half-samples, which are of one size in one comparison."
        )
    return Grid(heads, [lines], notes, f"Values against {block.title or 'the reference'}")


def _unlike_sizes(block: Block) -> bool:
    return len({score.generated for score in block.scores.values() if score.generated is not None}) > 1


def _value(score: Score | None, order: Ranked | None) -> Cell:
    """The marks stand before the number: its place among the sets, then whether it equals the reference."""
    if score is None:
        return Cell(ABSENT)
    mark = order.mark(score) if order else ""
    marks = f"{MARKS[mark].strip()}{SAME if score.verdict.code == 'same' else ''}"
    return Cell(f"{marks} {value(score)}".strip(), mark, bold=mark == BEST)


def _warnings(block: Block) -> list[str]:
    """A line for each number of graphs that is too small, with the sets and the metrics it is about."""
    found: dict[float, tuple[dict[str, None], dict[str, float]]] = {}
    for metric in block.metrics:
        for score in block.of(metric):
            if score.warning and score.needs is not None:
                subjects, metrics = found.setdefault(score.fewest, ({}, {}))
                subjects[score.subject] = None
                metrics[metric] = score.needs
    lines = [
        f"⚠ n = {number(fewest)} ({', '.join(subjects)}): paper C finds that more graphs are needed by "
        + ", ".join(f"{metric} ({number(needs)})" for metric, needs in metrics.items())
        + "."
        for fewest, (subjects, metrics) in sorted(found.items())
    ]
    return [*lines, PAPER_C] if lines else []


def _records(block: Block) -> list[dict[str, object]]:
    by_metric = {one.metric: one for one in ranked(block)}
    records = []
    for metric in block.metrics:
        order = by_metric.get(metric)
        places = dict(zip([s.subject for s in order.scores], order.ranks, strict=True)) if order else {}
        for score in block.of(metric):
            mark = order.mark(score) if order else ""
            place = places.get(score.subject, score.rank)
            records.append(record(score, block.reference, block.settings, mark, place))
    return records
