"""From results to `report.md`, with a CSV file and a picture for each figure."""

from collections.abc import Mapping
from fractions import Fraction

import attrs

from ...study.claims import comparison_table
from ...study.measures import dies_busy, ratio, traffic
from ...study.report import Output, parting
from ...study.tables import Row, markdown, number, table
from . import measures
from .measures import Course, Grid
from .systems import BASE, SYSTEMS, WITH_TBM, WITHOUT_TBM
from .workloads import FOOTPRINT, LONG_RUN, ROUND

SPEEDUPS = [10, 100, 300]
STEP = 0.25


@attrs.frozen
class Study:
    """Everything that was run."""

    grid: Grid
    long: Mapping[str, Course]
    """Figs. 2 and 6, by system."""
    varied: Mapping[str, Course]
    """The same workload at other speeds and with other footprints, by both and system."""
    scale: Fraction
    blocks: int
    seed: int
    full: bool


def sections(study: Study, out: Output) -> list[str]:
    """Return the sections of the report, in order; those of what was not run are empty."""
    return [
        setup(study),
        long_runs(study, out),
        figure_7(study, out),
        speeds(study, out),
        footprints(study, out),
        evidence(study),
    ]


def setup(study: Study) -> str:
    """Say what was run under what."""
    size = "--full" if study.full else f"--scale {study.scale}"
    volume = LONG_RUN if study.full else ROUND
    text = (
        "# TBM: the paper's experiments\n\n"
        f"Made by `python -m {__package__} {size} --seed {study.seed}`. The device is that of the paper's Table 1 "
        f"with {study.blocks} of its 2048 blocks a plane, empty at first. Volumes are pages written, in units of the "
        f"device's pages; Figs. 2 and 6 go on until {LONG_RUN}, Fig. 7 until {volume:g}. With few blocks, collection "
        "starts earlier and more of them are spare, as it needs two free ones to work with (`config.yaml` of each "
        "run).\n\n"
        "At the trace's own times the device is mostly idle, so that all systems serve the same requests a second. "
        "IOPS are therefore those of the same requests sent as fast as the queue of 32 takes them, called saturated; "
        "response times, means of reads and writes, are given for both. All are of what comes after a volume of "
        f"{measures.SETTLED}, when collection has long begun; multi-plane shares are of the host's commands.\n\n"
        "A workload called synthetic has the numbers of Table 1, not the requests of the trace of that name; what the "
        "table leaves out is taken from pieces of real traces (`experiments/papers/tbm/workloads.py`), but for the "
        f"footprint, a share of {FOOTPRINT} of the device: a choice, made when the results of another had been seen, "
        "and one that decides much, as a table below shows. So is the load that the paper's numbers are held against: "
        "it names none.\n\n"
    )
    rows = [_load(study.grid, name) for name in study.grid.loads]
    return text + table(rows)


def _load(grid: Grid, name: str) -> Row:
    summary = grid.timely[f"{name}/F"].summary
    return {
        "workload": name,
        "": grid.loads[name].kind,
        **traffic(summary),
        "pages written, of the device's": summary["host_page_writes"] / grid.pages,
        "dies busy %": dies_busy(summary),
        "queue, most": summary["queue_depth"]["max"],
        "reads of nothing %": _unmapped(summary),
    }


def _unmapped(summary: Row) -> float | None:
    pages = summary["unmapped_reads"] + summary["memory_reads"] + summary["flash"]["reads"]["host"]
    return ratio(100 * summary["unmapped_reads"], pages)


def long_runs(study: Study, out: Output) -> str:
    """Show the long run without and with TBM."""
    if not study.long:
        return ""
    rows = [{"system": name, **row} for name, run in study.long.items() for row in run.points(STEP)]
    keys = [key for key in rows[0] if key in measures.PANELS]
    most = {key: max((row[key] for row in rows if row[key] is not None), default=1.0) or 1.0 for key in keys}
    text = ""
    for name, title, systems in (("fig02", "without TBM", WITHOUT_TBM), ("fig06", "with TBM", WITH_TBM)):
        shown = [row for row in rows if row["system"] in systems]
        out.csv(name, shown)
        text += (
            f"## Fig. {int(name[3:])}: the long run of prj-0 {title}\n\n"
            + out.picture(name, shown, most)
            + markdown(
                ["", *(f"{key}, {when}" for key in keys for when in ("early", "late"))], _ends(study, systems, keys)
            )
            + "\n"
        )
    early, late = measures.EARLY[1], measures.LATE
    return (
        text
        + f"Early is up to a volume of {early}, late from {late:g} on.\n\n"
        + comparison_table(measures.long_run_comparisons(study.long))
    )


def _ends(study: Study, systems: Mapping[str, object], keys: list[str]) -> list[list[str | float | None]]:
    spans = measures.EARLY, (measures.LATE,)
    return [[name, *(study.long[name].between(*span)[key] for key in keys for span in spans)] for name in systems]


def figure_7(study: Study, out: Output) -> str:
    """Show IOPS, response time and cost of collection of all systems under all workloads."""
    grid = study.grid
    rows: list[Row] = [
        {"workload": name, "system": system, **grid.long_term(name, system)}
        for name in grid.loads
        for system in SYSTEMS
    ]
    gains = [[name, *(grid.gain(name, system, of) for of in measures.GAINS for system in BASE)] for name in grid.loads]
    header = ["percent", *(f"{system}, {of}" for of in measures.GAINS for system in BASE)]
    told = ", ".join(f"{of} is {text}" for of, (text, *_) in measures.GAINS.items())
    return (
        "## Fig. 7: the long run of all workloads\n\n"
        + out.picture("fig07", rows)
        + out.table("fig07", rows)
        + f"\nF+TBM and F2+TBM are held against F, D+TBM against D; {told}:\n\n"
        + markdown(header, gains)
        + "\n"
        + comparison_table(measures.gain_comparisons(grid))
    )


