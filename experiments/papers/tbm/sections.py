"""The sections of the report, beside those of the claims, with a CSV file and a picture for each figure."""

from collections.abc import Iterable, Mapping
from fractions import Fraction

from ssdsim.report.markdown import Row, markdown, number, table

from ...study.claims import Claim, Comparison
from ...study.measures import dies_busy, ratio, traffic
from ...study.report import Report
from .held import LONG, SATURATED, TIMELY, gain, gains, saturated
from .measures import ADMITTED, ARRIVED, COLLECTIONS, EARLY, LATE, PANELS, READS, SETTLED, WRITES, Measured
from .paper import CLAIMS
from .parts import SAME_ALLOCATION, TOGETHER, WHOLE, WHOLE_VOLUME
from .systems import BASE, BASES, BLOCKS, ERASE_US, PAGES, SPARE, SYSTEMS, WITH_TBM, WITHOUT_TBM, device
from .workloads import LONG_RUN, ROUND, SHOWN, Load, geometry, page_count

STEP = 0.25

Loads = Mapping[str, Load]


def sections(report: Report, loads: Loads) -> list[str]:
    """Return the sections, in order; those of what was not run are empty."""
    return [
        setup(report, loads),
        *long_runs(report, loads),
        figure_7(report, loads),
        whole_size(report, loads),
        shown(report, loads),
    ]


def of_part(report: Report, part: str, loads: Loads) -> Measured:
    """Return the results of a part under the first seed."""
    return Measured(report.first[part], {name: load.pages for name, load in loads.items()})


