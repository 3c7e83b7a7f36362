"""The report beside its claims: what was run under what, and the figures in the order of the paper."""

from collections.abc import Mapping

from ssdsim.report.markdown import Row, markdown, table

from ...study.figure import Figure, averaged, section
from ...study.measures import Grid, Summary, collections, dies_busy, erases, moves_a_block, percent, ratio, traffic
from ...study.report import Report
from . import measures
from .measures import CASES, GC_PARTS, PLUS, READ, WRITE
from .runs import BUFFERS, FOUR_PLANES, SEPARATING
from .systems import BASE, BLOCKS, COLLECTING, FREE
from .workloads import TABLE_2, Load, hardware

WHOLE, PIECES = "whole", "pieces"  # of the first seed alone: a workload at the paper's size, pieces of real traces

WITHOUT_GC = [
    Figure("fig9", "Fig. 9: write latency without GC", WRITE, "ms", BASE),
    Figure("fig10", "Fig. 10: page writes by multi-plane commands", measures.joined, "percent"),
    Figure("table3", "Table 3: read latency without GC", READ, "ms", BASE),
    Figure("fig12", "Fig. 12: hit ratio of the buffer", measures.hit_ratio, "percent"),
]
WITH_GC = [
    Figure("fig13", "Fig. 13: write latency with GC", WRITE, "ms", BASE),
    Figure("fig14", "Fig. 14: total cost of collection", measures.gc_cost, "s", BASE),
    Figure("table4", "Table 4: read latency with GC", READ, "ms", BASE),
]
TOGETHER = "Over Baseline-D's; blocks that are collected together are one collection."
BLOCKED = (
    "In percent of the time of all page writes of the host. Figs. 18 to 20 contradict each other. If 18.2 percent of "
    "the time is blocked (Fig. 18), and 27.1 percent of that is saved (Fig. 20), the write latency falls by 4.9 "
    "percent, and not by 23.2 (Fig. 19). So no device can have all three."
)
CONTRADICTION = "Over SPD's. Figs. 18 to 20 contradict each other, as said there."
EACH = "Fig. 20: mean time of a blocked page write under SPD+"
OF_GC = [
    Figure("fig16", "Fig. 16: collections", collections, "collections", BASE, TOGETHER),
    Figure("fig17", "Fig. 17: erased blocks", erases, "erases", BASE),
    Figure("fig18", "Fig. 18: time of page writes that collection blocks", measures.blocked, "percent", "", BLOCKED),
    Figure("fig19", "Fig. 19: write latency of SPD+", WRITE, "ms", "SPD", CONTRADICTION, (PLUS,)),
    Figure("fig20", EACH, measures.blocked_each, "ms", "SPD", CONTRADICTION, (PLUS,)),
]
FOUR = "Without GC, over Baseline-D's."
BY_FOUR = Figure("fig22", "Fig. 22: write latency with four planes a die", WRITE, "ms", BASE, FOUR)
LARGER = "Over Baseline-D's, at four times the scale: at the other, one more active block takes a 32nd of a plane."
APART = Figure("fig24", "Fig. 24: write latency with and without hot and cold blocks", WRITE, "ms", BASE, LARGER)
REAL = "Write latency with GC over Baseline-D's, each with a buffer for its footprint. No claim is of them."
OF_PIECES = Figure("pieces", "Pieces of real traces", WRITE, "ms", BASE, REAL)


def sections(report: Report, loads: Mapping[str, Load], blocks: int) -> list[str]:
    """Return the sections of the report, set-up first; those of what was not run are empty."""
    free, collecting = grid(report, FREE), grid(report, COLLECTING)
    planes = hardware(blocks).planes
    return [
        setup(free, report, loads, blocks),
        figure_2(free, report),
        *(section(figure, free, report) for figure in WITHOUT_GC),
        figure_11(free, report, planes),
        *(section(figure, collecting, report) for figure in WITH_GC),
        figure_15(collecting, report),
        *(section(figure, collecting, report) for figure in OF_GC),
        claims_alone("plus", "Collection under SPD+", report),
        figure_21(grid(report, BUFFERS), report),
        section(BY_FOUR, grid(report, FOUR_PLANES), report),
        claims_alone("fig23", "Fig. 23: other mappings", report),
        section(APART, grid(report, SEPARATING), report),
        section(OF_PIECES, grid(report, PIECES), report),
        whole(grid(report, WHOLE), collecting, report),
        load_table(free, collecting, report),
    ]


