"""From results to the sections of `report.md`, with a CSV file and a picture for each figure."""

from collections.abc import Callable, Iterable, Mapping
from statistics import fmean

import numpy as np

from ssdsim.config import HardwareConfig
from ssdsim.metrics.result import Result
from ssdsim.report.markdown import Row, number, table

from ...study.measures import Summary, dies_busy, mean, percent, ratio, traffic
from ...study.numbers import Number, of_all
from ...study.report import Report
from ...study.study import Results
from . import commands, measures, power_loss
from .claims import gain, run_number
from .commands import Programs, host_programs
from .measures import Measure
from .runs import FULL, FULL_PART, FULL_VOLUME, SHOWN, VOLUME, part
from .systems import BASE, DATA, HELD, OTHERS, OURS, SYSTEMS
from .workloads import NAMES, Load

Loads = Mapping[str, Load]

SYSTEMS_TOLD = (
    "ParityFTL's parity is on the next channel, as the paper has it take the parallelism of channels into account "
    "(4.1), and rtfFTL copies no moved pages, as nothing there says that it does. Nor does it say how long the host is "
    "idle. Sysbench's two workloads, with little idle time, are never. Varmail and Fileserver have a fair amount: we "
    "take what background collection needs to give back the quota that a burst takes, a program of an MSB page for "
    "each page written. Webserver has large idle times: twice the longest of these. IOPS are requests over all of the "
    "time. They and erases are of the second half of what is written.\n\n"
)

CHANGED = (
    "What IOPS are, and how long the host is idle, was changed on 2026-11-22 after results had been seen: «Idle times» "
    "and «Time of IOPS and erases» have the results of both.\n\n"
)


def sections(loads: Loads, hardware: HardwareConfig, report: Report) -> Iterable[str]:
    """Return the sections of the report, in order; those of what was not run are empty."""
    names = [name for name in NAMES if part(name, OURS) in report.first]
    recorded = {name: host_programs(_result(report, SHOWN, name)) for name in SYSTEMS if SHOWN in names}
    return [
        setup(loads, names, hardware, report),
        over_base("fig8a", "IOPS", measures.later_iops, names, report, CHANGED),
        over_base("fig8b", "block erasures", measures.later_erases, names, report),
        write_bandwidth(recorded, hardware, report) if recorded else "",
        lsb_rows(recorded, report) if recorded else "",
        backups(names, report),
        at_full_size(report) if FULL_PART in report.first else "",
        quota(measures.initial_quota(hardware), names, report),
        power_loss.section(report),
        evidence(names, report),
    ]


def _result(report: Report, workload: str, system: str) -> Result:
    return report.first[part(workload, system)][f"{workload}/{system}"]


def setup(loads: Loads, names: Iterable[str], hardware: HardwareConfig, report: Report) -> str:
    """Describe the device, the workloads and the seeds."""
    text = (
        f"{report.heading('flexFTL')}; tables and pictures are of the first seed, claims of all. The device is the "
        f"paper's (4.1) with {hardware.blocks_per_plane} of its 512 blocks a chip; what it leaves open (erase time, "
        "bus, spare blocks, write buffer) stands in `conf/hardware/flexftl.yaml` and `conf/stack/page_ftl.yaml`. The "
        "workloads are synthetic ones with the ratios of its Table 1; sizes, places, bursts and idle times are ours "
        f"(`conf/workload/`), and the same at any scale. Each writes {VOLUME:g} times the device's pages. At first the "
        f"device holds the workload's data, {DATA:.0%} of its pages, and outdated pages down to where collection "
        "starts.\n\n" + _held_blocks(report) + SYSTEMS_TOLD
    )
    return text + table([_load(report, name, loads[name].idle_s) for name in names])


def _held_blocks(report: Report) -> str:
    """Describe the extra blocks of a device that is smaller than the paper's."""
    if report.options.scale == 1:
        return ""
    listed = ", ".join(f"{name} {count}" for name, count in HELD.items())
    return (
        "A small device has a larger share of its spare blocks held by what does not scale, four free blocks a chip, "
        f"active ones and those for backups (in all, {listed}). So each system is given more blocks, as many as leave "
        "it the share of spare blocks that it has at full size, with the same capacity and quota.\n\n"
    )


