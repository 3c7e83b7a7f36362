"""From results to `report.md`, with a CSV file and a picture for each figure."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

import attrs

from ssdsim.config import HardwareConfig

from ...study.former.claims import RULES, Comparison, comparison_table, over_seeds
from ...study.former.report import Output, parting
from ...study.measures import dies_busy, ratio, traffic
from ...study.tables import Row, markdown, number, table
from . import measures
from .measures import Course, Grid
from .systems import BASE, ERASE_US, PAGES, SYSTEMS, VARIANTS, WITH_TBM, WITHOUT_TBM
from .workloads import LONG_RUN, ROUND

SPEEDUPS = [10, 100]
STEP = 0.25


@attrs.frozen
class Study:
    """Everything that was run."""

    grids: Sequence[Grid]
    """Fig. 7, by seed."""
    longs: Sequence[Mapping[str, Course]]
    """Figs. 2 and 6, by seed and system."""
    varied: Mapping[str, Course]
    """The same workload otherwise, by what is different and system."""
    sizes: Mapping[str, Row]
    """Summaries of runs at both sizes, by scale and system."""
    scale: Fraction
    hardware: HardwareConfig
    seed: int
    full: bool

    @property
    def grid(self) -> Grid:
        """Fig. 7 under the first seed."""
        return self.grids[0]

    @property
    def long(self) -> Mapping[str, Course]:
        """Figs. 2 and 6 under the first seed."""
        return self.longs[0] if self.longs else {}

    @property
    def held(self) -> list[Comparison]:
        """The claims about Fig. 7, over all seeds."""
        return over_seeds(map(measures.gain_comparisons, self.grids))

    @property
    def held_long(self) -> list[Comparison]:
        """The claims about Figs. 2 and 6."""
        return over_seeds(map(measures.long_run_comparisons, self.longs))


def sections(study: Study, out: Output) -> list[str]:
    """Return the sections of the report, in order; those of what was not run are empty."""
    return [
        setup(study),
        long_runs(study, out),
        figure_7(study, out),
        variants(study, out),
        speeds(study, out),
        arrivals(study, out),
        footprints(study, out),
        sizes(study, out),
        evidence(study),
    ]


def setup(study: Study) -> str:
    """Say what was run under what."""
    size = "--full" if study.full else f"--scale {study.scale}"
    volume = LONG_RUN if study.full else ROUND
    hardware, seeds = study.hardware, len(study.grids)
    text = (
        "# TBM: the paper's experiments\n\n"
        f"Made by `python -m {__package__} {size} --seed {study.seed} --seeds {seeds}`. The device is that of the "
        f"paper's Table 1 with {hardware.blocks_per_plane} of its 2048 blocks a plane, of {hardware.pages_per_block} "
        f"of its {PAGES} pages, and an erase takes {hardware.erase_us:g} of {ERASE_US:g} us, so that erases of a page "
        f"take as long. It has the paper's spare space, {100 * hardware.over_provisioning:.3g} percent of all, and is "
        "empty at first. Volumes are pages written, in units of the device's pages; Figs. 2 and 6 go on until "
        f"{LONG_RUN}, Fig. 7 until {volume:g}.\n\n"
        "At the trace's own times the device is mostly idle, so that all systems serve the same requests a second. "
        "IOPS are therefore those of the same requests sent as fast as the queue of 32 takes them, called saturated; "
        "response times, means of reads and writes, are given for both. All are of what comes after a volume of "
        f"{measures.SETTLED}, when collection has long begun; multi-plane shares are of the host's commands.\n\n"
        "A workload called synthetic has the numbers of Table 1, not the requests of the trace of that name; what the "
        "table leaves out follows from rules that were stated before anything was run by them "
        "(`experiments/papers/tbm/workloads.py`): times from pieces of real traces, and as footprint all that the user "
        "has. The paper names neither footprint nor load; tables below show what others change.\n\n"
        f"Workload and device are drawn anew under each of {seeds} seeds. Tables of runs and pictures show the first; "
        f"claims of the paper stand beside the mean over all.\n\n{RULES}\n"
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
        "write amplification": summary["write_amplification"],
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
    axis_ends = {key: max((row[key] for row in rows if row[key] is not None), default=1.0) or 1.0 for key in keys}
    text = ""
    for name, title, systems in (("fig02", "without TBM", WITHOUT_TBM), ("fig06", "with TBM", WITH_TBM)):
        shown = [row for row in rows if row["system"] in systems]
        out.csv(name, shown)
        text += (
            f"## Fig. {int(name[3:])}: the long run of prj-0 {title}\n\n"
            + out.picture(name, shown, axis_ends)
            + markdown(
                ["", *(f"{key}, {when}" for key in keys for when in ("early", "late"))], _ends(study, systems, keys)
            )
            + "\n"
        )
    early, late = measures.EARLY[1], measures.LATE
    return text + f"Early is up to a volume of {early}, late from {late:g} on.\n\n" + comparison_table(study.held_long)


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
        + comparison_table(study.held)
    )


def variants(study: Study, out: Output) -> str:
    """Show what the other values of what the paper leaves open change."""
    text = (
        "Saturated, each of what the paper does not say in so many words otherwise, by itself: a write is given its "
        "plane when it is admitted; a plane takes the block that has been free for longest; programs of moved pages "
        "are joined wherever the pages come from."
    )
    shown = _varied(study, out, "variants", list(VARIANTS), "prj-0 by other rules", text, "response_ms")
    gains = {name: [measures.gain_of(study.varied, name, system, "iops") for system in BASE] for name in VARIANTS}
    known = [[name, *of] for name, of in gains.items() if None not in of]
    if not known:
        return shown
    as_is = [study.grid.gain("prj-0", system, "iops") for system in BASE]
    header = ["IOPS raised by, percent", *(f"{system} over {base}" for system, base in BASE.items())]
    return shown + "\n" + markdown(header, [["as it is", *as_is], *known])


def arrivals(study: Study, out: Output) -> str:
    """Show what the times of the requests decide."""
    names = list(dict.fromkeys(name.partition("/")[0] for name in study.varied if name.startswith("arrivals")))
    text = "At the same mean rate, with times like those of other pieces, and drawn by Poisson."
    return _varied(study, out, "arrivals", names, "prj-0 with other arrivals", text)


def sizes(study: Study, out: Output) -> str:
    """Show the same at the paper's size and at this one."""
    if not study.sizes:
        return ""
    rows: list[Row] = [
        {
            "": name.rpartition("/")[0],
            "system": name.rpartition("/")[2],
            "iops": of["iops"],
            "write amplification": of["write_amplification"],
            **{f"multi-plane {op} %": _percent(of["multi_plane"][f"{op}_share"]) for op in ("write", "read")},
        }
        for name, of in study.sizes.items()
    ]
    scales = list(dict.fromkeys(row[""] for row in rows))
    filled = max(row["write amplification"] for row in rows if row["system"] == "F")
    written = study.grid.timely["prj-0/F"].summary["write_amplification"]
    iops = {name: of["iops"] for name, of in study.sizes.items()}
    gains = [
        [at, *(100 * (iops[f"{at}/{system}"] / iops[f"{at}/{base}"] - 1) for system, base in BASE.items())]
        for at in scales
    ]
    return (
        "## prj-0 at the paper's size\n\n"
        "The paper's device beside the scaled one, saturated, for a hundredth of the capacity: both have been filled "
        "at random down to the threshold, with as much valid data as a round of the workload touches. It is little "
        f"beside what was there before: write amplification under F is up to {filled:.3g} here and {written:.3g} where "
        "the workload has written everything itself. So the sizes compare with one another, not with the paper.\n\n"
        + out.table("sizes", rows)
        + "\n"
        + markdown(["IOPS raised by, percent", *(f"{system} over {base}" for system, base in BASE.items())], gains)
    )


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def speeds(study: Study, out: Output) -> str:
    """Show the response time where requests come faster."""
    names = [f"x{speed}" for speed in SPEEDUPS]
    text = "Its times divided by as much; response times from arrival (`response_ms`) and from admission."
    return _varied(study, out, "speeds", names, "prj-0 at other speeds", text)


