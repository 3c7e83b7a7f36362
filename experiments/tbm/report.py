"""From results to `report.md`, with a CSV file and a picture for each figure."""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import attrs

from experiments.output import Output, output
from experiments.study import Row, comparison_table, markdown
from experiments.tbm import measures
from experiments.tbm.measures import Course, Grid
from experiments.tbm.systems import BASE, SYSTEMS, WITH_TBM, WITHOUT_TBM
from experiments.tbm.workloads import FOOTPRINT, LONG_RUN, ROUND

SPEEDUPS = [10, 100, 1000]
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


def write_report(study: Study, folder: Path) -> None:
    """Write `report.md`, and the CSV files and pictures that it shows, into `folder`."""
    out = output(folder, "experiments.tbm.figures")
    sections = [
        setup(study),
        long_runs(study, out),
        figure_7(study, out),
        speeds(study, out),
        footprints(study, out),
        evidence(study),
    ]
    (folder / "report.md").write_text("\n".join(each for each in sections if each), encoding="utf-8")


def setup(study: Study) -> str:
    """Say what was run under what."""
    size = "--full" if study.full else f"--scale {study.scale}"
    volume = LONG_RUN if study.full else ROUND
    text = (
        "# TBM: the paper's experiments\n\n"
        f"Made by `python -m experiments.tbm {size} --seed {study.seed}`. The device is that of the paper's Table 1 "
        f"with {study.blocks} of its 2048 blocks a plane, empty at first. Volumes are pages written, in units of the "
        f"device's pages; Figs. 2 and 6 go on until {LONG_RUN}, Fig. 7 until {volume:g}. With few blocks, collection "
        "starts earlier and more of them are spare, as it needs two free ones to work with (`config.yaml` of each "
        "run).\n\n"
        "Response times are those at the trace's own times, the mean of reads and writes. At those times the device "
        "is mostly idle, so that all systems serve the same requests a second: IOPS are therefore those of the same "
        "requests sent as fast as the queue of 32 takes them. Both, and the shares of multi-plane commands among the "
        f"host's, are of what comes after a volume of {measures.SETTLED}, when collection has long begun.\n\n"
        "A workload called synthetic has the numbers of Table 1, not the requests of the trace of that name; what the "
        "table leaves out is taken from pieces of real traces (`experiments/tbm/workloads.py`), but for the footprint, "
        f"a share of {FOOTPRINT} of the device, which is a choice.\n\n"
    )
    rows = [_load(study.grid, name) for name in study.grid.loads]
    return text + markdown(list(rows[0]), [row.values() for row in rows])


def _load(grid: Grid, name: str) -> Row:
    summary = grid.timely[f"{name}/F"].summary
    read, write = (summary["requests"][op] for op in ("read", "write"))
    requests = read["count"] + write["count"]
    return {
        "workload": name,
        "": grid.loads[name].kind,
        "requests": requests,
        "writes %": 100 * write["count"] / requests,
        "read KiB": read["bytes"] / 1024 / read["count"] if read["count"] else None,
        "write KiB": write["bytes"] / 1024 / write["count"] if write["count"] else None,
        "gap ms": 1000 * summary["simulated_s"] / requests,
        "hours": summary["simulated_s"] / 3600,
        "pages written, of the device's": summary["host_page_writes"] / grid.pages,
        "dies busy %": 100 * sum(summary["utilization"]["die"]) / len(summary["utilization"]["die"]),
        "queue, most": summary["queue_depth"]["max"],
        "reads of nothing %": _unmapped(summary),
    }


def _unmapped(summary: Row) -> float | None:
    pages = summary["unmapped_reads"] + summary["memory_reads"] + summary["flash"]["reads"]["host"]
    return 100 * summary["unmapped_reads"] / pages if pages else None


def long_runs(study: Study, out: Output) -> str:
    """Show the long run without and with TBM."""
    if not study.long:
        return ""
    rows = [{"system": name, **row} for name, run in study.long.items() for row in run.points(STEP)]
    keys = [key for key in rows[0] if key not in ("system", "volume", "iops")]
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
    out.csv("fig07", rows)
    gains = [[name, *(grid.gain(name, system, of) for of in measures.GAINS for system in BASE)] for name in grid.loads]
    header = ["percent", *(f"{system}, {told}" for told in measures.GAINS.values() for system in BASE)]
    return (
        "## Fig. 7: the long run of all workloads\n\n"
        + out.picture("fig07", rows)
        + markdown(list(rows[0]), [row.values() for row in rows])
        + "\nF+TBM and F2+TBM are held against F, D+TBM against D:\n\n"
        + markdown(header, gains)
        + "\n"
        + comparison_table(measures.gain_comparisons(grid))
    )


def speeds(study: Study, out: Output) -> str:
    """Show the response time where requests come faster."""
    names = [f"x{speed}" for speed in SPEEDUPS]
    return _varied(study, out, "speeds", names, "prj-0 at other speeds", "Its times divided by as much.")


def footprints(study: Study, out: Output) -> str:
    """Show what the footprint decides."""
    names = list(dict.fromkeys(name.partition("/")[0] for name in study.varied if name.startswith("footprint")))
    text = "Saturated, with other footprints, as shares of the device."
    return _varied(study, out, "footprints", names, "prj-0 with other footprints", text)


def _varied(study: Study, out: Output, file: str, names: list[str], title: str, text: str) -> str:
    rows: list[Row] = [
        {"": name, "system": system, **study.varied[f"{name}/{system}"].between(measures.SETTLED)}
        for name in names
        for system in SYSTEMS
        if f"{name}/{system}" in study.varied
    ]
    if not rows:
        return ""
    out.csv(file, rows)
    return f"## {title}\n\n{text}\n\n" + markdown(list(rows[0]), [row.values() for row in rows])


def evidence(study: Study) -> str:
    """Show what in the runs explains where our numbers and the paper's part."""
    return ""