def _load(report: Report, name: str, idle_s: float) -> Row:
    summary = _result(report, name, BASE).summary
    wear = [_result(report, name, system).summary["wear"]["mean"] for system in SYSTEMS]
    return {
        "workload": name,
        **traffic(summary),
        "idle %": 100 * idle_s / summary["simulated_s"],
        "dies busy %": dies_busy(summary),
        "erases a block, least": min(wear),
        "most": max(wear),
    }


def over_base(name: str, title: str, measure: Measure, names: Iterable[str], report: Report, note: str = "") -> str:
    """Show a measure of all systems over pageFTL's (Fig. 8a, b)."""
    rows: list[Row] = []
    for workload in names:
        values = {system: measure(workload, _result(report, workload, system)) for system in SYSTEMS}
        rows.append({"workload": workload, **{system: ratio(value, values[BASE]) for system, value in values.items()}})
    title = f"Fig. {name[3]}({name[4]}): {title} over {BASE}'s"
    last = ["mean", *(mean(row[system] for row in rows) for system in SYSTEMS)]
    picture = report.out.picture(name, title, f"times {BASE}'s", rows, drawer="bars")
    return f"## {title}\n\n{note}{picture}{report.shown(name, rows, below=[last])}"


def write_bandwidth(programs: Mapping[str, Programs], hardware: HardwareConfig, report: Report) -> str:
    """Show the distribution of the write bandwidth (Fig. 8c)."""
    page_bytes, drain_s = hardware.page_bytes, commands.drain_s(hardware)
    window_s, widths_s = commands.DRAINS * drain_s, [*(n * drain_s for n in (0.5, 1, 2, 3, 4, 8)), 0.1, 1.0]
    bandwidth = {name: made.by_window(page_bytes, window_s) for name, made in programs.items()}
    report.out.csv("fig8c", [row for name, values in bandwidth.items() for row in _distribution(name, values)])
    return (
        f"## Fig. 8(c): write bandwidth under {SHOWN}\n\n"
        f"Page programs of the host in windows of {1000 * window_s:.2g} ms, in the second half of a run; windows "
        f"without any are left out. A chip of rtfFTL programs its eight LSB pages in {1000 * drain_s:.3g} ms: a window "
        f"of that width would hold them all only if both began together, one of twice that holds "
        "every other such drain, and MSB pages fill more of wider ones.\n\n"
        + report.out.picture("fig8c", bandwidth)
        + table([_bandwidth_row(name, made, bandwidth[name], page_bytes) for name, made in programs.items()])
        + f"\n{report.table('fig8c')}"
        + "What a peak is depends on the width of the window. Peaks in MiB/s, and flexFTL's over rtfFTL's; SLC's "
        f"bandwidth is {number(commands.slc_mib_s(hardware))}:\n\n"
        + table([_peaks(programs, page_bytes, width_s) for width_s in widths_s])
    )


def _distribution(name: str, values: np.ndarray) -> list[Row]:
    pairs = zip(*(column.tolist() for column in commands.distribution(values)), strict=True)
    return [{"system": name, "MiB/s": bandwidth, "share of windows": share} for bandwidth, share in pairs]


def _bandwidth_row(name: str, made: Programs, values: np.ndarray, page_bytes: int) -> Row:
    return {
        "": name,
        "mean of windows, MiB/s": float(values.mean()),
        "median": float(np.median(values)),
        "90 %": float(np.quantile(values, 0.9)),
        "peak": float(values.max()),
        "windows": len(values),
        "LSB pages, % of the host's": 100 * float((made.page_types == 0).mean()),
        "mean over all of the time, MiB/s": made.average(page_bytes),
    }


def _peaks(programs: Mapping[str, Programs], page_bytes: int, width_s: float) -> Row:
    peak = {name: float(made.by_window(page_bytes, width_s).max()) for name, made in programs.items()}
    return {"window": f"{number(1000 * width_s)} ms", **peak, "times": peak[OURS] / peak["rtfFTL"]}


def lsb_rows(programs: Mapping[str, Programs], report: Report) -> str:
    """Show the longest rows of LSB pages."""
    rows: list[Row] = [
        {"": name, "longest row": made.longest_row(), "of a chip": made.longest_row_of_chip()}
        for name, made in programs.items()
    ]
    return (
        f"## LSB pages in a row under {SHOWN}\n\nOf the host's pages, in the second half of a run.\n\n"
        f"{table(rows)}\n{report.table('quota')}"
    )


