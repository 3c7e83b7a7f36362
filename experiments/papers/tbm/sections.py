"""The sections of the report, beside those of the claims, with a CSV file and a picture for each figure."""

from collections.abc import Iterable, Mapping
from fractions import Fraction

from ssdsim.report.markdown import Row, markdown, number, table

from ...study.claims import Claim, Comparison
from ...study.measures import device_pages, dies_busy, ratio, traffic
from ...study.report import Report
from ...study.study import Results
from .claims import CLAIMS, LONG, SATURATED, TIMELY, PartRuns, gains, saturated
from .measures import ADMITTED, ARRIVED, COLLECTIONS, EARLY, LATE, PANELS, READS, SETTLED, WRITES, course
from .parts import SAME_ALLOCATION, TOGETHER, WHOLE, WHOLE_VOLUME
from .systems import BASE, BASES, BLOCKS, ERASE_US, PAGES, SPARE, SYSTEMS, WITH_TBM, WITHOUT_TBM, device
from .workloads import LONG_RUN, ROUND, SHOWN, Load, geometry, pages_by_name

STEP = 0.25
SPANS = {"early": EARLY, f"from {SETTLED[0]}": SETTLED}

Loads = Mapping[str, Load]


def sections(report: Report, loads: Loads) -> list[str]:
    """Return the sections, in order; those of what was not run are empty."""
    pages = pages_by_name(loads)
    long, at_once, timely = (PartRuns(part, pages) for part in (LONG, SATURATED, TIMELY))
    return [
        setup(report, loads),
        *(long_runs(report, long) if SHOWN in loads else []),
        figure_7(report, at_once, timely),
        whole_size(report, pages) if WHOLE in report.first and SHOWN in loads else "",
        evidence(report, at_once),
    ]


def setup(report: Report, loads: Loads) -> str:
    """Describe the device, the workloads and the seeds."""
    options, hardware = report.options, geometry(device(report.options.scale))
    text = (
        f"{report.heading('TBM', ' --full' if options.full else '')}. The device is that of the paper's Table 1 with "
        f"{hardware.blocks_per_plane} of its {BLOCKS} blocks a plane, of {hardware.pages_per_block} of its {PAGES} "
        f"pages, and an erase takes {hardware.erase_us:g} of {ERASE_US:g} us, so that erases of a page take as long. "
        f"It has the paper's spare space, {100 * SPARE:.3g} percent of all, and is empty at first. Volumes are pages "
        f"written, in units of the device's pages; Figs. 2 and 6 go on until {LONG_RUN}, Fig. 7 until {ROUND:g}. A "
        "real trace that touches more than that device holds is run on one with as many more of these blocks.\n\n"
        "At the trace's own times the device is mostly idle, so that all systems serve the same requests a second. "
        "IOPS are therefore those of the same requests sent as fast as the queue of 32 takes them, called saturated, "
        "as are Figs. 2 and 6, where response times count from admission. Those of Fig. 7 are at the trace's own "
        f"times, from arrival. In Fig. 7 all are of what comes after a volume of {SETTLED[0]}, when collection has "
        f"long begun; in Figs. 2 and 6, early is up to a volume of {EARLY[1]}, late from {LATE[0]:g} on. Multi-plane "
        "shares are of the host's commands.\n\n"
        "A workload called synthetic has the numbers of Table 1, not the requests of the trace of that name; what the "
        "table leaves out follows from rules that were stated before anything was run by them "
        "(`experiments/papers/tbm/workloads.py`): times from pieces of real traces, and as footprint all that the user "
        f"has. Workload and device are drawn anew under each of {options.seeds} seeds; tables of runs and pictures "
        "show the first.\n\n"
    )
    summaries = {name: report.first[TIMELY][f"{name}/F"].summary for name in loads}
    return text + table([_row(name, loads[name], summary, hardware.page_bytes) for name, summary in summaries.items()])


def _row(name: str, load: Load, summary: Row, page_bytes: int) -> Row:
    pages_read = summary["unmapped_reads"] + summary["memory_reads"] + summary["flash"]["reads"]["host"]
    return {
        "workload": name,
        "kind": load.kind,
        **traffic(summary),
        "device GiB": load.pages * page_bytes / 2**30,
        "pages written, of the device's": summary["host_page_writes"] / load.pages,
        "dies busy %": dies_busy(summary),
        "queue, most": summary["queue_depth"]["max"],
        "reads of nothing %": ratio(100 * summary["unmapped_reads"], pages_read),
        "write amplification": summary["write_amplification"],
    }


def long_runs(report: Report, runs: PartRuns) -> list[str]:
    """Show the long run without and with TBM, and the claims about it."""
    results = report.first[LONG]
    courses = {name: course(results[f"{SHOWN}/{name}"], runs.pages[SHOWN]) for name in WITHOUT_TBM | WITH_TBM}
    points = {name: made.points(STEP) for name, made in courses.items()}
    # both figures have the same axes
    ends = {key: _largest(row[key] for rows in points.values() for row in rows) for key in PANELS}
    figures = ("fig02", "without TBM", WITHOUT_TBM, ("fig2", "fig3")), ("fig06", "with TBM", WITH_TBM, ("fig5", "fig6"))
    made = []
    for name, title, systems, claims in figures:
        rows = [{"system": system, **row} for system in systems for row in points[system]]
        report.out.csv(name, rows)
        spans = {"early": EARLY, "late": LATE}
        header = ["system", *(f"{key}, {span}" for key in PANELS for span in spans)]
        cells = [
            [system, *(courses[system].between(span)[key] for key in PANELS for span in spans.values())]
            for system in systems
        ]
        made.append(
            f"## Fig. {int(name[3:])}: the long run of {SHOWN} {title}\n\n"
            f"{report.out.picture(name, rows, ends)}{markdown(header, cells)}\n{report.table(*claims)}"
        )
    return made