def footprints(study: Study, out: Output) -> str:
    """Show what the footprint decides."""
    text = "Saturated, with other footprints, as shares of the device; all else has that of the user."
    return _varied(study, out, "footprints", _footprints(study), "prj-0 with other data", text, "response_ms")


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
    return parting([*study.held_long, *study.held], reasons(study))


def reasons(study: Study) -> list[str]:
    """Return what the numbers of the runs say about the differences, a paragraph each; empty where they do not."""
    return [_dispatch(study), _idle(study), _moves(study.grid), _footprint(study)]


def _gains(study: Study, name: str) -> str:
    """Return the rise of IOPS of each system with TBM in the runs `name`, in words."""
    gains = (measures.gain_of(study.varied, name, system, "iops") for system in BASE)
    return " / ".join(number(gain) for gain in gains)


def _dispatch(study: Study) -> str:
    """Say what it decides when a plane is given."""
    name = "planes at admission"
    ours, theirs = study.grid.gain("prj-0", "F+TBM", "iops") if "prj-0" in study.grid.loads else None, None
    if f"{name}/F" in study.varied:
        theirs = measures.gain_of(study.varied, name, "F+TBM", "iops")
    if ours is None or theirs is None or theirs <= ours:
        return ""
    return (
        f"Given at admission, planes of a die get several writes under F as well, which TBM joins: prj-0's IOPS rise "
        f"by {_gains(study, name)} percent ({' / '.join(BASE)}), where F+TBM's rise by {number(ours)} at dispatch."
    )


def _idle(study: Study) -> str:
    """Say why response times at the trace's own times gain less, where dies are idle."""
    grid = study.grid
    busy = {name: dies_busy(grid.timely[f"{name}/F"].summary) for name in grid.loads}
    idle = {name: share for name, share in busy.items() if share < 50}
    if not idle:
        return ""
    text = (
        "At the traces' own times dies are busy for few percent of the time: "
        f"{', '.join(f'{name} {number(share, 2)}' for name, share in idle.items())}. "
    )
    told = []
    for speed in SPEEDUPS:
        gains = [measures.gain_of(study.varied, f"x{speed}", system, "response") for system in BASE]
        if None not in gains:
            told.append(f"x{speed} {' / '.join(number(gain, 2) for gain in gains)}")
    return text + (f"Sped up, prj-0's response times fall by ({' / '.join(BASE)}): {', '.join(told)}." if told else "")


def _moves(grid: Grid) -> str:
    """Say what collection by pairs of blocks costs, where it moves more."""
    told = []
    for name in grid.loads:
        ours, theirs = (grid.long_term(name, system)["moves a block"] for system in ("D+TBM", "D"))
        if ours is not None and theirs and ours > theirs:
            told.append(f"{name} {100 * (ours / theirs - 1):+.0f} percent ({number(theirs)} to {number(ours)})")
    if not told:
        return ""
    return (
        f"Chosen by pairs, victims hold more: pages moved a block erased, D+TBM over D, saturated, {', '.join(told)}."
    )


def _footprint(study: Study) -> str:
    """Say how the gain depends on the data."""
    told = [f"{name} {_gains(study, name)}" for name in _footprints(study)]
    if not told:
        return ""
    return f"Percent by which IOPS of prj-0 rise, saturated ({' / '.join(BASE)}): {', '.join(told)}."
