"""From results to `report.md`, with a CSV file and a picture for each figure."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from math import sqrt

import attrs

from ssdsim.metrics.result import Result

from ...study.former.claims import RULES, Comparison, comparison_table, over_seeds
from ...study.former.report import Output
from ...study.measures import traffic
from ...study.tables import Row, markdown, number, table
from . import measures
from .measures import SPEEDS, Grid
from .systems import COMBINED, REORDERED, SYSTEMS

COURSES = ["baseline", "sU", "sLF", "sQD+sU", "sQD+sUB"]
"""Systems shown over time (Fig. 16) and over several rounds (Fig. 17)."""


@attrs.frozen
class Study:
    """Everything that was run."""

    grids: Sequence[Grid]
    """The systems under the workloads, by seed; pieces of real traces under the first one only."""
    blind: Sequence[Result]
    """Fig. 6: writes of 1, 2, 3, ... pages."""
    rounds: Sequence[Mapping[str, Result]]
    """Fig. 17: systems under tMSFS several times over, by seed."""
    full: Grid
    """One workload at the paper's size."""
    arrivals: Mapping[str, Grid]
    """Some workloads with the arrivals of every piece, by the workload's name."""
    repeated: Mapping[str, Result]
    """tMSFS several times over with those, by piece and system."""
    scale: Fraction
    blocks: int
    seed: int

    @property
    def grid(self) -> Grid:
        """What was run under the first seed."""
        return self.grids[0]

    def held(self, claims: Callable[[Grid], Iterable[Comparison]]) -> list[Comparison]:
        """Return claims about a grid, held against the paper over all seeds."""
        return over_seeds(claims(grid) for grid in self.grids)


def setup(study: Study) -> str:
    """Say what was run under what."""
    seeds = len(study.grids)
    text = (
        "# PA-SSD: the paper's experiments\n\n"
        f"Made by `python -m {__package__} --scale {study.scale} --seed {study.seed} --seeds {seeds}`. The device is "
        f"that of the paper's Table 1, with {study.blocks} of its 384 blocks a plane; the workloads of Table 2 send it "
        f"{study.scale} of their requests at their own rate, so that pages of a type run out at the same point of a "
        "trace. With few blocks a plane, more of them are spare and collection is urgent earlier, as it needs two free "
        "ones to work with (`config.yaml` of each run). A workload called synthetic has the counts, sizes and shares "
        "of Table 2, and arrivals fitted to pieces of real traces by a rule that was stated before they were run; it "
        "is not the trace of that name. `experiments/papers/pa_ssd/workloads.py` says how each was made, and "
        "`python -m experiments.arrivals` holds the arrivals against the pieces. A real trace is cut to the part that "
        "is most like the whole. Pieces of real traces are run whole.\n\n"
        f"Workload, device and each scheme are drawn anew under each of {seeds} seeds. Tables of workloads and "
        f"pictures show the first seed; claims of the paper stand beside the mean over all.\n\n{RULES}\n"
    )
    rows = [_load(study.grid, name) for name in study.grid.loads]
    return text + table(rows)


def _load(grid: Grid, name: str) -> Row:
    summary = grid.summary(name, "baseline")
    return {
        "workload": name,
        "": grid.loads[name].kind,
        **traffic(summary),
        "pages written, % of the device's": 100 * summary["host_page_writes"] / grid.loads[name].pages,
    }


def figure_6(study: Study, out: Output) -> str:
    """Fast, medium and slow writes where page types are blind."""
    rows = [_blind_row(pages, result) for pages, result in enumerate(study.blind, 1)]
    out.csv("fig06", rows)
    outside = [
        f"{speed} at {row['pages']}"
        for row in rows
        for speed in SPEEDS
        if not row[f"{speed}_low"] <= row[f"{speed}_form"] <= row[f"{speed}_high"]
    ]
    cell = "{0[%s_form]:.2f} / {0[%s]:.2f} [{0[%s_low]:.2f}, {0[%s_high]:.2f}]"
    shown = [[row["pages"], *((cell % ((speed,) * 4)).format(row) for speed in SPEEDS)] for row in rows]
    return (
        "## Fig. 6: fast, medium and slow writes where page types are blind\n\n"
        "Aligned writes at random places of the baseline, in percent: closed form / simulated [95 percent interval]. "
        "They go to a twentieth of the device, so that collection finds blocks without valid pages: moved pages would "
        "take turns of their own in the active block, which the closed forms do not know.\n\n"
        + markdown(["pages", *SPEEDS], shown)
        + f"\nOf the {3 * len(rows)} closed forms {3 * len(rows) - len(outside)} lie in the interval of the simulation"
        + (f"; not so {', '.join(outside)}" if outside else "")
        + ".\n\n"
        + out.picture("fig06", rows)
    )


def _blind_row(pages: int, result: Result) -> Row:
    types, writes = result.summary["page_types"], result.summary["requests"]["write"]["count"]
    row: Row = {"pages": pages}
    for speed, form in zip(SPEEDS, measures.closed_forms(pages), strict=True):
        low, high = interval(types[speed], writes)
        row |= {speed: 100 * types[speed], f"{speed}_low": 100 * low, f"{speed}_high": 100 * high}
        row[f"{speed}_form"] = 100 * form
    return row