def backups(names: Iterable[str], report: Report) -> str:
    """Show the backup pages written and the pages moved for each page of the host."""
    rows = [
        {
            "workload": name,
            **{system: _of_host("backup", name, system)(report.first) for system in SYSTEMS},
            **{f"moved, {system}": _of_host("gc", name, system)(report.first) for system in SYSTEMS},
        }
        for name in names
    ]
    return (
        "## Backup pages and moved pages for each page of the host\n\n"
        "Moved pages are backed up too, but not by rtfFTL.\n\n" + report.shown("backups", rows, "backup", "order")
    )


def _of_host(source: str, workload: str, system: str) -> Number:
    """Return the pages programmed by a `source` for each page of the host."""
    return run_number(lambda _, result: measures.for_each_of_host(result.summary, source), workload, system)


def at_full_size(report: Report) -> str:
    """Show one workload at the paper's size beside the scaled one."""
    whole = {part(FULL, system): report.first[FULL_PART] for system in SYSTEMS}
    rows = [_size(report.first, f"scale {report.options.scale}"), _size(whole, "scale 1")]
    return (
        f"## {FULL} at the paper's size\n\n"
        f"Over {FULL_VOLUME:g} times the device's pages, of the first seed; moved are pages for each of the host's.\n\n"
        + report.out.table("full_size", rows)
    )


def _size(results: Results, name: str) -> Row:
    return {
        "": f"{FULL}, {name}",
        **{f"IOPS above {base}'s, %": gain(measures.later_iops, FULL, base)(results) for base in OTHERS},
        **{f"erases below {base}'s, %": (-gain(measures.later_erases, FULL, base))(results) for base in OTHERS},
        **{f"moved, {system}": _of_host("gc", FULL, system)(results) for system in SYSTEMS},
    }


def quota(initial: int, names: Iterable[str], report: Report) -> str:
    """Show q and u of flexFTL over time."""
    runs = {name: _result(report, name, OURS) for name in names}
    rows: list[Row] = [{"workload": name, **measures.course(result, initial)} for name, result in runs.items()]
    return (
        "## Quota q and buffer utilization u over time\n\n"
        + report.out.picture("quota", runs, initial)
        + "Of flexFTL, at the ends of those windows of the time series in which requests were completed; q in "
        f"multiples of its initial value, {initial:,} pages:\n\n" + report.out.table("quota", rows)
    )


def evidence(names: Iterable[str], report: Report) -> str:
    """Show the programs of the systems and the utilization of the dies."""

    def mean_of(of_workload: Callable[[str], Number]) -> str:
        return number(of_all(fmean, map(of_workload, names))(report.first))

    def saved(measure: Measure, base: str) -> str:
        return mean_of(lambda name: -gain(measure, name, base))

    def more(source: str, base: str) -> str:
        return mean_of(lambda name: _of_host(source, name, base) - _of_host(source, name, OURS))

    told = "".join(
        f"- Over whole runs flexFTL programs {saved(measures.all_programs, base)} percent fewer pages than {base} and "
        f"erases {saved(measures.all_erases, base)} percent less.\n"
        f"- For each page of the host, {base} writes {more('backup', base)} backups and moves {more('gc', base)} pages "
        "more.\n"
        for base in ("parityFTL", "rtfFTL")
    )
    rows = [_row(f"{name}, {system}", _result(report, name, system).summary) for name in names for system in SYSTEMS]
    return f"## What the runs show of programs and erases\n\n{told}\n{report.out.table('evidence', rows)}"


def _row(name: str, summary: Summary) -> Row:
    served, made = summary["requests"], summary["flash"]["programs"]
    return {
        "": name,
        "read ms": served["read"]["response_us"]["mean"] / 1000,
        "write ms": served["write"]["response_us"]["mean"] / 1000,
        "dies busy %": dies_busy(summary),
        "programs of collection %": percent(ratio(made["gc"], sum(made.values()))),
        "of backups %": percent(ratio(made["backup"], sum(made.values()))),
        "pages moved a block": ratio(made["gc"], summary["flash"]["erases"]["gc"]),
    }