def grid(report: Report, part: str) -> Grid:
    """Return the results of a part under the first seed, empty if it was not run."""
    return Grid(report.first.get(part, {}), TABLE_2)


def claims_alone(name: str, title: str, report: Report) -> str:
    """Return a section of nothing but claims."""
    claims = report.table(name)
    return claims and f"## {title}\n\n{claims}"


def setup(free: Grid, report: Report, loads: Mapping[str, Load], blocks: int) -> str:
    """Describe the device, the workloads and the seeds."""
    options, planes = report.options, hardware(blocks).planes
    rows = [
        {
            "workload": name,
            "": loads[name].kind,
            **traffic(free.summary(name, BASE)),
            "buffer MiB": loads[name].buffer_mib,
        }
        for name in free.workloads
    ]
    return (
        f"{report.heading('SPD')}. The device is that of the paper's Table 1, with {blocks} of its {BLOCKS} blocks a "
        f"plane. A run is the first {options.scale} of a trace, over the whole footprint and with the "
        f"paper's buffer, 1 percent of that (but at least two pages of every plane's, {planes} planes x 2). A slot of "
        "the buffer is free from eviction on, as in SSDSim, which the paper builds on; the buffer is full when a run "
        "begins. A workload called synthetic has the means of Table 2, the rate of its volume, sizes and places as "
        "in pieces of such volumes, and arrivals at two levels fitted to such pieces by a rule stated before any "
        "run; it is not the trace of that name. `workloads.py` here, and `msr.py` and `arrivals.py` in "
        "`experiments/study`, say how each was made, and where Table 2 contradicts itself. Without GC the device is "
        "half full, give or take 2 percent of a plane; with GC it is warmed up as in Section 5.1, which triggers "
        "collection immediately: what collection wants because of that alone is counted, too. Pages of a collection "
        "move one after another (2.3) or row after row (4.3.1), and those of TwinBlk in turn (6.2). A write that comes "
        "to a die being collected waits until its die wants no more collections. Figures are of seed "
        f"{options.seed}, claims means over the seeds, and of the paper's workloads only.\n\n" + table(rows)
    )


def figure_2(free: Grid, report: Report) -> str:
    """Return the section of page writes alone, unaligned and parallel."""
    rows = free.rows({case: (measures.case(case), BASE) for case in CASES})
    known = [row for row in rows if row[CASES[0]] is not None]
    if not known:
        return ""
    report.out.csv("fig02", known)
    return (
        "## Fig. 2: page writes alone, unaligned and parallel\n\n"
        f"{BASE} without collection, in percent of those that meet no other kind of operation (the paper's case 2).\n\n"
        f"{markdown(list(known[0]), averaged(free, known))}\n"
        f"{report.out.picture('fig02', known)}{report.table('fig2')}"
    )


def figure_11(free: Grid, report: Report, planes: int) -> str:
    """Return the section of the planes at work at the same time."""
    average, most = measures.planes("mean"), measures.planes("max")
    columns = {system: (average, system) for system in free.systems}
    rows = free.rows(columns | {f"{system}, most": (most, system) for system in free.systems})
    report.out.csv("fig11", rows)
    return (
        f"## Fig. 11: planes at work when an eviction completes\n\nMean, and most, of {planes}.\n\n"
        f"{markdown(list(rows[0]), averaged(free, rows))}\n"
        f"{report.out.picture('fig11', rows, free.systems)}{report.table('fig11')}"
    )