def setup(report: Report, loads: Loads) -> str:
    """Describe the device, the workloads and the seeds."""
    options, hardware = report.options, geometry(device(report.options.scale))
    text = (
        "# TBM: the paper's experiments\n\n"
        f"Made by `python -m {__package__} --scale {options.scale} --seed {options.seed} --seeds {options.seeds}"
        f"{' --full' if options.full else ''}`. The device is that of the paper's Table 1 with "
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
    runs, page_bytes = of_part(report, TIMELY, loads), hardware.page_bytes
    return text + table([_row(runs, name, loads[name], page_bytes) for name in loads])


def _row(runs: Measured, name: str, load: Load, page_bytes: int) -> Row:
    summary = runs.results[f"{name}/F"].summary
    return {
        "workload": name,
        "kind": load.kind,
        **traffic(summary),
        "device GiB": load.pages * page_bytes / 2**30,
        "pages written, of the device's": summary["host_page_writes"] / load.pages,
        "dies busy %": dies_busy(summary),
        "queue, most": summary["queue_depth"]["max"],
        "reads of nothing %": _unmapped(summary),
        "write amplification": summary["write_amplification"],
    }


def _unmapped(summary: Row) -> float | None:
    pages = summary["unmapped_reads"] + summary["memory_reads"] + summary["flash"]["reads"]["host"]
    return ratio(100 * summary["unmapped_reads"], pages)


def long_runs(report: Report, loads: Loads) -> list[str]:
    """Show the long run without and with TBM, and the claims about it."""
    if SHOWN not in loads:
        return []
    runs = of_part(report, LONG, loads)
    points = {name: _points(runs, name) for name in WITHOUT_TBM | WITH_TBM}
    ends = {key: _largest(row[key] for rows in points.values() for row in rows) for key in PANELS}
    shown = ("fig02", "without TBM", WITHOUT_TBM, ("fig2", "fig3")), ("fig06", "with TBM", WITH_TBM, ("fig5", "fig6"))
    sections = []
    for name, title, systems, claims in shown:
        rows = [{"system": system, **row} for system in systems for row in points[system]]
        report.out.csv(name, rows)
        sections.append(
            f"## Fig. {int(name[3:])}: the long run of {SHOWN} {title}\n\n"
            f"{report.out.picture(name, rows, ends)}{_early_and_late(runs, systems)}\n{report.table(*claims)}"
        )
    return sections


def _points(runs: Measured, system: str) -> list[Row]:
    found = runs.course(SHOWN, system)
    return [] if found is None else found.points(STEP)


def _largest(values: Iterable[float | None]) -> float:
    return max((value for value in values if value is not None), default=1.0) or 1.0


def _early_and_late(runs: Measured, systems: Iterable[str]) -> str:
    spans = {"early": EARLY, "late": LATE}
    header = ["system", *(f"{key}, {told}" for key in PANELS for told in spans)]
    rows = [[name, *(runs.value(key, SHOWN, name, of) for key in PANELS for of in spans.values())] for name in systems]
    return markdown(header, rows)


def figure_7(report: Report, loads: Loads) -> str:
    """Show all systems under all workloads, and the claims about them."""
    at_once, timely = (of_part(report, part, loads) for part in (SATURATED, TIMELY))
    rows = [
        {"workload": name, "system": system, **long_term(at_once, timely, name, system)}
        for name in loads
        for system in SYSTEMS
    ]
    return (
        "## Fig. 7: the long run of all workloads\n\n"
        + report.out.picture("fig07", rows)
        + report.out.table("fig07", rows)
        + "\n"
        + report.table("fig7")
    )


def long_term(at_once: Measured, timely: Measured, workload: str, system: str) -> Row:
    """Return the numbers of Fig. 7: saturated, but for the response time."""
    return {
        "iops": at_once.value("iops", workload, system),
        ADMITTED: at_once.value(ADMITTED, workload, system),
        ARRIVED: timely.value(ARRIVED, workload, system),
        **{key: at_once.value(key, workload, system) for key in (WRITES, READS, COLLECTIONS)},
        "moves a block": at_once.moves(workload, system),
    }


def whole_size(report: Report, loads: Loads) -> str:
    """Hold Fig. 7's claims about one workload against the paper's size."""
    if WHOLE not in report.first or SHOWN not in loads:
        return ""
    scaled = of_part(report, SATURATED, loads)
    scaled = Measured({name: run for name, run in scaled.results.items() if name.startswith(f"{SHOWN}/")}, scaled.pages)
    pages = {SHOWN: page_count(geometry(device(Fraction(1))))}
    whole = Measured(report.first[WHOLE], pages)
    bases = {f"{SHOWN}/{name}": report.first[WHOLE][f"{SHOWN}/{name}"] for name in BASES}
    together = Measured({**bases, **report.first[TOGETHER]}, pages)
    return (
        f"## {SHOWN} at the paper's size\n\n"
        "The paper's device, empty at first, under the same workload made for its size, saturated, until "
        f"{WHOLE_VOLUME} capacities are written. Claims about all workloads are of {SHOWN} alone here, at both sizes; "
        "response times count from admission. «Together» is with TBM collecting as much at a time as the paper allows: "
        "all moves to equal addresses are programmed together, and dies of a chip are collected along with one "
        "another.\n\n"
        + _graded(scaled, whole, together, str(report.options.scale))
        + "\n"
        + table([_whole_row(whole, name) for name in SYSTEMS])
        + "\nTogether:\n\n"
        + table([_whole_row(together, name) for name in SAME_ALLOCATION])
    )


def _graded(scaled: Measured, whole: Measured, together: Measured, scale: str) -> str:
    claims = {claim.name: claim for claim in CLAIMS}
    measures = {**saturated(), **gains("response", ADMITTED, -1)}
    rows = [
        [name, claims[name].row()[3], _compared(claims[name], measure(scaled)).shown]
        + [cell for of in (whole, together) for cell in _cells(claims[name], measure(of))]
        for name, measure in measures.items()
        if measure(whole) is not None
    ]
    return markdown(["claim", "paper", f"ours, {scale}", "ours, 1", "verdict", "together", "verdict"], rows)


def _cells(claim: Claim, ours: float | None) -> tuple[str, str]:
    made = _compared(claim, ours)
    return made.shown, made.verdict


def _compared(claim: Claim, ours: float | None) -> Comparison:
    return Comparison(claim, [] if ours is None else [ours])


def _whole_row(whole: Measured, system: str) -> Row:
    keys = (ADMITTED, WRITES, READS)
    return {
        "system": system,
        "iops": whole.value("iops", SHOWN, system),
        **{f"{key}, {told}": whole.value(key, SHOWN, system, span) for key in keys for told, span in SPANS.items()},
        "moves a block": whole.moves(SHOWN, system),
    }


SPANS = {"early": EARLY, f"from {SETTLED[0]}": SETTLED}


def shown(report: Report, loads: Loads) -> str:
    """Describe further differences between our numbers and the paper's."""
    told = _idle(report, loads), _gains(report, loads), _moves(report, loads)
    return "## What the runs show\n\n" + "".join(f"- {each}\n" for each in told)


def _idle(report: Report, loads: Loads) -> str:
    runs = of_part(report, TIMELY, loads)
    busy = {name: dies_busy(runs.results[f"{name}/F"].summary) for name in loads}
    shares = ", ".join(f"{name} {number(share, 2)}" for name, share in busy.items())
    return f"At the traces' own times dies are busy for few percent of the time under F: {shares}."


def _gains(report: Report, loads: Loads) -> str:
    runs = of_part(report, SATURATED, loads)
    told = [f"{name} {' / '.join(number(gain('iops', 1, of, name)(runs)) for of in BASE)}" for name in loads]
    return f"Percent by which IOPS are raised, {' / '.join(BASE)}: {', '.join(told)}."


def _moves(report: Report, loads: Loads) -> str:
    runs = of_part(report, SATURATED, loads)
    told = [f"{name} {' to '.join(number(runs.moves(name, system)) for system in ('D', 'D+TBM'))}" for name in loads]
    return f"Chosen by pairs, victims hold more: pages moved a block erased, D to D+TBM, saturated: {', '.join(told)}."