def _largest(values: Iterable[float | None]) -> float:
    return max((value for value in values if value is not None), default=1.0) or 1.0


def figure_7(report: Report, at_once: PartRuns, timely: PartRuns) -> str:
    """Show all systems under all workloads, saturated but for the response time, and the claims about them."""
    runs_of = {
        "iops": at_once,
        ADMITTED: at_once,
        ARRIVED: timely,
        **dict.fromkeys((WRITES, READS, COLLECTIONS), at_once),
    }
    rows: list[Row] = [
        {
            "workload": name,
            "system": system,
            **{key: runs.figure(key, name, system)(report.first) for key, runs in runs_of.items()},
            "moves a block": at_once.moves(name, system)(report.first),
        }
        for name in at_once.pages
        for system in SYSTEMS
    ]
    shown = report.out.picture("fig07", rows) + report.shown("fig07", rows, "fig7")
    return f"## Fig. 7: the long run of all workloads\n\n{shown}"


def whole_size(report: Report, pages: Mapping[str, int]) -> str:
    """Hold Fig. 7's claims about one workload against the paper's size."""
    scaled = PartRuns(SATURATED, {SHOWN: pages[SHOWN]})
    full = {SHOWN: device_pages(geometry(device(Fraction(1))))}
    whole, together = PartRuns(WHOLE, full), PartRuns(TOGETHER, full)
    of_shown = {name: run for name, run in report.first[SATURATED].items() if name.startswith(f"{SHOWN}/")}
    # what TBM is held against has no other way of collecting
    bases = {f"{SHOWN}/{name}": report.first[WHOLE][f"{SHOWN}/{name}"] for name in BASES}
    results = {**report.first, SATURATED: of_shown, TOGETHER: {**bases, **report.first[TOGETHER]}}
    return (
        f"## {SHOWN} at the paper's size\n\n"
        "The paper's device, empty at first, under the same workload made for its size, saturated, until "
        f"{WHOLE_VOLUME} capacities are written. Claims about all workloads are of {SHOWN} alone here, at both sizes; "
        "response times count from admission. «Together» is with TBM collecting as much at a time as the paper allows: "
        "all moves to equal addresses are programmed together, and dies of a chip are collected along with one "
        "another.\n\n"
        + _graded(scaled, whole, together, results, str(report.options.scale))
        + "\n"
        + table([_whole_row(whole, name, results) for name in SYSTEMS])
        + "\nTogether:\n\n"
        + table([_whole_row(together, name, results) for name in SAME_ALLOCATION])
    )


def _graded(scaled: PartRuns, whole: PartRuns, together: PartRuns, results: Results, scale: str) -> str:
    claims = {claim.name: claim for claim in CLAIMS}
    measures = [{**saturated(runs), **gains(runs, "response", ADMITTED, -1)} for runs in (scaled, whole, together)]
    rows = []
    for name in measures[0]:
        ours, *others = (_compared(claims[name], by_name[name](results)) for by_name in measures)
        if others[0].seeds:
            cells = [cell for made in others for cell in (made.shown, made.verdict)]
            rows.append([name, claims[name].row()[3], ours.shown, *cells])
    return markdown(["claim", "paper", f"ours, {scale}", "ours, 1", "verdict", "together", "verdict"], rows)


def _compared(claim: Claim, ours: float | None) -> Comparison:
    return Comparison(claim, [] if ours is None else [ours])


def _whole_row(runs: PartRuns, system: str, results: Results) -> Row:
    figures = {
        f"{key}, {name}": runs.figure(key, SHOWN, system, span)
        for key in (ADMITTED, WRITES, READS)
        for name, span in SPANS.items()
    }
    numbers = {"iops": runs.figure("iops", SHOWN, system), **figures, "moves a block": runs.moves(SHOWN, system)}
    return {"system": system, **{key: made(results) for key, made in numbers.items()}}


def evidence(report: Report, runs: PartRuns) -> str:
    """Describe further differences between our numbers and the paper's."""
    results, names = report.first, [*runs.pages]
    busy = [f"{name} {number(dies_busy(results[TIMELY][f'{name}/F'].summary), 2)}" for name in names]
    raised = [
        f"{name} {' / '.join(number(runs.gain('iops', 1, system, name)(results)) for system in BASE)}" for name in names
    ]
    moved = [
        f"{name} {' to '.join(number(runs.moves(name, system)(results)) for system in ('D', 'D+TBM'))}"
        for name in names
    ]
    return (
        "## What the runs show\n\n"
        f"- At the traces' own times dies are busy for few percent of the time under F: {', '.join(busy)}.\n"
        f"- Percent by which IOPS are raised, {' / '.join(BASE)}: {', '.join(raised)}.\n"
        "- Chosen by pairs, victims hold more: pages moved a block erased, D to D+TBM, saturated: "
        f"{', '.join(moved)}.\n"
    )