def figure_15(collecting: Grid, report: Report) -> str:
    """Return the section of what a collection's time goes into, average of the paper's workloads."""
    rows: list[Row] = []
    for system in collecting.systems:
        parts = {part: collecting.average(measures.gc_part(part), system) or 0.0 for part in GC_PARTS}
        rows.append({"system": system, **parts, "total": sum(parts.values())})
    return (
        "## Fig. 15: what the time of a collection goes into\n\nMilliseconds a collection, average of the workloads; "
        "those of SPD, SuperPage and TwinBlk are of two blocks.\n\n"
        + report.shown("fig15", rows, picture=report.out.picture("fig15", rows))
    )


def figure_21(buffers: Grid, report: Report) -> str:
    """Return the section of the write latency by the buffer's size."""
    if not buffers.results:
        return ""
    smallest = buffers.value(WRITE, buffers.workloads[0], BASE) or 1.0
    rows = [
        {
            "MiB": float(size),
            **{name: ratio(buffers.value(WRITE, size, name), smallest) for name in buffers.systems},
            "saved by SPD %": buffers.reduction(WRITE, size, "SPD", BASE),
        }
        for size in buffers.workloads
    ]
    return (
        f"## Fig. 21: write latency of RSR_0 by the size of the buffer\n\nWithout collection, over {BASE}'s with the "
        "smallest. SPD itself asks for a page of every plane (4.2.2), 1 MiB on this device.\n\n"
        + report.shown("fig21", rows, picture=report.out.picture("fig21", rows, buffers.systems))
    )


def whole(full: Grid, scaled: Grid, report: Report) -> str:
    """Return the section of the workload that was run at the paper's size, beside the scaled one."""
    rows: list[Row] = [
        {"workload": name, "scale": scale, **size_row(made, name)}
        for name in full.workloads
        for scale, made in (("1", full), (f"{report.options.scale}", scaled))
    ]
    if not rows:
        return ""
    return (
        "## At the paper's size\n\n"
        "The whole device and the whole trace, with collection, of the first seed, beside the scaled one.\n\n"
        + report.out.table("whole", rows)
    )


def size_row(made: Grid, name: str) -> Row:
    """Return the row of a workload at a size."""
    return {
        f"{BASE} ms": made.value(WRITE, name, BASE),
        "SPD ms": made.value(WRITE, name, "SPD"),
        "SPD below, %": made.reduction(WRITE, name, "SPD", BASE),
        "SPD+ below SPD, %": made.reduction(WRITE, name, PLUS, "SPD"),
        "collections, SPD below, %": made.reduction(collections, name, "SPD", BASE),
        "cost, SPD below, %": made.reduction(measures.gc_cost, name, "SPD", BASE),
        "blocked, SPD %": made.value(measures.blocked, name, "SPD"),
        "moves a block, SPD": made.value(moves_a_block, name, "SPD"),
    }


def load_table(free: Grid, collecting: Grid, report: Report) -> str:
    """Return the table of what the workloads ask of the device, of Baseline-D."""
    rows = [
        {
            "workload": name,
            "dies busy without GC %": free.value(dies_busy, name, BASE),
            "pages written a write": free.value(pages_a_write, name, BASE),
            "dies busy with GC %": collecting.value(dies_busy, name, BASE),
            "collection, % of the dies' time": collecting.value(share_of_time, name, BASE),
            "collections": collecting.value(collections, name, BASE),
            "moves a block": collecting.value(moves_a_block, name, BASE),
            "blocked page writes %": collecting.value(blocked_writes, name, BASE),
        }
        for name in free.workloads
    ]
    return f"## Loads of the device\n\n{BASE}.\n\n" + report.out.table("loads", rows)


def pages_a_write(summary: Summary) -> float | None:
    """Return the page writes to flash for each write of the host."""
    return ratio(summary["host_page_writes"], summary["requests"]["write"]["count"])


def share_of_time(summary: Summary) -> float | None:
    """Return the percent of the time of the dies that goes into collection."""
    return ratio(100 * measures.gc_cost(summary), len(summary["utilization"]["die"]) * summary["simulated_s"])


def blocked_writes(summary: Summary) -> float | None:
    """Return the percent of the page writes of the host that collection blocks."""
    return percent(ratio(summary["gc"]["blocked_writes"], summary["flash"]["programs"]["host"]))