def interval(share: float, count: int) -> tuple[float, float]:
    """Return Wilson's 95 percent interval of a probability, from the share seen in `count` trials."""
    z = 1.96
    middle = share + z * z / (2 * count)
    spread = z * sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return (middle - spread) / (1 + z * z / count), (middle + spread) / (1 + z * z / count)


def figure_13(study: Study, op: str, out: Output) -> str:
    """Mean response times over the baseline's."""
    grid, name = study.grid, {"write": "fig13a", "read": "fig13b"}[op]
    systems = [system for system in SYSTEMS if system != "baseline"]
    rows = []
    for workload in grid.loads:
        base = grid.response(workload, "baseline", op)
        if base is not None:
            ratios = {system: _ratio(grid.reduction(workload, system, op)) for system in systems}
            rows.append({"workload": workload, "baseline ms": base / 1000, **ratios})
    out.csv(name, rows)
    shown = [list(row.values()) for row in rows]
    shown.append(["average of the paper's", "", *(_ratio(grid.mean_reduction(system, op)) for system in systems)])
    return (
        f"## Fig. 13{name[-1]}: mean {op} response time over the baseline's\n\n"
        + markdown(["workload", "baseline ms", *systems], shown)
        + "\n"
        + out.picture(name, rows)
        + comparison_table(study.held(lambda grid: measures.response_comparisons(grid, op)))
        + ("\n" + comparison_table(study.held(measures.order_comparisons)) if op == "write" else "")
    )


def _ratio(reduction: float | None) -> float | None:
    return None if reduction is None else 1 - reduction / 100


def figure_14(study: Study, out: Output) -> str:
    """Fast, medium and slow writes of tDAP."""
    if "tDAP" not in study.grid.loads:
        return ""
    rows: list[Row] = [
        {"system": name, **measures.write_shares(study.grid, "tDAP", name)} for name in SYSTEMS if name != "SLC mode"
    ]
    out.csv("fig14", rows)
    return (
        "## Fig. 14: fast, medium and slow writes of tDAP\n\n"
        + markdown(["percent", *SPEEDS], [row.values() for row in rows])
        + "\n"
        + out.picture("fig14", [row for row in rows if not row["system"].endswith("+PAS")])
        + comparison_table(study.held(measures.share_comparisons))
    )


def figure_15(study: Study, out: Output) -> str:
    """How often a sub-request got the page type specified for it."""
    systems = [*COMBINED, *(f"{name}+PAS" for name in REORDERED)]
    rows: list[Row] = [
        {"workload": name, **{system: measures.success(study.grid, name, system) for system in systems}}
        for name in study.grid.loads
    ]
    out.csv("fig15", rows)
    return (
        "## Fig. 15: sub-requests given the page type specified\n\n"
        + markdown(["percent", *systems], [row.values() for row in rows])
        + "\n"
        + out.picture("fig15", rows)
        + comparison_table(study.held(measures.success_comparisons))
    )


def table_3(study: Study, out: Output) -> str:
    """By how much PAS lowers the write response time."""
    grid = study.grid
    rows: list[Row] = [{"workload": name, **measures.pas_reductions(grid, name)} for name in grid.loads]
    out.csv("table3", rows)
    held = {each.what: each for each in study.held(measures.pas_cells)}
    out.csv("table3_claims", [claim_row(each) for each in held.values()])
    shown = [
        [row["workload"], number(measures.waiting(grid, row["workload"], "sU"), 2)]
        + [_cell(held.get(measures.cell_name(row["workload"], name)), row[name]) for name in REORDERED]
        for row in rows
    ]
    return (
        "## Table 3: reduction of the write response time by PAS\n\n"
        "Percent: ours, the mean over seeds and half of its interval (the paper's); bold where they part by more than "
        "a third, in italics where that is open. PAS changes the order of those that wait and nothing else, so the "
        "share of a write's time that is waiting is the most that it can save.\n\n"
        + markdown(["", "waiting under sU", *(f"{name}+PAS" for name in REORDERED)], shown)
        + "\n"
        + comparison_table(study.held(measures.pas_averages))
    )


def claim_row(claim: Comparison) -> Row:
    """Return a claim as a row of a CSV file."""
    low, high = claim.range or (None, None)
    return {
        "claim": claim.what,
        "ours": claim.ours,
        "low": low,
        "high": high,
        "rule": claim.rule,
        "paper": float(claim.paper),
        "verdict": claim.verdict.strip("*"),
    }


def _cell(claim: Comparison | None, ours: float | None) -> str:
    if claim is None or claim.ours is None:
        return "-" if ours is None else f"{ours:.0f}"
    half = "" if claim.range is None else f" ± {(claim.range[1] - claim.range[0]) / 2:.0f}"
    text = f"{claim.ours:.0f}{half} ({claim.paper:g})"
    return text if claim.agrees else f"*{text}*" if claim.verdict == "open" else f"**{text}**"