def speeds(study: Study, out: Output) -> str:
    """Show the response time where requests come faster."""
    names = [f"x{speed}" for speed in SPEEDUPS]
    text = "Its times divided by as much; response times from arrival (`response_ms`) and from admission."
    return _varied(study, out, "speeds", names, "prj-0 at other speeds", text)


def footprints(study: Study, out: Output) -> str:
    """Show what the footprint decides."""
    text = "Saturated, with other footprints, as shares of the device."
    return _varied(study, out, "footprints", _footprints(study), "prj-0 with other footprints", text, "response_ms")


def _footprints(study: Study) -> list[str]:
    return list(dict.fromkeys(name.partition("/")[0] for name in study.varied if name.startswith("footprint")))


def _varied(
    study: Study, out: Output, file: str, names: list[str], title: str, text: str, without: str | None = None
) -> str:
    rows: list[Row] = [
        {"": name, "system": system, **study.varied[f"{name}/{system}"].between(measures.SETTLED)}
        for name in names
        for system in SYSTEMS
        if f"{name}/{system}" in study.varied
    ]
    if not rows:
        return ""
    shown = [{key: value for key, value in row.items() if key != without} for row in rows]
    return f"## {title}\n\n{text}\n\n" + out.table(file, shown)


def evidence(study: Study) -> str:
    """Show what in the runs explains where our numbers and the paper's part."""
    held = measures.long_run_comparisons(study.long) if study.long else []
    return parting([*held, *measures.gain_comparisons(study.grid)], reasons(study))


def reasons(study: Study) -> list[str]:
    """Return what the numbers of the runs say about the differences, a paragraph each."""
    return [_planes_of_f(study.grid), _idle(study), _moves(study.grid), _valid_pages(study)]


def _planes_of_f(grid: Grid) -> str:
    """Say why TBM helps F here."""
    key = "multi-plane write %, saturated"
    shares = ", ".join(
        f"{name} {' / '.join(number(grid.long_term(name, system)[key]) for system in SYSTEMS)}" for name in grid.loads
    )
    return (
        "A page is given its place when its write is admitted, also if all dies are busy. So where the queue holds "
        "more pages than there are dies, F too puts several on one die, in turn on its planes, and TBM lets these be "
        "written together. If a page were placed only when a die falls idle, F would never have two for one die; the "
        "small gain of the paper's F+TBM, and that only F2's is large, suggest that its simulator does that. "
        "Multi-plane "
        f"writes of the saturated device, percent of the host's, {' / '.join(SYSTEMS)}: {shares}."
    )


def _idle(study: Study) -> str:
    """Say why response times at the trace's own times gain less."""
    grid = study.grid
    times = ", ".join(
        f"{name} {number(dies_busy(grid.timely[f'{name}/F'].summary), 2)} and "
        f"{number(grid.long_term(name, 'F')['response_ms'])}"
        for name in grid.loads
    )
    text = (
        "At the traces' own times there is little to gain: dies are idle nearly always, and response times near those "
        f"of a single command, so that only bursts gain (percent of the dies' time that they are busy, and F's "
        f"response time in ms: {times})."
    )
    gains = []
    for speed in SPEEDUPS:
        runs = {name: study.varied.get(f"x{speed}/{name}") for name in SYSTEMS}
        if all(runs.values()):
            ms = {name: run.between(measures.SETTLED)["response_ms"] for name, run in runs.items() if run}
            saved = (f"{100 * (1 - ms[name] / ms[base]):.0f}" for name, base in BASE.items())
            gains.append(f"x{speed} {' / '.join(saved)}")
    return text + (
        f" Sped up, prj-0's response times fall by (percent, {' / '.join(BASE)}): {', '.join(gains)}." if gains else ""
    )


def _moves(grid: Grid) -> str:
    """Say what collection by pairs of blocks costs."""
    more = []
    for name in grid.loads:
        ours, theirs = (grid.long_term(name, system)["moves a block"] for system in ("D+TBM", "D"))
        if ours is not None and theirs:
            more.append(f"{name} {100 * (ours / theirs - 1):+.0f} ({number(theirs)} to {number(ours)})")
    return (
        "TBM chooses among pairs of blocks, whose better half has to wait for the other. Percent more pages moved a "
        f"block erased by D+TBM than by D: {', '.join(more)}. As a rule it moves more, as in the paper, but so few "
        "pages a block that they cannot cost the 1 to 10 percent that the paper has lost by them under fin1 and prn-1."
        if more
        else ""
    )


def _valid_pages(study: Study) -> str:
    """Say how the gain depends on what the victims hold."""
    told = []
    for name in _footprints(study):
        runs = {system: study.varied[f"{name}/{system}"].between(measures.SETTLED) for system in SYSTEMS}
        gain = 100 * (runs["D+TBM"]["iops"] / runs["D"]["iops"] - 1)
        share, kept = (number(runs[system]["multi-plane write %"]) for system in ("D", "D+TBM"))
        told.append(f"{name} {gain:.0f} ({share} without TBM, {kept} with it)")
    if not told:
        return ""
    return (
        "The footprint decides what TBM can gain. Where victims hold no valid pages, nothing moves, and the planes "
        "keep in step without TBM; where they hold many, fewer of the host's writes find a partner with it. By how "
        "many percent D+TBM raises the "
        f"IOPS of prj-0, saturated, and the percent of multi-plane writes: {', '.join(told)}."
    )
